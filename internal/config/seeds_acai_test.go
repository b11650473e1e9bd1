//go:build unix

package config

import (
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
