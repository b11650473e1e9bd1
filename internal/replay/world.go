package replay

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
)

// mostWorlds bounds how many folders are remembered.
const mostWorlds = 256

// worlds gives the place of a call by its folder.
type worlds struct {
	environ []string
	home    string
	mu      sync.Mutex
	known   map[string]facts.World
}

// newWorlds takes an environment. What names a project is of the process that asks, and
// not of the calls.
func newWorlds(environ []string) *worlds {
	return &worlds{known: map[string]facts.World{}, home: guards.World("/", environ).Home, environ: slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		return strings.HasPrefix(e, "HOOKWAY_PROJECT_DIR=") || strings.HasPrefix(e, "CLAUDE_PROJECT_DIR=") || strings.HasPrefix(e, "PWD=") || strings.HasPrefix(e, "OLDPWD=")
	})}
}

// of is the place of calls in a folder; false if the folder is not known.
func (w *worlds) of(dir string) (facts.World, bool) {
	if !filepath.IsAbs(dir) || far(dir) {
		return facts.World{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if known, ok := w.known[dir]; ok {
		return known, true
	}
	world := near(guards.World(dir, w.environ))
	if len(w.known) >= mostWorlds {
		clear(w.known)
	}
	w.known[dir] = world
	return world, true
}

// far reports whether to look at a path may ask another machine: a share, or a folder
// where the system mounts what is named.
func far(path string) bool {
	path = filepath.ToSlash(path)
	return strings.HasPrefix(path, "//") || strings.HasPrefix(path, "/net/") || strings.HasPrefix(path, "/afs/") || strings.HasPrefix(path, "/misc/")
}

// near is a place that never looks at another machine.
func near(w facts.World) facts.World {
	lstat, readlink, readDir, readFile := w.Lstat, w.Readlink, w.ReadDir, w.ReadFile
	w.Lstat = func(path string) (fs.FileInfo, error) { return unlessFar(path, lstat) }
	w.Readlink = func(path string) (string, error) { return unlessFar(path, readlink) }
	w.ReadDir = func(path string) ([]string, error) { return unlessFar(path, readDir) }
	w.ReadFile = func(path string, n int) ([]byte, error) {
		return unlessFar(path, func(path string) ([]byte, error) { return readFile(path, n) })
	}
	return w
}

func unlessFar[T any](path string, look func(string) (T, error)) (nothing T, err error) {
	if far(path) {
		return nothing, fs.ErrNotExist
	}
	return look(path)
}

// readFile reads a file of today.
func (w *worlds) readFile(path string, most int) ([]byte, error) {
	return unlessFar(path, func(path string) ([]byte, error) { return disk.Read(path, int64(most)) })
}
