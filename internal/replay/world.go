package replay

import (
	"path/filepath"
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

// newWorlds takes an environment.
func newWorlds(environ []string) *worlds {
	return &worlds{known: map[string]facts.World{}, home: guards.NearWorld("/", environ).Home, environ: environ}
}

// of is the place of calls in a folder; false if the folder is not known.
func (w *worlds) of(dir string) (facts.World, bool) {
	if !filepath.IsAbs(dir) || guards.Far(dir) {
		return facts.World{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if known, ok := w.known[dir]; ok {
		return known, true
	}
	world := guards.NearWorld(dir, w.environ)
	if len(w.known) >= mostWorlds {
		clear(w.known)
	}
	w.known[dir] = world
	return world, true
}

// readFile reads a file of today.
func (w *worlds) readFile(path string, most int) ([]byte, error) {
	return guards.UnlessFar(path, func(path string) ([]byte, error) { return disk.Read(path, int64(most)) })
}
