//go:build unix

package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// A program in .acai/hooks is asked for its events, then for each event, with
// JSON on stdin and stdout; what its document lists as edge cases ends as it says.
func TestProgramsOfAcaiAndTheirEdgeCases(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		action hook.Action
		reason string // of a block
		input  string // what the command becomes
		err    string // of the step
	}{
		"the event is on stdin": {`grep -q '"hook_event_name":"PreToolUse".*"command":"ls"' && echo '{"action":"block","reason":"read"}'`, hook.ActionBlock, "read", "ls", ""},
		"continue":              {`echo '{"action":"continue"}'`, hook.ActionContinue, "", "ls", ""},
		"block":                 {`echo '{"action":"block","reason":"no"}'`, hook.ActionBlock, "no", "ls", ""},
		"modify":                {`echo '{"action":"modify","modifications":{"tool_input":{"command":"ls -l"}}}'`, hook.ActionContinue, "", "ls -l", ""},
		"malformed JSON":        {`echo '{"action":'`, hook.ActionContinue, "", "ls", "JSON"},
		"unknown action":        {`echo '{"action":"ponder"}'`, hook.ActionContinue, "", "ls", ""},
		"exit 1":                {`echo oops >&2; exit 1`, hook.ActionContinue, "", "ls", "oops"},
		"exit 2":                {`echo oops >&2; exit 2`, hook.ActionContinue, "", "ls", "oops"},
		"it is not there":       {"", hook.ActionContinue, "", "ls", "h.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			w := folderWorld(t)
			path := w.work(".acai/hooks/h.sh")
			w.write(path, "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo '{\"event\":\"tool-call-start\"}'; exit 0; fi\n"+c.script+"\n")
			set := w.load()
			w.want(set, "h.sh active")
			e := fill(t, set)
			if c.script == "" {
				w.must(os.Remove(path))
			}
			out := bash(t, e, w.ws, "ls")
			step := out.Steps[0]
			if out.Action != c.action || out.Reason != c.reason || out.Payload.Text("command") != c.input {
				t.Errorf("%+v with %q", out.Verdict, out.Payload.Text("command"))
			}
			if (step.Err != nil) != (c.err != "") || step.Err != nil && !strings.Contains(step.Err.Error(), c.err) {
				t.Errorf("the step's error is %v, want %q", step.Err, c.err)
			}
		})
	}
}

// A program of acai keeps nothing from one event to the next.
func TestProgramsOfAcaiRunAnewForEachEvent(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work(".acai/hooks/h.sh"), "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo '{\"event\":\"tool-call-start\"}'; exit 0; fi\n"+
		"n=$((n+1)); echo \"$HOOK_ACTION $n\" >>said; echo '{\"action\":\"continue\"}'\n")
	e := fill(t, w.load())
	for range 2 {
		bash(t, e, w.ws, "ls")
	}
	if got := w.read("said"); got != "execute 1\nexecute 1\n" {
		t.Errorf("it said %q", got)
	}
}

// A description may name a stage and whether it wants what is before or after it.
func TestStagesOfAcaiAreEventsByTheirTiming(t *testing.T) {
	for said, want := range map[string]string{
		`"event":"tool-call","timing":"before"`:                    "[PreToolUse]",
		`"event":"tool-call","timing":"after"`:                     "[PostToolUse]",
		`"events":["agent","step"],"timing":"before"`:              "[AgentStart IterationStart]",
		`"events":["agent","step","agent-error"],"timing":"after"`: "[AgentStop IterationEnd Error]",
		`"event":"tool-call-end","timing":"after"`:                 "[PostToolUse]",
		`"event":"tool-call","timing":"sideways"`:                  `timing is "sideways"; it is before or after`,
		`"event":"agent"`: `unknown event "agent"`,
	} {
		w := folderWorld(t)
		w.write(w.work(".acai/hooks/h.sh"), "#!/bin/sh\necho '{"+said+"}'\n")
		set := w.load()
		got := fmt.Sprint(set.Skipped)
		if len(set.Hooks) > 0 {
			got = fmt.Sprint(set.Hooks[0].Events)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", said, got, want)
		}
	}
}

// The mode is in the environment also under the name that acai's other programs know.
func TestProgramsOfAcaiFindTheModeUnderBothNames(t *testing.T) {
	w := folderWorld(t)
	w.write(w.work(".acai/hooks/h.sh"), "#!/bin/sh\nif [ \"$TOOL_ACTION\" = describe ]; then echo '{\"event\":\"tool-call-start\"}'; exit 0; fi\n"+
		"echo \"{\\\"action\\\":\\\"block\\\",\\\"reason\\\":\\\"$HOOK_ACTION $TOOL_ACTION\\\"}\"\n")
	if out := bash(t, fill(t, w.load()), w.ws, "ls"); out.Reason != "execute execute" {
		t.Errorf("the reason is %q, want what both variables say", out.Reason)
	}
}
