package config

import (
	"path/filepath"
	"time"
)

// Location is the workspace whose hooks Load would read for a folder.
type Location struct {
	Workspace string // "" if there is none

	plan   plan
	sum    uint64
	stable bool
}

// Locate finds the workspace of opts.Dir without reading its hooks.
func Locate(opts Options) (*Location, error) {
	l, err := newLoader(opts)
	if err != nil {
		return nil, err
	}
	loc := &Location{}
	// A file that appears in a folder changes the folder.
	loc.plan.files = []string{filepath.Join(l.stateDir, "trust.json"), l.userDir, opts.Dir}
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		loc.plan.files = append(loc.plan.files, dir)
		for _, m := range markers {
			if top := filepath.Dir(filepath.FromSlash(m.path)); top != "." {
				loc.plan.files = append(loc.plan.files, filepath.Join(dir, top))
			}
		}
		if dir == l.workspace || dir == filepath.Dir(dir) {
			break
		}
	}
	loc.sum, loc.stable = loc.plan.look(time.Now())
	l.passOver()
	loc.Workspace = l.workspace
	return loc, nil
}

// Fresh reports whether nothing has changed on which the location depends. It
// costs a look at a few folders.
func (l *Location) Fresh() bool {
	if !l.stable {
		return false
	}
	sum, _ := l.plan.look(time.Now())
	return sum == l.sum
}
