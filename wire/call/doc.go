// Package call is what hookway-hook, the tiny program that agents start at every
// event, and the daemon that answers it have in common: the words they say to
// each other, where they meet, and the answer when hookway itself fails.
//
// It must stay small, because its cost is paid at every event of every agent: no
// JSON library, no formatting, no network package.
package call

import (
	"errors"
	"time"
)

// Kind says what a request wants.
type Kind byte

// The kinds of requests.
const (
	KindHook   Kind = 1 // answer an agent's event
	KindStatus Kind = 2 // say how the daemon is
	KindStop   Kind = 3 // end the daemon
	KindPing   Kind = 4 // say that somebody is there
	KindShown  Kind = 5 // the reply before was printed, as it asked to be told; this has no reply
	KindTold   Kind = 6 // as KindHook, of one that says KindShown if the reply asks for it
	KindGaveUp Kind = 7 // the sender waits no more: it answered by itself. Event says why, Policy what its answer does; this has no reply
)

// Request is one call.
type Request struct {
	Kind    Kind
	Version string        // of the sender
	Agent   string        // the codec's name, as on the command line
	Event   string        // the agent's own name of the event; "" means that the payload says it
	Policy  string        // what happens if hookway fails: "" (the default), "block" or "continue"
	Dir     string        // the sender's working directory
	Env     []string      // the sender's environment, KEY=VALUE
	Timeout time.Duration // how much longer the sender waits; 0 means unknown
	Stdin   []byte        // the event
}

// Reply is what the sender prints, and how it ends.
type Reply struct {
	Stdout, Stderr []byte
	ExitCode       int

	// Err says why there is no answer. The sender must get one elsewhere.
	Err string

	// Ask has the sender of a KindTold say, with a request of KindShown, that it has
	// printed this. Others, of older versions, do not know the question.
	Ask bool

	// Sent is called once by the sender of the reply: with nil when it was
	// written, and printed if that is known, else with why it was not. It does not
	// travel; nil means that this is not of interest.
	Sent func(error)
}

// ErrUnshown says that a reply was written, but that it is unknown whether it was
// printed: who had it died.
var ErrUnshown = errors.New("it is unknown whether the answer was printed")

// OwnProcess is the Err of a daemon that has another process judge an event for its size:
// nothing is wrong.
const OwnProcess = "an event of more than 1 MiB is judged by a process of its own"

// GaveUpError says that the client answered by itself, for instance because a
// signal ended it.
type GaveUpError struct {
	Why    string
	Policy string // what its own answer does: PolicyBlock or PolicyContinue
}

func (e *GaveUpError) Error() string { return "hookway-hook gave up: " + e.Why }

// Pass tells Sent.
func (r *Reply) Pass(err error) {
	if r.Sent != nil {
		r.Sent(err)
	}
}

// Policies, as --on-failure has them. The empty one is the default: what gates an
// operation is blocked, the rest passes.
const (
	PolicyBlock    = "block"
	PolicyContinue = "continue"
)

// Agents are the names of the codecs, as the command line has them.
func Agents() []string {
	names := make([]string, len(dialects))
	for i := range dialects {
		names[i] = dialects[i].name
	}
	return names
}

// Known reports whether there is a codec of that name.
func Known(agent string) bool { return dialectOf(agent) != nil }
