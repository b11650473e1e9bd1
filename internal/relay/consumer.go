package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
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
	KindHooks   = "hooks"   // its agent's own hooks, without a wrapper
	KindMCP     = "mcp"     // it asks for them, by a tool or a command
	KindPerson  = "user"    // somebody at the keyboard, who looks when they like
)

// Consumer is the place of a session at the inbox of its agent. It is given back by
// Close, and by the end of the process, however it ends. Of several sessions with
// one name only one has the inbox; the others get what is for their session. When
// the one that has it ends, another one gets it.
type Consumer struct {
	s        *Store
	id       string
	agent    string // its key
	notified signal

	mu     sync.Mutex
	p      Presence
	lock   *os.File        // of the consumer
	lease  *os.File        // of the agent's inbox, if it has that
	taken  map[string]bool // messages that were given out, by id; true: it still is the attempt of another consumer
	noted  time.Time       // when the lock's file was touched
	closed bool
}

// Join takes a consumer, and makes the agent known for good.
func (s *Store) Join(ctx context.Context, p Presence) (*Consumer, error) {
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
	consumer := &Consumer{s: s, id: NewID(), agent: key(name), p: p, notified: newSignal(), taken: map[string]bool{}, noted: s.now()}
	consumer.p.Name = name
	if consumer.lock, err = lockFile(s.consumerFile(consumer.id)); err != nil {
		return nil, fmt.Errorf("a session cannot be announced: %w", err)
	}
	if err := s.enter(ctx, consumer); err != nil {
		return nil, errors.Join(s.explain("reached", err), consumer.unlock(), os.Remove(s.consumerFile(consumer.id)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(errors.New("the store is closed"), consumer.unlock())
	}
	s.consumers[consumer] = true
	return consumer, nil
}

// enter writes a new consumer down, and takes the lease if that is free.
func (s *Store) enter(ctx context.Context, consumer *Consumer) error {
	err := s.write(ctx, func(a access) error {
		_, gone, err := a.present(consumer.agent)
		if err != nil {
			return err
		}
		for _, one := range gone {
			if err := a.unregister(one.id, time.Time{}); err != nil {
				return err
			}
		}
		running, err := a.running(consumer.agent)
		if err != nil {
			return err
		}
		if err := a.register(consumer.p.Name); err != nil {
			return err
		}
		now := sqlite.Micros(s.now())
		if !running[consumer.agent] {
			if _, err := a.exec("UPDATE agent SET since = ? WHERE key = ?", now, consumer.agent); err != nil {
				return err
			}
		}
		p := consumer.p
		_, err = a.exec("INSERT INTO seat (id, agent, session, pid, kind, program, cwd, transcript, history, joined) VALUES (?,?,?,?,?,?,?,?,?,?)",
			consumer.id, consumer.agent, p.Session, p.PID, p.Kind, p.Program, p.CWD, p.Transcript, p.History, now)
		return err
	})
	if err != nil {
		return err
	}
	_, err = consumer.leads(ctx)
	return err
}

// Update changes what is known of the session, but not its id and name.
func (consumer *Consumer) Update(ctx context.Context, p Presence) error {
	consumer.mu.Lock()
	p.Session, p.Name = consumer.p.Session, consumer.p.Name
	if p.PID == 0 {
		p.PID = consumer.p.PID
	}
	same := p == consumer.p
	consumer.p = p
	leads := consumer.lease != nil
	consumer.mu.Unlock()
	if same {
		return nil
	}
	return consumer.s.explain("changed", consumer.s.write(ctx, func(a access) error {
		_, err := a.exec("UPDATE seat SET pid = ?, kind = ?, program = ?, cwd = ?, transcript = ?, history = ? WHERE id = ?",
			p.PID, p.Kind, p.Program, p.CWD, p.Transcript, p.History, consumer.id)
		if err == nil && leads {
			err = a.lead(consumer, p)
		}
		return err
	}))
}

// Notify ends a Wait.
func (consumer *Consumer) Notify() { consumer.notified.notify() }

// Close gives the consumer back. What was begun in it is given out again as [Attempt].
func (consumer *Consumer) Close() error {
	consumer.mu.Lock()
	if consumer.closed {
		consumer.mu.Unlock()
		return nil
	}
	consumer.closed = true
	lease := consumer.lease
	consumer.lease = nil
	consumer.mu.Unlock()
	consumer.s.mu.Lock()
	delete(consumer.s.consumers, consumer)
	consumer.s.mu.Unlock()

	errs := []error{closed(consumer.lock)}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// Should it fail, others find that the consumer's lock is free.
	errs = append(errs, consumer.s.explain("changed", consumer.s.write(ctx, func(a access) error { return a.unregister(consumer.id, consumer.s.now()) })))
	if lease != nil {
		errs = append(errs, lease.Close())
		consumer.s.notifyAgents(func(agent string) bool { return agent == consumer.agent }) // another consumer may have it now
	}
	return errors.Join(errs...)
}

// unlock releases the locks of a consumer that was not handed out.
func (consumer *Consumer) unlock() error {
	return errors.Join(closed(consumer.lock), closed(consumer.lease))
}

// closed closes a file, if there is one: that gives its lock back.
func closed(file *os.File) error {
	if file == nil {
		return nil
	}
	return file.Close()
}

// notifyAgents wakes the consumers in this process of some agents.
func (s *Store) notifyAgents(which func(agent string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for consumer := range s.consumers {
		if which(consumer.agent) {
			consumer.notified.notify()
		}
	}
}

func (consumer *Consumer) presence() Presence {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	return consumer.p
}

// Leads reports whether the consumer has the inbox of its name, and takes it if no consumer
// has it any more.
func (consumer *Consumer) Leads(ctx context.Context) (bool, error) {
	leads, err := consumer.leads(ctx)
	return leads, consumer.s.explain("read", err)
}

// leads also holds for a consumer of the session that has the inbox: the same agent is
// there, whether it is written to or asks.
func (consumer *Consumer) leads(ctx context.Context) (bool, error) {
	consumer.touch()
	consumer.mu.Lock()
	if consumer.lease != nil || consumer.closed {
		defer consumer.mu.Unlock()
		return !consumer.closed, nil
	}
	file, err := lockFile(consumer.s.leaseFile(consumer.agent))
	if err != nil {
		consumer.mu.Unlock()
		return false, err
	}
	consumer.lease = file
	p := consumer.p
	consumer.mu.Unlock()
	if file != nil {
		err := consumer.s.write(ctx, func(a access) error { return a.lead(consumer, p) })
		if err != nil {
			consumer.yield(file)
		}
		return err == nil, err
	}
	// The one that has the lease may not have said so yet: then the one before it is
	// noted still, which has ended.
	var lead, session string
	_, err = consumer.s.read(ctx).get([]any{&lead, &session}, "SELECT seat.id, seat.session FROM agent JOIN seat ON seat.id = agent.lead WHERE key = ?", consumer.agent)
	if err != nil || session != p.Session {
		return false, err
	}
	alive, _, err := consumer.s.alive(lead)
	return alive, err
}

// yield returns an inbox that could not be reported: at the next call it is
// taken again, and noted.
func (consumer *Consumer) yield(file *os.File) {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	if consumer.lease == file { // else Close has it
		consumer.lease = nil
		_ = file.Close()
	}
}

// lead notes which consumer has the inbox of its agent.
func (a access) lead(consumer *Consumer, p Presence) error {
	_, err := a.exec("UPDATE agent SET lead = ?, program = ?, cwd = ?, kind = ?, seen = ? WHERE key = ?",
		consumer.id, p.Program, p.CWD, p.Kind, sqlite.Micros(a.s.now()), consumer.agent)
	return err
}

// touch notes on the lock's file that the session lives: should its process be
// killed, that is its last sign of life.
func (consumer *Consumer) touch() {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	now := consumer.s.now()
	if now.Sub(consumer.noted) < 10*time.Second || consumer.closed {
		return
	}
	consumer.noted = now
	_ = os.Chtimes(consumer.s.consumerFile(consumer.id), now, now)
}
