package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryRowIsThere: a row names a script or tests that the tree has.
func TestEveryRowIsThere(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rows {
		if names[r.name] || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(r.name) {
			t.Errorf("%q is not a name, or not the only one", r.name)
		}
		names[r.name] = true
		if r.deadline <= 0 || r.what == "" {
			t.Errorf("%s has no deadline, or says nothing", r.name)
		}
		switch {
		case r.command[0] == "sh" || r.command[1] == "run":
			path := r.command[1]
			if path == "run" {
				path = r.command[2]
			}
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
		default:
			run := r.command[slices.Index(r.command, "-run")+1]
			room := r.command[slices.IndexFunc(r.command, func(w string) bool { return strings.HasPrefix(w, "./") })]
			if !has(t, room, run) {
				t.Errorf("%s: %s has no test %s", r.name, room, run)
			}
		}
	}
}

// has reports whether each part of an expression names a test of a package.
func has(t *testing.T, room, run string) bool {
	files, err := filepath.Glob(filepath.Join("../..", room, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			tests = append(tests, string(m[1]))
		}
	}
	for part := range strings.SplitSeq(run, "|") {
		part, _, _ = strings.Cut(part, "/")
		if !slices.ContainsFunc(tests, regexp.MustCompile(part).MatchString) {
			return false
		}
	}
	return true
}

func TestARowIsJudgedByWhatRan(t *testing.T) {
	exit := new(exec.ExitError)
	exit.ProcessState = new(os.ProcessState)
	tests := map[string]struct {
		plain  bool
		shows  string
		out    string
		err    error
		state  string
		saying string
	}{
		"two tests":             {out: "--- PASS: TestA (0.1s)\n--- PASS: TestB (0.1s)\n", state: good, saying: "2 tests"},
		"what it saw":           {out: "    x_test.go:3: proof: 600 messages, 0 lost\n--- PASS: TestA (0.1s)\n", state: good, saying: "1 tests; 600 messages, 0 lost"},
		"one was skipped":       {out: "--- PASS: TestA (0.1s)\n--- SKIP: TestB (0.0s)\n", state: good, saying: "1 tests; 1 skipped, TestB first"},
		"a test fails":          {out: "--- FAIL: TestA (0.1s)\n", err: exit, state: bad, saying: "TestA"},
		"none ran":              {out: "testing: warning: no tests to run\nok\n", state: bad, saying: "no test ran"},
		"it cannot start":       {err: errors.New("no such file"), state: bad, saying: "no such file"},
		"the agent is not here": {out: "e2e: skipped: npm is not reachable\n", state: skipped, saying: "npm is not reachable"},
		"a script":              {plain: true, out: "all well\n", state: good, saying: "it ended well"},
		"what a script counts":  {plain: true, shows: "lost", out: "1 s\n5 messages: lost   0  ≤ 0\n", state: good, saying: "5 messages: lost 0 ≤ 0"},
		"it counts too many":    {plain: true, shows: "lost", out: "5 messages: lost   1  ≤ 0  missed\n", state: bad, saying: "5 messages: lost 1"},
		"a script skips":        {plain: true, out: "SKIPPED: python3 is not installed\n", state: skipped, saying: "python3 is not installed"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			if got := judge(row{plain: c.plain, shows: c.shows, against: "lost.*missed"}, c.out, c.err); got.state != c.state || !strings.HasPrefix(got.saw, c.saying) {
				t.Errorf("it is %s: %q, want %s: %q", got.state, got.saw, c.state, c.saying)
			}
		})
	}
}

func TestAPageKeepsTheRowsThatDidNotRun(t *testing.T) {
	page := filepath.Join(t.TempDir(), "proof.md")
	for i, state := range []string{good, bad} {
		seen := []result{{row: rows[i], state: state, saw: "a | b", commit: "abc"}}
		if err := write(page, seen); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(string(text), head+columns)), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("got %d rows, want %d:\n%s", len(lines), len(rows), text)
	}
	for i, want := range []string{`| holds | a \| b |`, "| FAILED |", "| not run |"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("got %s, want %q in it", lines[i], want)
		}
	}
}
