package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/environ"
)

// environKey is the context's key of another environment than ours.
type environKey struct{}

// WithEnviron returns the programs that are run under the context another
// environment than ours: KEY=VALUE each, as os.Environ has it. A program for one
// event gets all of it and is looked up on its PATH, as if its owner had started
// it. A worker serves many owners, so that it gets only what every program needs
// (PATH, HOME, LANG and the like) and what its Config.Needs names; owners for
// whom these differ have workers of their own.
//
// The slice must not be changed afterwards. Entries that are not KEY=VALUE are left out.
func WithEnviron(ctx context.Context, environ []string) context.Context {
	e := environment{list: make([]string, 0, len(environ))}
	for _, entry := range environ {
		if usable(entry) {
			e.list = append(e.list, entry)
		}
	}
	return context.WithValue(ctx, environKey{}, &e)
}

// usable reports whether an entry can be given to a program. On Windows, names
// may begin with "=": those are the current folders of drives.
func usable(entry string) bool {
	if strings.ContainsRune(entry, 0) {
		return false
	}
	at := strings.IndexByte(entry, '=')
	return at > 0 || at == 0 && runtime.GOOS == "windows"
}

// environment is what a program is started with, before our own variables. A
// nil one is ours.
type environment struct{ list []string }

func environOf(ctx context.Context) *environment {
	e, _ := ctx.Value(environKey{}).(*environment)
	return e
}

// all is the whole environment. The caller may append to it.
func (e *environment) all() []string {
	if e == nil {
		return os.Environ()
	}
	return slices.Clip(e.list)
}

// get is one variable, or "".
func (e *environment) get(name string) string {
	if e == nil {
		return os.Getenv(name)
	}
	value, _ := environ.Lookup(e.list, name)
	return value
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Getenv is a variable of an environment, or "".
func Getenv(environ []string, name string) string {
	return (&environment{environ}).get(name)
}

// folder is the working directory that belongs to this environment, or "".
func (e *environment) folder() string {
	if e == nil {
		dir, _ := os.Getwd() // unknown stays empty
		return dir
	}
	if dir := e.get("PWD"); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// depth is how many commands of hooks we run inside: a hook may fire events
// itself, and their hooks again, which would have no end without a count.
func (e *environment) depth() int {
	return environ.Depth(e.get(environ.DepthVariable))
}

// basics are the variables that a worker gets of the event's environment:
// without them many programs do not run, or not in the user's language. The
// depth is among them so that hooks that call hookway in a circle are counted
// through workers too.
var basics = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR", "HOOKWAY_HOME", "HOOKWAY_DEPTH",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS",
}

// windowsBasics are those that programs need there.
var windowsBasics = []string{
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
	"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "CommonProgramFiles", "PROCESSOR_ARCHITECTURE",
	"NUMBER_OF_PROCESSORS", "OS",
}

// forWorker is the part of the environment that a worker gets, sorted, so that
// equal ones are equal texts.
func (e *environment) forWorker(needs []string) *environment {
	if e == nil {
		return nil
	}
	chosen := map[string]string{}
	for _, entry := range e.list {
		name, _, _ := strings.Cut(entry, "=")
		is := func(other string) bool { return sameName(name, other) }
		if strings.HasPrefix(name, "LC_") || slices.ContainsFunc(basics, is) || slices.ContainsFunc(needs, is) ||
			runtime.GOOS == "windows" && slices.ContainsFunc(windowsBasics, is) {
			chosen[name] = entry
		}
	}
	out := &environment{list: make([]string, 0, len(chosen))}
	for _, entry := range chosen {
		out.list = append(out.list, entry)
	}
	slices.Sort(out.list)
	return out
}

// key tells environments apart. Ours is the empty text.
func (e *environment) key() string {
	if e == nil {
		return ""
	}
	return "\x00" + strings.Join(e.list, "\x00")
}

// lookPath finds a program on the environment's PATH, whose relative folders
// start from dir; without one they are passed over.
func (e *environment) lookPath(name, dir string) (string, error) {
	if e == nil {
		return exec.LookPath(name)
	}
	return environ.LookPath(e.list, name, dir)
}

// Environ is the environment of a context, KEY=VALUE each: that of WithEnviron,
// else ours. It is not to be changed.
func Environ(ctx context.Context) []string { return environOf(ctx).all() }

// LookPath finds a program as it would be found for a command that is run under
// the context: on the PATH of WithEnviron, else on ours.
func LookPath(ctx context.Context, name string) (string, error) {
	if filepath.Base(name) != name {
		return exec.LookPath(name)
	}
	return environOf(ctx).lookPath(name, "")
}
