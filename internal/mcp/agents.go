package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/internal/roster"
)

// mostAgents is how many agents an answer names.
const mostAgents = 200

// agent is one that runs.
type agent struct {
	Name    string    `json:"name" jsonschema:"what send_message takes"`
	Session string    `json:"session" jsonschema:"the id of its session, for when several have the name"`
	Program string    `json:"program"`
	Folder  string    `json:"folder" jsonschema:"where it works"`
	Since   time.Time `json:"since" jsonschema:"when it was started"`
	State   string    `json:"state" jsonschema:"runs; held: its user keeps what is sent to it back; mute: it does not answer"`
	You     bool      `json:"you" jsonschema:"true if this is you"`
}

type agents struct {
	Agents  []agent `json:"agents"`
	LeftOut int     `json:"left_out,omitempty" jsonschema:"how many more there are"`
}

type nothing struct{}

func (s *Server) addAgents(server *sdk.Server, running context.Context) {
	add(server, running, tool[nothing, agents]{
		name: "list_agents", title: "List the agents that run",
		description: "See which agents run on this machine now and can be sent messages with send_message, the oldest first.",
		hints:       reads(),
		do: func(ctx context.Context, _ string, _ nothing) (a answer[agents], err error) {
			dir, err := s.Roster()
			if err != nil {
				return a, err
			}
			all, err := roster.List(ctx, dir)
			if err != nil {
				return a, err
			}
			own, _ := s.own(all)
			a.out.Agents = []agent{}
			a.out.LeftOut = max(len(all)-mostAgents, 0)
			a.text = "No agent runs that can be sent messages; hookway run -n NAME -- COMMAND starts one.\n"
			if len(all) > 0 {
				a.text = counted(len(all), "agent runs:\n", "agents run:\n")
			}
			for _, r := range all[:min(len(all), mostAgents)] {
				one := agent{Name: oneLine(r.Name), Session: oneLine(r.Session), Program: oneLine(r.Program),
					Folder: oneLine(r.CWD), Since: r.Started.UTC(), State: state(r), You: r == own}
				a.out.Agents = append(a.out.Agents, one)
				you := ""
				if one.You {
					you = " (you)"
				}
				a.text += fmt.Sprintf("- %s%s · %s · %s · session %s · in %s\n", one.Name, you, one.Program, one.State, one.Session, one.Folder)
			}
			if a.out.LeftOut > 0 {
				a.text += fmt.Sprintf("and %d more\n", a.out.LeftOut)
			}
			return a, nil
		},
	})
}

func state(r *roster.Remote) string {
	switch {
	case r.Mute:
		return "mute"
	case r.Held:
		return "held"
	}
	return "runs"
}

// own is the session of the agent that is served, among all that run.
func (s *Server) own(all []*roster.Remote) (*roster.Remote, error) {
	var named []*roster.Remote
	for _, r := range all {
		if s.Session != "" && r.Session == s.Session {
			return r, nil
		}
		if s.Session == "" && s.Agent != "" && r.Name == s.Agent {
			named = append(named, r)
		}
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return nil, errors.New("you have no inbox, because you are not in a session that hookway run has wrapped: the user can start you with hookway run -n NAME -- COMMAND")
	}
	return nil, fmt.Errorf("%d sessions have the name %q, so it is not clear whose inbox is yours: the user can give each a name of its own", len(named), oneLine(s.Agent))
}

func (s *Server) ownSession() (*roster.Remote, error) {
	dir, err := s.Roster()
	if err != nil {
		return nil, err
	}
	all, err := roster.All(dir)
	if err != nil {
		return nil, err
	}
	return s.own(all)
}
