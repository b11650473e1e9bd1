// Command hookway runs hooks for AI agents: it fires events, wraps programs in a
// terminal, answers agents' own hooks, and tests and trusts the hooks of a
// workspace. `hookway help` lists the commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen to the first
	os.Exit(newApp().run(ctx, os.Args[1:]))
}
