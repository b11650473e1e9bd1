package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
)

// Firer fires events.
type Firer interface {
	// Fire fires an event at the hooks of the workspace of its CWD, or at the
	// user's alone if it has none. A *judge.RequestError says what is wrong with the
	// firing; any other error means that there is no outcome.
	Fire(ctx context.Context, f judge.Firing) (hook.Outcome[any], error)
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

// Watcher tells what is decided.
type Watcher interface {
	// Follow gives what is put on record from now on, until the context ends or
	// there is nothing more to come: then the channel is closed. A watcher that is
	// slow misses records, and holds up no other.
	Follow(ctx context.Context, f judge.WatchFilter) (<-chan judge.Watched, error)
}

// Lister tells what would run.
type Lister interface {
	// Hooks gives the hooks of the workspace of a folder, and those that were
	// registered.
	Hooks(ctx context.Context, cwd string) (judge.Listing, error)
}

// Engine is what a Server and a Service answer with.
type Engine interface {
	Firer
	Registrar
	Watcher
}

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
			return nil, fmt.Errorf("env: %q is not a variable; give names without '=', and values without NUL", clip(name))
		}
		env = append(env, name+"="+of[name])
		size += len(name) + len(of[name])
	}
	if len(env) > maxVariables || size > maxVariableBytes {
		return nil, fmt.Errorf("env has %d variables of %d bytes; the limits are %d and %d", len(env), size, maxVariables, maxVariableBytes)
	}
	return env, nil
}
