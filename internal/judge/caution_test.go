//go:build unix

package judge_test

import (
	"testing"

	"github.com/hookway/hookway/internal/judge"
)

// TestWhatCannotBeLoadedMakesCallsAsk: that other hooks run, of the same file, the same
// folder or the other layer, opens no gate.
func TestWhatCannotBeLoadedMakesCallsAsk(t *testing.T) {
	const valid = "hooks:\n- {id: other, on: PreToolUse, lane: guard, match: {tool: Never}, block: no}\n"
	const wrong = `import {on} from "hookway"; on("PreToolUse", {lane: "guard", delets: "*"}, () => {})` + "\n"
	const right = `import {on} from "hookway"; on("PreToolUse", {lane: "guard", tool: "Never"}, () => {})` + "\n"
	for name, files := range map[string]map[string]string{
		"an entry of the file":        {"hookway.yaml": valid + "- {id: a, script: bad.mjs}\n", "bad.mjs": wrong},
		"a file of the folder":        {".hookway/hooks/a.mjs": wrong, ".hookway/hooks/b.mjs": right},
		"a program of the folder":     {".hookway/hooks/a": "#!/bin/sh\nexit 3\n", ".hookway/hooks/b.mjs": right},
		"hookway.config.ts":           {"hookway.config.ts": wrong},
		"an entry of the user's":      {"../home/config/hookway.yaml": valid + "- {id: a, script: bad.mjs}\n", "../home/config/bad.mjs": wrong},
		"a module of the user's":      {"../home/config/hookway.yaml": valid + "- {id: a, on: PreToolUse, wasm: bad.wasm}\n", "../home/config/bad.wasm": "no"},
		"a file of the user's folder": {"../home/config/hooks/a.mjs": "on(", "../home/config/hooks/b.mjs": right},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, valid)
			w.want(w.ask(w.bash("s", "1", "rm a.x")), "!ask") // nothing is wrong yet
			for file, text := range files {
				w.write(file, text)
			}
			w.trust()
			other := &judge.Judge{Record: w.Record} // that never saw it without the mistake
			reply := other.Answer(t.Context(), judge.Caller{}, w.bash("t", "2", "rm a.x"))
			w.want(string(reply.Stdout), `"ask"`, "because of a mistake")
			w.want(w.ask(w.bash("s", "3", "rm a.x")), `"ask"`, "because of a mistake")
			w.want(w.recorded(), "PreToolUse ask, PreToolUse ask")
			w.want(w.ask(w.event(map[string]any{"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"})), "does not run", "!as it was")
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAnEntryThatRunsAsItWasIsNotAskedAbout, but a second one that never ran is.
func TestAnEntryThatRunsAsItWasIsNotAskedAbout(t *testing.T) {
	w := newWorld(t, "hooks: []\n")
	user := "../home/config/"
	w.write(user+"hookway.yaml", "hooks:\n- {id: a, script: a.mjs}\n")
	w.write(user+"a.mjs", `import {on} from "hookway"; on("PreToolUse", {lane: "guard", tool: "Bash"}, () => undefined)`+"\n")
	w.ask(w.bash("s", "1", "ls"))
	w.write(user+"a.mjs", `import {on} from "hookway"; on("PreToolUse", {lane: "guard", tol: "Bash"}, () => undefined)`+"\n")
	w.want(w.ask(w.bash("s", "2", "ls")), "!mistake")
	w.write(user+"hookway.yaml", "hooks:\n- {id: a, script: a.mjs}\n- {id: b, script: a.mjs}\n")
	w.want(w.ask(w.bash("s", "3", "ls")), "because of a mistake")
}

// TestOfAcaiWhatCannotBeAHookIsPassedOver: with a warning, as that system has it. The
// folder's other hooks run, and calls are not asked about.
func TestOfAcaiWhatCannotBeAHookIsPassedOver(t *testing.T) {
	const valid = "hooks:\n- {id: other, on: PreToolUse, lane: guard, match: {tool: Never}, block: no}\n"
	for name, text := range map[string]string{
		"it prints no JSON":     "#!/bin/sh\necho nope\n",
		"it names no event":     "#!/bin/sh\necho '{\"name\":\"a\"}'\n",
		"an unknown event":      "#!/bin/sh\necho '{\"events\":[\"agent-strat\"]}'\n",
		"it fails":              "#!/bin/sh\nexit 3\n",
		"no such interpreter":   "#!/no/such/interpreter\n",
		"a wrong kind of value": "#!/bin/sh\necho '{\"events\":[\"agent-start\"],\"priority\":\"high\"}'\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, valid)
			w.write(".acai/hooks/a", text)
			w.write(".acai/hooks/b", "#!/bin/sh\n"+`if [ "$HOOK_ACTION" = describe ]; then echo '{"events":["tool-call-start"]}'; exit; fi
grep -q a.x && echo '{"action":"block","reason":"b runs"}'`+"\n")
			w.trust()
			w.want(w.ask(w.bash("s", "1", "ls")), "!ask", "!mistake")
			w.want(w.ask(w.bash("s", "2", "rm a.x")), "b runs")
			w.want(w.ask(w.event(map[string]any{"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"})), "1 hook left out", ".acai/hooks/a")
		})
	}
}
