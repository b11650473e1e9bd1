package relay

import (
	"strings"
)

// deliver makes the rows of a message for all receivers here, and gives the receipts
// that its sender's machine is told. Rows that are there already stay as they are.
func (in *ingestion) deliver(m Message, origin string, p parcel) ([]Receipt, error) {
	if origin == "" && p.Agent == "" {
		return nil, in.deliverAll(m)
	}
	to, err := in.receivers(m, p)
	if err != nil {
		return nil, err
	}
	if len(to) == 0 && p.Agent != "" {
		return in.unknown(m, origin, p.Agent)
	}
	why := reasons{a: in.access, many: len(to) > 1}
	var receipts []Receipt
	for _, one := range to {
		d := delivery{
			message: m.ID, agent: one.key, name: one.name, session: p.Session, sender: key(m.From), origin: origin,
			stage: queued, priority: ranks[m.Priority], accepted: micros(in.s.now()),
		}
		if d, err = in.hand(d, one.waiting); err != nil {
			return nil, err
		}
		if origin == "" {
			continue
		}
		r := d.receipt()
		if d.stage == queued {
			if r.Reason, err = why.of(d); err != nil {
				return nil, err
			}
		}
		receipts = append(receipts, r)
	}
	if origin != "" && p.Agent != "" {
		err = in.turn(m, origin, to[0].key)
	}
	return receipts, err
}

// deliverAll makes the rows of a message from here to many in one go: nobody else can
// write meanwhile, and there may be thousands.
func (in *ingestion) deliverAll(m Message) error {
	in.arrival++
	from, args := in.ofMany(m)
	var agent, name string
	var st stage
	return in.each([]any{&agent, &name, &st}, func() error {
		if st == queued {
			in.woken[agent] = name
		}
		return nil
	}, `INSERT INTO delivery (message, machine, agent, name, session, sender, origin, state, priority, arrival, reason, accepted)
		SELECT ?, '', agent.key, agent.name, '', ?, '', iif(agent.waiting >= ?, ?, ?), ?, ?, iif(agent.waiting >= ?, printf(?, agent.waiting), ''), ? `+from+`
		ON CONFLICT DO NOTHING RETURNING agent, name, state`,
		append([]any{m.ID, key(m.From), in.s.limits.Inbox, int(refused), int(queued), ranks[m.Priority], in.arrival, in.s.limits.Inbox, fullText, micros(in.s.now())}, args...)...)
}

// receivers are the agents here that a message is for.
func (in *ingestion) receivers(m Message, p parcel) ([]member, error) {
	if p.Agent == "" {
		return in.members(m)
	}
	var one member
	known, err := in.get([]any{&one.key, &one.name, &one.waiting}, "SELECT key, name, waiting FROM agent WHERE key = ?", key(p.Agent))
	if !known || err != nil {
		return nil, err
	}
	return []member{one}, nil
}

// hand makes one row, or brings the one that Send has made out of the outbox. An
// inbox that is full refuses.
func (in *ingestion) hand(d delivery, waiting int) (delivery, error) {
	in.arrival++
	d.arrival = in.arrival
	if waiting >= in.s.limits.Inbox {
		// One that Send has made is counted in what waits: it is there.
		d.stage, d.reason = refused, fullReason(waiting)
	}
	isNew, err := in.insert(d)
	if err != nil {
		return d, err
	}
	if isNew {
		if d.stage == queued {
			in.woken[d.agent] = d.name
		}
		return d, nil
	}
	there, _, err := in.of(d.message, "", d.agent)
	if err != nil || there.stage != inOutbox {
		return there, err // it came before
	}
	there.stage, there.arrival = queued, d.arrival
	in.woken[d.agent] = d.name
	_, err = in.exec("UPDATE delivery SET state = ?, arrival = ? WHERE seq = ?", int(there.stage), there.arrival, there.seq)
	return there, err
}

// unknown is the answer to a message for an agent that is not, or not any more, here.
func (in *ingestion) unknown(m Message, origin, agent string) ([]Receipt, error) {
	if origin == "" {
		return nil, nil // to forget the agent has told the sender
	}
	near, err := in.nearAgents(agent)
	if err != nil {
		return nil, err
	}
	reason := (&UnknownError{Kind: "agent", Name: agent, Near: here(near)}).Error()
	return []Receipt{{Message: m.ID, To: agent, State: StateRefused, Reason: reason}}, nil
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
func (in *ingestion) turn(m Message, origin, agent string) error {
	err := in.holdPair(m.Agent, half(key(m.From), origin), m.From, agent, m.To)
	if isRefusal(err) {
		return nil // it was sent, and is let in; the answer is held
	}
	return err
}

// receipt takes in what another machine says of a message of ours.
func (in *ingestion) receipt(machine string, r Receipt) error {
	stage, ok := stageOf(r.State)
	var sender string
	ours, err := in.get([]any{&sender}, "SELECT sender FROM message WHERE id = ? AND machine = ''", r.Message)
	if err != nil || !ours || !ok {
		return err // of a message that was removed, or never was
	}
	name, err := Name(r.To)
	if err != nil {
		return nil
	}
	d, found, err := in.of(r.Message, machine, key(name))
	if err != nil {
		return err
	}
	if !found {
		d = delivery{message: r.Message, machine: machine, agent: key(name), name: name, sender: sender, accepted: micros(r.Accepted)}
		if _, err := in.insert(d); err != nil {
			return err
		}
		if d, _, err = in.of(r.Message, machine, key(name)); err != nil {
			return err
		}
	}
	merge(&d, r)
	given := d.stage == inOutbox || d.stage == refused && d.reason == machineForgotten // up to that machine, which is there
	if given || stage.after(d.stage) {
		d.stage, d.reason = stage, clip(clean(r.Reason))
		return in.move(d)
	}
	return in.moveQuietly(d)
}

// merge adds what a receipt knows; what is known stays.
func merge(d *delivery, r Receipt) {
	for _, f := range []struct {
		to *int64
		is int64
	}{{&d.injected, micros(r.Injected)}, {&d.seen, micros(r.Seen)}, {&d.replied, micros(r.Replied)}} {
		if *f.to == 0 && f.is > 0 {
			*f.to = f.is
		}
	}
	for _, f := range []struct {
		to *string
		is string
	}{{&d.injectedIn, r.Session}, {&d.how, r.How}, {&d.reply, r.Reply}} {
		if *f.to == "" {
			*f.to = clip(clean(f.is))
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
