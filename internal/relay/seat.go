package relay

import (
	"context"
	"time"
)

// Presence is a live session of an agent.
type Presence struct {
	Session    string // required
	Name       string // of the agent; required
	Program    string
	CWD        string
	Kind       string // wrapped, hooks, mcp or user
	PID        int    // 0 is this process
	Transcript string // a file that tells what was put into the session
	History    string // another one, for agents that have two
}

// Seat is the place of a session at the inbox of its agent. It is given back by
// Close, and by the end of the process, however it ends. Of several sessions with
// one name only one has the inbox; the others get what is for their session.
type Seat struct{}

// Join takes a seat, and makes the agent known for good.
func (s *Store) Join(ctx context.Context, p Presence) (*Seat, error) { return nil, errNotYet }

// Leads reports whether the seat has the inbox of its name.
func (s *Seat) Leads() bool { return false }

// Taken is a message for the session.
type Taken struct {
	Message Message
	Again   *Attempt // set if a process that has ended meanwhile has begun to inject it
}

// Attempt is what is known of an injection that was begun and not finished.
type Attempt struct {
	Text       string // as given to Begin
	Session    string
	Transcript string
	History    string
	How        string
	At         time.Time
}

// Take gives up to most messages that wait, the most urgent first, and of the same
// priority the oldest. It gives none twice, unless it was released meanwhile.
func (s *Seat) Take(ctx context.Context, most int) ([]Taken, error) { return nil, errNotYet }

// Begin says that a message is about to be injected as text, and how (typed, hook
// or mcp). [ErrTaken] means that it must not be: somebody else has it.
func (s *Seat) Begin(ctx context.Context, id, text, how string) error { return errNotYet }

// Done says that a message was injected. Repeat is set if it may have been before.
func (s *Seat) Done(ctx context.Context, id string, repeat bool) error { return errNotYet }

// Suppress says that a hook has blocked the message.
func (s *Seat) Suppress(ctx context.Context, id, reason string) error { return errNotYet }

// Fail says that a message could not be injected. It is given out again by Take;
// after five failures it is dead, and the sender is told.
func (s *Seat) Fail(ctx context.Context, id, reason string) error { return errNotYet }

// Release gives a message back that was taken or begun, and is known not to have
// been injected.
func (s *Seat) Release(ctx context.Context, id string) error { return errNotYet }

// Seen says that everything that was injected into the session was seen.
func (s *Seat) Seen(ctx context.Context) error { return errNotYet }

// Human says that a person has spoken in the session: messages to and fro are
// counted anew.
func (s *Seat) Human(ctx context.Context) error { return errNotYet }

// Update changes what is known of the session, but not its id and name.
func (s *Seat) Update(ctx context.Context, p Presence) error { return errNotYet }

// Wait waits until there may be something in Take.
func (s *Seat) Wait(ctx context.Context) error { return errNotYet }

// Poke ends a Wait.
func (s *Seat) Poke() {}

// Close gives the seat back. What was begun in it is given out again as [Attempt].
func (s *Seat) Close() error { return errNotYet }
