package config

import (
	"encoding/binary"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// plan says which paths matter: files, and trees with all that is in them.
type plan struct {
	files []string
	trees []tree
}

// tree is a folder of hooks. Links in a workspace are followed as far as they stay in it.
type tree struct {
	path   string
	within string // the workspace, or "" if it is the user's own
}

// plan lists what a set was made of, and what would make another one of it.
func (s *Set) plan() plan {
	p := plan{files: []string{filepath.Join(s.stateDir, "trust.json")}}
	p.add(s.UserDir, "", userFolders)
	if s.managedDir != "" {
		p.files = append(p.files, filepath.Join(s.managedDir, fileName), filepath.Join(s.managedDir, fileNameYML))
	}
	if s.named != "" {
		p.files = append(p.files, s.named)
	} else {
		for dir := s.dir; ; dir = filepath.Dir(dir) {
			if dir == s.Workspace && s.Unread && s.Trust.State == trust.Missing { // what is in it matters to nobody
				p.add(dir, dir, nil)
				break
			}
			p.add(dir, dir, workspaceFolders)
			if dir == s.Workspace || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for _, file := range slices.Concat(s.Watched, s.pinned, s.awaited) {
		p.files = append(p.files, file)
		if real := disk.Real(file); real != file {
			p.files = append(p.files, real)
		}
	}
	return p
}

func (p *plan) add(dir, within string, folders []folder) {
	p.files = append(p.files, filepath.Join(dir, fileName), filepath.Join(dir, fileNameYML))
	for _, name := range scriptNames {
		p.files = append(p.files, filepath.Join(dir, name))
	}
	for _, f := range folders {
		p.trees = append(p.trees, tree{filepath.Join(dir, filepath.FromSlash(f.path)), within})
	}
}

// concerns reports whether a change at a path may change the set: at one of the
// plan's, in a tree, or at a folder on the way to one.
func (p *plan) concerns(path string) bool {
	on := func(target string) bool {
		return path == target || strings.HasPrefix(target, path+string(os.PathSeparator))
	}
	return slices.ContainsFunc(p.files, on) || slices.ContainsFunc(p.trees, func(t tree) bool {
		return on(t.path) || strings.HasPrefix(path, t.path+string(os.PathSeparator))
	})
}

// maxWatched bounds how many folders are watched.
const maxWatched = 512

// folders lists the existing folders in which the plan's paths are, or will be.
func (p *plan) folders() []string {
	var out []string
	add := func(dir string) {
		if !slices.Contains(out, dir) && len(out) < maxWatched {
			out = append(out, dir)
		}
	}
	paths := slices.Clone(p.files)
	for _, t := range p.trees {
		paths = append(paths, t.path)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		for !disk.IsDir(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
		add(dir)
	}
	for _, t := range p.trees {
		if disk.IsDir(t.path) {
			add(t.path)
		}
		_ = trust.WalkHooks(t.within, t.path, func(e disk.Entry) error {
			if e.Err == nil && e.Info.IsDir() && e.Real == "" {
				add(e.Path)
			}
			return nil // what cannot be read is not watched
		})
	}
	return out
}

// coarse is how old a change must be before a look at a file's times and size is
// trusted to tell it from the next one: the clocks of file systems are coarse.
const coarse = 20 * time.Millisecond

// anchors are the fewest paths on which all that a plan names depends: what is
// there, and for what is not the folder nearest to it, which changes when
// something appears in it.
type anchors struct {
	plan   plan
	sum    uint64
	stable bool
}

func (p *plan) anchors() anchors {
	var a anchors
	add := func(path string) {
		if !slices.Contains(a.plan.files, path) {
			a.plan.files = append(a.plan.files, path)
		}
	}
	for _, path := range p.files {
		for !disk.Exists(path) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
		}
		add(path)
	}
	for _, t := range p.trees {
		if disk.Exists(t.path) {
			a.plan.trees = append(a.plan.trees, t)
			continue
		}
		path := t.path
		for !disk.Exists(path) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
		}
		add(path)
	}
	a.sum, a.stable = a.plan.look(time.Now(), nil)
	return a
}

// hold reports whether nothing has changed, by what was seen for this call already.
func (a *anchors) hold(seen *Glances) bool {
	if !a.stable {
		return false
	}
	sum, _ := a.plan.look(time.Now(), seen)
	return sum == a.sum
}

// look sums up the state of all that the plan names. It is unstable if something
// changed just now, so that one more change might look the same.
func (p *plan) look(now time.Time, seen *Glances) (sum uint64, stable bool) {
	h := fnv.New64a()
	stable = true
	b := make([]byte, 0, 256)
	add := func(path string, is glimpse) {
		changed := max(is.changed, is.modified)
		b = append(b[:0], path...)
		b = binary.LittleEndian.AppendUint64(b, uint64(changed))
		b = binary.LittleEndian.AppendUint64(b, uint64(is.modified))
		b = binary.LittleEndian.AppendUint64(b, uint64(is.size))
		b = binary.LittleEndian.AppendUint32(b, is.mode)
		_, _ = h.Write(b)
		if age := now.UnixNano() - changed; age < int64(coarse) {
			stable = false
		}
	}
	for _, file := range p.files {
		if is, there := seen.at(file); there {
			add(file, is)
		}
	}
	for _, t := range p.trees {
		is, there := seen.at(t.path)
		if !there {
			continue
		}
		add(t.path, is)
		_ = trust.WalkHooks(t.within, t.path, func(e disk.Entry) error { // what is beyond its bounds does not load
			if e.Err == nil {
				add(e.Path, glimpseOf(e.Info)) // of its target, if it is a link
			}
			return nil
		})
	}
	return h.Sum64(), stable
}
