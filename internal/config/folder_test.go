//go:build unix

package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// counting is a hook of a folder that leaves a line in a file each time it is described.
func counting(trace, description string) string {
	return "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo x >> '" + trace + "'; echo '" + description + "'; exit 0; fi\necho '{}'\n"
}

func folderWorld(t *testing.T) *world {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	return w
}

func TestAnExecutableIsAskedOnceForEachVersionOfIt(t *testing.T) {
	w := folderWorld(t)
	trace := filepath.Join(w.home, "trace")
	asked := func() int {
		data, _ := os.ReadFile(trace)
		return strings.Count(string(data), "x")
	}
	script := w.work(".hookway/hooks/a.sh")
	w.write(script, counting(trace, `{"event":"PreToolUse","priority":7,"match":{"tool":"Bash"}}`))
	for range 3 {
		set := w.load()
		w.want(set, "a.sh active")
		if h := set.Hooks[0]; h.Priority != 7 || h.Match.Tool[0] != "Bash" || h.Events[0] != "PreToolUse" {
			t.Errorf(`got %+v, want h.Priority == 7 and h.Match.Tool[0] == "Bash" and h.Events[0] == "PreToolUse"`, h)
		}
	}
	if asked() != 1 {
		t.Errorf("it was asked %d times", asked())
	}
	w.write(script, counting(trace, `{"event":"PostToolUse"}`))
	if set := w.load(); set.Hooks[0].Events[0] != "PostToolUse" || asked() != 2 {
		t.Errorf("%+v, asked %d times", set.Hooks[0], asked())
	}
}

func TestWhatAnExecutableSaysOfItselfArrives(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work(".hookway/hooks/a.sh"), describing(`{"name":"x","description":"what","events":["before_tool_call","Stop"],"priority":0,"timeout":"250ms","max_retries":2,"lane":"guard","on_failure":"continue","mode":"worker","profile":"a3s","match":{"command":"rm"}}`, "no"))
	w.write(w.work(".acai/hooks/b.sh"), describing(`{"event":"tool-call-start","async":true}`, "no"))
	set := w.load()
	w.want(set, "a.sh active, b.sh active")
	a, b := set.Hooks[0], set.Hooks[1]
	if got, want := fmt.Sprint([]any{fmt.Sprint(a.Events), a.Priority, a.Timeout, a.Retries, a.Lane, a.OnFail, a.Profile, a.Description, a.Match.Command[0]}), fmt.Sprint([]any{"[PreToolUse AgentStop]", 0, 250 * time.Millisecond, 2, hook.Guard, hook.FailOpen, hook.ProfileA3S, "what", "rm"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a.Origin != w.work(".hookway/hooks/a.sh") || a.Root != w.ws {
		t.Errorf(`got %+v, want a.Origin == w.work(".hookway/hooks/a.sh") and a.Root == w.ws`, a)
	}
	if b.Lane != hook.Observe || b.Profile != hook.ProfileAcai || b.Priority != hook.DefaultPriority {
		t.Errorf("got %+v, want b.Lane == hook.Observe and b.Profile == hook.ProfileAcai and b.Priority == hook.DefaultPriority", b)
	}
}

func TestWhatIsNoHookIsLeftOut(t *testing.T) {
	w := folderWorld(t)
	ok := describing(`{"event":"PreToolUse"}`, "no")
	for _, name := range []string{".hidden.sh", "_off.sh", "README.md", "data.json", "guard.sh~", "guard.sh.disabled", "README", "sub/inner.sh", "b.sh"} {
		w.write(w.work(".hookway/hooks/"+name), ok)
	}
	w.write(w.work(".hookway/hooks/a.sh"), strings.TrimPrefix(ok, "#!/bin/sh\n")) // neither shebang nor execute bit: by its extension
	w.write(w.work(".hookway/hooks/plain"), "no program")
	set := w.load()
	w.want(set, "a.sh active, b.sh active")
	if len(set.Problems) != 0 || len(set.Warnings) != 1 {
		t.Errorf("got %s %s, want len(set.Problems) == 0 and len(set.Warnings) == 1", set.Problems, set.Warnings)
	} else if set.Warnings[0].File != w.work(".hookway/hooks/plain") || !strings.Contains(set.Warnings[0].Message, "chmod +x") {
		t.Errorf(`got %s %s, want set.Warnings[0].File == w.work(".hookway/hooks/plain") and strings.Contains(set.Warnings[0].Message, "chmod +x")`, set.Problems, set.Warnings)
	}
}

func TestEachBrokenExecutableIsOneWarningThatNamesIt(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"garbage":           {"#!/bin/sh\necho hello\n", "hello"},
		"nothing":           {"#!/bin/sh\n", "printed nothing"},
		"exit status":       {"#!/bin/sh\necho broken >&2; exit 3\n", "broken"},
		"wrong interpreter": {"#!/no/such/interpreter\n", "/no/such/interpreter"},
		"unknown event":     {describing(`{"event":"PreToolUes"}`, ""), "did you mean PreToolUse?"},
		"bad match":         {describing(`{"event":"PreToolUse","match":{"command":"a(b"}}`, ""), "missing closing )"},
		"unknown match key": {describing(`{"event":"PreToolUse","match":{"tol":"x"}}`, ""), "did you mean tool?"},
		"bad lane":          {describing(`{"event":"PreToolUse","lane":"gard"}`, ""), "did you mean guard?"},
		"bad priority":      {describing(`{"event":"PreToolUse","priority":"high"}`, ""), "priority"},
	} {
		t.Run(name, func(t *testing.T) {
			w := folderWorld(t)
			w.write(w.work(".hookway/hooks/bad.sh"), c.script)
			w.write(w.work(".hookway/hooks/good.sh"), describing(`{"event":"PreToolUse"}`, "no"))
			set := w.load()
			w.want(set, "good.sh active")
			if len(set.Problems) != 0 || len(set.Warnings) != 1 {
				t.Fatalf("problems %s\nwarnings %s", set.Problems, set.Warnings)
			}
			warning := set.Warnings[0]
			if warning.File != w.work(".hookway/hooks/bad.sh") || !strings.Contains(warning.Message, c.want) || strings.Contains(warning.Message, "\n") {
				t.Errorf("got %+v, want warning.File == w.work(\".hookway/hooks/bad.sh\") and strings.Contains(warning.Message, c.want) and !strings.Contains(warning.Message, \"\\n\")", warning)
			}
		})
	}
}

