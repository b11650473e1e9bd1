package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
)

// rpcGuard is a hook of a story that is a gRPC server: it says "listening" on the
// file of its second argument, and serves at the first until it is told to end.
func rpcGuard() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := rpc.Listen(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte("listening\n"), 0o600) // who reads the pipe goes on now
	}
	if err == nil {
		err = rpc.Serve(ctx, l, rpc.Typed(func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			if strings.Contains(ev.Payload.Text("command"), "rm -rf") {
				return hook.Block("no rm -rf here"), nil
			}
			return hook.Continue(), nil
		}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
