package adapter

import (
	"fmt"
	"slices"
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

// codecs are all codecs, in the order in which they are listed to people.
var codecs = []Codec{
	Claude{}, Codex{}, Gemini{},
	Antigravity{},
	Cursor{},
	Copilot{}, Copilot{Pascal: true},
	OpenCode{},
	Qwen{},
}

// All gives the codecs of all agents.
func All() []Codec { return slices.Clone(codecs) }

// Lookup finds a codec by its name. The error lists the names.
func Lookup(name string) (Codec, error) {
	var names []string
	for _, c := range codecs {
		if c.About().Name == name {
			return c, nil
		}
		names = append(names, c.About().Name)
	}
	return nil, Unknown(name, names)
}

// Unknown is the error for the name of an agent that is none of those known. People write
// the name of its program or of the product (gemini-cli, "Claude Code").
func Unknown(name string, known []string) error {
	for _, k := range known {
		if strings.HasPrefix(hook.Normal(strings.ReplaceAll(name, " ", "")), hook.Normal(k)) {
			return fmt.Errorf("the agent %q is unknown; did you mean %s? Known: %s", name, k, strings.Join(known, ", "))
		}
	}
	if near := hook.NearestWithin(2, name, known); near != "" {
		return fmt.Errorf("the agent %q is unknown; did you mean %s? Known: %s", name, near, strings.Join(known, ", "))
	}
	return fmt.Errorf("the agent %q is unknown; known: %s", name, strings.Join(known, ", "))
}

// NativeEvents lists the events of all agents that have no row in hookway's
// table: hooks may be registered for them under these names.
func NativeEvents() []string {
	var names []string
	for _, c := range codecs {
		for _, e := range slices.Concat(c.About().Events, c.About().Derived) {
			if e.Kind == nil && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}
