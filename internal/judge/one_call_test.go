//go:build unix

package judge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// asksOnce has a hook that counts how often it is asked.
const asksOnce = `hooks:
- {id: count, on: [PreToolUse, PermissionRequest], lane: guard, command: 'cat >/dev/null; echo run >>"$HOOKWAY_PROJECT_DIR/runs"'}
`

// claude is an event of Claude Code about a call of a shell command in a folder.
func (w *world) claude(event, id, dir string) *call.Request {
	r := w.event(map[string]any{
		"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": "ls"},
		"tool_response": map[string]any{"stdout": "x"}, "error": "failed",
	})
	r.Stdin = []byte(strings.Replace(string(r.Stdin), `"cwd":"`+w.dir+`"`, `"cwd":"`+dir+`"`, 1))
	return r
}

func TestACallEndsWithItsResultAndIsOneInOneFolder(t *testing.T) {
	type step struct{ event, id, dir string }
	for name, c := range map[string]struct {
		steps []step
		runs  int
	}{
		"told twice":                  {[]step{{"PreToolUse", "1", ""}, {"PreToolUse", "1", ""}}, 1},
		"in another folder":           {[]step{{"PreToolUse", "1", ""}, {"PreToolUse", "1", "sub"}}, 2},
		"back in the first":           {[]step{{"PreToolUse", "1", ""}, {"PreToolUse", "1", "sub"}, {"PreToolUse", "1", ""}}, 2},
		"made":                        {[]step{{"PreToolUse", "1", ""}, {"PostToolUse", "1", ""}, {"PreToolUse", "1", ""}}, 2},
		"failed":                      {[]step{{"PreToolUse", "1", ""}, {"PostToolUseFailure", "1", ""}, {"PreToolUse", "1", ""}}, 2},
		"another was made":            {[]step{{"PreToolUse", "1", ""}, {"PostToolUse", "2", ""}, {"PreToolUse", "1", ""}}, 1},
		"made, whichever it was":      {[]step{{"PreToolUse", "1", ""}, {"PostToolUse", "", ""}, {"PreToolUse", "1", ""}}, 2},
		"leave for it was asked":      {[]step{{"PermissionRequest", "1", ""}, {"PostToolUse", "1", ""}, {"PermissionRequest", "1", ""}}, 2},
		"its result told twice, once": {[]step{{"PreToolUse", "1", ""}, {"PostToolUse", "1", ""}, {"PostToolUse", "1", ""}, {"PreToolUse", "1", ""}, {"PreToolUse", "1", ""}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, asksOnce)
			w.env = append(w.env, "HOOKWAY_PROJECT_DIR="+w.dir)
			for _, s := range c.steps {
				dir := filepath.Join(w.dir, s.dir)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				w.ask(w.claude(s.event, s.id, dir))
			}
			if got := strings.Count(w.read("runs"), "run"); got != c.runs {
				t.Errorf("the hook ran %d times, want %d: %s", got, c.runs, w.recorded())
			}
		})
	}
}

// A hook may decide by all that an event tells: by the mode of permissions, say.
func TestACallThatTellsSomethingElseIsAnother(t *testing.T) {
	for member, runs := range map[string]int{"permission_mode": 2, "transcript_path": 2, "model": 2, "timestamp": 1} {
		t.Run(member, func(t *testing.T) {
			w := newWorld(t, asksOnce)
			w.env = append(w.env, "HOOKWAY_PROJECT_DIR="+w.dir)
			for _, value := range []string{"one", "two", "two"} {
				w.ask(w.event(map[string]any{
					"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": "1", "tool_input": map[string]any{"command": "ls"}, member: value,
				}))
			}
			if got := strings.Count(w.read("runs"), "run"); got != runs {
				t.Errorf("the hook ran %d times, want %d: %s", got, runs, w.recorded())
			}
		})
	}
}

