//go:build unix

package judge_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/judge"
)

// compilrHooks tell at each event what they found in its metadata.
const compilrHooks = `
let calls = 0;
export default {
  beforeTool: [(c) => { c.metadata.span = c.input.command; console.log("before", c.iteration, c.metadata.run ?? "-"); }],
  afterTool: [(c) => { console.log("after", c.iteration, c.metadata.span ?? "-", c.metadata.run ?? "-"); }],
  onError: [{ name: "alarm", hook: (c) => {
    console.log("error", c.phase, c.toolName, c.error.message, c.metadata.span ?? "-");
    return c.input?.none ?? (c.error.message.includes("recoverable") ? { handled: true, recovery: { success: true, output: "mended" } } : undefined);
  } }],
};
`

const runHooks = `
import { on } from "hookway";
on("AgentStart", (ev) => ({ metadata: { run: ev.prompt } }));
on("AgentStop", (ev) => { console.log("stop", ev.metadata?.run ?? "-"); });
`

func newOperationsWorld(t *testing.T) *world {
	w := newWorld(t, "hooks: []\n")
	w.write("hookway.config.ts", compilrHooks)
	w.write(".hookway/hooks/run.ts", runHooks)
	w.trust()
	return w
}

func (w *world) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, _ := json.Marshal(w.lines)
	w.lines = nil
	return string(text)
}

// Each event meets the judge that pick gives: the daemon, or a process of its own.
func run(w *world, pick func() *judge.Judge) {
	send := func(fields map[string]any) {
		w.t.Helper()
		fields["session_id"] = "s"
		if reply := pick().Answer(w.t.Context(), judge.Caller{}, w.event(fields)); reply.Err != "" {
			w.t.Errorf("no answer: %s", reply.Err)
		}
	}
	use := func(event, id, command string, more map[string]any) {
		fields := map[string]any{"hook_event_name": event, "tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": command}}
		for k, v := range more {
			fields[k] = v
		}
		send(fields)
	}
	send(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "fix it"})
	use("PreToolUse", "1", "ls", nil)
	use("PreToolUse", "2", "pwd", nil)
	w.want(w.said(), "before 1 fix it")
	use("PostToolUse", "1", "ls", map[string]any{"tool_response": map[string]any{"stdout": "x"}})
	w.want(w.said(), "after 1 ls fix it")
	use("PostToolUseFailure", "2", "pwd", map[string]any{"error": "no folder"})
	w.want(w.said(), "error tool Bash no folder pwd")
	use("PreToolUse", "3", "id", nil)
	w.want(w.said(), "before 2 fix it")
	send(map[string]any{"hook_event_name": "Stop"})
	w.want(w.said(), "stop fix it")
	use("PreToolUse", "4", "id", nil)
	w.want(w.said(), "before 1 -")
}

func TestMetadataFollowsOperationsUnderAnAgent(t *testing.T) {
	w := newOperationsWorld(t)
	run(w, func() *judge.Judge { return w.Judge })
}

// So it does where each event has a process of its own, as without a daemon.
func TestMetadataFollowsOperationsFromProcessToProcess(t *testing.T) {
	w := newOperationsWorld(t)
	dir := filepath.Join(w.home, "operations")
	run(w, func() *judge.Judge {
		j := &judge.Judge{Log: w.Log, Record: w.Record, Operations: judge.Operations(dir, w.Log)}
		t.Cleanup(func() { _ = j.Close() })
		return j
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 2 { // the lock, and what the last event began
		t.Errorf("%d files, %v", len(left), err)
	}
}

// An agent without an event for failures says in the result that a tool failed.
func TestHooksOfErrorsHearOfFailedToolsUnderEveryAgent(t *testing.T) {
	w := newOperationsWorld(t)
	ask := func(agent string, fields map[string]any) string {
		r := w.event(fields)
		r.Agent = agent
		return w.ask(r)
	}
	result := func(event string, response any) map[string]any {
		return map[string]any{"hook_event_name": event, "session_id": "s", "tool_name": "run_shell_command", "tool_input": map[string]any{"command": "make"}, "tool_response": response}
	}
	ask("gemini", result("AfterTool", map[string]any{"output": "", "error": "exit status 1"}))
	w.want(w.said(), "error tool Bash exit status 1")
	ask("gemini", result("AfterTool", map[string]any{"output": "fine", "error": nil}))
	w.want(w.said(), "!error tool")
	codex := result("PostToolUse", "Exit code: 2\nOutput:\nrecoverable")
	codex["tool_name"], codex["tool_use_id"] = "Bash", "c1"
	ask("codex", codex)
	w.want(w.said(), "error tool Bash Exit code: 2")
	got := ask("claude", map[string]any{"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "tool_use_id": "9", "tool_input": map[string]any{"command": "x"}, "error": "recoverable"})
	w.want(w.said(), "error tool Bash recoverable")
	w.want(got, "mended")
}

// A call without its tool's name is refused at every door.
func TestACallWithoutAToolIsRefused(t *testing.T) {
	w := newWorld(t, "hooks:\n  - {id: h, on: PreToolUse, match: {tool: Bash}, block: no}\n")
	for _, payload := range []string{`{}`, `{"tool_input":{"command":"rm -rf /"}}`, `{"tool_name":""}`} {
		_, err := w.Fire(t.Context(), judge.Firing{Event: "PreToolUse", Payload: []byte(payload), CWD: w.dir, Env: w.env})
		var wrong *judge.RequestError
		if !errors.As(err, &wrong) || wrong.Field != "payload" {
			t.Errorf(`%s: got %v, want errors.As(err, &wrong) and wrong.Field == "payload"`, payload, err)
		}
	}
	got := w.ask(w.event(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "tool_input": map[string]any{"command": "rm -rf /"}}))
	w.want(got, "deny", "names no tool")
}
