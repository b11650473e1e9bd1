package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/wire/call"
)

func stopCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the daemon",
		Long: `End the daemon, and wait until it is gone. Requests under way have three seconds to
end. A daemon that does not answer is ended by SIGTERM, and one that is not gone
within five seconds by SIGKILL.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ended, err := stopDaemon(cmd.Context(), a)
			none := errors.Is(err, daemon.ErrNone)
			switch {
			case err != nil && !none:
				return err
			case a.json && none:
				return a.print(map[string]any{"stopped": false, "pid": 0})
			case a.json:
				return a.print(map[string]any{"stopped": true, "pid": ended.PID, "how": ended.How})
			case none:
				fmt.Fprintln(a.out, "No daemon runs")
			default:
				fmt.Fprintln(a.out, howEnded(ended))
			}
			return nil
		},
	}
}

func howEnded(e daemon.Ended) string {
	switch e.How {
	case daemon.Terminated:
		return fmt.Sprintf("The daemon (pid %d) did not answer; SIGTERM has ended it", e.PID)
	case daemon.Killed:
		return fmt.Sprintf("The daemon (pid %d) did not answer; it was killed", e.PID)
	}
	return fmt.Sprintf("The daemon (pid %d) has ended", e.PID)
}

func stopDaemon(ctx context.Context, a *app) (daemon.Ended, error) {
	at, err := call.Find(a.getenv)
	if err != nil {
		return daemon.Ended{}, err
	}
	v, _ := buildVersion()
	return daemon.End(ctx, at, v)
}
