package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// Firing is an event that somebody outside fires.
type Firing struct {
	Event   string // name or alias
	Payload []byte // JSON: the payload's fields alone, or a flat event; empty is no field

	// These stand in for what the payload does not say of the event.
	Session, Agent, Source, CWD string
	ID                          string
	Time                        time.Time
	Metadata                    []byte // JSON object

	Env     []string // "NAME=value": what hooks find besides the daemon's own environment
	DryRun  bool     // say which hooks would run, and run none
	Foreign bool     // who fires may be another user, or on another machine
}

// Firer fires events.
type Firer interface {
	// Fire fires an event at the hooks of the workspace of its CWD, or at the
	// user's alone if it has none. A *Mistake is an event that cannot be fired as
	// it is; any other error means that there is no outcome.
	Fire(ctx context.Context, f Firing) (hook.Outcome[any], error)
}

// Registrar adds hooks to those of the configuration.
type Registrar interface {
	// Register adds a hook for the events of a folder's workspace, or for every
	// event of the user if cwd is "". It replaces one that was registered with its
	// id there. remove takes this hook out, once, and not one that has replaced it.
	Register(ctx context.Context, cwd string, h hook.Hook) (remove func(), replaced bool, err error)
}

// Placer is a Registrar that knows which folders are of one workspace. Without it,
// each folder is one.
type Placer interface {
	// Place is the folder that stands for all those from which a hook is registered
	// for the same events.
	Place(ctx context.Context, cwd string) (string, error)
}

// Filter says which records a watcher wants. All fields that are given must hold.
type Filter struct {
	Session string
	Event   string // name or alias
	CWD     string // this folder or one below
	After   int64  // number of the last record that was seen: those after it come first; 0: from now on
	Whole   bool   // with After 0: what is on record already comes first
	Hooks   bool   // what happens to the daemon's hooks, too
}

// Seen is a record that a watcher is told of.
type Seen struct {
	Record audit.Record
	Missed uint64 // records just before it that the watcher was too slow for

	Notice    *hook.Notice // what happened to a hook, in place of a record
	Workspace string       // of that hook
}

// Watcher tells what is decided.
type Watcher interface {
	// Watch gives what is put on record from now on, until the context ends or
	// there is nothing more to come: then the channel is closed. A watcher that is
	// slow misses records, and holds up nobody.
	Watch(ctx context.Context, f Filter) (<-chan Seen, error)
}

// Lister tells what would run.
type Lister interface {
	// Hooks gives what hookway list --json prints, for the workspace of a folder and
	// with the hooks that were registered.
	Hooks(ctx context.Context, cwd string) (any, error)
}

// Engine is what the daemon's doors open to.
type Engine interface {
	Firer
	Registrar
	Watcher
}

// Mistake is an error that is the caller's: trying again as it is changes nothing.
type Mistake struct{ Err error }

// Error says what is wrong, and what to do.
func (m *Mistake) Error() string { return m.Err.Error() }

// Unwrap gives the cause.
func (m *Mistake) Unwrap() error { return m.Err }

// Bounds of the variables that an event brings along.
const (
	maxVariables     = 4096
	maxVariableBytes = 1 << 20
)

// variables are those of an event, as NAME=value.
func variables(of map[string]string) ([]string, error) {
	var env []string
	size := 0
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(of[name], 0) {
			return nil, fmt.Errorf("env: %q is no variable; give names without '=', and values without NUL", clip(name))
		}
		env = append(env, name+"="+of[name])
		size += len(name) + len(of[name])
	}
	if len(env) > maxVariables || size > maxVariableBytes {
		return nil, fmt.Errorf("env has %d variables of %d bytes; the limits are %d and %d", len(env), size, maxVariables, maxVariableBytes)
	}
	return env, nil
}
