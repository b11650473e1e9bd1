package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/approve"
)

func allowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "allow [CODE]", SuggestFor: []string{"approve", "accept", "yes"},
		Short: "Let a call that was stopped or asked about through, once",
		Long: `Let a call that was stopped or asked about through, once: the short way for
hookway approvals allow.

The refusal names the code. You see the call, the rule and why it was stopped, and
are asked; then the very same call passes once, if the agent tries it again within
10 minutes: of the same agent, session, folder and tool, with the same input. A call
that waits goes on. Without a CODE, the calls of the last hour are listed.

It works only in a terminal that no agent has a hand in: it looks at the variables
that agents set, at all processes above this one, and at those that can type into
the terminal.`,
		Example: "  hookway allow\n  hookway allow K7QX4",
		Args:    atMost(1), ValidArgsFunction: a.completeCode,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listStopped(cmd.Context(), a)
			}
			return answerAndSay(cmd.Context(), a, answer{code: args[0], yes: true}, cmd.CommandPath()+" "+args[0])
		},
	}
}

// listStopped lists the calls of the last hour.
func listStopped(ctx context.Context, a *app) error {
	return a.withApprovals(ctx, func(store *approve.Store) error {
		all, err := listed(ctx, store)
		switch {
		case err != nil:
			return err
		case a.json:
			return a.print(all)
		}
		return printRequests(a.out, all)
	})
}
