package relay

import (
	"context"

	"github.com/hookway/hookway/internal/sqlite"
)

// Envelope is what the outbox holds for one machine.
type Envelope struct {
	Seq     int64
	ID      string // of this envelope, the same however often it is published
	Machine string // where it goes
	Data    []byte
}

// mostBytes bounds what is read out of the outbox at once.
const mostBytes = 4 << 20

// Outgoing gives the first envelopes that were not published yet, in order: at most so
// many, and fewer if they are long.
func (s *Store) Outgoing(ctx context.Context, most int) ([]Envelope, error) {
	envelopes, err := s.unpublished(ctx, "o.published = 0 AND o.machine <> ''", most)
	return envelopes, s.explain("read", err)
}

// OutgoingTo is Outgoing for one machine, which those for others do not hold up.
func (s *Store) OutgoingTo(ctx context.Context, machine string, most int) ([]Envelope, error) {
	envelopes, err := s.unpublished(ctx, "o.machine = ? AND o.published = 0", most, machine)
	return envelopes, s.explain("read", err)
}

func (s *Store) unpublished(ctx context.Context, which string, most int, args ...any) ([]Envelope, error) {
	var envelopes []Envelope
	var p Envelope
	var to envelope
	var id, body string
	bytes := 0
	err := s.read(ctx).each([]any{&p.Seq, &p.ID, &p.Machine, &id, &to.Agent, &to.Session, &p.Data, &body}, func() (err error) {
		next := p
		if id != "" {
			if next.Data, err = s.wrap(to, id, body); err != nil {
				return err
			}
		}
		if bytes += len(next.Data); bytes > mostBytes && len(envelopes) > 0 {
			return errEnough
		}
		envelopes = append(envelopes, next)
		return nil
	}, `SELECT o.seq, o.id, o.machine, o.message, o.agent, o.session, o.data, coalesce(message.body, '')
		FROM outbox o LEFT JOIN message ON message.id = o.message WHERE `+which+" ORDER BY o.seq LIMIT ?", append(args, most)...)
	if err == errEnough {
		err = nil
	}
	return envelopes, err
}

// wrap makes an envelope of a message.
func (s *Store) wrap(to envelope, id, body string) ([]byte, error) {
	m, err := s.parseBody(id, body)
	if err != nil {
		return nil, err
	}
	to.V, to.Machine, to.Message = envelopeVersion, s.machine, &m
	return encode(to)
}

// Published says that envelopes are safe in a stream. They are kept until the machine
// that they are for has confirmed them.
func (s *Store) Published(ctx context.Context, seqs []int64) error {
	return s.explain("changed", s.write(ctx, func(a access) error {
		now := sqlite.Micros(s.now())
		for _, seq := range seqs {
			if _, err := a.exec("UPDATE outbox SET published = ? WHERE seq = ?", now, seq); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Republish gives out again, by Outgoing, everything for a machine that it has not
// confirmed: its stream was made anew, so what was in it may be lost. What the
// machine has already changes nothing there.
func (s *Store) Republish(ctx context.Context, machine string) error {
	return s.explain("changed", s.write(ctx, func(a access) error {
		a.news.out = true
		_, err := a.exec("UPDATE outbox SET published = 0 WHERE machine = ? AND published > 0", machine)
		return err
	}))
}

// Targets waits until there are machines that something is to be published for and
// that need not be passed over, which is asked anew at each look, and gives them.
func (s *Store) Targets(ctx context.Context, passOver func(machine string) bool) (machines []string, err error) {
	err = s.outgoing.until(ctx, func() (bool, error) {
		machines = nil
		all, err := s.read(ctx).strings(targets)
		for _, machine := range all {
			if !passOver(machine) {
				machines = append(machines, machine)
			}
		}
		return len(machines) > 0, err
	})
	return machines, s.explain("read", err)
}

// unconfirmed looks once for each machine, however much there is for it, and targets
// only gives those for which something is to be published.
const (
	unconfirmed = `WITH RECURSIVE each(machine) AS (
		SELECT min(machine) FROM outbox WHERE machine > ''
		UNION ALL SELECT (SELECT min(outbox.machine) FROM outbox WHERE outbox.machine > each.machine) FROM each WHERE each.machine IS NOT NULL
	) SELECT machine FROM each WHERE machine IS NOT NULL`
	targets = unconfirmed + " AND EXISTS (SELECT 1 FROM outbox WHERE outbox.machine = each.machine AND published = 0)"
)

// Unconfirmed gives the machines that have not confirmed all that is for them,
// whether it was published or not.
func (s *Store) Unconfirmed(ctx context.Context) ([]string, error) {
	machines, err := s.read(ctx).strings(unconfirmed)
	return machines, s.explain("read", err)
}

// Unpublished is how many envelopes are in no stream yet.
func (s *Store) Unpublished(ctx context.Context) (n int, err error) {
	_, err = s.read(ctx).get([]any{&n}, "SELECT count(*) FROM outbox WHERE published = 0 AND machine <> ''")
	return n, s.explain("read", err)
}

// NotifyOutgoing ends a Targets or Forgotten that has nothing to wait for any more.
func (s *Store) NotifyOutgoing() {
	s.outgoing.notify()
	s.forgetting.notify()
}
