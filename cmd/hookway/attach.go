package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/tmux"
)

func attachCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Show a session that was started with hookway run --tmux",
		Long: `Show a session that was started with hookway run --tmux, in this terminal, and
type to it. Without a name it is the only one that runs. C-b d leaves it; it goes
on. If its program ends meanwhile, hookway's exit code is the program's.`,
		Example: "  hookway run --tmux -n Alice -- claude\n  hookway attach Alice",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return attachSession(cmd.Context(), a, strings.Join(args, ""))
		},
	}
}

// attachSession shows a session that runs.
func attachSession(ctx context.Context, a *app, name string) error {
	server, _, err := tmuxServer(ctx, a)
	if err != nil {
		return err
	}
	all, err := server.List(ctx)
	if err != nil {
		return err
	}
	session, err := tmux.Pick(all, name)
	if err != nil {
		return err
	}
	return ended(a.view(server, session).Attach(ctx))
}

// view shows a session of tmux to the user.
func (a *app) view(server *tmux.Server, session tmux.Session) *tmux.View {
	return &tmux.View{Server: server, Session: session, In: a.in, Out: a.out, Err: a.err, Getenv: a.getenv, Terminal: a.atTerminal()}
}

// ended gives hookway the exit code of a session's program.
func ended(code int, err error) error {
	if err == nil && code != 0 {
		return &exit{code: code}
	}
	return err
}
