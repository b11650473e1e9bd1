package install

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/wire/call"
)

// agent is what installing needs to know of one agent.
type agent struct {
	name    string // on hookway's command line; also that of the codec
	title   string
	program string // that people start

	// packaged: its version is read where npm has put it, if it can be, since the
	// program writes its user's settings anew, or unpacks half of itself, even if
	// it is only asked for that.
	packaged bool

	// user and project give the file that hookway is written into: of the user,
	// or of the project with the root given.
	user    func(w *world) string
	project func(root string) string

	// keys lead from the root of the file to the object that has a member for
	// each event. fresh are the members that a new file begins with.
	keys  []string
	fresh object

	// entry is the element of an event's list that calls hookway.
	entry func(e event, c caller) object

	// direct reports whether the agent, in the version that is there, starts a
	// program without a shell; nil is never.
	direct func(w *world) bool

	// wait bounds how long the agent really waits at an event; 0 means no bound.
	wait func(name string) time.Duration

	// leave says why hookway is not installed at an event, or "". version is the
	// agent's, "" if unknown.
	leave func(name, version string) string

	// review looks at the agent's other files once the hooks are planned, and adds
	// to the change what else it needs, and what the user must know.
	review func(w *world, c *Change) error

	// off says what in the agent's settings and its environment keeps it from running
	// hooks, or ours.
	off func(a *agent, w *world) []string

	// strict: the agent reads nothing from a file of hooks that has comments; with
	// noMark also from one that begins with the mark of some editors.
	strict, noMark bool

	// unreview takes out of the agent's other files what is about our hooks.
	unreview func(w *world, c *Change) error

	// whole is set for an agent whose file is all ours: it gives the content.
	// ours tells such a file from others.
	whole func(w *world, events []event) ([]byte, error)
	ours  func(text []byte) bool
}

// event is one event as it is installed.
type event struct {
	name    string
	timeout time.Duration
	gates   bool // a failure must stop what the event gates
	changes bool // an answer may change what runs, or its result
	tells   bool // the answer is not waited for
}

// codecs are the names by which a call of ours may be for this agent.
func (a *agent) codecs() []string {
	return slices.DeleteFunc(call.Agents(), func(codec string) bool {
		return codec != a.name && !strings.HasPrefix(codec, a.name+"-")
	})
}

// events are the events that hookway is installed at, and what is to be said of
// those that are left out.
func (a *agent) events(w *world) (events []event, notes []string, err error) {
	about, err := aboutOf(a.name)
	if err != nil {
		return nil, nil, err
	}
	table, err := w.table(a.name)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range table {
		if a.leave != nil {
			if why := a.leave(e.Name, w.Version); why != "" {
				notes = append(notes, fmt.Sprintf("%s is left out: %s", e.Name, why))
				continue
			}
		}
		events = append(events, event{
			name: e.Name, timeout: a.patience(w, about, e.Name),
			gates:   w.OnFailure != call.PolicyContinue && e.Can&(adapter.Block|adapter.Ask) != 0 && call.Gates(a.name, e.Name),
			changes: e.Can&(adapter.ChangeInput|adapter.ChangeOutput) != 0,
			tells:   e.Aside && e.Can == 0,
		})
	}
	return events, notes, nil
}

// caller is how an agent calls hookway at an event.
type caller struct {
	program string
	args    []string
	direct  bool // without a shell
}

// caller is how hookway is called at an event.
func (a *agent) caller(w *world, e event) caller {
	c := caller{program: w.Shim, args: arguments(a.name, e.name, fmt.Sprintf("%ds", e.seconds()), w.OnFailure)}
	// A path that a shell would read as something else goes through one: versions
	// that do not know the form without it give the program's path to a shell.
	c.direct = a.direct != nil && a.direct(w) && shellWord(c.program) == slashed(c.program)
	return c
}

// line is the command line for a shell.
func (c caller) line() string { return commandLine(c.program, c.args) }

// command are the members of a handler that say what is started: key is that of
// a line for a shell, and program that of a program to be started without one.
func (c caller) command(key, program string) object {
	if c.direct {
		return object{{program, slashed(c.program)}, {"args", c.args}}
	}
	return object{{key, c.line()}}
}

// seconds is a timeout in whole seconds, as most agents want it.
func (e event) seconds() int { return int((e.timeout + time.Second - 1) / time.Second) }

// inGroup puts a handler into the group that Claude Code invented, and others
// took over: {"hooks": [handler]}.
func inGroup(handler object, more ...member) object {
	return append(object(more), member{"hooks", []any{handler}})
}

// under is a file below a folder of the agent's own: variable, or else home/dir.
func under(variable, dir string, name ...string) func(*world) string {
	return func(w *world) string {
		base := ""
		if variable != "" {
			base = w.getenv(variable)
		}
		if base == "" {
			base = w.path(w.home, dir)
		}
		return w.path(append([]string{base}, name...)...)
	}
}
