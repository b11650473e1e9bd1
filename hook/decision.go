package hook

import (
	"fmt"
	"strings"
	"time"
)

// Action is what a decision asks for. The zero value is ActionContinue. Its text
// form ("block") is what hooks in other languages write.
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

// actionNames are the words of the wire format, in the order of the constants.
var actionNames = [...]string{"continue", "allow", "ask", "block", "retry", "skip", "answer"}

// String returns the wire name of the action.
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

// DefaultRetryDelay is how long a caller waits after a retry without a delay.
const DefaultRetryDelay = time.Second

// MaxRetries is how often a caller tries an operation again because hooks asked
// for it. One more retry ends the operation with ErrRetries.
const MaxRetries = 10

// Decision is what a handler answers. The zero value has no opinion. The
// functions below make the usual ones; a literal combines them:
//
//	return hook.Decision{Action: hook.ActionAllow, Inject: "Tests run with -race here."}, nil
//
// A decision that the event does not allow is dropped and recorded in the step.
type Decision struct {
	// Action is what happens to the operation.
	Action Action

	// Reason goes to the agent: why it was blocked, asked or allowed. A block
	// without one says which hook blocked.
	Reason string

	// UserMessage is shown to the user, never to the agent.
	UserMessage string

	// Modified is a whole new payload of the event's type, or a pointer to one;
	// nil means no change. Fields that the event does not let hooks change must be
	// as they were.
	Modified any

	// Result stands in for the operation's own; read with ActionAnswer only. For
	// a tool it is a ToolResponse, a string (the output), or a value with the
	// same JSON form.
	Result any

	// RetryDelay is read with ActionRetry; zero means DefaultRetryDelay. It must
	// not be negative.
	RetryDelay time.Duration

	// Inject is text for the agent. It may come with any action. The texts of
	// several hooks are joined by a blank line, in hook order.
	Inject string

	// Note says what is odd about an answer that counts nevertheless, such as
	// text where a decision was expected. It is shown with the step.
	Note string

	// Rule names what decided inside the hook, with its version: "git/force-push@1".
	Rule string

	// Would is what the hook would decide did it count, from a handler of which a part
	// is on trial. A whole hook is put on trial with Hook.Monitor.
	Would *Would

	// Metadata is merged into the event's metadata for the hooks that follow,
	// and is there at the later events of the operation: see Operations. Under
	// the key "env" it is an environment map, merged key by key; names for which
	// RefusedVariable holds are left out.
	Metadata map[string]any
}

// Would is what a decision would have been, had it counted.
type Would struct {
	Action Action
	Reason string
	Rule   string // as in Decision
	Change bool   // it would have changed the payload, or injected text
}

// Continue has no opinion. It never approves: that is Allow.
func Continue() Decision { return Decision{} }

// Change goes on with another payload. It must have the event's payload type.
func Change(payload any) Decision { return Decision{Modified: payload} }

// Allow approves the operation: the user is not asked.
func Allow(reason string) Decision { return Decision{Action: ActionAllow, Reason: reason} }

// Ask makes the user confirm. If the user cannot be asked, it becomes a block, or
// what Engine.AskFallback says.
func Ask(reason string) Decision { return Decision{Action: ActionAsk, Reason: reason} }

// Block stops the operation. The agent gets the reason.
func Block(reason string) Decision { return Decision{Action: ActionBlock, Reason: reason} }

// Retry asks the caller to wait and try the operation again; zero means
// DefaultRetryDelay. Agents with hooks of their own cannot retry: there it is a block.
func Retry(after time.Duration) Decision {
	return Decision{Action: ActionRetry, RetryDelay: after}
}

// Skip ends the lane; the operation goes on with the changes made so far.
func Skip() Decision { return Decision{Action: ActionSkip} }

// Answer returns the operation's result, so that the operation is not run. At Error
// it is the recovery: the result stands in for the one that failed.
func Answer(result any) Decision { return Decision{Action: ActionAnswer, Result: result} }

// Inject hands text to the agent and has no other opinion.
func Inject(text string) Decision { return Decision{Inject: text} }
