package session

import (
	"context"
	"io"
	"time"

	"github.com/hookway/hookway/hook"
)

// DefaultIdleThreshold is how long nothing happens before the agent is idle.
const DefaultIdleThreshold = 30 * time.Second

// Config says what to wrap. Engine and Command are required.
type Config struct {
	Engine *hook.Engine // it is the caller's to close

	Name   string // the agent's name; empty is the base name of the program
	ID     string // of the session; empty makes one
	Source string // of the events; empty is "run"

	Command []string // program and arguments
	Dir     string   // working directory; empty is the current one
	Env     []string // "key=value"; nil is the environment of this process

	Stdin  io.Reader // where the user types, as in terminal.Config
	Stdout io.Writer // the user's screen, as in terminal.Config

	IdleThreshold time.Duration // 0 is DefaultIdleThreshold; negative is never

	// Native says that the agent has hooks of its own and reports its begin and
	// end itself, so that SessionStart and SessionEnd are not fired here too,
	// unless there are AgentHooks.
	Native bool

	// AgentHooks ties the session to the hooks that the agent calls by itself: so
	// SessionStart and SessionEnd are fired once, here or there, and text reaches
	// the agent by them while it works. Nil: the agent has none, or they cannot be
	// reached.
	AgentHooks AgentHooks

	// Mail is for the messages to and from the agent. Nil: there are none, and
	// @relay and @broadcast are left alone.
	Mail *Mail

	// Memory serves @memory. Nil: there is none, and it is left alone.
	Memory hook.Memory

	// Quotes are the words of others in what hooks inject. Nil: there are none.
	Quotes *Quotes

	// History is the folder in which the output is kept for those who ask for it:
	// at most 16 MiB a session, for seven days. Empty: it is not kept.
	History string

	// Reach gets, before anything is fired, how the session can be reached. What it
	// returns is called when it cannot be any more. Nil: it cannot be reached.
	Reach func(*Control) (stop func())

	// Attend runs beside the program, until its end: it may show a title in the user's
	// terminal in place of the program's own, and ring its bell; "" gives the program's own
	// back. Nil: the title is the program's alone.
	Attend func(ctx context.Context, title func(text string, ring bool))

	// Record is given every outcome for which a hook was asked, on the goroutine
	// that fired the event. Nil drops them.
	// The event is the very one that the hooks saw; failure is why they did not finish.
	Record func(ctx context.Context, ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error)

	// Unknown gets the namespaces of directives that no hook takes. Nil: they are dropped.
	Unknown Unknown

	// Warn is given what the user should know, one clean line at a time and
	// one call at a time: messages of hooks, failed hooks, dropped events.
	// Lines are held back until the program has left the screen. Nil drops
	// them.
	Warn func(line string)
}
