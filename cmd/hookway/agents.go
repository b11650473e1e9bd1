package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func agentsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents that messages can be sent to, running or not",
		Long: `List the agents that messages can be sent to: what stands under NAME is what
hookway send takes. An agent is known from its first session on, wrapped by
hookway run, with hookway's hooks, or with hookway mcp; what is sent to one that
does not run waits until it comes back. Of several sessions with one name, the
first has the inbox, and the others stand below it. hookway sessions lists the
terminals that run now.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return showAgents(cmd.Context(), a) },
	}
	cmd.AddCommand(forgetAgentCommand(a))
	return cmd
}

func showAgents(ctx context.Context, a *app) error {
	a.awaitPeers(ctx)
	return a.home.WithRelay(ctx, func(store *relay.Store) error {
		all, err := store.Agents(ctx)
		if err != nil {
			return err
		}
		if all == nil {
			all = []relay.Agent{}
		}
		switch {
		case a.json:
			return a.print(all)
		case len(all) == 0:
			fmt.Fprintln(a.out, "No agent is known; hookway run -n NAME -- claude starts one")
			return nil
		}
		away := awayAgents(ctx, a)
		table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tSTATE\tWAITING\tPROGRAM\tCHANNELS\tFOLDER")
		for _, agent := range all {
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", field(address(store, agent), 80), agentState(agent, away), agent.Waiting,
				orDash(agent.Program), orDash(strings.Join(withMark(agent.Channels), " ")), orDash(agent.CWD))
			for _, other := range agent.Others {
				fmt.Fprintf(table, "%s\t%s\t-\t%s\t-\t%s\n", field(address(store, agent), 80), "runs, another has the inbox", orDash(other.Program), orDash(other.CWD))
			}
		}
		return endOfReader(table.Flush())
	})
}

// awayAgents are the machines that are not linked now, with when they were last heard.
func awayAgents(ctx context.Context, a *app) map[string]time.Time {
	if !a.home.Linked() {
		return nil
	}
	v, _ := buildVersion()
	st, err := daemonStatus(ctx, a.getenv, v)
	if err != nil || st.Relay == nil {
		return nil
	}
	away := map[string]time.Time{}
	for _, h := range st.Relay.Heard {
		if !h.Linked {
			away[h.Machine] = h.At
		}
	}
	return away
}

// agentState says whether an agent runs, or since when it does not. Of one on a
// machine that is away is not known.
func agentState(agent relay.Agent, away map[string]time.Time) string {
	contact, gone := away[agent.Machine]
	switch {
	case agent.Running && gone:
		return "not linked, last heard " + lately(contact)
	case agent.Running:
		return "runs"
	case agent.Kind == relay.KindPerson:
		return "a person"
	case agent.Since.IsZero():
		return "offline"
	}
	return "offline since " + clock(agent.Since)
}

// withMark are names of channels as they are written.
func withMark(channels []string) []string {
	marked := make([]string, len(channels))
	for i, c := range channels {
		marked[i] = "#" + strings.TrimPrefix(c, "#")
	}
	return marked
}

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
