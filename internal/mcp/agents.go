package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/roster"
)

// mostAgents is how many agents an answer names.
const mostAgents = 200

// agent is one that messages can be sent to.
type agent struct {
	Name     string   `json:"name" jsonschema:"what send_message takes"`
	Session  string   `json:"session,omitempty" jsonschema:"the id of its session, if it runs on this machine"`
	Program  string   `json:"program,omitempty"`
	Folder   string   `json:"folder,omitempty" jsonschema:"where it works"`
	Machine  string   `json:"machine,omitempty" jsonschema:"if it is another one than yours"`
	Channels []string `json:"channels,omitempty"`
	Since    string   `json:"since,omitempty" jsonschema:"when it was started, or went offline"`
	State    string   `json:"state" jsonschema:"runs; offline: it gets messages when it comes back; held: its user keeps what is sent to it back; mute: it does not answer; person: one at a keyboard"`
	Waiting  int      `json:"waiting" jsonschema:"how many messages wait for it"`
	You      bool     `json:"you" jsonschema:"true if this is you"`
}

type agents struct {
	Agents  []agent `json:"agents"`
	LeftOut int     `json:"left_out,omitempty" jsonschema:"how many more there are"`
}

type nothing struct{}

func (s *Server) addAgents(server *sdk.Server, running context.Context) {
	add(server, running, &s.answers, tool[nothing, agents]{
		name: "list_agents", title: "List the agents",
		description: "See which agents can be sent messages with send_message. Those that do not run now get theirs when they come back.",
		hints:       reads(),
		do: func(ctx context.Context, _ string, _ nothing) (a answer[agents], err error) {
			terminals, err := s.terminals(ctx)
			if err != nil {
				return a, err
			}
			store, err := s.relay(ctx)
			if err != nil {
				return a, err
			}
			all, err := store.Agents(ctx)
			if err != nil {
				return a, err
			}
			a.out.Agents = []agent{}
			a.out.LeftOut = max(len(all)-mostAgents, 0)
			a.text = "There is no agent that can be sent messages; hookway run -n NAME -- COMMAND starts one.\n"
			if len(all) > 0 {
				a.text = counted(len(all), "agent:\n", "agents:\n")
			}
			for _, r := range likeliest(all) {
				one := s.shownAgent(r, store.Machine(), terminals)
				a.out.Agents = append(a.out.Agents, one)
				a.text += one.line()
			}
			if a.out.LeftOut > 0 {
				a.text += fmt.Sprintf("and %d more\n", a.out.LeftOut)
			}
			return a, nil
		},
	})
}

// likeliest are as many agents as an answer names, in their order. If there are more,
// those that run now are among them first, and sessions without a wrapper that
// have ended last: there are ever more of these.
func likeliest(all []relay.Agent) []relay.Agent {
	if len(all) <= mostAgents {
		return all
	}
	rank := func(a relay.Agent) int {
		switch {
		case a.Running:
			return 0
		case a.Kind != relay.KindHooks || a.Waiting > 0:
			return 1
		}
		return 2
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b relay.Agent) int { return rank(a) - rank(b) })
	return all[:mostAgents]
}

// terminals are the sessions that hookway run has in a terminal now, by their id.
func (s *Server) terminals(ctx context.Context) (map[string]*roster.Remote, error) {
	if s.Roster == nil {
		return nil, nil
	}
	dir, err := s.Roster()
	if err != nil {
		return nil, err
	}
	all, err := roster.List(ctx, dir)
	by := map[string]*roster.Remote{}
	for _, r := range all {
		by[r.Session] = r
	}
	return by, err
}

func (s *Server) shownAgent(r relay.Agent, machine string, terminals map[string]*roster.Remote) agent {
	one := agent{
		Name: oneLine(r.Name), Session: oneLine(r.Session), Program: oneLine(r.Program), Folder: oneLine(r.CWD),
		Since: stamp(r.Since), State: "offline", Waiting: r.Waiting,
	}
	here := r.Machine == "" || r.Machine == machine
	if !here {
		one.Machine = oneLine(r.Machine)
		one.Name += "@" + one.Machine
	}
	for _, c := range r.Channels[:min(len(r.Channels), mostAgents)] {
		one.Channels = append(one.Channels, "#"+oneLine(strings.TrimPrefix(c, "#")))
	}
	terminal := terminals[r.Session]
	switch {
	case terminal != nil && terminal.Mute:
		one.State = "mute"
	case terminal != nil && terminal.Held:
		one.State = "held"
	case r.Running:
		one.State = "runs"
	case r.Kind == relay.KindPerson:
		one.State = "person"
	}
	one.You = here && (s.Session != "" && r.Session == s.Session || s.Agent != "" && relay.SameName(r.Name, s.Agent))
	return one
}

// line is an agent in the text of an answer.
func (a agent) line() string {
	parts := []string{a.Name}
	if a.You {
		parts[0] += " (you)"
	}
	if a.Program != "" {
		parts = append(parts, a.Program)
	}
	state := a.State
	if since, err := time.Parse(time.RFC3339, a.Since); err == nil && a.State == "offline" {
		state += " since " + since.Format("2006-01-02 15:04 MST")
	}
	parts = append(parts, state)
	if a.Waiting > 0 {
		parts = append(parts, counted(a.Waiting, "message waits", "messages wait"))
	}
	if len(a.Channels) > 0 {
		parts = append(parts, "in "+strings.Join(a.Channels, " "))
	}
	if a.Session != "" {
		parts = append(parts, "session "+a.Session)
	}
	if a.Folder != "" {
		parts = append(parts, "in "+a.Folder)
	}
	return "- " + strings.Join(parts, " · ") + "\n"
}
