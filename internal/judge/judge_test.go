//go:build unix

package judge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

const noRM = `hooks:
- {id: no-rm, on: PreToolUse, lane: guard, match: {tool: Bash, command: 'rm\s'}, block: no rm here}
`

func TestEachAgentIsAnsweredInItsOwnWords(t *testing.T) {
	w := newWorld(t, noRM)
	for _, c := range []struct{ agent, event, stdin, want string }{
		{"claude", "", `{"hook_event_name":"PreToolUse","session_id":"1","tool_name":"Bash","tool_input":{"command":"rm -rf x"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no rm here"}}`},
		{"codex", "PreToolUse", `{"hook_event_name":"PreToolUse","session_id":"2","tool_name":"Bash","tool_input":{"command":"rm -rf x"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no rm here"}}`},
		{"gemini", "BeforeTool", `{"hook_event_name":"BeforeTool","session_id":"3","tool_name":"run_shell_command","tool_input":{"command":"rm -rf x"}}`,
			`{"decision":"deny","reason":"no rm here"}`},
		{"copilot", "preToolUse", `{"sessionId":"4","timestamp":1,"toolName":"bash","toolArgs":{"command":"rm -rf x"}}`,
			`{"permissionDecision":"deny","permissionDecisionReason":"no rm here"}`},
	} {
		r := w.event(map[string]any{})
		r.Agent, r.Event, r.Stdin = c.agent, c.event, []byte(c.stdin)
		if got := w.ask(r); got != c.want {
			t.Errorf("%s is told\n%s\nwant\n%s", c.agent, got, c.want)
		}
	}
	if got := w.recorded(); strings.Count(got, "PreToolUse block") != 4 {
		t.Errorf("on record: %s", got)
	}
}

func TestWithoutAnOutcomeTheAgentIsRefusedInItsOwnWords(t *testing.T) {
	w := newWorld(t, noRM)
	for name, c := range map[string]struct {
		change func(*call.Request)
		want   []string
	}{
		"not JSON":      {func(r *call.Request) { r.Stdin = []byte("rm"); r.Event = "PreToolUse" }, []string{`"deny"`, "not a JSON object"}},
		"empty":         {func(r *call.Request) { r.Stdin = nil; r.Event = "PreToolUse" }, []string{`"deny"`}},
		"another agent": {func(r *call.Request) { r.Agent = "clod" }, []string{`"deny"`, "exit 2", "clod"}},
		"no folder":     {func(r *call.Request) { r.Dir, r.Stdin = "", []byte(`{"hook_event_name":"PreToolUse"}`) }, []string{`"deny"`, "folder"}},
		"too deep":      {func(r *call.Request) { r.Env = append(r.Env, "HOOKWAY_DEPTH=9") }, []string{`"deny"`, "nested 9 deep"}},
		"told to pass":  {func(r *call.Request) { r.Stdin, r.Policy = []byte("rm"), "continue" }, []string{"{}", "!deny"}},
		"does not gate": {func(r *call.Request) { r.Stdin, r.Event = []byte("rm"), "SessionEnd" }, []string{"{}", "!deny"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.bash("s", name, "ls")
			c.change(r)
			w.want(w.ask(r), c.want...)
		})
	}
	if got := w.recorded(); !strings.Contains(got, "block") || !strings.Contains(got, "continue") {
		t.Errorf("on record: %s", got)
	}
}

func TestARecordThatFailsHoldsUpNoAnswer(t *testing.T) {
	for name, record := range map[string]func(context.Context, audit.Record) error{
		"an error": func(context.Context, audit.Record) error { return errors.New("no space left on device") },
		"a panic":  func(context.Context, audit.Record) error { panic("boom") },
		"a hang":   func(ctx context.Context, _ audit.Record) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, noRM)
			w.Record = record
			w.want(w.ask(w.bash("s", "1", "rm x")), `"deny"`, "no rm here")
			if len(w.lines) == 0 {
				t.Error("nothing tells the user")
			}
		})
	}
}