// TestAnExecutableThatDoesNotAnswerIsNotAskedEachTime: one that hangs would hold
// up every command.
func TestAnExecutableThatDoesNotAnswerIsNotAskedEachTime(t *testing.T) {
	w := folderWorld(t)
	trace := filepath.Join(w.home, "trace")
	file := w.work(".hookway/hooks/bad.sh")
	w.write(file, "#!/bin/sh\necho x >> '"+trace+"'; echo no >&2; exit 3\n")
	asked := func(want int, when string) {
		t.Helper()
		set := w.load()
		data, err := os.ReadFile(trace)
		w.must(err)
		if n := strings.Count(string(data), "x"); n != want {
			t.Errorf("%s: it was asked %d times, want %d", when, n, want)
		}
		if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Message, "exit status 3: no") || set.Warnings[0].Hint != askedAgain {
			t.Errorf("%s: warnings %s", when, set.Warnings)
		}
	}
	asked(1, "at first")
	asked(1, "again")
	w.must(os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)))
	asked(2, "touched")
	asked(2, "again after the touch")
	cached, err := filepath.Glob(filepath.Join(w.home, "state", "describe", "*"))
	if err != nil || len(cached) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(cached) == 1", cached, err)
	}
	w.must(os.Chtimes(cached[0], time.Time{}, time.Now().Add(-failureKept)))
	asked(3, "after a while")
	w.write(file, "#!/bin/sh\necho xx >> '"+trace+"'; echo no >&2; exit 3\n")
	asked(5, "changed")

	ctx, cancel := context.WithCancel(context.Background())
	w.write(file, "#!/bin/sh\necho x >> '"+trace+"'; echo no >&2; exit 3\n#")
	cancel()
	if _, err := Load(ctx, w.options()); err == nil {
		t.Error("a cancelled load gave a set")
	}
	if more, _ := filepath.Glob(filepath.Join(w.home, "state", "describe", "*")); len(more) != 2 {
		t.Errorf("that nobody waited is kept as a failure: %q", more)
	}
}

