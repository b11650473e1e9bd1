package relay

import (
	"strings"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/visible"
)

// deliver makes the rows of a message for agents here, and gives their receipts. A
// session that is given is the only one that gets it. Rows that are there already
// stay as they are. An inbox that is full refuses.
func (a access) deliver(m Message, origin, session string, to []member) ([]Receipt, error) {
	arrival, err := a.arrival()
	if err != nil {
		return nil, err
	}
	why := reasons{a: a, many: len(to) > 1}
	receipts := make([]Receipt, len(to))
	for i, one := range to {
		d := delivery{
			message: m.ID, agent: one.key, name: one.name, session: session, sender: key(m.From), origin: origin,
			stage: queued, priority: ranks[m.Priority], arrival: arrival, accepted: sqlite.Micros(a.s.now()),
		}
		if one.waiting >= a.s.limits.Inbox {
			d.stage, d.reason = refused, fullReason(one.waiting)
		}
		if d, err = a.hand(d); err != nil {
			return nil, err
		}
		receipts[i] = d.receipt()
		if d.stage == queued {
			if receipts[i].Reason, err = why.of(d); err != nil {
				return nil, err
			}
		}
	}
	return receipts, nil
}

// arrival is the place of the next message in the order in which they come.
func (a access) arrival() (n int64, err error) {
	_, err = a.get([]any{&n}, "INSERT INTO fact (name, value) VALUES ('arrival', 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value")
	return n, err
}

// hand makes one row, and gives the one that is there.
func (a access) hand(d delivery) (delivery, error) {
	isNew, err := a.insert(d)
	if err != nil {
		return d, err
	}
	if !isNew {
		there, _, err := a.of(d.message, "", d.agent)
		return there, err
	}
	if d.stage == queued {
		a.news.agents[d.agent] = d.name
	}
	return d, nil
}

// deliverAll makes the rows of a new message from here to many in one go, and gives
// their receipts: no other process can write meanwhile, and there may be thousands.
func (a access) deliverAll(m Message) ([]Receipt, error) {
	arrival, err := a.arrival()
	if err != nil {
		return nil, err
	}
	to, err := a.members(m)
	if err != nil {
		return nil, err
	}
	from, args := a.ofMany(m)
	now := sqlite.Micros(a.s.now())
	if _, err := a.exec(`INSERT INTO delivery (message, machine, agent, name, session, sender, origin, state, priority, arrival, reason, accepted)
		SELECT ?, '', agent.key, agent.name, '', ?, '', iif(agent.waiting >= ?, ?, ?), ?, ?, iif(agent.waiting >= ?, printf(?, agent.waiting), ''), ? `+from+`
		ON CONFLICT DO NOTHING`,
		append([]any{m.ID, key(m.From), a.s.limits.Inbox, int(refused), int(queued), ranks[m.Priority], arrival, a.s.limits.Inbox, fullText, now}, args...)...); err != nil {
		return nil, err
	}
	if err := a.tellLive(m.ID); err != nil {
		return nil, err
	}
	why := reasons{a: a, many: true}
	receipts := make([]Receipt, len(to))
	for i, one := range to {
		d := delivery{message: m.ID, agent: one.key, name: one.name, stage: queued, accepted: now}
		if one.waiting >= a.s.limits.Inbox {
			d.stage, d.reason = refused, fullReason(one.waiting)
		} else if d.reason, err = why.of(d); err != nil {
			return nil, err
		}
		receipts[i] = d.receipt()
	}
	return receipts, nil
}

// tellLive notes those receivers of a message as having something new who have a
// session: of thousands, these are few.
func (a access) tellLive(message string) error {
	var agent, name string
	return a.each([]any{&agent, &name}, func() error { a.news.agents[agent] = name; return nil },
		"SELECT d.agent, d.name FROM seat JOIN delivery d ON d.message = ? AND d.machine = '' AND d.agent = seat.agent WHERE d.state = ?", message, int(queued))
}

// receivers are the agents here that a message of another machine is for: one, or
// those that its To stands for.
func (a access) receivers(m Message, agent string) ([]member, error) {
	if agent == "" {
		return a.members(m)
	}
	var one member
	known, err := a.get([]any{&one.key, &one.name, &one.waiting}, "SELECT key, name, waiting FROM agent WHERE key = ?", key(agent))
	if !known || err != nil {
		return nil, err
	}
	return []member{one}, nil
}

// unknown is the answer to a message for an agent that is not, or not any more, here.
func (a access) unknown(id, agent string) ([]Receipt, error) {
	near, err := a.nearAgents(agent)
	if err != nil {
		return nil, err
	}
	reason := (&UnknownError{Kind: "agent", Name: agent, Near: here(near)}).Error()
	return []Receipt{{Message: id, To: agent, State: StateRefused, Reason: reason}}, nil
}

// here are those names that have no machine.
func here(names []string) []string {
	var ours []string
	for _, name := range names {
		if !strings.Contains(name, "@") {
			ours = append(ours, name)
		}
	}
	return ours
}

// turn counts a message of another machine's agent as one to and fro.
func (a access) turn(m Message, origin, agent string) error {
	err := a.holdPair(m.Agent, half(key(m.From), origin), m.From, agent, m.To)
	if isRefusal(err) {
		return nil // it was sent, and is let in; the answer is held
	}
	return err
}

// receipt takes in what another machine says of a message of ours.
func (a access) receipt(machine string, r Receipt) error {
	stage, ok := stageOf(r.State)
	var sender string
	ours, err := a.get([]any{&sender}, "SELECT sender FROM message WHERE id = ? AND machine = ''", r.Message)
	if err != nil || !ours || !ok {
		return err // of a message that was removed, or never was
	}
	name, err := Name(r.To)
	if err != nil {
		return nil
	}
	d, found, err := a.of(r.Message, machine, key(name))
	if err != nil {
		return err
	}
	if !found {
		d = delivery{message: r.Message, machine: machine, agent: key(name), name: name, sender: sender, accepted: sqlite.Micros(r.Accepted)}
		if _, err := a.insert(d); err != nil {
			return err
		}
		if d, _, err = a.of(r.Message, machine, key(name)); err != nil {
			return err
		}
	}
	merge(&d, r)
	given := d.stage == inOutbox || d.stage == refused && d.reason == machineForgotten // up to that machine, which is there
	if given || stage.after(d.stage) {
		d.stage, d.reason = stage, clip(visible.Strip(r.Reason))
		return a.move(d)
	}
	return a.moveQuietly(d)
}

// merge adds what a receipt knows; what is known stays.
func merge(d *delivery, r Receipt) {
	for _, f := range []struct {
		to *int64
		is int64
	}{{&d.injected, sqlite.Micros(r.Injected)}, {&d.seen, sqlite.Micros(r.Seen)}, {&d.replied, sqlite.Micros(r.Replied)}} {
		if *f.to == 0 && f.is > 0 {
			*f.to = f.is
		}
	}
	for _, f := range []struct {
		to *string
		is string
	}{{&d.injectedIn, r.Session}, {&d.how, r.How}, {&d.reply, r.Reply}} {
		if *f.to == "" {
			*f.to = clip(visible.Strip(f.is))
		}
	}
	d.repeat = d.repeat || r.Repeat
}

// clip bounds a text that another machine, or a hook, has written.
func clip(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