func TestHooksThatTakeTooLongDoNotOpenTheGate(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: slow, on: PreToolUse, command: 'sleep 100'}\n")
	r := w.bash("s", "1", "ls")
	r.Timeout = 300 * time.Millisecond
	w.want(w.ask(r), `"deny"`, "took longer than Claude Code waits")
}

func TestEventsOfASessionWaitForEachOtherAndForNoOtherSession(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: gate, on: PreToolUse, match: {command: wait}, command: ['sh', '-c', 'echo in >>log; cat gate >/dev/null; echo out >>log'], cwd: .}\n"+
		"- {id: note, on: PreToolUse, match: {command: note}, command: ['sh', '-c', 'echo note >>log'], cwd: .}\n")
	gate := filepath.Join(w.dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { w.ask(w.bash("a", "1", "wait")) })
	open, err := os.OpenFile(gate, os.O_WRONLY, 0) // opens when the hook reads
	if err != nil {
		t.Fatal(err)
	}
	behind := make(chan struct{})
	wg.Go(func() {
		defer close(behind)
		w.ask(w.bash("a", "2", "note"))
	})
	w.ask(w.bash("b", "1", "ls")) // another session: answered though the first still waits
	nested := w.bash("a", "3", "ls")
	nested.Env = append(nested.Env, "HOOKWAY_DEPTH=1")
	w.ask(nested) // of a hook of the same session: to wait for it would be for ever
	select {
	case <-behind:
		t.Error("the second event of the session overtook the first")
	default:
	}
	open.Close()
	wg.Wait()
	log, err := os.ReadFile(filepath.Join(w.dir, "log"))
	if err != nil || string(log) != "in\nout\nnote\n" {
		t.Errorf("the hooks ran as %q, %v", log, err)
	}
}

func TestTextThatAnAgentCannotTakeWaitsForAnEventAtWhichItCan(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: late, on: PostCompact, inject: remember the milk}\n- {id: other, on: AgentStart, inject: and the bread}\n")
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "PostCompact", "session_id": "s", "trigger": "auto"})), "!milk")
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "other", "prompt": "hi"})), "!milk", "bread")
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "Stop", "session_id": "s"})), "!milk") // it would go on
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hi"})), `remember the milk\n\nand the bread`)
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "again"})), "!milk", "bread")
}

func TestTextOfASessionThatEndedIsNotKept(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: late, on: PostCompact, inject: remember the milk}\n")
	w.ask(w.event(map[string]any{"hook_event_name": "PostCompact", "session_id": "s", "trigger": "auto"}))
	w.ask(w.event(map[string]any{"hook_event_name": "SessionEnd", "session_id": "s", "reason": "other"}))
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hi"})), "!milk")
	if len(w.records) != 3 || len(w.records[1].Warnings) != 1 {
		t.Errorf("that the text was lost is not on record: %+v", w.records)
	}
}

func TestWhatWasWrittenBeforeTheCallCounts(t *testing.T) {
	w := newWorld(t, noRM)
	w.want(w.ask(w.bash("s", "1", "ls")), "!deny")
	w.write("hookway.yaml", strings.ReplaceAll(noRM, `rm\s`, "ls"))
	w.want(w.ask(w.bash("s", "2", "ls")), `"ask"`, "changed since it was trusted")
	w.trust()
	w.want(w.ask(w.bash("s", "3", "ls")), `"deny"`, "no rm here")
	w.write("hookway.yaml", "hooks: [")
	w.want(w.ask(w.bash("s", "4", "ls")), `"deny"`) // the last good hooks
}