func TestOfTooManyHooksTheFirstByNameAreUsed(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work("hookway.yaml"), "max_hooks: 3\n")
	for _, i := range []int{4, 2, 0, 3, 1} {
		w.write(w.work(fmt.Sprintf(".hookway/hooks/h%d.sh", i)), describing(`{"event":"PreToolUse"}`, "no"))
	}
	set := w.load()
	w.want(set, "h0.sh active, h1.sh active, h2.sh active")
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].String(), "max_hooks") {
		t.Errorf(`got %v, want len(set.Warnings) == 1 and strings.Contains(set.Warnings[0].String(), "max_hooks")`, set.Warnings)
	}
}

func TestAHundredHooksAreTheDefaultLimit(t *testing.T) {
	w := folderWorld(t)
	w.env["HOOKWAY_TRUST"] = "" // untrusted: nothing has to be asked
	for i := range DefaultMaxHooks + 5 {
		w.write(w.work(fmt.Sprintf(".hookway/hooks/h%03d", i)), "#!/bin/sh\n")
	}
	set := w.load()
	if n := len(set.Hooks); n != DefaultMaxHooks || set.Hooks[n-1].ID != "h099" || len(set.Warnings) != 1 {
		t.Errorf("%d hooks, warnings %s", n, set.Warnings)
	}
}

func TestUserHooksFoldersAreUsedToo(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hooks/u.sh"), describing(`{"event":"PreToolUse"}`, "from the user"))
	w.must(os.Chmod(w.user("hooks"), 0o700))
	set := w.load()
	w.want(set, "u.sh active")
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Reason != "from the user" {
		t.Errorf(`got %+v, want out.Reason == "from the user"`, out)
	}
}

func TestACancelledLoadEndsWithoutASet(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work(".hookway/hooks/slow.sh"), "#!/bin/sh\nexec sleep 60\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if set, err := Load(ctx, w.options()); err == nil || set != nil {
		t.Errorf("got %v, %v, want err != nil and set == nil", set, err)
	}
}

func TestTheCacheOfDescriptionsIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range maxDescriptions + 1 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != maxDescriptions/2 {
		t.Errorf("%d entries, %v", len(entries), err)
	} else if !disk.Exists(filepath.Join(dir, fmt.Sprint(maxDescriptions))) || disk.Exists(filepath.Join(dir, "0")) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestAFolderThatCannotBeReadIsAProblem(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work("hookway.yaml"), blockRM)
	w.write(w.work(".hookway/hooks"), "a file")
	set := w.load()
	w.want(set, "no-rm active")
	if len(set.Problems) != 1 || set.Problems[0].File != w.work(".hookway/hooks") {
		t.Errorf(`got %v, want len(set.Problems) == 1 and set.Problems[0].File == w.work(".hookway/hooks")`, set.Problems)
	}
}

func TestControlCharactersOfFileNamesNeverReachTheTerminal(t *testing.T) {
	for _, trust := range []string{"0", "1"} {
		w := newWorld(t)
		w.env["HOOKWAY_TRUST"] = trust
		w.write(w.work(".hookway/hooks/a\x1b[2Jb\u009b.sh"), describing(`{"event":"PreToolUse"}`, "no"))
		w.write(w.work(".acai/hooks/\x1b]0;x\a/x"), "") // a folder: no hook
		set := w.load()
		w.want(set, "")
		text := set.Warnings.String()
		if len(set.Warnings) != 1 || strings.ContainsAny(text, "\x1b\a\u009b") {
			t.Errorf("HOOKWAY_TRUST=%s: %q", trust, text)
		} else if !strings.Contains(text, `a\x1b[2Jb\u009b.sh`) || !strings.Contains(text, "U+001B") {
			t.Errorf("HOOKWAY_TRUST=%s: %q", trust, text)
		}
	}
	p := Problem{File: "a\nb", Line: 1, Column: 2, Hook: "h\x1b", Message: "m\x1b\u202e\xff", Hint: "x\r"}
	if got, want := p.String(), `a\nb:1:2: hook "h\x1b": m\x1b\u202e\xff`+"\n    "+`x\r`; got != want || p.Place() != `a\nb:1:2` {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
