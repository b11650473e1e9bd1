package server

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/guards"
)

// Home is hookway as one user has it: folders with a configuration, a record,
// memories, messages. Nothing is opened before it is asked for.
type Home struct {
	// Getenv gives the variables that say where the folders are.
	Getenv func(name string) string

	// Log gets what works in the background has to say.
	Log *slog.Logger

	// Err is where mistakes in the files of hooks are written.
	Err io.Writer

	// Environ gives the environment of a daemon that is started.
	Environ func() []string

	// Version is this program's own.
	Version string

	// Managed is where an administrator keeps a configuration; the zero value is the
	// system's place.
	Managed config.Managed

	// Called is told of each process that calls hookway for an agent, before it gets its
	// answer. Nil: nobody is.
	Called func(pid int)

	// Lasting says that the process lives long: what is done in the background has
	// time.
	Lasting bool

	opening  sync.Once // makes memories
	memories *Memories

	guarding sync.Once // makes guarded
	guarded  *guards.State

	spooling sync.Once // makes spool
	spool    *spool.Spool
}

// Memories gives what this process has open of what is remembered.
func (h *Home) Memories() *Memories {
	h.opening.Do(func() { h.memories = &Memories{home: h} })
	return h.memories
}

// folder is one of the folders that hold a user's data.
func (h *Home) folder(name string) (string, error) {
	_, state, err := config.Places(h.Getenv)
	return filepath.Join(state, name), err
}

// Cwd is the folder that a command acts in; "" if it is gone.
func Cwd() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// folderThere is a folder, or "" if it is not there, or on another machine.
func folderThere(dir string) string {
	if dir == "" || guards.Far(dir) {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
