//go:build unix

package judge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// counting has a hook that leaves a line for each run.
const counting = "hooks:\n- {id: count, on: [PreToolUse, AgentStart, PostToolUse], lane: guard, command: 'echo run >>runs; echo no >&2; exit 2', cwd: .}\n"

// copilot is a tool call as Copilot CLI reports it in one of its two dialects.
func (w *world) copilot(codec, command string, second int) *call.Request {
	r := w.event(map[string]any{})
	r.Agent, r.Event = codec, "preToolUse"
	r.Stdin = fmt.Appendf(nil, `{"sessionId":"s","timestamp":%d,"cwd":%q,"toolName":"bash","toolArgs":{"command":%q}}`, 1_700_000_000_000+second*1000, w.dir, command)
	if codec == "copilot-pascal" {
		r.Event = "PreToolUse"
		r.Stdin = fmt.Appendf(nil, `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2023-11-14T22:13:%02d.004Z","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, 20+second, w.dir, command)
	}
	return r
}

// cursor is an event of Cursor.
func (w *world) cursor(event, fields string) *call.Request {
	r := w.event(map[string]any{})
	r.Agent, r.Event = "cursor", event
	r.Stdin = fmt.Appendf(nil, `{"hook_event_name":%q,"conversation_id":"s","generation_id":"g","workspace_roots":[%q],%s}`, event, w.dir, fields)
	return r
}

func (w *world) prompt(id string) *call.Request {
	return w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hi", "prompt_id": id})
}

func TestOneCallReportedTwiceRunsTheHooksOnce(t *testing.T) {
	for name, c := range map[string]struct {
		reports func(w *world) []*call.Request
		runs    int
	}{
		"the same call through two layers": {func(w *world) []*call.Request {
			return []*call.Request{w.bash("s", "1", "ls"), w.bash("s", "1", "ls")}
		}, 1},
		"two calls": {func(w *world) []*call.Request {
			return []*call.Request{w.bash("s", "1", "ls"), w.bash("s", "2", "ls")}
		}, 2},
		"two sessions": {func(w *world) []*call.Request {
			return []*call.Request{w.bash("s", "1", "ls"), w.bash("t", "1", "ls")}
		}, 2},
		"an id that was used for something else": {func(w *world) []*call.Request {
			return []*call.Request{w.bash("s", "1", "ls"), w.bash("s", "1", "rm")}
		}, 2},
		"calls without an id are calls of their own": {func(w *world) []*call.Request {
			return []*call.Request{w.bash("s", "", "ls"), w.bash("s", "", "ls")}
		}, 2},
		"before and after": {func(w *world) []*call.Request {
			after := w.event(map[string]any{"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": "1",
				"tool_input": map[string]any{"command": "ls"}, "tool_response": map[string]any{"stdout": "x"}})
			return []*call.Request{w.bash("s", "1", "ls"), after}
		}, 2},
		"a prompt through two layers": {func(w *world) []*call.Request {
			return []*call.Request{w.prompt("p1"), w.prompt("p1")}
		}, 1},
		"the same prompt again": {func(w *world) []*call.Request {
			return []*call.Request{w.prompt("p1"), w.prompt("p2")}
		}, 2},
		"through the configuration of an agent that is read too": {func(w *world) []*call.Request {
			return []*call.Request{w.copilot("copilot", "ls", 0), w.bash("s", "", "ls")}
		}, 1},
		"by two agents": {func(w *world) []*call.Request {
			codex := w.bash("s", "", "ls")
			codex.Agent = "codex"
			return []*call.Request{w.bash("s", "", "ls"), codex}
		}, 2},
		"by a general and a special event": {func(w *world) []*call.Request {
			return []*call.Request{
				w.cursor("preToolUse", `"tool_name":"Shell","tool_use_id":"t1","tool_input":{"command":"ls","is_background":false}`),
				w.cursor("beforeShellExecution", `"command":"ls","sandbox":false`),
			}
		}, 1},
		"in two dialects": {func(w *world) []*call.Request {
			return []*call.Request{w.copilot("copilot", "ls", 0), w.copilot("copilot-pascal", "ls", 0)}
		}, 1},
		"two calls in two dialects": {func(w *world) []*call.Request {
			return []*call.Request{
				w.copilot("copilot", "ls", 0), w.copilot("copilot-pascal", "ls", 0),
				w.copilot("copilot", "ls", 3), w.copilot("copilot-pascal", "ls", 3),
			}
		}, 2},
		"in one dialect at one instant": {func(w *world) []*call.Request {
			return []*call.Request{w.copilot("copilot", "ls", 0), w.copilot("copilot", "ls", 0)}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, counting)
			for _, r := range c.reports(w) {
				if got := w.ask(r); !strings.Contains(got, "no") {
					t.Errorf("a report was not answered: %s", got)
				}
			}
			if got := strings.Count(w.read("runs"), "run"); got != c.runs {
				t.Errorf("the hook ran %d times, want %d", got, c.runs)
			}
			if got := strings.Count(w.recorded(), " block"); got != c.runs {
				t.Errorf("%d outcomes on record, want %d: %s", got, c.runs, w.recorded())
			}
		})
	}
}

// TestARefusedCallIsTriedAgainAtOnce: what an agent reports after its refusal is another try,
// however soon it comes, as a person may have said yes meanwhile. Its times lie ahead here, so
// that they come after the answer whatever the machine does.
func TestARefusedCallIsTriedAgainAtOnce(t *testing.T) {
	w := newWorld(t, counting)
	ahead := time.Now().Add(time.Minute).UnixMilli()
	for _, after := range []int64{0, 20} {
		r := w.copilot("copilot", "ls", 0)
		r.Stdin = fmt.Appendf(nil, `{"sessionId":"s","timestamp":%d,"cwd":%q,"toolName":"bash","toolArgs":{"command":"ls"}}`, ahead+after, w.dir)
		if got := w.ask(r); !strings.Contains(got, "no") {
			t.Errorf("got %s, want a refusal", got)
		}
	}
	if got := strings.Count(w.read("runs"), "run"); got != 2 {
		t.Errorf("the hook ran %d times, want 2", got)
	}
}

func TestAPromptReportedTwiceIsAddedToOnce(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: tell, on: AgentStart, inject: remember the milk}\n")
	prompt := func(turn, text string) string {
		r := w.event(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "turn_id": turn, "prompt": text})
		r.Agent, r.Event = "codex", "UserPromptSubmit"
		return w.ask(r)
	}
	w.want(prompt("1", "shop"), "milk")
	w.want(prompt("1", "shop"), "!milk")
	w.want(prompt("1", "and pay"), "milk") // said while the turn was under way
	w.want(prompt("2", "shop"), "milk")
	if got := w.recorded(); got != "AgentStart continue, AgentStart repeat, AgentStart continue, AgentStart continue" {
		t.Errorf("on record: %s", got)
	}
}

// TestAGuardOfOneAgentIsAskedThoughAnotherNameCameFirst: Copilot CLI also runs what
// stands in Claude Code's configuration, and either may be the first.
func TestAGuardOfOneAgentIsAskedThoughAnotherNameCameFirst(t *testing.T) {
	for _, match := range []string{"{agent: copilot}", "{source: copilot}", "{agent: 'cop*'}", "{not: {agent: claude}}", "{any: [{agent: copilot}]}"} {
		w := newWorld(t, "hooks:\n- {id: its, on: PreToolUse, lane: guard, match: "+match+", block: not here}\n")
		w.want(w.ask(w.bash("s", "", "ls")), "!not here")
		w.want(w.ask(w.copilot("copilot", "ls", 0)), "not here")
		w.want(w.ask(w.copilot("copilot-pascal", "ls", 0)), "not here")
		if got := w.recorded(); got != "PreToolUse continue, PreToolUse block, PreToolUse repeat" {
			t.Errorf("%s: on record: %s", match, got)
		}
	}
}

// TestAChangeIsLeftToTheReportThatCanHaveIt: Cursor tells of a command twice, the
// second time without its other arguments.
func TestAChangeIsLeftToTheReportThatCanHaveIt(t *testing.T) {
	for change, want := range map[string]string{
		"timeout: 5":   "!deny",
		"command: pwd": `"deny"`, // it comes as it was: the change did not take
	} {
		w := newWorld(t, "hooks:\n- {id: change, on: PreToolUse, modify: {tool_input: {"+change+"}}}\n")
		w.want(w.ask(w.cursor("preToolUse", `"tool_name":"Shell","tool_use_id":"t1","tool_input":{"command":"ls","is_background":false}`)), "updated_input")
		w.want(w.ask(w.cursor("beforeShellExecution", `"command":"ls","sandbox":false`)), want)
	}
}

func TestReportsAtTheSameTimeGetTheSameAnswer(t *testing.T) {
	w := newWorld(t, counting)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { w.want(w.ask(w.bash("s", "1", "ls")), `"deny"`) })
	}
	wg.Wait()
	if got := w.read("runs"); got != "run\n" {
		t.Errorf("the hook ran %q", got)
	}
}

// TestStopsInARowAreCounted: they are alike, and a fast model has them follow at
// once; if they counted as one, the agent would never stop.
func TestStopsInARowAreCounted(t *testing.T) {
	w := newWorld(t, "max_continues: 2\nhooks:\n- {id: go-on, on: AgentStop, block: there is more}\n")
	stop := func(active bool) string {
		r := w.event(map[string]any{"hook_event_name": "Stop", "session_id": "s", "turn_id": "1", "stop_hook_active": active, "last_assistant_message": "Done."})
		r.Agent, r.Event = "codex", "Stop"
		return w.ask(r)
	}
	w.want(stop(false), "there is more")
	w.want(stop(true), "there is more")
	w.want(stop(true), `!"decision":"block"`)
}

// TestStopsWithATimeAreCounted: two layers of a configuration report one stop with
// one time; the next stop may follow within milliseconds.
func TestStopsWithATimeAreCounted(t *testing.T) {
	w := newWorld(t, "max_continues: 2\nhooks:\n- {id: go-on, on: AgentStop, block: there is more}\n")
	stop := func(at int, active bool) string {
		r := w.event(map[string]any{"sessionId": "s", "timestamp": 1795253745900 + at, "stopReason": "end_turn", "stop_hook_active": active})
		r.Agent, r.Event = "copilot", "agentStop"
		return w.ask(r)
	}
	w.want(stop(0, false), "there is more")
	for range 2 {
		w.want(stop(1, true), "there is more")
	}
	for range 2 {
		w.want(stop(2, true), `!"decision":"block"`)
	}
}

// TestTextAtAStopIsBounded: Claude Code goes on if it is given any.
func TestTextAtAStopIsBounded(t *testing.T) {
	for name, folder := range map[string]string{"a process that stays": "", "a process for each event": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "max_continues: 2\nhooks:\n- {id: tell, on: [AgentStop, SubagentStop], inject: there is more}\n")
			w.Continues = folder
			for _, event := range []string{"Stop", "SubagentStop"} {
				stop := func(active bool) string {
					return w.ask(w.event(map[string]any{"hook_event_name": event, "session_id": "s", "agent_id": "a", "stop_hook_active": active}))
				}
				w.want(stop(false), "there is more")
				w.want(stop(true), "there is more")
				w.want(stop(true), "!there is more", "2 times in a row")
			}
		})
	}
}

// TestStopsThatDoNotSayWhyTheyFollowAreCounted: Antigravity CLI does not tell that
// it goes on because of a hook.
func TestStopsThatDoNotSayWhyTheyFollowAreCounted(t *testing.T) {
	for name, folder := range map[string]string{"a process that stays": "", "a process for each event": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "max_continues: 2\nhooks:\n- {id: go-on, on: AgentStop, block: there is more}\n")
			w.Continues = folder
			n := 0
			stop := func(session string) string {
				r := w.event(map[string]any{})
				r.Agent, r.Event = "antigravity", "Stop"
				n++ // alike, they would count as one: this is faster than any agent
				r.Stdin = fmt.Appendf(nil, `{"conversationId":%q,"workspacePaths":[%q],"error":"%d"}`, session, w.dir, n)
				return w.ask(r)
			}
			for range 2 { // once it could stop, a row begins anew
				w.want(stop("s"), "there is more")
				w.want(stop("s"), "there is more")
				w.want(stop("s"), "!there is more")
			}
			w.want(stop("s"), "there is more")
			w.want(stop("s"), "there is more")
			w.want(stop("other"), "there is more") // its own row
		})
	}
}

func TestWhatOtherHooksMadeOfACallSaysNothing(t *testing.T) {
	w := newWorld(t, noRM)
	w.want(w.ask(w.bash("s", "1", "ls")), "!deny")
	w.write("hookway.yaml", strings.ReplaceAll(noRM, `rm\s`, "ls"))
	w.trust()
	w.want(w.ask(w.bash("s", "1", "ls")), `"deny"`)
}

func TestOldReportsAreForgotten(t *testing.T) {
	w := newWorld(t, noRM)
	for i := range 3000 {
		w.ask(w.bash("s", fmt.Sprint(i), "ls"))
	}
	if n := strings.Count(w.recorded(), "PreToolUse"); n != 3000 {
		t.Errorf("%d of 3000 calls were judged", n)
	}
	w.ask(w.bash("s", "2999", "ls"))
	if n := strings.Count(w.recorded(), "PreToolUse repeat"); n != 1 {
		t.Error("the last call is not known any more")
	}
}
