package relay

import (
	"context"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Agent is one that messages can be sent to, running or not.
type Agent struct {
	Name     string    `json:"name"`
	Machine  string    `json:"machine"`
	Session  string    `json:"session,omitempty"` // the one that has its inbox now
	Program  string    `json:"program,omitempty"`
	CWD      string    `json:"cwd,omitempty"`
	Kind     string    `json:"kind,omitempty"` // as in Presence
	Running  bool      `json:"running"`
	Since    time.Time `json:"since,omitzero"`     // it runs, or does not
	LastSeen time.Time `json:"last_seen,omitzero"` // it did something
	Waiting  int       `json:"waiting"`            // messages that wait for it
	Channels []string  `json:"channels,omitempty"`

	// Others are the sessions of that name that run on this machine beside the one
	// that has the inbox. They get only what is for their session.
	Others []Other `json:"others,omitempty"`
}

// Other is a session of an agent that does not have its inbox.
type Other struct {
	Session string `json:"session"`
	Program string `json:"program,omitempty"`
	CWD     string `json:"cwd,omitempty"`
	Kind    string `json:"kind,omitempty"` // as in Presence
}

// Agents gives all agents that are known: those of this machine first, by name,
// then those that other machines have announced.
func (s *Store) Agents(ctx context.Context) ([]Agent, error) {
	if err := s.reap(ctx); err != nil { // a full disk, perhaps; what is read does not need it
		s.log.Warn(s.explain("changed", err).Error())
	}
	a := s.read(ctx)
	here, err := a.ours()
	if err != nil {
		return nil, s.explain("read", err)
	}
	there, err := a.theirs()
	return append(here, there...), s.explain("read", err)
}

func (a access) ours() ([]Agent, error) {
	alive, _, err := a.present("")
	if err != nil {
		return nil, err
	}
	consumers := map[string][]live{}
	for _, consumer := range alive {
		consumers[consumer.agent] = append(consumers[consumer.agent], consumer)
	}
	channels := map[string][]string{}
	var agent, channel string
	err = a.each([]any{&agent, &channel}, func() error { channels[agent] = append(channels[agent], channel); return nil },
		"SELECT member.agent, channel.name FROM member JOIN channel ON channel.key = member.channel ORDER BY channel.key")
	if err != nil {
		return nil, err
	}
	var all []Agent
	var one Agent
	var since, seen int64
	err = a.each([]any{&agent, &one.Name, &one.Program, &one.CWD, &one.Kind, &one.Session, &since, &seen, &one.Waiting}, func() error {
		next := one
		next.Machine, next.Since, next.LastSeen, next.Channels = a.s.machine, sqlite.Moment(since), sqlite.Moment(seen), channels[agent]
		if next.Running = len(consumers[agent]) > 0; !next.Running {
			next.Session = ""
		}
		all = append(all, next)
		return nil
	}, `SELECT key, name, agent.program, agent.cwd, agent.kind, coalesce(seat.session, ''), since, seen, waiting
		FROM agent LEFT JOIN seat ON seat.id = agent.lead ORDER BY key`)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Others, err = a.others(all[i], consumers[key(all[i].Name)]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// others gives the sessions of an agent that are alive, but for the one that has its
// inbox, or is about to have it. A session may have several consumers.
func (a access) others(agent Agent, alive []live) ([]Other, error) {
	var all []Other
	known := map[string]bool{agent.Session: true}
	for _, consumer := range alive {
		if known[consumer.session] {
			continue
		}
		known[consumer.session] = true
		if agent.Session == "" { // the one before it has just ended
			agent.Session = consumer.session
			continue
		}
		one := Other{Session: consumer.session}
		there, err := a.get([]any{&one.Program, &one.CWD, &one.Kind}, "SELECT program, cwd, kind FROM seat WHERE id = ?", consumer.id)
		if err != nil {
			return nil, err
		}
		if there {
			all = append(all, one)
		}
	}
	return all, nil
}

func (a access) theirs() ([]Agent, error) {
	var all []Agent
	var one Agent
	var off, heard int64
	err := a.each([]any{&one.Name, &one.Machine, &off, &heard}, func() error {
		next := one
		next.Running, next.LastSeen = off == 0, sqlite.Moment(heard)
		if off != 0 {
			next.Since, next.LastSeen = sqlite.Moment(off), sqlite.Moment(off)
		}
		all = append(all, next)
		return nil
	}, "SELECT peer_agent.name, peer_agent.machine, peer_agent.offline, peer.heard FROM peer_agent JOIN peer USING (machine) ORDER BY peer_agent.machine, peer_agent.key")
	return all, err
}

// Known gives what is noted of an agent of this machine. Unlike [Store.Agents] it does
// not look who is alive: Session is the one that has the inbox, or had it last.
func (s *Store) Known(ctx context.Context, name string) (Agent, error) {
	a := s.read(ctx)
	one := Agent{Machine: s.machine}
	k, err := a.knownAgent(name)
	if err == nil {
		_, err = a.get([]any{&one.Name, &one.Program, &one.CWD, &one.Kind, &one.Session, &one.Waiting},
			`SELECT name, agent.program, agent.cwd, agent.kind, coalesce(seat.session, ''), waiting FROM agent LEFT JOIN seat ON seat.id = agent.lead WHERE key = ?`, k)
	}
	return one, s.explain("read", err)
}

// Register makes an agent known for good that has no session yet: messages to it
// wait for its first one. One that is known stays as it is.
func (s *Store) Register(ctx context.Context, name string) error {
	name, err := Name(name)
	if err != nil {
		return err
	}
	return s.explain("changed", s.write(ctx, func(a access) error { return a.register(name) }))
}

func (a access) register(name string) error {
	_, err := a.exec(`INSERT INTO agent (key, name, program, cwd, kind, lead, since, seen) VALUES (?,?,'','','','',?,0) ON CONFLICT DO NOTHING`,
		key(name), name, sqlite.Micros(a.s.now()))
	return err
}

// active notes that an agent of this machine has done something.
func (a access) active(agent string) error {
	_, err := a.exec("UPDATE agent SET seen = ? WHERE key = ?", sqlite.Micros(a.s.now()), agent)
	return err
}

// Forget removes an agent that is not running, and its inbox. It refuses while
// messages wait for the agent, unless force is set: then their senders are notified.
func (s *Store) Forget(ctx context.Context, name string, force bool) error {
	if err := s.reap(ctx); err != nil {
		return s.explain("changed", err)
	}
	return s.explain("changed", s.write(ctx, func(a access) error {
		agent, err := a.knownAgent(name)
		if err != nil {
			return err
		}
		running, err := a.running(agent)
		if err != nil {
			return err
		}
		if running[agent] {
			return &refusal{fmt.Sprintf("%s is running: end its session first", name)}
		}
		var waiting int
		if _, err := a.get([]any{&waiting}, "SELECT waiting FROM agent WHERE key = ?", agent); err != nil {
			return err
		}
		if waiting > 0 && !force {
			return &refusal{fmt.Sprintf("what waits for %s (%d) would be lost: hookway inbox %s shows it, and --force forgets it", name, waiting, name)}
		}
		return a.forget(agent)
	}))
}

// agentForgotten is why a message did not reach an agent.
const agentForgotten = "the agent was forgotten"

func (a access) forget(agent string) error {
	var waiting []delivery
	var d delivery
	err := a.each(d.fields(), func() error { waiting = append(waiting, d); return nil },
		"SELECT "+deliveryColumns+" FROM delivery d WHERE d.machine = '' AND d.agent = ? AND d.state < 3", agent)
	if err != nil {
		return err
	}
	for _, d := range waiting {
		d.stage, d.reason = refused, agentForgotten
		if err := a.move(d); err != nil {
			return err
		}
	}
	if err := a.remove(agent); err != nil {
		return err
	}
	return a.forgetPairs(agent)
}

// remove takes an agent out for which nothing waits. The senders keep their receipts; a
// new agent of that name does not see them.
func (a access) remove(agent string) error {
	for _, change := range []string{
		"UPDATE delivery SET agent = agent || ' ' || message WHERE machine = '' AND agent = ?",
		"DELETE FROM member WHERE agent = ?", "DELETE FROM seat WHERE agent = ?", "DELETE FROM agent WHERE key = ?",
	} {
		if _, err := a.exec(change, agent); err != nil {
			return err
		}
	}
	return nil
}
