package hook

import (
	"fmt"
	"strings"
	"time"
)

// Action is what a decision asks for. The zero value is Continue.
type Action uint8

// The actions, and in their comments what each does to the operation.
const (
	ActionContinue Action = iota // no opinion; never an approval
	ActionAllow                  // approve without asking the user
	ActionAsk                    // the user must confirm
	ActionBlock                  // stop; the reason goes to the agent
	ActionRetry                  // wait, then try the operation again
	ActionSkip                   // no further hooks of this lane; the operation goes on
	ActionAnswer                 // do not run the operation: the result stands in for it
)

var actionNames = [...]string{"continue", "allow", "ask", "block", "retry", "skip", "answer"}

// String gives the wire name of the action.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", a)
}

// ParseAction reads an action's name in any case. "deny" is block, as Claude Code says it.
// An unknown name is an error that lists the known ones.
func ParseAction(name string) (Action, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if lower == "deny" {
		return ActionBlock, nil
	}
	for a, known := range actionNames {
		if lower == known {
			return Action(a), nil
		}
	}
	return 0, fmt.Errorf("unknown action %q; use one of %s", name, strings.Join(actionNames[:], ", "))
}

// DefaultRetryDelay is how long a caller waits after a retry that names no delay.
const DefaultRetryDelay = time.Second

// MaxRetries is how often a caller tries an operation again because hooks asked for it.
const MaxRetries = 10

// Decision is what a handler answers. The zero value has no opinion.
type Decision struct {
	Action Action

	// Reason goes to the agent: why it was blocked, asked or allowed.
	Reason string

	// UserMessage is shown to the user, never to the agent.
	UserMessage string

	// Modified is a whole new payload of the event's type, or nil for no change.
	Modified any

	// Result stands in for the operation's own; read with ActionAnswer only.
	Result any

	// RetryDelay is read with ActionRetry; zero means DefaultRetryDelay.
	RetryDelay time.Duration

	// Inject is text for the agent. It may come with any action.
	Inject string

	// Note says what is odd about an answer that counts nevertheless. It is for
	// whoever looks at the step.
	Note string

	// Metadata is merged into the event's metadata for the hooks that follow.
	// Under the key "env" it is an environment map, merged key by key.
	Metadata map[string]any
}

// Continue has no opinion.
func Continue() Decision { return Decision{} }

// Change goes on with another payload. It must have the event's payload type.
func Change(payload any) Decision { return Decision{Modified: payload} }

// Allow approves the operation: the user is not asked.
func Allow(reason string) Decision { return Decision{Action: ActionAllow, Reason: reason} }

// Ask makes the user confirm.
func Ask(reason string) Decision { return Decision{Action: ActionAsk, Reason: reason} }

// Block stops the operation. The reason is told to the agent.
func Block(reason string) Decision { return Decision{Action: ActionBlock, Reason: reason} }

// Retry asks the caller to wait and try again; zero means DefaultRetryDelay.
func Retry(after time.Duration) Decision {
	return Decision{Action: ActionRetry, RetryDelay: after}
}

// Skip ends the lane; the operation goes on with the changes made so far.
func Skip() Decision { return Decision{Action: ActionSkip} }

// Answer gives the operation's result, so that it is not run.
func Answer(result any) Decision { return Decision{Action: ActionAnswer, Result: result} }

// Inject hands text to the agent and has no other opinion.
func Inject(text string) Decision { return Decision{Inject: text} }
