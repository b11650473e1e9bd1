package hook

import (
	"errors"
	"slices"
	"time"
)

// Outcome is what the whole chain answers to one event: the verdict, and the
// payload as the hooks left it. Run the operation with Payload, not with what you
// fired.
type Outcome[P any] struct {
	Verdict
	Payload P
}

// Typed turns the outcome of Engine.Fire into one with a typed payload. P must be
// the type of the event's payload, or Payload is the zero P.
func Typed[P any](out Outcome[any]) Outcome[P] {
	payload, ok := out.Payload.(P)
	if p, is := out.Payload.(*P); !ok && is && p != nil {
		payload = *p
	}
	return Outcome[P]{Verdict: out.Verdict, Payload: payload}
}

// Verdict is an Outcome without its payload. Action is never ActionSkip: a skip
// ends a lane, and the operation goes on.
type Verdict struct {
	Event       string         // canonical name
	Action      Action         // the strongest of all hooks
	Reason      string         // for the agent, from the hook that decided
	UserMessage string         // for the user; several are joined by a line break
	By          string         // id of the hook that decided; empty for continue
	Inject      string         // texts of all hooks, joined by a blank line
	Result      any            // with ActionAnswer: stands in for the operation's
	RetryDelay  time.Duration  // with ActionRetry: always set
	Changed     bool           // the payload is not the one that was fired
	Metadata    map[string]any // the event's, with what hooks added
	Rule        string         // the rule behind the decision that counts; see Decision
	Facts       []Fact         // what the call would do, if a hook asked
	Steps       []Step         // one for each call of a handler, in order
}

// Failure is the error of the hook that decided, if its block comes from its
// failure policy. It is nil if the hook decided itself.
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

// Step is one call of one hook's handler. A hook that was tried three times has
// three steps; the last one has its decision.
type Step struct {
	Hook     string        // id
	Lane     Lane          // in which it was called
	Action   Action        // what it decided, as far as the event allows it
	Reason   string        // the decision's
	Changed  bool          // it changed the payload
	Injected bool          // it injected text
	Rule     string        // the decision's: the rule behind it
	Would    *Would        // what it would have decided, had it counted
	Note     string        // the decision's: what was odd about the answer
	Duration time.Duration // of this try

	// Err says why the handler failed, or what part of its decision was refused
	// (a *RefusedError), or both; errors.As finds each. Nil means that its
	// decision counted in full.
	Err error
}

// RefusedError is a part of a decision that the event, or the lane, does not
// allow, such as an answer to an event that cannot be answered. That part was
// treated as continue; the rest of the decision counted.
type RefusedError struct{ What string }

func (e *RefusedError) Error() string { return "refused: " + e.What }
