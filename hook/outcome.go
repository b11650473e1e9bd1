package hook

import (
	"errors"
	"slices"
	"time"
)

// Outcome is what the whole chain answers to one event: the verdict, and the
// payload as the hooks left it.
type Outcome[P any] struct {
	Verdict
	Payload P
}

// Typed is the outcome of an event of any kind, which Engine.Fire gives, as that of
// its own kind. P must be the type of the event's payload.
func Typed[P any](out Outcome[any]) Outcome[P] {
	payload, ok := out.Payload.(P)
	if p, is := out.Payload.(*P); !ok && is && p != nil {
		payload = *p
	}
	return Outcome[P]{Verdict: out.Verdict, Payload: payload}
}

// Verdict is an Outcome without its payload.
type Verdict struct {
	Event       string // canonical name
	Action      Action
	Reason      string // for the agent
	UserMessage string // for the user; several are joined by a line break
	By          string // id of the hook that decided
	Inject      string // texts of all hooks, joined by a blank line
	Result      any    // with ActionAnswer
	RetryDelay  time.Duration
	Changed     bool           // the payload is not the one that was fired
	Metadata    map[string]any // the event's, with what hooks added
	Steps       []Step         // one for each call of a handler, in order
}

// Failure is why the hook that decided failed: its block is what its failures do,
// and not its decision. Nil if it decided by itself.
func (v *Verdict) Failure() error {
	if v.Action != ActionBlock {
		return nil
	}
	for _, s := range slices.Backward(v.Steps) {
		if s.Hook != v.By {
			continue
		}
		var refused *RefusedError
		if errors.As(s.Err, &refused) && s.Err.Error() == refused.Error() {
			return nil
		}
		return s.Err
	}
	return nil
}

// Step is one call of one hook's handler.
type Step struct {
	Hook     string
	Lane     Lane
	Action   Action
	Reason   string
	Changed  bool   // it changed the payload
	Injected bool   // it injected text
	Note     string // what was odd about its answer, see Decision
	Duration time.Duration

	// Err says why the handler failed, or what part of its decision was refused
	// (a *RefusedError), or both; errors.As finds each. Nil means that its
	// decision counted in full.
	Err error
}

// RefusedError is a part of a decision that the event, or the lane, does not
// allow. That part was treated as continue.
type RefusedError struct{ What string }

func (e *RefusedError) Error() string { return "refused: " + e.What }
