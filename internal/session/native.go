package session

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/delivery"
)

// AgentHooks is what a session and the hooks that its agent calls by itself tell
// each other, so that the session has one begin and one end, and text reaches the
// agent by its own hooks where they take some. Its methods may be called from many
// goroutines.
type AgentHooks interface {
	// Begin says that SessionStart was fired, before the program runs. The agent's
	// own report of it gets the text that the hooks injected. A nil parcel: there
	// is no text, or it is to be typed.
	Begin(text string) Parcel

	// Offer leaves a text for the next event of the agent that takes one. It does
	// not wait. Nil: the agent has nothing to do, or its screen has not changed for
	// so long that it seems so; the text is to be typed. One behind another, which
	// may be nil, goes to the same event or a later one, and comes back when that
	// one does. First is called before anybody can have the text, and only then; if
	// it is false, nobody may.
	Offer(text string, behind Parcel, still time.Duration, first func() bool) Parcel

	// Heard says what the agent's hooks have told so far. It is asked often.
	Heard() Heard

	// Said gives what the agent has said lately, as it wrote it, as far as its
	// hooks have told: whole texts, the oldest first.
	Said() []string

	// End calls fire, unless the agent has reported its end already, or does so
	// just now: then it waits until that is judged.
	End(ctx context.Context, fire func(context.Context))
}

// Parcel is a text that is with the agent's own hooks.
type Parcel interface {
	// Await waits until an event has taken the text, or takes it back: when the
	// agent has nothing more to do, when it shows no sign of life, and when ctx
	// ends. still says for how long the screen has not changed.
	Await(ctx context.Context, still func() time.Duration) Fate

	// At is when it was taken, if Await has said so.
	At() time.Time
}

// Fate is what became of a parcel.
type Fate int

// The fates of a parcel.
const (
	Returned Fate = iota // nobody has it: it is to be typed
	Taken                // the agent has it
	Doubtful             // an event took it, but whether the agent heard the answer is not known
)

// handed ends an injection that the agent has.
func (i *injection) handed() {
	i.step(stateSubmitted)
	i.end()
}

// end is what became of a parcel.
type end struct {
	taken bool      // the agent has it
	at    time.Time // since then
	rest  string    // else this is to be typed
}

// ends notes what became of the injection's parcel.
func (i *injection) ends(e end) {
	i.parcel, i.has, i.at = nil, e.taken, e.at
	if !e.taken {
		if e.rest != i.body {
			i.repeat = true
			if i.said != "" {
				i.said = delivery.MarkRepeat(i.said)
			}
		}
		i.body = e.rest
	}
}

// await waits for the fate of a parcel with the text body, which is taken back
// when texts are held.
func (s *session) await(ctx context.Context, p Parcel, body string) end {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-s.program.Done():
		case <-s.typist.heldBack():
		case <-ctx.Done():
		}
	}()
	switch p.Await(ctx, s.stillness) {
	case Taken:
		return end{taken: true, at: p.At()}
	case Doubtful:
		return end{rest: delivery.MarkRepeat(body)}
	}
	return end{rest: body}
}

// heldBack is closed when texts are held.
func (t *typist) heldBack() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.holding {
		return t.toggled
	}
	held := make(chan struct{})
	close(held)
	return held
}

// stillness is for how long the agent has shown nothing new at its input. One
// that shows none, because it asks something or has no use for a screen, does not
// wait for what is typed: what it shows says nothing.
func (s *session) stillness() time.Duration {
	screen := s.program.Screen()
	p := s.typist.profile
	if screen.Changed.IsZero() || p.box && !p.find(screen).known {
		return 0
	}
	return time.Since(screen.Changed)
}

// begin hands over what SessionStart's hooks inject. It must be there before the
// program is, whose own report of its start may take it at once.
func (s *session) begin(text string) {
	if s.hooks != nil {
		s.first, s.firstText = s.hooks.Begin(text), text
	}
	if s.first == nil {
		s.typist.put(text)
	}
}

// carryFirst has the text of SessionStart typed if the agent does not take it. It
// holds up no other text: an agent may report its start at its first prompt only.
func (s *session) carryFirst(ctx context.Context) {
	if s.first == nil {
		return
	}
	if e := s.await(ctx, s.first, s.firstText); !e.taken {
		s.typist.put(e.rest)
	}
}
