package relay

import "context"

// drainStep is how many messages are moved at once, so that no caller waits long.
const drainStep = 200

// drain delivers what is for this machine and stands in the outbox. A process of an
// older version puts it there, and so does one that knew this machine by a name that
// it did not have then. What such a version has in a stream besides is known then.
func (s *Store) drain(ctx context.Context) error {
	for {
		left, err := s.read(ctx).get([]any{new(int)}, "SELECT 1 FROM outbox WHERE machine IN ('', ?) LIMIT 1", s.machine)
		if !left || err != nil {
			return err
		}
		if err := s.write(ctx, access.drain); err != nil {
			return err
		}
	}
}

func (a access) drain() error {
	type row struct {
		seq                     int64
		message, agent, session string
	}
	var one row
	var rows []row
	err := a.each([]any{&one.seq, &one.message, &one.agent, &one.session}, func() error { rows = append(rows, one); return nil },
		"SELECT seq, message, agent, session FROM outbox WHERE machine IN ('', ?) ORDER BY seq LIMIT ?", a.s.machine, drainStep)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := a.undispatch(r.message, r.agent, r.session); err != nil {
			return err
		}
		if _, err := a.exec("DELETE FROM outbox WHERE seq = ?", r.seq); err != nil {
			return err
		}
	}
	return nil
}

// undispatch delivers a message that an older version has dispatched, which has made
// the row of its only receiver, if it has one.
func (a access) undispatch(id, agent, session string) error {
	m, found, err := a.message(id)
	if !found || err != nil {
		return err
	}
	if agent == "" {
		_, err := a.deliverAll(m)
		return err
	}
	to, err := a.receivers(m, agent)
	if err != nil {
		return err
	}
	if len(to) == 0 {
		return a.forgottenMeanwhile(id, agent)
	}
	to[0].waiting = 0 // it was let in
	if _, err := a.exec("DELETE FROM delivery WHERE message = ? AND machine IN ('', ?) AND agent = ? AND state = ?", id, a.s.machine, to[0].key, int(inOutbox)); err != nil {
		return err
	}
	_, err = a.deliver(m, "", session, to)
	return err
}

// forgottenMeanwhile refuses a message whose receiver is not known here any more: else
// it would be on its way for ever. Its sender is notified.
func (a access) forgottenMeanwhile(id, agent string) error {
	for _, machine := range []string{"", a.s.machine} {
		d, found, err := a.of(id, machine, key(agent))
		if err != nil {
			return err
		}
		if found && d.stage == inOutbox {
			d.stage, d.reason = refused, agentForgotten
			return a.move(d)
		}
	}
	return nil
}
