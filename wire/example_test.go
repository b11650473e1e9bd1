package wire_test

import (
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// A guard written for Claude Code is read as it is.
func ExampleDecodeDecision() {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm -rf /"}})
	answer := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"too dangerous"}}`

	d, err := wire.DecodeDecision(ev, []byte(answer), hook.Profile{})
	fmt.Println(d.Action, d.Reason, err)

	_, err = wire.DecodeDecision(ev, []byte(`{"modified":{"toolInput":{}}}`), hook.Profile{})
	fmt.Println(err)
	// Output:
	// block too dangerous <nil>
	// the answer is not a decision: modified: PreToolUse has no field "toolInput"; did you mean tool_input?; it begins with: {"modified":{"toolInput":{}}}
}

// A patch changes what it names and leaves the event as it was.
func ExamplePatch() {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "make", "timeout": 5}})
	payload, err := wire.Patch(ev, []byte(`{"tool_input":{"timeout":null,"command":"make test"}}`))
	fmt.Println(payload.(hook.ToolUse).ToolInput, err)
	fmt.Println(ev.Payload.ToolInput)
	// Output:
	// map[command:make test] <nil>
	// map[command:make timeout:5]
}
