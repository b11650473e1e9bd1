package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/wire/call"
)

// stopTime is how long a daemon may take to end: its requests have ten seconds,
// and their hooks' processes some more.
const stopTime = 30 * time.Second

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the daemon",
		Long:  "End the daemon, and wait until it is gone. Requests under way have ten seconds to end.",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), stopTime)
			defer cancel()
			st, err := a.stopDaemon(ctx)
			none := errors.Is(err, daemon.ErrNone)
			switch {
			case err != nil && !none:
				return err
			case a.json:
				return a.print(map[string]any{"stopped": !none, "pid": st.PID})
			case none:
				fmt.Fprintln(a.out, "No daemon runs")
			default:
				fmt.Fprintf(a.out, "The daemon (pid %d) has ended\n", st.PID)
			}
			return nil
		},
	}
}

func (a *app) stopDaemon(ctx context.Context) (st daemon.Status, err error) {
	at, err := call.Find(a.getenv)
	if err != nil {
		return st, err
	}
	c, err := daemon.Dial(ctx, at.Socket)
	if err != nil {
		return st, err
	}
	defer c.Close()
	v, _ := buildVersion()
	return c.Stop(ctx, v)
}
