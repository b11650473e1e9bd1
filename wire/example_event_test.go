package wire_test

import (
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// An event is one line of JSON: the envelope, the payload, and its name.
func ExampleDecodeEvent() {
	ev, err := wire.DecodeEvent([]byte(`{"hook_event_name": "before-tool-call", "session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "ls"}}`), hook.Lookup)
	if err != nil {
		fmt.Println(err)
		return
	}
	use := ev.Body().(hook.ToolUse)
	fmt.Println(ev.Info().Name, ev.Head().Session, use.Text("command"))
	// Output: PreToolUse s-1 ls
}

func ExampleEncodeDecision() {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash"})
	for _, d := range []hook.Decision{hook.Continue(), hook.Block("not here"), hook.Inject("The tests are slow.")} {
		line, err := wire.EncodeDecision(ev, d)
		fmt.Println(string(line), err)
	}
	// Output:
	// {"action":"continue"} <nil>
	// {"action":"block","reason":"not here"} <nil>
	// {"action":"continue","inject":"The tests are slow."} <nil>
}

// A program answers by what it prints and how it exits: 2 blocks, with stderr as
// the reason.
func ExampleExitDecision() {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash"})
	for _, a := range []wire.Answer{
		{ExitCode: 2, Stderr: []byte("rm is not allowed\n")},
		{Stdout: []byte(`{"decision": "approve"}`)},
		{ExitCode: 1, Stderr: []byte("no rules\n")},
	} {
		d, err := wire.ExitDecision(ev, a)
		fmt.Println(d.Action, d.Reason, err)
	}
	// Output:
	// block rm is not allowed <nil>
	// allow  <nil>
	// continue  it exited with code 1: no rules
}
