package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

func channelsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "channels",
		Short: "List the channels, join one, or leave it",
		Long: `List the channels and who is in them. What is sent to '#name' goes to all of them
but the sender. A channel is there as soon as somebody has joined it.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return showChannels(cmd.Context(), a) },
	}
	cmd.AddCommand(
		memberCommand(a, "join", "Join a channel", "joins", (*relay.Store).JoinChannel),
		memberCommand(a, "leave", "Leave a channel", "leaves", (*relay.Store).LeaveChannel),
		membersCommand(a),
	)
	return cmd
}

func showChannels(ctx context.Context, a *app) error {
	return a.home.WithRelay(ctx, func(store *relay.Store) error {
		all, err := store.Channels(ctx)
		if err != nil {
			return err
		}
		if all == nil {
			all = []relay.Channel{}
		}
		switch {
		case a.json:
			return a.print(all)
		case len(all) == 0:
			fmt.Fprintln(a.out, "There is no channel; hookway channels join '#NAME' --agent AGENT makes one")
			return nil
		}
		table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
		for _, c := range all {
			fmt.Fprintf(table, "#%s\t%s\n", field(c.Name, 80), field(strings.Join(c.Members, ", "), 300))
		}
		return endOfReader(table.Flush())
	})
}

// memberCommand is join, or leave.
func memberCommand(a *app, word, short, does string, do func(*relay.Store, context.Context, string, string) error) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:               word + " '#CHANNEL'",
		Short:             short,
		Args:              exactly("CHANNEL"),
		ValidArgsFunction: a.completeChannel,
		RunE: func(cmd *cobra.Command, args []string) error {
			who, inSession := a.self()
			if agent != "" {
				who = agent
			}
			channel := strings.TrimPrefix(args[0], "#")
			return a.home.WithRelay(cmd.Context(), func(store *relay.Store) error {
				if who == person && !inSession {
					if err := a.register(cmd.Context(), store, who); err != nil {
						return err
					}
				}
				if err := do(store, cmd.Context(), channel, who); err != nil {
					return err
				}
				if a.json {
					return a.print(map[string]string{"channel": channel, "agent": who})
				}
				fmt.Fprintf(visible.Writer{To: a.out}, "%s %s #%s\n", field(who, 80), does, field(channel, 80))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "the `NAME` of the agent that is meant; without it, the one in whose session this is called, or user")
	if err := cmd.RegisterFlagCompletionFunc("agent", a.completeAgentFlag); err != nil { // it is one of ours
		panic(err)
	}
	return cmd
}

func membersCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "members '#CHANNEL'",
		Short:             "List who is in a channel",
		Args:              exactly("CHANNEL"),
		ValidArgsFunction: a.completeChannel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.home.WithRelay(cmd.Context(), func(store *relay.Store) error {
				members, err := channelMembers(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.print(members)
				}
				for _, m := range members {
					fmt.Fprintln(visible.Writer{To: a.out}, field(m, 80))
				}
				return nil
			})
		},
	}
}

// channelMembers are those of a channel, which must be there.
func channelMembers(ctx context.Context, store *relay.Store, name string) ([]string, error) {
	all, err := store.Channels(ctx)
	if err != nil {
		return nil, err
	}
	name = strings.TrimPrefix(name, "#")
	var names []string
	for _, c := range all {
		if strings.EqualFold(c.Name, name) {
			return c.Members, nil
		}
		names = append(names, c.Name)
	}
	unknown := &relay.UnknownError{Kind: "channel", Name: name}
	if near := hook.Nearest(name, names); near != "" {
		unknown.Near = []string{near}
	}
	return nil, unknown
}

// completeAgentFlag offers the names of agents.
func (a *app) completeAgentFlag(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.known(agentNames), cobra.ShellCompDirectiveNoFileComp
}
