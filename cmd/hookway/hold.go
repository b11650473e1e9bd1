package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/visible"
)

func holdCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "hold NAME",
		Short: "Keep hookway from typing to a session's program",
		Long: `Keep hookway from typing to a session's program: what hooks inject and others send
waits, in its order, until hookway release. The program's own hooks go on.`,
		Example:           "  hookway hold Alice",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeHold(cmd.Context(), a, args[0], (*roster.Remote).Hold)
		},
	}
}

func releaseCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "release NAME",
		Short:             "Let hookway type to a session's program again",
		Example:           "  hookway release Alice",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeHold(cmd.Context(), a, args[0], (*roster.Remote).Release)
		},
	}
}

func changeHold(ctx context.Context, a *app, name string, change func(*roster.Remote, context.Context) error) error {
	r, err := a.find(ctx, name)
	if err != nil {
		return err
	}
	if err := change(r, ctx); err != nil {
		return err
	}
	if a.json {
		return a.print(r.Member)
	}
	done := "is released: texts are typed again"
	if r.Held {
		done = "is held: nothing is typed until hookway release " + r.Name
	}
	fmt.Fprintf(visible.Writer{To: a.out}, "%s %s\n", r.Name, done)
	return nil
}
