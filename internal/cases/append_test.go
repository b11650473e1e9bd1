package cases_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/cases"
)

func newCase(name, command string) cases.New {
	ev := hook.PreToolUse.New(hook.Envelope{Agent: "claude"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
	return cases.New{Name: name, Event: ev, Action: "block", By: "h"}
}

// blocks is what the hooks make of every event.
func blocks(_ context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
	return hook.Outcome[any]{Verdict: hook.Verdict{Event: ev.Info().Name, Action: hook.ActionBlock, By: "h"}, Payload: ev.Body()}, nil
}

// TestAppendProves: a case is in the folder, and of the source, that its event had; one
// that does not pass is left out.
func TestAppendProves(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "hooks_test.yaml")
	event := func(name, cwd string) cases.New {
		ev := hook.PreToolUse.New(hook.Envelope{Source: "codex", CWD: filepath.Join(dir, cwd)}, hook.ToolUse{ToolName: "Bash"})
		return cases.New{Name: name, Event: ev, Action: "block", By: "h"}
	}
	wrong := event("passes", ".")
	wrong.Action = "continue"
	var fired []string
	done, err := cases.Append(t.Context(), file, cases.Options{Envelope: hook.Envelope{Source: "test", CWD: dir}}, []cases.New{event("a", "."), wrong, event("b", "src/x")}, func(ctx context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
		rel, _ := filepath.Rel(dir, ev.Head().CWD)
		fired = append(fired, ev.Head().Source+" "+filepath.ToSlash(rel))
		return blocks(ctx, ev)
	})
	if err != nil || strings.Join(done.Added, " ") != "a b" || strings.Join(done.Failing, " ") != "passes" {
		t.Errorf(`got %v, %+v, want err == nil and strings.Join(done.Added, " ") == "a b" and strings.Join(done.Failing, " ") == "passes"`, err, done)
	}
	if got := strings.Join(fired, ", "); got != "codex ., codex ., codex src/x" {
		t.Errorf("fired were %s", got)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `cwd: "src/x"`) || strings.Count(string(text), "cwd:") != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	if cases.Within(dir, filepath.Dir(dir)) {
		t.Errorf("%s is taken to lie within %s", filepath.Dir(dir), dir)
	}
}

// TestAppend puts cases behind others, and leaves those as they are.
func TestAppend(t *testing.T) {
	const one = "  event: PreToolUse\n  payload: {tool_name: Bash}\n  expect: {action: continue}"
	for name, text := range map[string]string{
		"none":         "",
		"indented":     "# mine\ncases:\n  - name: a\n" + strings.ReplaceAll("  "+one, "\n", "\n  ") + "\n",
		"not indented": "cases:\n- name: a\n" + one + "   # no end of line",
		"comments":     "cases:\n    # first\n    - name: a\n" + strings.ReplaceAll("    "+one, "\n", "\n    ") + "\n\n# the end\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "hooks_test.yaml")
			if text != "" {
				if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			odd := "echo \"x\" 'y' # \\ \t \u2028 \x01 😀 {a: b}"
			done, err := cases.Append(t.Context(), file, cases.Options{}, []cases.New{newCase("a", "ls"), newCase("b: it's \"odd\"", odd), newCase("b: it's \"odd\"", "ls")}, blocks)
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if text == "" {
				want = 2
			}
			if len(done.Added) != want || len(done.Taken) != 3-want || done.Failing != nil {
				t.Errorf("got %+v, want len(done.Added) == want and len(done.Taken) == 3 - want and done.Failing == nil", done)
			}
			now, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(now), text) {
				t.Errorf("%v, what was there has changed:\n%s", err, now)
			}
			list, problems := cases.Read(file, cases.Options{})
			if len(problems) > 0 || len(list) != 2 {
				t.Fatalf("%d cases, %v:\n%s", len(list), problems, now)
			}
			report := cases.Run(t.Context(), list[1:], nil, func(_ context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
				call, _ := hook.CallOf(ev)
				if call.Input["command"] != odd {
					t.Errorf("the command is %q, want %q", call.Input["command"], odd)
				}
				return hook.Outcome[any]{Verdict: hook.Verdict{Event: "PreToolUse", Action: hook.ActionBlock, By: "h"}, Payload: ev.Body()}, nil
			})
			if !report.Passed() {
				t.Errorf("got %+v, want report.Passed()", report.Results)
			}
		})
	}
}

// TestAppendRefuses leaves a file alone that it cannot add to.
func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a flow":   {"cases: [{event: PreToolUse, payload: {tool_name: Bash}, expect: {action: continue}}]\n", "not a list with a dash"},
		"mistakes": {"cases:\n  - evnt: PreToolUse\n", "mistakes"},
		"an end":   {"cases:\n  - event: PreToolUse\n    payload: {tool_name: Bash}\n    expect: {action: continue}\n...\n", "nothing is added"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "hooks_test.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := cases.Append(t.Context(), file, cases.Options{}, []cases.New{newCase("b", "ls")}, blocks)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if now, _ := os.ReadFile(file); string(now) != c.text {
				t.Errorf("the file is now\n%s", now)
			}
		})
	}
}
