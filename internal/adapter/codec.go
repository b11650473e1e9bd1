package adapter

import (
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Codec speaks the hook protocol of one agent; of an agent that has two,
// depending on how its configuration is written, there are two codecs. Which one
// is meant stands on the command line that the agent runs: the same bytes are a
// refusal for one agent and an approval for another, so it is never guessed.
//
// Codecs keep nothing and may be used from many goroutines at once.
type Codec interface {
	// About describes the agent and what it can do. It must not be edited.
	About() *About

	// Decode reads a native event. One that has no name here keeps its own.
	Decode(c Call, lookup Find) (hook.AnyEvent, error)

	// Encode writes an outcome as the agent enforces it. The outcome is one that
	// [Fit] gave: it asks for nothing that the agent cannot do at this event.
	Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error)
}

// Find finds an event by name among those that hooks may be registered for;
// nil is hook.Lookup.
type Find func(name string) (*hook.EventInfo, error)

// Call is one call of a hook by an agent.
type Call struct {
	Event string // native name, from the command line; "" means that the payload says it
	Stdin []byte

	native object // the event, once it is read
}

// About is what is known of an agent, as one of its codecs speaks with it.
type About struct {
	Name   string // of the codec, on command lines
	Agent  string // the agent's name, in events
	Title  string // for people
	Events []Event

	// Derived are events that hookway tells apart from others by their content. The
	// agent has no such name, so nothing is installed at them.
	Derived []Event

	Tools []Tool   // what its tools are called here
	Blind []string // what it does unseen by any hook, a sentence each

	// Waits is what it does with a hook that waits for a person.
	Waits Waits

	// Repeats: without a terminal it writes a message for its user to its error
	// output, twice.
	Repeats bool
}

// Event is a native event of an agent.
type Event struct {
	Name string          // native
	Kind *hook.EventInfo // ours; nil means that hooks see it under its native name
	Can  Can             // what the agent enforces

	// More is what it enforces beyond Can for some tools, by their names here; nil
	// means nothing.
	More func(tool string) Can

	// HangsOnAsk: an ask is waited for without end where no user can be asked. See
	// FitUnattended.
	HangsOnAsk bool
	// Aside: it comes often and can only tell something, so an agent that can be told
	// not to wait for the answer is.
	Aside bool
	// Unmarked: a stop of an agent that goes on because of a hook does not say so.
	Unmarked bool

	// Wait is how long the agent waits for an answer if it is told nothing else.
	// After that it goes on as if there were no hook.
	Wait time.Duration

	Note string // what a user should know, or ""
}

// Can says what an agent really does at an event when a hook wants it.
type Can uint16

// What an agent may be able to do.
const (
	Block        Can = 1 << iota // stop what is about to happen, or flag what has
	Ask                          // have the user confirm
	Allow                        // go on without asking the user
	ChangeInput                  // a changed tool_input, prompt or request is what runs
	ChangeOutput                 // a changed result is what the model sees
	Inject                       // text reaches the model
	GoOn                         // work on instead of stopping
	Answer                       // take a result in place of running something
)

var canNames = []string{"block", "ask", "allow", "change input", "change output", "inject", "go on", "answer"}

// String lists the abilities, as doctor prints them.
func (c Can) String() string {
	var names []string
	for i, name := range canNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "observe"
	}
	return strings.Join(names, ", ")
}

// Event gives a row of the table by its native name. An event that is not in it
// is one of a newer agent: it can be observed.
func (a *About) Event(native string) Event {
	for _, rows := range [...][]Event{a.Events, a.Derived} {
		for i := range rows {
			if rows[i].Name == native {
				return rows[i]
			}
		}
	}
	return Event{Name: native}
}

// object is a JSON object. Its numbers are json.Number, so that no digit is lost.
type object = map[string]any

// Waits is what an agent does with a hook that takes its time, because a person is
// asked elsewhere: as its program was seen to behave.
type Waits struct {
	// Version is that of the program that was watched; "" if none was, and then no
	// call is held.
	Version string

	// Hold is the longest that a call may be held for a person: the agent waits so
	// long if its settings say so, as hookway install writes them. 0: it waits too
	// short a time for a person, whatever they say.
	Hold time.Duration

	// Beside: the agent shows its own question while the hook of its permission
	// request runs, and whoever answers first counts. Otherwise the question comes
	// after the hook, so that a hook that waits hides it.
	Beside bool

	// What the page about agents says: the largest time that its settings take, what
	// happens when it is over, what other calls of the same turn do meanwhile, and what
	// becomes of its own question.
	Most, Late, Calls, Question string
}

// mostHold bounds a hold where the agent bounds none: a person who has not come after a
// day does not come.
const mostHold = 24 * time.Hour

// Holds is the longest that a call may be held for a person at an event; 0 means that it
// is not held there.
func (a *About) Holds(native string) time.Duration {
	e := a.Event(native)
	if e.Can&Block == 0 || e.Kind == nil || e.Kind != hook.PreToolUse.Info() && e.Kind != hook.PermissionRequest.Info() {
		return 0
	}
	return a.Waits.Hold
}

const (
	latePasses = "the hook is ended and the call runs, without a word to the user"
	lateAsks   = "; a permission request's then asks the user"
)

var claudeWaits = Waits{
	Version: "2.1.329", Hold: mostHold, Beside: true,
	Most: "30 days taken", Late: latePasses + "; a permission request's question stays",
	Calls:    "what only reads goes on; other calls wait for it",
	Question: "beside the hook: the first answer counts; `claude -p` waits for the hook in its place",
}

var codexWaits = Waits{
	Version: "0.169.0", Hold: mostHold,
	Most: "30 days taken", Late: latePasses + lateAsks,
	Calls: "go on", Question: "after the hooks; nothing ends it from elsewhere",
}

var geminiWaits = Waits{
	Version: "0.61.0", Hold: mostHold,
	Most:  "24 days; more than 2,147,483,647 ms is 1 ms",
	Late:  "the hook is ended and the call runs; a warning is shown",
	Calls: "their hooks run beside it; the calls wait for all", Question: "there is no event for it",
}

var copilotWaits = Waits{
	Version: "1.0.102", Hold: mostHold,
	Most: "30 days taken", Late: latePasses + lateAsks,
	Calls: "wait for it", Question: "after the hooks; nothing ends it from elsewhere",
}

var openCodeWaits = Waits{
	Version: "1.18.33", Hold: mostHold,
	Most: "no bound; hookway's plugin has its own", Late: "hookway's plugin refuses the call",
	Calls: "go on", Question: "no hook can answer it",
}

var qwenWaits = Waits{
	Version: "0.24.4",
	Most:    "1 min, whatever its settings say; from 1,000 on they count milliseconds",
	Late:    latePasses + lateAsks,
	Calls:   "what only reads goes on; other calls wait for it", Question: "after the hooks; nothing ends it from elsewhere",
}
