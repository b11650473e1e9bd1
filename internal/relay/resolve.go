package relay

import (
	"strings"
)

// target is where a message goes.
type target struct {
	machines []string // "" is this one; in order, this one first
	agent    string   // its key, if there is one receiver
	name     string
	session  string // the only one of the agent that gets it
	channel  string // its key
}

// resolve finds out what a message's To stands for, and writes it there as others
// know it.
func (a access) resolve(m *Message) (target, error) {
	switch to := m.To; {
	case to == "":
		return target{}, &refusal{"the message has no receiver: name an agent, #channel or * for everyone"}
	case to == "*":
		return a.everyone(m)
	case strings.HasPrefix(to, "#"):
		return a.channel(m, to[1:])
	}
	if at := strings.LastIndex(m.To, "@"); at > 0 {
		return a.elsewhere(m, m.To[:at], strings.ToLower(m.To[at+1:]))
	}
	return a.direct(m)
}

// everyone is all agents but the sender, here and on all machines that are known.
func (a access) everyone(m *Message) (t target, err error) {
	var here bool
	if here, err = a.get([]any{new(int)}, "SELECT 1 FROM agent WHERE key <> ? LIMIT 1", key(m.From)); err != nil {
		return t, err
	}
	if here {
		t.machines = append(t.machines, "")
	}
	others, err := a.strings("SELECT machine FROM peer WHERE EXISTS (SELECT 1 FROM peer_agent WHERE peer_agent.machine = peer.machine) ORDER BY machine")
	t.machines = append(t.machines, others...)
	if err == nil && len(t.machines) == 0 {
		err = ErrNobody
	}
	return t, err
}

// channel is the members of a channel but the sender, on all machines that have it.
func (a access) channel(m *Message, name string) (t target, err error) {
	t.channel = key(name)
	var shown string
	known, err := a.get([]any{&shown}, "SELECT name FROM channel WHERE key = ?", t.channel)
	if err != nil {
		return t, err
	}
	members, err := a.get([]any{new(int)}, "SELECT 1 FROM member WHERE channel = ? AND agent <> ? LIMIT 1", t.channel, key(m.From))
	if err != nil {
		return t, err
	}
	if members {
		t.machines = append(t.machines, "")
	}
	err = a.each([]any{&name, &shown}, func() error {
		known, t.machines = true, append(t.machines, name)
		return nil
	}, "SELECT machine, name FROM peer_channel WHERE key = ? ORDER BY machine", t.channel)
	switch {
	case err != nil:
		return t, err
	case !known:
		all, err := a.strings("SELECT name FROM channel UNION SELECT name FROM peer_channel")
		return t, unknownOr(err, "channel", m.To[1:], nearest(m.To[1:], all))
	case len(t.machines) == 0:
		return t, ErrNobody
	}
	m.To = "#" + shown
	return t, nil
}

// elsewhere is an agent that was named with its machine.
func (a access) elsewhere(m *Message, name, machine string) (t target, err error) {
	if machine == a.s.machine {
		m.To = name
		if known, err := a.here(m, &t); known || err != nil {
			return t, err
		}
		near, err := a.nearAgents(name)
		return t, unknownOr(err, "agent", name+"@"+machine, near)
	}
	if known, err := a.get([]any{new(int)}, "SELECT 1 FROM peer WHERE machine = ?", machine); !known || err != nil {
		all, more := a.strings("SELECT machine FROM peer")
		return t, unknownOr(first(err, more), "machine", machine, nearest(machine, append(all, a.s.machine)))
	}
	t = target{machines: []string{machine}, agent: key(name)}
	known, err := a.get([]any{&t.name}, "SELECT name FROM peer_agent WHERE machine = ? AND key = ?", machine, t.agent)
	if !known || err != nil {
		all, more := a.strings("SELECT name FROM peer_agent WHERE machine = ?", machine)
		near := nearest(name, all)
		for i := range near {
			near[i] += "@" + machine
		}
		return t, unknownOr(first(err, more), "agent", name+"@"+machine, near)
	}
	m.To = t.name + "@" + machine
	return t, nil
}

// direct is an agent by its name only: of this machine, or of the only one that has
// such an agent. A session's id stands for the agent in it.
func (a access) direct(m *Message) (t target, err error) {
	if known, err := a.here(m, &t); known || err != nil {
		return t, err
	}
	where, err := a.strings("SELECT machine FROM peer_agent WHERE key = ? ORDER BY machine", key(m.To))
	switch {
	case err != nil:
		return t, err
	case len(where) == 1:
		return a.elsewhere(m, m.To, where[0])
	case len(where) > 1:
		for i := range where {
			where[i] = m.To + "@" + where[i]
		}
		return t, &AmbiguousError{m.To, where}
	}
	near, err := a.nearAgents(m.To)
	return t, unknownOr(err, "agent", m.To, near)
}

// here finds an agent of this machine by its name, or by the session that it is in.
func (a access) here(m *Message, t *target) (bool, error) {
	*t = target{machines: []string{""}, agent: key(m.To)}
	known, err := a.get([]any{&t.name}, "SELECT name FROM agent WHERE key = ?", t.agent)
	if known || err != nil {
		m.To = t.name
		return known, err
	}
	known, err = a.get([]any{&t.agent, &t.name}, "SELECT agent.key, agent.name FROM seat JOIN agent ON agent.key = seat.agent WHERE seat.session = ? ORDER BY seat.joined DESC LIMIT 1", m.To)
	t.session = m.To
	return known, err
}

// nearAgents are the agents that a name was perhaps meant to be, here or elsewhere.
func (a access) nearAgents(name string) ([]string, error) {
	all, err := a.strings("SELECT name FROM agent")
	if err != nil {
		return nil, err
	}
	near := nearest(name, all)
	if len(near) == 3 {
		return near, nil
	}
	far, err := a.strings("SELECT name || '@' || machine FROM peer_agent")
	if err != nil {
		return nil, err
	}
	plain := map[string]string{}
	var names []string
	for _, full := range far {
		short, _, _ := strings.Cut(full, "@")
		if _, twice := plain[short]; !twice {
			names = append(names, short)
		}
		plain[short] = full
	}
	for _, short := range nearest(name, names) {
		if len(near) < 3 {
			near = append(near, plain[short])
		}
	}
	return near, nil
}

func unknownOr(err error, kind, name string, near []string) error {
	if err != nil {
		return err
	}
	return &UnknownError{Kind: kind, Name: name, Near: near}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
