package hook

import (
	"context"
	"errors"
	"time"
)

// Wrapped is the session of a program that hookway runs in a terminal, for the
// hooks of its events: SessionOf finds it. All methods may be called from many
// goroutines, also after the hook has answered; after the session's end they fail.
//
//	if s, ok := hook.SessionOf(ctx); ok {
//		err := s.Send(ctx, "Reviewer", "the tests pass")
//	}
type Wrapped interface {
	ID() string   // of the session
	Name() string // of the agent
	Dir() string  // working directory of the program

	// Env is the program's environment, KEY=VALUE. The caller may edit the slice.
	Env() []string

	// Inject queues a text that is typed to the program when it is ready for it,
	// after the texts that wait already. The error says that the text will not be
	// typed; it is [ErrSessionOver] when the program has ended.
	Inject(text string) error

	// Send sends a message in the agent's name, to another by its name or to all
	// others with "*". It fires MessageSending and MessageSent. The error says
	// who has not got it.
	Send(ctx context.Context, to, text string) error

	// Relay is Send under the name that hooks of agent-relay use.
	Relay() Relay

	// Memory is what the agent remembers, or nil if memory is switched off.
	Memory() Memory

	// Output gives the last lines of what the program has printed; with 0, all of
	// it that is kept. It is read from disk, so do not call it for every event.
	Output(lines int) ([]string, error)

	// Messages gives the last messages that the agent has sent and received, the
	// oldest first. Metadata is not to be edited.
	Messages() []Message
}

// ErrSessionOver is the error of what is to reach the program of a session that has
// ended.
var ErrSessionOver = errors.New("the program has ended")

// Relay sends messages to other agents.
type Relay interface {
	Send(ctx context.Context, to, text string) error
	Broadcast(ctx context.Context, text string) error
}

// Memory is what agents remember: short texts that are found again by their words
// and, with an embedder, by their meaning.
type Memory interface {
	// Save keeps a text and returns its id. A text that is there already keeps its id.
	Save(ctx context.Context, content string) (id string, err error)

	// Search returns what fits a query, the best first.
	Search(ctx context.Context, query string) ([]Remembered, error)

	// Forget deletes a memory. An unknown id is an error.
	Forget(ctx context.Context, id string) error

	// List returns all memories, the newest first.
	List(ctx context.Context) ([]Remembered, error)
}

// Remembered is one thing that an agent was asked to remember.
type Remembered struct {
	ID      string    `json:"id"`
	Content string    `json:"content"`
	Agent   string    `json:"agent,omitempty"` // who saved it
	Time    time.Time `json:"time,omitzero"`

	// Recent marks results that do not fit the query: a search that finds nothing
	// returns some of the newest memories.
	Recent bool `json:"recent,omitempty"`
}

// wrappedKey finds a Wrapped in a context.
type wrappedKey struct{}

// SessionOf returns the wrapped session whose event a hook is handling. There is
// none for events that come from elsewhere: an agent's own hooks, Go programs.
func SessionOf(ctx context.Context) (Wrapped, bool) {
	w, ok := ctx.Value(wrappedKey{}).(Wrapped)
	return w, ok
}

// WithSession is a context for firing events of a wrapped session, and for tests
// of hooks that ask for it.
func WithSession(ctx context.Context, w Wrapped) context.Context {
	return context.WithValue(ctx, wrappedKey{}, w)
}
