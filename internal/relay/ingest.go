package relay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Source is one stream. One that was made anew has another time.
type Source struct {
	Stream  string
	Created time.Time

	// From says who has published a parcel, by its place in data; nil or "" is not
	// known. Peer is the machine whose server the stream is in, if that is another.
	From func(i int) string
	Peer string
}

// Ingest takes in parcels of a stream, of which the last one has the offset last. It
// happens as a whole, together with the offset, or not at all, which is when there is
// an error. What was taken in before changes nothing, and what means nothing is
// logged and left out. It gives the agents that have something new.
func (s *Store) Ingest(ctx context.Context, from Source, last uint64, data [][]byte) (woken []string, err error) {
	var agents map[string]string
	var out bool
	err = s.write(ctx, func(a access) error {
		in := ingestion{access: a, woken: map[string]string{}}
		if err := in.arrivals(); err != nil {
			return err
		}
		for i, one := range data {
			p, err := readParcel(one)
			if err != nil {
				s.log(fmt.Sprintf("a parcel of the stream %s means nothing (number %d of %d up to %d): %v", from.Stream, i+1, len(data), last, err))
				continue
			}
			if why := s.foreign(from, i, p); why != "" {
				s.log(fmt.Sprintf("a message of the stream %s is left out: %s", from.Stream, why))
				continue
			}
			if err := in.parcel(p); err != nil {
				return err
			}
		}
		agents, out = in.woken, in.out
		return in.finish(from, last)
	})
	if err != nil {
		return nil, s.explain("taken in", err)
	}
	s.pokeAgents(func(agent string) bool { return agents[agent] != "" })
	if out {
		s.outgoing.now()
	}
	if err := s.sweep(ctx); err != nil {
		s.log(err.Error()) // what was taken in stays so
	}
	return slices.Sorted(maps.Values(agents)), nil
}

// foreign says why a message cannot be of the machine that it says it is of. What
// reports say they may say under a name that their machine had before.
func (s *Store) foreign(from Source, i int, p parcel) string {
	if p.Message == nil {
		return ""
	}
	if from.Peer != "" && p.Machine == s.machine {
		return fmt.Sprintf("it comes from %s, and says that it is of this machine", from.Peer)
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
	_, err := s.read(ctx).get([]any{&last}, "SELECT last FROM source WHERE stream = ? AND created = ?", from.Stream, micros(from.Created))
	return last, s.explain("read", err)
}

// ingestion is one transaction of Ingest.
type ingestion struct {
	access
	arrival int64             // of the last one that came
	woken   map[string]string // the agents that have something new: key to name
	out     bool              // there is something in the outbox
}

// arrivals reads how many have come.
func (in *ingestion) arrivals() error {
	_, err := in.get([]any{&in.arrival}, "SELECT value FROM fact WHERE name = 'arrival'")
	return err
}

func (in *ingestion) finish(from Source, last uint64) error {
	if _, err := in.exec("INSERT OR REPLACE INTO fact (name, value) VALUES ('arrival', ?)", in.arrival); err != nil {
		return err
	}
	var created int64
	known, err := in.get([]any{&created}, "SELECT created FROM source WHERE stream = ?", from.Stream)
	if err != nil {
		return err
	}
	if known && created != micros(from.Created) {
		// The stream was lost, and with it what it had of ours.
		if err := in.republish(""); err != nil {
			return err
		}
		in.out = true
	}
	_, err = in.exec(`INSERT INTO source (stream, created, last) VALUES (?1,?2,?3) ON CONFLICT DO UPDATE SET
		last = CASE WHEN created = ?2 THEN max(last, ?3) ELSE ?3 END, created = ?2`, from.Stream, micros(from.Created), int64(last))
	return err
}

func (in *ingestion) parcel(p parcel) error {
	if p.Message != nil {
		if err := in.message(p); err != nil {
			return err
		}
	}
	if p.Machine == in.s.machine {
		return nil // what this one says of itself it knows
	}
	if p.Taken != "" {
		if _, err := in.exec("DELETE FROM outbox WHERE message = ? AND machine = ?", p.Taken, p.Machine); err != nil {
			return err
		}
	}
	for _, r := range p.Receipts {
		if err := in.receipt(p.Machine, r); err != nil {
			return err
		}
	}
	return nil
}

// message gives a message to those of this machine that it is for.
func (in *ingestion) message(p parcel) error {
	m := *p.Message
	origin := p.Machine
	if origin == in.s.machine {
		origin = ""
	}
	if origin == "" {
		m.Content = clean(m.Content) // and bounded it was by the process that has sent it
	} else if err := in.bound(&m); err != nil {
		in.s.log(fmt.Sprintf("a message of %s@%s is left out: %v", m.From, p.Machine, err))
		return in.answer(origin, m.ID, []Receipt{{Message: m.ID, To: p.Agent, State: StateRefused, Reason: err.Error()}})
	}
	var sender, machine string
	known, err := in.get([]any{&sender, &machine}, "SELECT sender, machine FROM message WHERE id = ?", m.ID)
	if err != nil {
		return err
	}
	if known && machine == "" && origin != "" {
		ours, err := in.was(origin)
		if err != nil {
			return err
		}
		if ours {
			origin = ""
		}
	}
	if known && (sender != key(m.From) || machine != origin) {
		in.s.log(fmt.Sprintf("a message of %s@%s has the id of another one, %s: it is left out", m.From, p.Machine, m.ID))
		return nil
	}
	if !known && origin == "" { // what is sent here is in the file before it is anywhere else
		in.s.log(fmt.Sprintf("a message of %s, %s, says that it was sent here, and was not: it is left out", m.From, m.ID))
		return nil
	}
	if !known {
		if _, err := in.keep(m); err != nil {
			return err
		}
	}
	receipts, err := in.deliver(m, origin, p)
	if err != nil {
		return err
	}
	if origin != "" {
		return in.answer(origin, m.ID, receipts)
	}
	_, err = in.exec("DELETE FROM outbox WHERE message = ? AND machine = ''", m.ID)
	return err
}

// bound holds a message of another machine to what may be sent here.
func (in *ingestion) bound(m *Message) error {
	if err := in.s.checkContent(m); err != nil {
		return err
	}
	if m.Hops < 0 || m.Hops > in.s.limits.Hops {
		return &refusal{fmt.Sprintf("hooks have passed it on %d times", m.Hops)}
	}
	return nil
}

// answer tells another machine that a message is kept here, and for whom.
func (in *ingestion) answer(origin, id string, receipts []Receipt) error {
	if err := in.back(origin); err != nil {
		return err
	}
	in.out = true
	return in.report(origin, parcel{Taken: id, Receipts: receipts})
}
