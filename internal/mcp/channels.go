package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/internal/relay"
)

// channel is a name that several agents listen to.
type channel struct {
	Name    string   `json:"name" jsonschema:"what send_message takes, with its #"`
	Members []string `json:"members"`
}

type channels struct {
	Channels []channel `json:"channels"`
	LeftOut  int       `json:"left_out,omitempty" jsonschema:"how many more there are"`
}

func (s *Server) addChannels(server *sdk.Server, running context.Context) {
	add(server, running, &s.answers, tool[nothing, channels]{
		name: "list_channels", title: "List the channels",
		description: "See the channels and who is in them. What is sent to #name goes to all of its members but the sender.",
		hints:       reads(),
		do: func(ctx context.Context, _ string, _ nothing) (a answer[channels], err error) {
			store, err := s.relay(ctx)
			if err != nil {
				return a, err
			}
			all, err := store.Channels(ctx)
			if err != nil {
				return a, err
			}
			a.out.Channels = []channel{}
			a.out.LeftOut = max(len(all)-mostAgents, 0)
			if a.text = "There is no channel; join_channel makes one.\n"; len(all) > 0 {
				a.text = counted(len(all), "channel:\n", "channels:\n")
			}
			for _, c := range all[:min(len(all), mostAgents)] {
				one := channel{Name: "#" + oneLine(c.Name), Members: []string{}}
				for _, m := range c.Members[:min(len(c.Members), mostAgents)] {
					one.Members = append(one.Members, oneLine(m))
				}
				a.out.Channels = append(a.out.Channels, one)
				a.text += fmt.Sprintf("- %s: %s\n", one.Name, strings.Join(one.Members, ", "))
			}
			return a, nil
		},
	})
	s.addMembership(server, running, "join_channel", "Join a channel", "Get what others send to a channel from now on. One that is not there yet is made.", "You are in #%s now.\n", (*relay.Store).JoinChannel)
	s.addMembership(server, running, "leave_channel", "Leave a channel", "Get nothing more of what others send to a channel.", "You are not in #%s any more.\n", (*relay.Store).LeaveChannel)
}

type naming struct {
	Channel string `json:"channel" jsonschema:"its name, with # or without"`
}

type membership struct {
	Channel string `json:"channel"`
}

func (s *Server) addMembership(server *sdk.Server, running context.Context, name, title, description, done string, do func(*relay.Store, context.Context, string, string) error) {
	add(server, running, &s.answers, tool[naming, membership]{
		name: name, title: title, description: description,
		hints: sdk.ToolAnnotations{DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false)},
		do: func(ctx context.Context, _ string, in naming) (a answer[membership], err error) {
			channel := strings.TrimPrefix(in.Channel, "#")
			if strings.TrimSpace(channel) == "" {
				return a, errors.New("channel is empty; list_channels says which there are")
			}
			if _, err := s.consumer(ctx); err != nil { // it makes the agent known
				return a, err
			}
			store, err := s.relay(ctx)
			if err != nil {
				return a, err
			}
			if err := do(store, ctx, channel, s.Agent); err != nil {
				return a, err
			}
			a.out.Channel = "#" + oneLine(channel)
			a.text = fmt.Sprintf(done, oneLine(channel))
			return a, nil
		},
	})
}
