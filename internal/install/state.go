package install

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/tailscale/hujson"
)

// State is how far hookway is installed for an agent.
type State struct {
	Agent  string
	Scope  Scope
	File   string // that hookway is written into
	Exists bool   // the file

	// Events are the agent's events at which hookway is installed; Missing are
	// those of the table at which it is not.
	Events  []EventState
	Missing []string

	// Shims are the programs that the entries call; Gone are those of them that are
	// not there or cannot be run.
	Shims, Gone []string

	// Unapproved are the events whose hook the agent does not run until its user
	// approves it.
	Unapproved []string

	// Timeout is how long the agent waits; longer where a call may be held.
	Timeout time.Duration

	// Short are the events at which a call may be held for a person, and the agent
	// waits less than it would if hookway were installed again.
	Short []string

	// Stale is set if installing again would change something.
	Stale bool

	// Off are the settings by which the agent runs no hooks, or not ours, and what
	// to do.
	Off []string

	// Faults are what keeps hookway from being asked at an event, or its answer from
	// the agent, though an entry stands there.
	Faults []string

	// Odd are members of our entries that nobody knows.
	Odd []string

	// Others are hooks of others at an event where hookway may stop something.
	Others []string

	// Notes are for the user to know.
	Notes []string
}

// EventState is an event at which hookway is installed.
type EventState struct {
	Name      string
	Program   string
	Line      string // the command line as it stands there; "" if the agent calls without a shell
	Codec     string
	Timeout   string // as on the command line
	OnFailure string
	Copies    int    // more than one asks hookway twice
	Only      string // when hookway is asked, if not at each: "if Bash(git *)"
}

// Installed looks at an agent's configuration. Options.Shim may be empty: then the
// one that is installed is taken for right.
func Installed(name string, scope Scope, o Options) (State, error) {
	a, err := find(name)
	if err != nil {
		return State{}, err
	}
	w, err := o.world(scope)
	if err != nil {
		return State{}, err
	}
	s := State{Agent: name, Scope: scope, File: w.file(a)}
	f, err := readFile(s.File)
	if err != nil || !f.Existed {
		return s, err
	}
	s.Exists = true
	if a.whole != nil {
		return s, s.lookWhole(a, w, f)
	}
	if err := s.look(a, w, f.text()); err != nil {
		return s, fmt.Errorf("%s:%w", s.File, spaced(err))
	}
	if err := s.faults(a, f.text()); err != nil {
		return s, fmt.Errorf("%s:%w", s.File, spaced(err))
	}
	if len(s.Events) == 0 {
		return s, nil
	}
	if err := s.compare(a, w); err != nil {
		return s, err
	}
	unknown, err := a.unknownEvents(w, f.text())
	s.Off = append(s.Off, unknown...)
	return s, err
}

// look finds our entries.
func (s *State) look(a *agent, w *world, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	t, err := treeOf(text, a.keys)
	if err != nil || t.events == nil {
		return err
	}
	table, err := w.table(a.name)
	if err != nil {
		return err
	}
	aside := func(name string) bool {
		return slices.ContainsFunc(table, func(e adapter.Event) bool { return e.Name == name && e.Aside })
	}
	for _, m := range t.events.Value.(*hujson.Object).Members {
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			continue
		}
		found := entries(&m.Value, a.codecs())
		if len(found) == 0 {
			continue
		}
		e, name := found[0], m.Name.Value.(hujson.Literal).String()
		s.Events = append(s.Events, EventState{
			Name: name, Program: e.program, Line: e.line, Codec: e.codec,
			Timeout: e.flags["timeout"], OnFailure: e.flags["on-failure"], Copies: len(found), Only: e.only(aside(name)),
		})
		s.addShim(e.program)
	}
	return nil
}

func (s *State) addShim(program string) {
	if slices.Contains(s.Shims, program) {
		return
	}
	s.Shims = append(s.Shims, program)
	path := filepath.FromSlash(program)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || filepath.Separator == '/' && info.Mode()&0o111 == 0 {
		s.Gone = append(s.Gone, program)
	}
}

// compare plans the installation anew, as it was asked for, and says what differs.
func (s *State) compare(a *agent, w *world) error {
	o := w.Options
	if o.Shim == "" {
		o.Shim = filepath.FromSlash(s.Shims[0])
	}
	o.OnFailure, o.Trust = s.Events[0].OnFailure, false
	if !filepath.IsAbs(o.Shim) {
		s.Stale = true
		return nil
	}
	about, err := aboutOf(a.name)
	if err != nil {
		return err
	}
	s.Timeout = s.longest(about)
	o.Timeout = s.Timeout
	s.Short = s.short(a, w, about)
	change, err := Plan(a.name, s.Scope, o)
	if err != nil {
		return err
	}
	for _, name := range change.Events {
		if !slices.ContainsFunc(s.Events, func(e EventState) bool { return e.Name == name }) {
			s.Missing = append(s.Missing, name)
		}
	}
	s.Stale, s.Notes, s.Off = !change.Empty(), change.Notes, change.Off
	if change.Question != "" {
		s.Unapproved, err = unapproved(w)
		s.Notes = append(s.Notes, change.Undone)
	}
	return err
}

// lookWhole looks at a file that is all ours.
func (s *State) lookWhole(a *agent, w *world, f *File) error {
	if !a.ours(f.text()) {
		return nil
	}
	about, err := aboutOf(a.name)
	if err != nil {
		return err
	}
	o := bridgeSettings(f.text())
	events, _, err := a.events(w)
	if err != nil {
		return err
	}
	for _, e := range events {
		wait := o.Timeout
		if about.Holds(e.name) > 0 && o.Hold != "" {
			wait = o.Hold
		}
		s.Events = append(s.Events, EventState{Name: e.name, Program: o.Shim, Codec: a.name, Timeout: wait, OnFailure: o.OnFailure, Copies: 1})
	}
	s.addShim(o.Shim)
	s.Off = a.switches(w, nil)
	w.Options.OnFailure = o.OnFailure
	if w.Shim == "" {
		w.Shim = o.Shim
	}
	if s.Timeout, err = time.ParseDuration(o.Timeout); err != nil { // somebody edited it
		s.Timeout = DefaultTimeout
	}
	w.Timeout = s.Timeout
	s.Short = s.short(a, w, about)
	text, err := a.whole(w, events)
	s.Stale = !bytes.Equal(text, f.text())
	if a.edited(w, f, events, o.Shim) {
		s.Faults = append(s.Faults, "the plugin is neither what hookway install writes nor what it wrote there: perhaps it does not ask hookway")
	}
	return err
}
