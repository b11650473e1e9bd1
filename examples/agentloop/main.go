// Agentloop is an agent loop with hooks and without a line of hook code of its own:
// it fires its events at hookway's daemon over gRPC, and does what comes back. It
// may run anywhere: beside the daemon, or in a guest machine that reaches its
// host's daemon over vsock.
//
// Its model is a script, so that it runs as it is:
//
//	go run ./examples/agentloop -target unix://$XDG_RUNTIME_DIR/hookway/hookway.sock
//	go run ./examples/agentloop -target vsock://2:5000    with HOOKWAY_TOKEN set
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

func main() {
	target := flag.String("target", os.Getenv("HOOKWAY_TARGET"), "the daemon: unix:///PATH, vsock://CID:PORT or dns:///HOST:PORT")
	workspace := flag.String("workspace", "", "the folder, where the daemon runs, whose hooks judge; none is the user's hooks alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *target, os.Getenv("HOOKWAY_TOKEN"), *workspace, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agentloop:", err)
		os.Exit(1)
	}
}

// script is what the model says, turn by turn: a command to run, or the end.
var script = []turn{
	{text: "Let me look around.", command: "echo a few files", tokens: 400},
	{text: "I clean up first.", command: "rm -rf build", tokens: 500},
	{text: "One more look.", command: "echo done", tokens: 600},
	{text: "All done.", tokens: 100},
}

type turn struct {
	text, command string
	tokens        int
}

// run plays the script once.
func run(ctx context.Context, target, token, workspace string, out io.Writer) error {
	e, err := dial(target, token)
	if err != nil {
		return err
	}
	defer e.close()
	e.session, e.workspace = fmt.Sprintf("loop-%d", os.Getpid()), workspace

	// A rule that needs no program of ours: the daemon keeps it for as long as we
	// renew the lease.
	if err := e.forbid(ctx, "loop-no-force", `rm\s+-rf`, "recursive deletes are not allowed here"); err != nil {
		return err
	}
	// And a hook that we answer ourselves, on a stream that we opened: no one else
	// has to reach us.
	budget, err := e.attachBudget(ctx, 1200)
	if err != nil {
		return err
	}
	defer budget.close()
	return loop(ctx, e, out)
}

// loop is the agent.
func loop(ctx context.Context, e *engine, out io.Writer) error {
	if _, err := e.fire(ctx, "SessionStart", map[string]any{"model_name": "script"}); err != nil {
		return err
	}
	for _, t := range script {
		asked, err := e.fire(ctx, "GenerateStart", map[string]any{"prompt": t.text, "model_name": "script"})
		if err != nil {
			return err
		}
		if asked.GetAction() == hookwayv1.Action_ACTION_BLOCK {
			fmt.Fprintln(out, "stopped:", asked.GetReason())
			break
		}
		fmt.Fprintln(out, "model:", t.text)
		used := map[string]any{"total_tokens": t.tokens}
		if _, err := e.fire(ctx, "GenerateEnd", map[string]any{"response_text": t.text, "usage": used}); err != nil {
			return err
		}
		if t.command == "" {
			break
		}
		said, err := call(ctx, e, t.command)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "tool:", said)
	}
	_, err := e.fire(ctx, "SessionEnd", map[string]any{"reason": "done"})
	return err
}

// maxRetries bounds how often a hook may have a call wait.
const maxRetries = 3

// call runs a tool, if and as the hooks let it.
func call(ctx context.Context, e *engine, command string) (string, error) {
	input := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": command}}
	verdict, err := e.fire(ctx, "PreToolUse", input)
	for try := 0; err == nil && verdict.GetAction() == hookwayv1.Action_ACTION_RETRY && try < maxRetries; try++ {
		select {
		case <-time.After(verdict.GetRetryDelay().AsDuration()):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		verdict, err = e.fire(ctx, "PreToolUse", input)
	}
	if err != nil {
		return "", err // without an outcome there is no permission
	}
	switch verdict.GetAction() {
	case hookwayv1.Action_ACTION_BLOCK, hookwayv1.Action_ACTION_RETRY:
		return "refused: " + verdict.GetReason(), nil
	case hookwayv1.Action_ACTION_ASK: // a loop with a user would ask
		return "refused, since there is no user to ask: " + verdict.GetReason(), nil
	case hookwayv1.Action_ACTION_ANSWER:
		return string(verdict.GetResult()), nil
	}
	var now struct { // what the hooks left of it
		ToolInput struct{ Command string } `json:"tool_input"`
	}
	if err := json.Unmarshal(verdict.GetPayload(), &now); err != nil {
		return "", err
	}
	printed, failed := exec.CommandContext(ctx, "sh", "-c", now.ToolInput.Command).CombinedOutput()
	input["tool_input"] = map[string]any{"command": now.ToolInput.Command}
	input["tool_response"] = map[string]any{"success": failed == nil, "output": string(printed)}
	after, err := e.fire(ctx, "PostToolUse", input)
	if err != nil {
		return "", err
	}
	return string(printed) + after.GetInject(), nil
}
