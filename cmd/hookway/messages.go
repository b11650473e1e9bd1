package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

func messagesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "messages NAME",
		Short:             "Show the last messages that a running session has sent and received",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeSession,
		RunE:              func(cmd *cobra.Command, args []string) error { return showMessages(cmd.Context(), a, args[0]) },
	}
}

func showMessages(ctx context.Context, a *app, name string) error {
	r, err := a.find(ctx, name)
	if err != nil {
		return err
	}
	all, err := r.Messages(ctx)
	if err != nil {
		return err
	}
	if a.json {
		if all == nil {
			all = []hook.Message{}
		}
		return a.print(all)
	}
	for _, m := range all {
		fmt.Fprintf(visible.Writer{To: a.out}, "%s → %s: %s\n", field(m.From, 40), field(m.To, 40), field(m.Content, 400))
	}
	return nil
}
