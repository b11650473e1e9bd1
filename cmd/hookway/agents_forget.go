package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func forgetAgentCommand(a *app) *cobra.Command {
	var force bool
	var machine string
	cmd := &cobra.Command{
		Use:   "forget NAME | --machine NAME",
		Short: "Forget an agent that does not run, and its inbox, or a machine that is gone",
		Long: `Forget an agent that does not run, and its inbox. If messages wait for it, it is
kept, unless --force is given: then they are gone.

With --machine, forget another machine that does not come back, with its agents,
what has not reached them, and its share of the room for what waits. Each machine
does so for itself. If the machine is joined again, it is known again.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if machine == "" {
				return exactly("NAME")(cmd, args)
			}
			return exactly()(cmd, args)
		},
		ValidArgsFunction: a.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			if machine != "" {
				return forgetMachine(cmd.Context(), a, machine, force)
			}
			return a.home.WithRelay(cmd.Context(), func(store *relay.Store) error {
				if err := store.Forget(cmd.Context(), args[0], force); err != nil {
					return err
				}
				return sayForgotten(a, args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also if messages wait, which are lost then")
	cmd.Flags().StringVar(&machine, "machine", "", "forget the machine of this `NAME`")
	if err := cmd.RegisterFlagCompletionFunc("machine", a.completeMachine); err != nil { // the flag is one of ours
		panic(err)
	}
	return cmd
}

// forgetMachine forgets a machine that is not joined now. Its stream is the daemon's,
// which removes it, or does so when it carries messages again.
func forgetMachine(ctx context.Context, a *app, machine string, force bool) error {
	v, _ := buildVersion()
	st, err := daemonStatus(ctx, a.getenv, v)
	if err == nil && st.Relay != nil && slices.ContainsFunc(st.Relay.Peers, func(m string) bool { return strings.EqualFold(m, machine) }) {
		return fmt.Errorf("%s is linked now, and would be known again at once: end its daemon or its link first", machine)
	}
	return a.home.WithRelay(ctx, func(store *relay.Store) error {
		if err := store.ForgetMachine(ctx, machine, force); err != nil {
			return err
		}
		if err := a.home.NotifyRelay(ctx); err != nil && !errors.Is(err, server.ErrDaemonOff) {
			a.warn("what is kept for %s is removed when the daemon carries messages again: %v", machine, err)
		}
		return sayForgotten(a, machine)
	})
}

func sayForgotten(a *app, name string) error {
	if a.json {
		return a.print(map[string]string{"forgotten": name})
	}
	fmt.Fprintf(visible.Writer{To: a.out}, "%s is forgotten\n", field(name, 80))
	return nil
}
