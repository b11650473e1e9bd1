package relay

import (
	"context"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/sqlite"
)

// Source is one stream. One that was made anew has another time.
type Source struct {
	Stream  string
	Created time.Time

	// From says who has published an envelope, by its place in data; nil or "" is not
	// known.
	From func(i int) string
}

// Ingest takes in envelopes of a stream, of which the last one has the offset last. It
// happens as a whole, together with the offset, or not at all, which is when there is
// an error. What was taken in before changes nothing, and what means nothing is
// logged and left out.
func (s *Store) Ingest(ctx context.Context, from Source, last uint64, data [][]byte) error {
	err := s.write(ctx, func(a access) error {
		for i, one := range data {
			p, err := readEnvelope(one)
			if err != nil {
				s.log.Warn(fmt.Sprintf("an envelope of the stream %s means nothing (number %d of %d up to %d)", from.Stream, i+1, len(data), last), logline.Err, err)
				continue
			}
			if why := s.foreign(from, i, p); why != "" {
				s.log.Warn(fmt.Sprintf("a message of the stream %s is left out: %s", from.Stream, why))
				continue
			}
			if err := a.envelope(p); err != nil {
				return err
			}
		}
		_, err := a.exec(`INSERT INTO source (stream, created, last) VALUES (?1,?2,?3) ON CONFLICT DO UPDATE SET
			last = CASE WHEN created = ?2 THEN max(last, ?3) ELSE ?3 END, created = ?2`, from.Stream, sqlite.Micros(from.Created), int64(last))
		return err
	})
	if err != nil {
		return s.explain("taken in", err)
	}
	if err := s.sweep(ctx); err != nil {
		s.log.Warn(err.Error()) // what was taken in stays so
	}
	return nil
}

// foreign says why a message cannot be of the machine that it says it is of. What
// reports say they may say under a name that their machine had before.
func (s *Store) foreign(from Source, i int, p envelope) string {
	if p.Message == nil {
		return ""
	}
	if p.Machine == s.machine {
		return "it says that it is of this machine, which sends itself nothing"
	}
	if from.From != nil {
		if by := from.From(i); by != "" && by != p.Machine {
			return fmt.Sprintf("%s has published it, and it says that it is of %s", by, p.Machine)
		}
	}
	return ""
}

// Offset is how far a stream was taken in; 0 for one that is new, or was made anew.
func (s *Store) Offset(ctx context.Context, from Source) (uint64, error) {
	var last uint64
	_, err := s.read(ctx).get([]any{&last}, "SELECT last FROM source WHERE stream = ? AND created = ?", from.Stream, sqlite.Micros(from.Created))
	return last, s.explain("read", err)
}

// envelope takes in all that one holds.
func (a access) envelope(p envelope) error {
	if p.Machine == a.s.machine {
		return nil // what this one says of itself it knows
	}
	if p.Message != nil {
		if err := a.takeIn(p); err != nil {
			return err
		}
	}
	if p.Taken != "" {
		if _, err := a.exec("DELETE FROM outbox WHERE message = ? AND machine = ?", p.Taken, p.Machine); err != nil {
			return err
		}
	}
	for _, r := range p.Receipts {
		if err := a.receipt(p.Machine, r); err != nil {
			return err
		}
	}
	return nil
}

// takeIn gives a message to those of this machine that it is for.
func (a access) takeIn(p envelope) error {
	m, origin := *p.Message, p.Machine
	if err := a.bound(&m); err != nil {
		a.s.log.Warn(fmt.Sprintf("a message of %s@%s is left out", m.From, origin), logline.Err, err)
		return a.answer(origin, m.ID, []Receipt{{Message: m.ID, To: p.Agent, State: StateRefused, Reason: err.Error()}})
	}
	var sender, machine string
	known, err := a.get([]any{&sender, &machine}, "SELECT sender, machine FROM message WHERE id = ?", m.ID)
	if err != nil {
		return err
	}
	if known && (sender != key(m.From) || machine != origin) {
		a.s.log.Warn(fmt.Sprintf("a message of %s@%s has the id of another one, %s: it is left out", m.From, origin, m.ID))
		return nil
	}
	if !known {
		if err := a.keep(m); err != nil {
			return err
		}
	}
	to, err := a.receivers(m, p.Agent)
	if err != nil {
		return err
	}
	var receipts []Receipt
	switch {
	case len(to) > 0:
		receipts, err = a.deliver(m, origin, p.Session, to)
	case p.Agent != "":
		receipts, err = a.unknown(m.ID, p.Agent)
	}
	if err == nil && len(to) > 0 && p.Agent != "" {
		err = a.turn(m, origin, to[0].key)
	}
	if err != nil {
		return err
	}
	return a.answer(origin, m.ID, receipts)
}

// bound holds a message of another machine to what may be sent here.
func (a access) bound(m *Message) error {
	if err := a.s.checkContent(m); err != nil {
		return err
	}
	if m.Hops < 0 || m.Hops > a.s.limits.Hops {
		return &refusal{fmt.Sprintf("hooks have passed it on %d times", m.Hops)}
	}
	return nil
}

// answer tells another machine that a message is kept here, and for whom.
func (a access) answer(origin, id string, receipts []Receipt) error {
	if err := a.back(origin); err != nil {
		return err
	}
	return a.report(origin, envelope{Taken: id, Receipts: receipts})
}