func TestRemovingTheHooksOfATrustedFolderOpensNoGate(t *testing.T) {
	w := newWorld(t, noRM)
	if err := os.Mkdir(filepath.Join(w.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	sub := func(id string) *call.Request {
		r := w.bash("s", id, "rm x")
		r.Stdin = []byte(strings.ReplaceAll(string(r.Stdin), w.dir, filepath.Join(w.dir, "sub")))
		return r
	}
	w.want(w.ask(sub("1")), `"deny"`, "no rm here")
	if err := os.Remove(filepath.Join(w.dir, "hookway.yaml")); err != nil {
		t.Fatal(err)
	}
	w.want(w.ask(sub("2")), `"deny"`, "no rm here") // what ran goes on
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Judge = &judge.Judge{} // another process knows only that there was trust
	w.want(w.ask(sub("3")), `"ask"`, "changed since it was trusted", "hookway untrust")
	if _, was, err := config.Untrust(config.Options{Dir: w.dir, Getenv: w.getenv}); err != nil || !was {
		t.Fatalf("got %v, %v, want err == nil and was", was, err)
	}
	w.want(w.ask(sub("4")), "!ask", "!deny")
}

func TestTheSessionIsThatOfTheWrappedTerminal(t *testing.T) {
	w := newWorld(t, noRM)
	r := w.bash("own", "1", "ls")
	r.Env = append(r.Env, "HOOKWAY_SESSION=wrapped")
	w.ask(r)
	if len(w.records) != 1 || w.records[0].Session != "wrapped" {
		t.Errorf("on record: %+v", w.records)
	}
	if _, open := w.Load(); len(open) != 1 || open[0] != "wrapped" {
		t.Errorf("open sessions: %v", open)
	}
}

func TestHooksRunInTheCallersEnvironment(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: env, on: PreToolUse, command: 'echo \"$WHO in $PWD\" >&2; exit 2'}\n")
	for _, who := range []string{"alice", "bob"} {
		r := w.bash(who, "1", "ls")
		r.Env = append(r.Env, "WHO="+who)
		w.want(w.ask(r), who+" in "+w.dir)
	}
}

func TestAnEventThatNamesNoFolderIsOfTheCallers(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: where, on: PreToolUse, command: 'echo \"in $PWD\" >&2; exit 2'}\n")
	r := w.bash("s", "1", "ls")
	r.Stdin = []byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	w.want(w.ask(r), "in "+w.dir)
}

func TestAClosedJudgeRefuses(t *testing.T) {
	w := newWorld(t, noRM)
	w.ask(w.bash("s", "1", "ls"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.want(w.ask(w.bash("s", "2", "ls")), `"deny"`, "hookway is ending")
}

func TestManyCallersGetTheirOwnAnswers(t *testing.T) {
	w := newWorld(t, noRM)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			id := string(rune('a' + i%8))
			for n := range 8 {
				command, want := "ls", "!deny"
				if n%2 == 1 {
					command, want = "rm x", "deny"
				}
				w.want(w.ask(w.bash("session "+id, strings.Repeat("x", i*8+n+1), command)), want)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(w.recorded(), "PreToolUse"); n != 64*8 {
		t.Errorf("%d events on record, want %d", n, 64*8)
	}
}

func TestHooksThatRunAsTheyWereAreSaidToRun(t *testing.T) {
	w := newWorld(t, noRM)
	w.write("../home/config/hookway.yaml", "hooks:\n- {id: mine, on: PreToolUse, inject: hi}\n")
	w.ask(w.bash("s", "1", "ls"))
	w.write("../home/config/hookway.yaml", "hooks: [")
	start := func(session string) string {
		return w.ask(w.event(map[string]any{"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}))
	}
	w.want(start("s"), "runs as it was before", "!not run")
	w.want(w.ask(w.bash("s", "2", "ls")), "hi", "!ask")
	other := new(judge.Judge) // that never saw the file when it was good
	reply := other.Answer(t.Context(), judge.Caller{}, w.bash("t", "3", "ls"))
	w.want(string(reply.Stdout), `"ask"`, "do not run")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
