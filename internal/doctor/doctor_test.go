package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/wire/call"
)

// now is when the tests take place.
var now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

// TestEveryCodecHasAMarkedCall: the event that is tried is one that the agent
// has, and hooks see a shell command in it.
func TestEveryCodecHasAMarkedCall(t *testing.T) {
	for _, codec := range adapter.All() {
		name := codec.About().Name
		event, stdin, err := markedCall(name, "echo marked", "session-1", "/somewhere")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if codec.About().Event(event).Kind != hook.PreToolUse.Info() {
			t.Errorf("%s: %s is not what comes before a tool", name, event)
		}
		ev, err := codec.Decode(adapter.Call{Event: event, Stdin: stdin}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		use, ok := ev.Body().(hook.ToolUse)
		if !ok || use.ToolName != "Bash" || use.ToolInput["command"] != "echo marked" {
			t.Errorf("%s: hooks see %#v", name, ev.Body())
		}
		if ev.Head().Session != "session-1" || ev.Head().CWD != "/somewhere" {
			t.Errorf("%s: session %q in %q", name, ev.Head().Session, ev.Head().CWD)
		}
		no, err1 := expected(install.EventState{Name: event, Codec: name}, stdin, true)
		yes, err2 := expected(install.EventState{Name: event, Codec: name}, stdin, false)
		if err1 != nil || err2 != nil {
			t.Errorf("%s: a refusal is %q (%v), no opinion is %q (%v)", name, no.Stdout, err1, yes.Stdout, err2)
		} else if alike(no.Stdout, yes.Stdout) || !strings.Contains(string(no.Stdout), "hookway doctor refuses") {
			t.Errorf("%s: a refusal is %q (%v), no opinion is %q (%v)", name, no.Stdout, err1, yes.Stdout, err2)
		}
	}
}

// TestRunnableAgentsAreKnown: what can be run without a user can be installed.
func TestRunnableAgentsAreKnown(t *testing.T) {
	for name, run := range headless {
		if !slices.Contains(install.Agents(), name) {
			t.Errorf("%s cannot be installed", name)
		}
		if args := run.args("say hello"); args[len(args)-1] != "say hello" {
			t.Errorf("%s: the prompt is not last: %q", name, args)
		}
	}
}

func TestNewestLinesOfALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.log")
	text := strings.Join([]string{
		"2026-05-01T00:00:00.000Z too old",
		"2026-05-06T06:08:09.000Z hook a failed",
		"no time at all",
		"2026-05-06T06:30:00Z listening at somewhere",
		"2026-05-06T07:07:59.000Z hook a failed",
		"2026-05-06T07:08:00.5Z hook b failed",
		"2026-05-06T07:08:",
	}, "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Checkup{Now: now}
	got := strings.Join(c.newest(path, routine), "\n")
	if want := "hook b failed (8 s ago)\nhook a failed (2 times, last 10 s ago)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if lines := c.newest(path+".none", nil); lines != nil {
		t.Errorf("a log that is not there has %q", lines)
	}
}

// TestNewestReadsTheEndOnly: a log may be large, and its cut first line is not a line.
func TestNewestReadsTheEndOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.log")
	line := "2026-05-06T07:08:00Z " + strings.Repeat("x", 200) + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := tail(path)
	if err != nil || len(text) > logTail {
		t.Errorf("%d bytes, %v: %.40q", len(text), err, text)
	} else if !strings.HasPrefix(text, "2026-") || !strings.HasSuffix(text, "\n") {
		t.Errorf("%d bytes, %v: %.40q", len(text), err, text)
	}
}

func TestTallyIsBounded(t *testing.T) {
	failed := tally{}
	for i := range 5 * maxGroups {
		failed.add(now.Add(time.Duration(i)*time.Second), "failure %d", i)
	}
	newest := failed.newest()
	if len(failed) > 2*maxGroups || len(newest) != mostLines || newest[0].what != fmt.Sprintf("failure %d", 5*maxGroups-1) {
		t.Errorf("%d kinds are kept, %d shown", len(failed), len(newest))
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 119 * time.Second: "119 s", 2 * time.Minute: "2 minutes", 47 * time.Hour: "47 hours", 49 * time.Hour: "2 days",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// find gives the finding that has a text.
func (s *Section) find(t *testing.T, text string) Finding {
	t.Helper()
	for _, f := range s.Findings {
		if strings.Contains(f.Text, text) {
			return f
		}
	}
	t.Fatalf("nothing says %q: %+v", text, s.Findings)
	return Finding{}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	c := &Checkup{state: filepath.Join(dir, "state"), places: call.Places{Dir: filepath.Join(dir, "run")}, Now: now}
	s := c.folders()
	if s.find(t, "is made when there is something to keep").Level != OK || s.find(t, "is made when the daemon starts").Level != OK {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"state", "run"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s = c.folders()
	if s.find(t, "state and audit records").Level != OK || s.find(t, "the daemon's socket").Level != OK {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"state", "run"} {
		if left, err := os.ReadDir(filepath.Join(dir, name)); err != nil || len(left) > 0 {
			t.Errorf("looking left %v in %s (%v)", left, name, err)
		}
	}
	c.state = filepath.Join(dir, "file")
	if err := os.WriteFile(c.state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s = c.folders(); s.find(t, "is a file").Level != Failure {
		t.Errorf("%+v", s)
	}
}

// FuzzNewest: whatever a log holds, few lines come of it.
func FuzzNewest(f *testing.F) {
	f.Add("2026-05-06T07:08:00Z hook a failed\n2026-05-06T07:08:00Z hook a failed\n")
	f.Add("2026-05-06T07:08:00Z \n\n2026-05-06T07:08:00Z")
	f.Add("2026-05-01T00:00:00.000Z too old\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "some.log")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := (&Checkup{Now: now}).newest(path, routine)
		if len(lines) > mostLines {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range lines {
			if !strings.HasSuffix(line, " ago)") || strings.Contains(line, "\n") {
				t.Errorf("%q", line)
			}
		}
	})
}
