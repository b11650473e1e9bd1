package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/wire/call"
)

// Scope says whose configuration is meant.
type Scope int

// The scopes.
const (
	User    Scope = iota // of the user: for every project
	Project              // of the project: for everybody who works in it
)

// String gives the scope as the flags name it.
func (s Scope) String() string {
	if s == Project {
		return "project"
	}
	return "user"
}

// DefaultTimeout is how long an agent is configured to wait for hookway.
const DefaultTimeout = 60 * time.Second

// Options say what is installed where. Only State and, to install, Shim are
// needed.
type Options struct {
	// State is the folder of hookway's state, where installing notes what was
	// there before.
	State string

	// Shim is the absolute path of hookway-hook; see FindShim.
	Shim string

	// Dir is the working directory, from which the project is looked for; empty
	// is that of this process.
	Dir string

	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string

	// Timeout is how long the agent waits; 0 is DefaultTimeout.
	Timeout time.Duration

	// Hold is how long the agent waits where a call may be held for a person, if its
	// settings can have it wait so long; 0 is HoldTimeout. Below 0 no call is held.
	Hold time.Duration

	// OnFailure is what happens when hookway fails: "" (what gates is blocked),
	// "block" or "continue".
	OnFailure string

	// Version is the agent's, as Find gives it. Empty is unknown: then every event
	// is installed.
	Version string

	// Trust is set if the user said yes to what the agent itself asks before it
	// runs hooks.
	Trust bool

	// System is where the files of the whole machine are; empty is /.
	System string

	table func(codec string) ([]adapter.Event, error) // nil is that of the codecs
}

// world is Options with everything found out.
type world struct {
	Options
	scope Scope
	home  string
	dir   string // absolute
	root  string // of the project
}

func (o Options) world(scope Scope) (*world, error) {
	w := &world{Options: o, scope: scope}
	if w.Getenv == nil {
		w.Getenv = os.Getenv
	}
	if w.home = w.Getenv("HOME"); w.home == "" || !filepath.IsAbs(w.home) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return nil, errors.New("the home folder is unknown; set HOME to an absolute path")
		}
		w.home = home
	}
	var err error
	if w.dir, err = filepath.Abs(w.Dir); err != nil {
		return nil, fmt.Errorf("the working directory is unknown: %w", err)
	}
	w.dir = disk.Real(w.dir) // as agents see it
	w.root = projectRoot(w.dir)
	if w.table == nil {
		w.table = codecTable
	}
	if w.Timeout == 0 {
		w.Timeout = DefaultTimeout
	}
	if w.Hold == 0 {
		w.Hold = HoldTimeout
	}
	switch {
	case w.Timeout < time.Second || w.Timeout > time.Hour:
		return nil, fmt.Errorf("a timeout of %v makes no sense; use 1s to 1h", w.Timeout)
	case w.Timeout%time.Second != 0:
		return nil, fmt.Errorf("a timeout of %v cannot be told to the agents; use whole seconds", w.Timeout)
	case w.OnFailure != "" && w.OnFailure != call.PolicyBlock && w.OnFailure != call.PolicyContinue:
		return nil, fmt.Errorf("on failure %q: use block or continue", w.OnFailure)
	}
	return w, nil
}

// codecTable gives the events of an agent as its codec knows them.
func codecTable(codec string) ([]adapter.Event, error) {
	about, err := aboutOf(codec)
	if err != nil {
		return nil, err
	}
	return about.Events, nil
}

// aboutOf is what is known of an agent.
func aboutOf(codec string) (*adapter.About, error) {
	c, err := adapter.Lookup(codec)
	if err != nil {
		return nil, err
	}
	return c.About(), nil
}

func (w *world) getenv(name string) string { return w.Getenv(name) }

func (w *world) path(parts ...string) string {
	p := filepath.Join(parts...)
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.dir, p)
	}
	return p
}

// file is the file of an agent that hookway is written into.
func (w *world) file(a *agent) string {
	if w.scope == Project {
		return a.project(w.root)
	}
	return a.user(w)
}

// projectRoot is the nearest folder, from dir upwards, that is a repository; or
// dir.
func projectRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// HoldTimeout is how long an agent is configured to wait at an event where a call may
// be held for a person, unless they have longer to answer.
const HoldTimeout = 10 * time.Minute
