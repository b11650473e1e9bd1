package rpc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
)

// guard refuses rm -rf, and has no opinion on everything else.
func guard(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
	if strings.Contains(ev.Payload.Text("command"), "rm -rf") {
		return hook.Block("no rm -rf here"), nil
	}
	return hook.Continue(), nil
}

// A hook that is a server, and a handler that asks it.
func ExampleServe() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	target := "unix://" + filepath.ToSlash(filepath.Join(dir, "guard.sock"))

	listener, err := rpc.Listen(target)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- rpc.Serve(ctx, listener, rpc.Typed(guard)) }()

	asked, err := rpc.New(rpc.Config{Target: target})
	if err != nil {
		fmt.Println(err)
		return
	}
	var engine hook.Engine
	if err := engine.Add(hook.New("guard", asked, hook.For("PreToolUse"), hook.As(hook.Guard))); err != nil {
		fmt.Println(err)
		return
	}
	out, err := hook.Fire(ctx, &engine, hook.PreToolUse, &hook.Envelope{}, hook.ToolUse{
		ToolName: "Bash", ToolInput: map[string]any{"command": "rm -rf build"},
	})
	fmt.Println(out.Action, out.Reason, err)

	fmt.Println(engine.Close(ctx), asked.Close())
	stop()
	fmt.Println(<-served)
	// Output:
	// block no rm -rf here <nil>
	// <nil> <nil>
	// <nil>
}
