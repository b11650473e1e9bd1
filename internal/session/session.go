// Package session wraps one agent: it runs the agent's program in a terminal,
// makes events of what the program prints, and types what hooks inject.
//
// # Events
//
//   - SessionStart is fired before the program is started. What its hooks
//     inject is typed when the program is ready: see below.
//   - Output carries the lines that were finished since the last one, joined
//     by line breaks, at most every 100 ms. A line that stands unfinished for a
//     quarter of a second is shown as it is, with Complete false; the next
//     event goes on where it ended, if only with the line's end. What was typed
//     is not output.
//   - Directive is fired for every @namespace:target line that the program
//     prints or paints; not for what was typed. Package directive says what
//     belongs to one. It is complete when the output goes on with something else;
//     15 ms after a line that was printed at once; half a second after one that
//     came in pieces; or at the end of a painted block. Where the agent's own hooks
//     tell what it wrote, that decides whether a painted line is one.
//   - MessageReceived is fired for every message to the agent, before it is typed;
//     MessageSending and MessageSent for what the agent sends. Of what comes from
//     outside nothing is obeyed: see package delivery, and harmless.
//   - Idle is fired once for every time in which nothing was printed or typed
//     for IdleThreshold, unless a directive's hooks are still running or text
//     waits to be typed: then the program waits for us.
//   - The end of Config.Stdin is not an event. If there are hooks whose text may be
//     typed, the program gets the end when they have nothing more to say:
//     no directive or output is with its hooks, no text waits to be typed, and
//     nothing was printed or typed for a second. So a program that reads answers
//     gets them also where no user types.
//   - An agent that calls hooks of its own reports its begin and end too. Through
//     AgentHooks each is fired once, here or there, and a text that is injected
//     while the agent works is in the answer to one of its events, and not typed.
//   - SessionEnd is fired exactly once for every SessionStart. Its reasons are
//     exit and signal (the program has ended; all its output has been seen by
//     hooks), start_failed, interrupted for SIGINT and for the Ctrl-C after which
//     the program says on its screen that it ends, terminated for SIGTERM, hangup
//     for SIGHUP and a terminal that is gone, and cancelled for the end of the
//     caller's context. In the last four the program is alive: what hooks inject
//     is typed to it, and it has five seconds to answer before it is ended.
//     Directives in its answer are fired after SessionEnd.
//
// # Typing
//
// A text is typed when that is safe; until then it waits, in order. It is safe
// when all of this holds:
//
//   - Texts are not held by a human.
//   - The program that reads is one that takes text: not an editor or a pager, and
//     on the alternate screen only an agent whose input is known.
//   - It asks the user nothing: no permission, no password, no menu.
//   - The user is not typing and has left no half-written line, by their keys and
//     by what the screen shows, and no suggestion stands at the prompt.
//   - An agent shows its empty input, and does not work. Another program that
//     reads keys shows a prompt, or has asked for bracketed paste.
//   - What was typed before is read, and the screen has been still for 0.1 s, or
//     0.2 s of a program that reads keys at no known prompt. A new program that shows
//     no prompt has printed something and is then still for half a second, or has
//     printed nothing for two. One that reads whole lines, which the terminal keeps apart, is not
//     waited for longer than five seconds.
//
// That is asked once more when no key of the user can come in between; then text
// and Enter are one write, as a paste where the program has asked for that. What
// agents are and how they are typed to is a table: see profile. A text that five
// minutes are not enough for fails, with the reason; the time in which texts are
// held, or an agent works, does not count.
//
// Each text ends in a known state: submitted, if it was seen that the program took
// it; echoed or written, if only that was seen in three seconds; or failed. None is
// typed twice. Where an agent swallows the Enter and the text is still in its
// input, only Enter is pressed again.
//
// # Messages
//
// Messages are taken from the agent's inbox in the relay's store, at most 16 at
// once, and are typed like other texts. That one is about to be given to the agent
// is on disk before it is, and that the agent has it, after; so whatever is killed,
// the next session of the agent knows which ones are unconfirmed, and looks for them
// in the agent's transcript and in the output that was kept. One that could not be
// typed goes back, and those behind it go back too, so that they stay in order.
//
// # Who waits for whom
//
// The user's bytes wait for nothing here. One goroutine reads lines and never
// calls a hook. The hooks of Output run on a second goroutine, those of
// Directive and Idle on a third, one event after the other, so that slow
// Output hooks do not hold directives up. A fourth goroutine types, one text
// after the other, in the order in which the hooks have answered. A fifth
// hands messages to their hooks, a sixth writes the output to disk, and a seventh
// follows the agent's record.
//
// Every queue between them is bounded. Output that the hooks are too slow for
// is dropped by whole lines and counted; directives that find 128 others
// waiting are dropped. The user is warned of both, and of text that could not be
// typed.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/terminal"
)

// session is one run of one agent.
type session struct {
	engine    *hook.Engine
	env       hook.Envelope
	seen      hook.Envelope // of what only the terminal has shown
	command   []string
	threshold time.Duration // of Idle; 0 is never
	began     time.Time
	signals   chan os.Signal
	stopping  bool // a signal came: the session ends
	hurried   bool // another came after it
	warnings  *warnings
	quotes    *Quotes
	record    func(context.Context, hook.AnyEvent, hook.Outcome[any], time.Duration, error) // may be nil

	program *terminal.Program // nil until it was started
	native  bool              // the agent fires SessionStart and SessionEnd itself
	ended   bool              // SessionEnd was fired

	attending func(context.Context, func(string, bool)) // may be nil

	hooks     AgentHooks     // may be nil
	first     delivery.Offer // what SessionStart's hooks inject; nil if it is typed
	firstText string

	memory   hook.Memory // may be nil
	view     *view
	mail     *delivery.Terminal // may be nil
	messages messages
	history  *history

	unknown  Unknown    // may be nil
	shown    shownTimes // for the goroutine that fires directives
	interest *interest
	output   *outbox
	follow   *follow // nil: no record is known of such a program
	calls    *calls
	typist   *typist
	outputs  atomic.Int64 // how often the program has said something
	busy     atomic.Int64 // directives and texts on their way
	endings  chan ending
	leaving  atomic.Pointer[string] // why the user is about to end the program; nil: is not
	lull     chan struct{}          // the listener offers a token while hooks have nothing to say
}

// NewID makes the id of a session.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

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
