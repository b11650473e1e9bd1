package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/relay"
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
				or(agent.Program, "-"), or(strings.Join(withMark(agent.Channels), " "), "-"), or(agent.CWD, "-"))
			for _, other := range agent.Others {
				fmt.Fprintf(table, "%s\t%s\t-\t%s\t-\t%s\n", field(address(store, agent), 80), "runs, another has the inbox", or(other.Program, "-"), or(other.CWD, "-"))
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
