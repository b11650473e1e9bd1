package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// answered has an agent make a call about which its user is asked, through hookway fire:
// answered yes|no TIME SESSION COMMAND. After a yes it runs, after a no the user says why.
func answered(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 || !slices.Contains([]string{"yes", "no"}, args[0]) {
		ts.Fatalf("usage: answered yes|no TIME SESSION COMMAND")
	}
	file := ts.MkAbs(".event.json")
	fire := func(event string, payload map[string]any) {
		for name, value := range map[string]any{"time": args[1], "session_id": args[2], "agent": "claude", "source": "claude", "cwd": ts.MkAbs(".")} {
			payload[name] = value
		}
		text, err := json.Marshal(payload)
		ts.Check(err)
		ts.Check(os.WriteFile(file, text, 0o600))
		if err := ts.Exec("hookway", "fire", event, "-f", file); err != nil {
			ts.Fatalf("%s: %v", event, err)
		}
	}
	call := func() map[string]any {
		return map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprint(args[1:]), "tool_input": map[string]any{"command": args[3]}}
	}
	fire("PreToolUse", call())
	fire("PermissionRequest", call())
	if args[0] == "yes" {
		fire("PostToolUse", call())
	} else {
		fire("AgentStart", map[string]any{"prompt": "not that"})
	}
	ts.Check(os.Remove(file))
}
