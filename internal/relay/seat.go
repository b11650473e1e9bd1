package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/visible"
)

// Presence is a live session of an agent.
type Presence struct {
	Session    string // required
	Name       string // of the agent; required
	Program    string
	CWD        string
	Kind       string // one of those below
	PID        int    // 0 is this process
	Transcript string // a file that tells what was put into the session
	History    string // another one, for agents that have two
}

// The kinds of presence: by what a session comes to its messages.
const (
	KindWrapped = "wrapped" // hookway run, which has its program in a terminal
	KindHooks   = "hooks"   // its agent's own hooks; nobody wraps it
	KindMCP     = "mcp"     // it asks for them, by a tool or a command
	KindHTTP    = "http"    // the same, over HTTP
	KindPerson  = "user"    // somebody at the keyboard, who looks when they like
)

// Seat is the place of a session at the inbox of its agent. It is given back by
// Close, and by the end of the process, however it ends. Of several sessions with
// one name only one has the inbox; the others get what is for their session. When
// the one that has it ends, another one gets it.
type Seat struct {
	s     *Store
	id    string
	agent string // its key
	poked poke

	mu     sync.Mutex
	p      Presence
	lock   *os.File        // of the seat
	lease  *os.File        // of the agent's inbox, if it has that
	taken  map[string]bool // messages that were given out, by id; true: it still is the attempt of another seat
	noted  time.Time       // when the lock's file was touched
	closed bool
}

// Join takes a seat, and makes the agent known for good.
func (s *Store) Join(ctx context.Context, p Presence) (*Seat, error) {
	name, err := Name(p.Name)
	if err != nil {
		return nil, err
	}
	if err := Reserved(name); err != nil && (p.Kind != KindPerson || key(name) != Person) {
		return nil, err
	}
	if p.Session == "" || len(p.Session) > 256 || strings.ContainsFunc(p.Session, visible.Control) {
		return nil, &refusal{fmt.Sprintf("%q cannot be the id of a session", p.Session)}
	}
	if p.PID == 0 {
		p.PID = os.Getpid()
	}
	seat := &Seat{s: s, id: NewID(), agent: key(name), p: p, poked: newPoke(), taken: map[string]bool{}, noted: s.now()}
	seat.p.Name = name
	if seat.lock, err = lockFile(s.seatFile(seat.id)); err != nil {
		return nil, fmt.Errorf("a session cannot be announced: %w", err)
	}
	if err := s.enter(ctx, seat); err != nil {
		return nil, errors.Join(s.explain("reached", err), seat.unlock(), os.Remove(s.seatFile(seat.id)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(errors.New("the store is closed"), seat.unlock())
	}
	s.seats[seat] = true
	return seat, nil
}

// enter writes a new seat down, and takes the lease if that is free.
func (s *Store) enter(ctx context.Context, seat *Seat) error {
	err := s.write(ctx, func(a access) error {
		_, gone, err := a.sitting(seat.agent)
		if err != nil {
			return err
		}
		for _, one := range gone {
			if err := a.vacate(one.id, time.Time{}); err != nil {
				return err
			}
		}
		running, err := a.running(seat.agent)
		if err != nil {
			return err
		}
		if err := a.register(seat.p.Name); err != nil {
			return err
		}
		now := micros(s.now())
		if !running[seat.agent] {
			if _, err := a.exec("UPDATE agent SET since = ? WHERE key = ?", now, seat.agent); err != nil {
				return err
			}
		}
		p := seat.p
		_, err = a.exec("INSERT INTO seat (id, agent, session, pid, kind, program, cwd, transcript, history, joined) VALUES (?,?,?,?,?,?,?,?,?,?)",
			seat.id, seat.agent, p.Session, p.PID, p.Kind, p.Program, p.CWD, p.Transcript, p.History, now)
		return err
	})
	if err != nil {
		return err
	}
	_, err = seat.leads(ctx)
	return err
}

// Update changes what is known of the session, but not its id and name.
func (seat *Seat) Update(ctx context.Context, p Presence) error {
	seat.mu.Lock()
	p.Session, p.Name = seat.p.Session, seat.p.Name
	if p.PID == 0 {
		p.PID = seat.p.PID
	}
	same := p == seat.p
	seat.p = p
	leads := seat.lease != nil
	seat.mu.Unlock()
	if same {
		return nil
	}
	return seat.s.explain("changed", seat.s.write(ctx, func(a access) error {
		_, err := a.exec("UPDATE seat SET pid = ?, kind = ?, program = ?, cwd = ?, transcript = ?, history = ? WHERE id = ?",
			p.PID, p.Kind, p.Program, p.CWD, p.Transcript, p.History, seat.id)
		if err == nil && leads {
			err = a.lead(seat, p)
		}
		return err
	}))
}

// Poke ends a Wait.
func (seat *Seat) Poke() { seat.poked.now() }

// Close gives the seat back. What was begun in it is given out again as [Attempt].
func (seat *Seat) Close() error {
	seat.mu.Lock()
	if seat.closed {
		seat.mu.Unlock()
		return nil
	}
	seat.closed = true
	lease := seat.lease
	seat.lease = nil
	seat.mu.Unlock()
	seat.s.mu.Lock()
	delete(seat.s.seats, seat)
	seat.s.mu.Unlock()

	errs := []error{closed(seat.lock)}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// Should it fail, others find that the seat's lock is free.
	errs = append(errs, seat.s.explain("changed", seat.s.write(ctx, func(a access) error { return a.vacate(seat.id, seat.s.now()) })))
	if lease != nil {
		errs = append(errs, lease.Close())
		seat.s.pokeAgents(func(agent string) bool { return agent == seat.agent }) // another seat may have it now
	}
	return errors.Join(errs...)
}

// unlock lets go of the locks of a seat that nobody has got.
func (seat *Seat) unlock() error {
	return errors.Join(closed(seat.lock), closed(seat.lease))
}

// closed closes a file, if there is one: that gives its lock back.
func closed(file *os.File) error {
	if file == nil {
		return nil
	}
	return file.Close()
}

// pokeAgents wakes the seats in this process of some agents.
func (s *Store) pokeAgents(which func(agent string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for seat := range s.seats {
		if which(seat.agent) {
			seat.poked.now()
		}
	}
}
