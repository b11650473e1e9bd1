package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recorded gives what Claude Code wrote to a hook's stdin, event by event.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/claude/events/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = text
	}
	return all
}

func TestEveryRecordedEventIsDecodedWithNothingLost(t *testing.T) {
	for name, stdin := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			ev, err := adapter.Claude{}.Decode(adapter.Call{Stdin: stdin}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			d := json.NewDecoder(strings.NewReader(string(stdin)))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			head := ev.Head()
			if head.Session != want["session_id"] || head.CWD != want["cwd"] || head.Transcript != want["transcript_path"] {
				t.Errorf("the envelope is %+v", head)
			}
			if head.Source != "claude" || head.Agent != "claude" {
				t.Errorf("source %q, agent %q", head.Source, head.Agent)
			}
			native, _ := head.Metadata["native"].(map[string]any)
			if got, want := asJSON(t, native), asJSON(t, want); got != want {
				t.Errorf("native is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestNoOpinionIsAnEmptyObject: an approval in its place would skip the user's prompt.
func TestNoOpinionIsAnEmptyObject(t *testing.T) {
	var engine hook.Engine
	for name, stdin := range recorded(t) {
		if got := answer(t, &engine, stdin); got != "{}\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// decisions are what a hook says; each is put to each recorded event.
var decisions = map[string]hook.Decision{
	"allow":   hook.Allow("it is fine"),
	"ask":     hook.Ask("are you sure?"),
	"block":   {Action: hook.ActionBlock, Reason: "it is not fine", UserMessage: "hookway blocked something"},
	"inject":  hook.Inject("mind the gap"),
	"retry":   hook.Retry(0),
	"answer":  hook.Answer(map[string]any{"output": "42"}),
	"message": {UserMessage: "for your eyes only"},
}

// TestAnswers compares the bytes that Claude Code is given, for each decision on
// each event, with the golden files: one for each decision.
func TestAnswers(t *testing.T) {
	for name, decision := range decisions {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			events := recorded(t)
			for _, event := range sorted(events) {
				var engine hook.Engine
				if err := engine.Add(hook.New("h", hook.Static(decision), hook.For("*"))); err != nil {
					t.Fatal(err)
				}
				out.WriteString(event + " " + answer(t, &engine, events[event]))
			}
			golden(t, "testdata/claude/"+name+".golden", out.String())
		})
	}
}

func TestAChangedInputIsWrittenWhole(t *testing.T) {
	var engine hook.Engine
	err := hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Change(ev.Payload.WithInput("command", "ls")), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := answer(t, &engine, recorded(t)["PreToolUse~Bash"])
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls","description":"run a command"}}}` + "\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestARefusedCallHasNoChangedInput(t *testing.T) {
	var engine hook.Engine
	err := errors.Join(
		hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			return hook.Change(ev.Payload.WithInput("command", "ls")), nil
		}),
		engine.Add(hook.New("guard", hook.Static(hook.Block("no")), hook.For("PreToolUse"), hook.As(hook.Guard))))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, &engine, recorded(t)["PreToolUse~Bash"]); strings.Contains(got, "updatedInput") || !strings.Contains(got, `"deny"`) {
		t.Error(got)
	}
}

// redacting is an engine that puts a text in place of every tool's output.
func redacting(t *testing.T) *hook.Engine {
	t.Helper()
	engine := new(hook.Engine)
	err := hook.On(engine, hook.PostToolUse, func(_ context.Context, ev *hook.Event[hook.ToolResult]) (hook.Decision, error) {
		changed := ev.Payload
		changed.ToolResponse.Output = "[redacted]"
		return hook.Change(changed), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestAChangedShellOutputKeepsTheShapeOfTheTool(t *testing.T) {
	engine := redacting(t)
	got := answer(t, engine, recorded(t)["PostToolUse~Bash"])
	want := `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"interrupted":false,"isImage":false,"noOutputExpected":true,"stderr":"","stdout":"[redacted]"}}}` + "\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestARedactedResponseNeverKeepsTheOldText(t *testing.T) {
	engine := redacting(t)
	for name, tt := range map[string]struct{ response, want string }{
		"Read":       {`{"type":"text","file":{"content":"KEY=1","numLines":1}}`, `{"file":{"content":"[redacted]","numLines":1},"type":"text"}`},
		"a text":     {`"KEY=1"`, `"[redacted]"`},
		"MCP-like":   {`{"content":"KEY=1","isError":false}`, `{"content":"[redacted]","isError":false}`},
		"no place":   {`{"blocks":["KEY=1"]}`, `"[redacted]"`},
		"no content": {`{"file":{"numLines":1}}`, `"[redacted]"`},
	} {
		stdin := `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"X","tool_input":{},"tool_response":` + tt.response + `}`
		got := answer(t, engine, []byte(stdin))
		if strings.Contains(got, "KEY=1") || !strings.Contains(got, `"updatedToolOutput":`+tt.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestOneHooksMetadataDoesNotAnnulAnothersBlock: Claude Code drops an answer
// whole if a field of it has the wrong type or stands at the wrong event.
func TestOneHooksMetadataDoesNotAnnulAnothersBlock(t *testing.T) {
	var engine hook.Engine
	for id, d := range map[string]hook.Decision{
		"block": hook.Block("no"),
		"own": {Metadata: map[string]any{
			"claude.continue": "please", "claude.suppressOutput": "yes", "claude.sessionTitle": "x", "claude.stopReason": "enough",
		}},
	} {
		priority := 1
		if id == "block" {
			priority = 2
		}
		if err := engine.Add(hook.New(id, hook.Static(d), hook.For("PreToolUse"), hook.Priority(priority))); err != nil {
			t.Fatal(err)
		}
	}
	got, _, _ := strings.Cut(answer(t, &engine, recorded(t)["PreToolUse~Bash"]), "\n")
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"},"stopReason":"enough"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPatienceIsShorterThanClaudeCodes(t *testing.T) {
	for event, limit := range map[string]time.Duration{"SessionEnd": 1500 * time.Millisecond, "UserPromptSubmit": 30 * time.Second, "PreToolUse": 600 * time.Second} {
		if got := (adapter.Claude{}).Patience([]byte(`{"hook_event_name":"` + event + `"}`)); got <= 0 || got >= limit {
			t.Errorf("%s: %v, Claude Code waits %v", event, got, limit)
		}
	}
}

func TestWithoutAnOutcomeWhatGatesIsBlocked(t *testing.T) {
	for _, tt := range []struct {
		stdin string
		code  int
	}{
		{`{"hook_event_name":"PreToolUse"}`, 2},
		{`{"hook_event_name":"UserPromptSubmit"}`, 2},
		{`{"hook_event_name":"Unheard"}`, 2},
		{`not JSON`, 2},
		{``, 2},
		{`{"hook_event_name":"SessionStart"}`, 0},
		{`{"hook_event_name":"Stop"}`, 0},
		{`{"hook_event_name":"PostToolUse"}`, 0},
	} {
		r := adapter.Claude{}.Refuse([]byte(tt.stdin), "the disk is full")
		if r.ExitCode != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.stdin, r.ExitCode, tt.code)
		}
		if said := string(r.Stderr) + strings.Join(r.Warnings, ""); !strings.Contains(said, "the disk is full") {
			t.Errorf("%s: the reason is lost: %q", tt.stdin, said)
		}
		if tt.code == 2 && len(r.Stdout) > 0 {
			t.Errorf("%s: stdout must be empty: %s", tt.stdin, r.Stdout)
		}
	}
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	for _, stdin := range []string{``, `null`, `[]`, `"PreToolUse"`, `{}`, `{"hook_event_name":7}`, `{"hook_event_name":"PreToolUse","tool_input":"x"}`} {
		if ev, err := (adapter.Claude{}).Decode(adapter.Call{Stdin: []byte(stdin)}, nil); err == nil {
			t.Errorf("%s was decoded as %v", stdin, ev)
		}
	}
}

func FuzzClaudeDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/claude/events/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		ev, err := adapter.Claude{}.Decode(adapter.Call{Stdin: stdin}, nil)
		if err != nil {
			return
		}
		out, err := new(hook.Engine).Fire(context.Background(), ev)
		if err != nil {
			t.Fatal(err)
		}
		r, err := adapter.Claude{}.Encode(ev, out)
		if err != nil || string(r.Stdout) != "{}\n" {
			t.Errorf("%s: %s, %v", stdin, r.Stdout, err)
		}
	})
}

func answer(t *testing.T, engine *hook.Engine, stdin []byte) string {
	t.Helper()
	ev, err := adapter.Claude{}.Decode(adapter.Call{Stdin: stdin}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := engine.Fire(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	f := adapter.Fit(adapter.Claude{}.About(), ev, out, hook.ActionBlock)
	r, err := adapter.Claude{}.Encode(ev, f.Outcome)
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode != 0 || len(r.Stderr) > 0 {
		t.Errorf("exit code %d, stderr %q: Claude Code reads JSON from stdout", r.ExitCode, r.Stderr)
	}
	text := string(r.Stdout)
	for _, d := range f.Degraded {
		text += "    degraded: " + d.String() + "\n"
	}
	for _, warning := range r.Warnings {
		text += "    warning: " + warning + "\n"
	}
	return text
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", file, got, want)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sorted(m map[string][]byte) []string {
	return slices.Sorted(maps.Keys(m))
}
