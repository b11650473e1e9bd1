package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/visible"
)

// The states of an injection, in their order. The last ones are where it ends:
// submitted if it could be seen that the program took the text, echoed or
// written if only that much could be seen in the time there is for it, failed if
// the text was not typed, or not all of it.
const (
	stateWaiting   = "waiting"
	stateWritten   = "written"
	stateEchoed    = "echoed"
	stateSubmitted = "submitted"
	stateFailed    = "failed"
)

// How a text reaches the program.
const (
	howTyped = "typed"
	howHook  = "hook" // by an event of the agent
)

// injection is a text that is to reach the program. Nothing is typed twice: what
// becomes of it is seen and reported, not mended.
type injection struct {
	text    string
	written <-chan struct{} // closed when it is written, or has failed
	done    <-chan struct{} // closed in its last state

	// These are the typist's.
	body          string         // the text as it stands now: it may have got a note that it is a repeat
	quoted        string         // the words of others that body is the form of, for the program that was started
	quotes        []quote        // what else of body is the words of others
	offer         delivery.Offer // not nil: it is with the agent's own hooks
	has           bool           // the agent has it from them
	outputsBefore int64          // what session.outputs was before typing

	// claims and failed are not nil of a message: see delivery.Input.
	claims    func(ctx context.Context, text, how string) error
	failed    func(err error)
	withdrawn atomic.Bool // it is not to be typed any more

	// These hold when done is closed.
	how    string    // "" if the program was never about to get it
	at     time.Time // when an event took it
	lines  bool      // its terminal collects whole lines
	repeat bool      // the text says that it may be a repeat
	unsure bool      // it has failed, but the program may have a part of it
	err    error     // why it has failed, if that was an error

	mu              sync.Mutex
	now, why        string
	wrote, finished chan struct{}
}

func newInjection(text string) *injection {
	i := &injection{text: text, body: text, now: stateWaiting, wrote: make(chan struct{}), finished: make(chan struct{})}
	i.written, i.done = i.wrote, i.finished
	return i
}

// state is how far the injection is. The reason says why it has failed, and
// while it waits, why it does.
func (i *injection) state() (state, reason string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now, i.why
}

// typed reports whether the text was typed, or the agent has it otherwise.
func (i *injection) typed() bool {
	state, _ := i.state()
	return state != stateWaiting && state != stateFailed
}

// waits notes why the injection waits.
func (i *injection) waits(why string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.why = why
}

// claim makes sure that the text reaches the agent in one way only.
func (i *injection) claim(ctx context.Context, text, how string) error {
	if i.claims == nil || i.how == how {
		return nil
	}
	if err := i.claims(ctx, text, how); err != nil {
		return err
	}
	i.how = how
	return nil
}

// errWithdrawn ends an injection that was withdrawn.
var errWithdrawn = errors.New("it was taken back")

// step goes on to a later state.
func (i *injection) step(state string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now == stateWaiting {
		close(i.wrote)
	}
	i.now, i.why = state, ""
}

// end closes done in the state there is.
func (i *injection) end() { close(i.finished) }

// fail ends an injection that was not typed.
func (i *injection) fail(reason string) {
	if i.failed != nil {
		i.failed(i.err)
	}
	i.mu.Lock()
	i.now, i.why = stateFailed, reason
	close(i.wrote)
	i.mu.Unlock()
	i.end()
}

// body is a text as the program of the profile is given it: no command of the
// program's, and nothing that keeps Enter from submitting it.
func (p *profile) body(text string) string {
	text = strings.Trim(visible.Strip(text), "\n")
	if text == "" {
		return ""
	}
	if start := strings.TrimLeft(text, " \t\n"); start != "" && strings.ContainsAny(start[:1], p.commands) {
		text = p.guard + text
	}
	last := text[strings.LastIndexAny(text, " \t\n")+1:]
	if p.words != "" && last != "" && (strings.ContainsAny(last[:1], p.words) || strings.HasSuffix(last, `\`)) {
		text += " "
	}
	return text
}