func TestTwoEventsOfOneCallStayOneThoughTheyTellOfOtherFolders(t *testing.T) {
	w := newWorld(t, asksOnce)
	w.env = append(w.env, "HOOKWAY_PROJECT_DIR="+w.dir)
	w.ask(w.cursor("preToolUse", `"tool_name":"Shell","tool_use_id":"1","tool_input":{"command":"ls"},"cwd":"`+w.dir+`"`))
	w.ask(w.cursor("beforeShellExecution", `"command":"ls","cwd":""`))
	w.ask(w.cursor("postToolUse", `"tool_name":"Shell","tool_use_id":"1","tool_input":{"command":"ls"},"tool_output":"x"`))
	w.ask(w.cursor("beforeShellExecution", `"command":"ls"`))
	if got := strings.Count(w.read("runs"), "run"); got != 2 {
		t.Errorf("the hook ran %d times: %s", got, w.recorded())
	}
}

func (w *world) last() audit.Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.records[len(w.records)-1]
}

func TestARepeatIsOnRecordWithTheAnswerAndWhatItRepeats(t *testing.T) {
	w := newWorld(t, noRM)
	w.want(w.ask(w.bash("s", "1", "rm -rf x")), `"deny"`)
	first := w.last()
	w.want(w.ask(w.bash("s", "1", "rm -rf x")), `"deny"`)
	second := w.last()
	if got, want := fmt.Sprint([]any{second.Action, second.Answer, second.Of}), fmt.Sprint([]any{audit.Repeat, "block", first.EventID}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if second.EventID == first.EventID || len(second.Steps) > 0 || second.By != first.By {
		t.Errorf("got %+v, want second.EventID != first.EventID and len(second.Steps) == 0 and second.By == first.By", second)
	}
}

// An answer that does not get to the agent decides nothing, and the record says so.
func TestAnAnswerThatIsNotTakenIsOnRecord(t *testing.T) {
	w := newWorld(t, noRM)
	for _, c := range []struct {
		command string
		sent    error
		want    string
	}{
		{"rm -rf 1", nil, "PreToolUse block"},
		{"rm -rf 2", call.ErrUnshown, "PreToolUse block, PreToolUse untaken"},
		{"rm -rf 3", errors.New("broken pipe"), "PreToolUse block, PreToolUse untaken"},
		{"rm -rf 4", &call.GaveUpError{Why: "a signal", Policy: call.PolicyBlock}, "PreToolUse block"},
		{"rm -rf 5", &call.GaveUpError{Why: "a signal", Policy: call.PolicyContinue}, "PreToolUse block, PreToolUse untaken"},
		{"ls", errors.New("broken pipe"), "PreToolUse continue"},
	} {
		w.mu.Lock()
		w.records = nil
		w.mu.Unlock()
		reply := w.Answer(t.Context(), judge.Caller{}, w.bash("s", c.command, c.command))
		reply.Pass(c.sent)
		if got := w.recorded(); got != c.want {
			t.Errorf("got %s, %v: %s, want %s", c.command, c.sent, got, c.want)
		}
		last := w.last()
		if last.Action != audit.Untaken {
			continue
		}
		got, want := fmt.Sprint([]any{last.Answer, len(last.Steps), last.EventID}), fmt.Sprint([]any{"block", 1, w.records[0].EventID})
		if got != want || !strings.Contains(last.Reason, c.sent.Error()) {
			t.Errorf("got %s, want %s, and %q to have %q", got, want, last.Reason, c.sent)
		}
	}
}

// What hookway could not decide is an answer like others.
func TestARefusalThatIsNotTakenIsOnRecord(t *testing.T) {
	w := newWorld(t, noRM)
	r := w.bash("s", "1", "ls")
	r.Env = append(r.Env, "HOOKWAY_DEPTH=9")
	reply := w.Answer(t.Context(), judge.Caller{}, r)
	reply.Pass(errors.New("broken pipe"))
	if got := w.recorded(); got != "PreToolUse block, PreToolUse untaken" {
		t.Errorf(`got %v, want "PreToolUse block, PreToolUse untaken"`, got)
	}
}
