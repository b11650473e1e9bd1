package keep

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hookway/hookway/facts"
)

// maxLacks bounds what is said of what a world lacks.
const maxLacks = 20

// World answers as the world did when something was observed.
type World struct {
	facts.World

	mu    sync.Mutex
	lacks []string
}

// World gives the world of that time. What was not looked at then is not there. Of files
// only the hash is kept: read gives today's, and one that is not as it was cannot be
// read. A nil read has none. key is the machine's, and may be nil.
func (o *Observations) World(read func(path string, n int) ([]byte, error), key *Placeholders) *World {
	looks := make(map[string]Look, len(o.Looks))
	for _, l := range o.Looks {
		if len(l) >= 2 {
			looks[l[0]+l[1]] = l
		}
	}
	w := &World{}
	for _, name := range o.Unkept {
		w.lack("the value of the variable %s, which may be a secret", name)
	}
	w.World = facts.World{Dir: o.Dir, Home: o.Home, Project: o.Project, Temp: o.Temp, Scratch: o.Scratch, Env: o.Env}
	look := func(act, name string) (Look, error) {
		l := looks[act+name]
		if l == nil {
			w.lack("nobody looked at %s then (%s)", name, act)
			return nil, fs.ErrNotExist
		}
		if len(l) == 2 {
			return nil, fs.ErrNotExist
		}
		return l, nil
	}
	w.Lstat = func(name string) (fs.FileInfo, error) {
		l, err := look(actStat, name)
		if err != nil {
			return nil, err
		}
		return info{path.Base(name), l[2]}, nil
	}
	w.Readlink = func(name string) (string, error) {
		l, err := look(actLink, name)
		if err != nil {
			return "", err
		}
		return l[2], nil
	}
	w.ReadDir = func(name string) ([]string, error) {
		l, err := look(actList, name)
		if err != nil {
			return nil, err
		}
		return slices.Clone(l[2:]), nil
	}
	w.ReadFile = func(name string, n int) ([]byte, error) {
		l, err := look(actRead, name)
		if err != nil {
			return nil, err
		}
		if len(l) < 4 {
			return nil, fs.ErrNotExist
		}
		return w.file(l, read, key)
	}
	w.Worktrees = func() []string { return o.Trees }
	return w
}

// file reads a file that was read then, if it holds what it held.
func (w *World) file(l Look, read func(string, int) ([]byte, error), key *Placeholders) ([]byte, error) {
	if read == nil {
		w.lack("the file %s, of which only the hash was kept", l[1])
		return nil, fs.ErrNotExist
	}
	n, err := strconv.Atoi(l[2])
	if err != nil || n < 0 {
		return nil, fs.ErrInvalid
	}
	text, err := read(l[1], n)
	if err != nil {
		w.lack("the file %s cannot be read any more", l[1])
		return nil, err
	}
	switch same, known := key.holds(text, l[3]); {
	case !known:
		w.lack("the key of this machine, which tells whether the file %s has changed", l[1])
		return nil, fs.ErrNotExist
	case !same:
		w.lack("the file %s has changed since", l[1])
		return nil, fs.ErrNotExist
	}
	return text, nil
}

func (w *World) lack(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if len(w.lacks) < maxLacks && !slices.Contains(w.lacks, text) {
		w.lacks = append(w.lacks, text)
	}
}

// Lacks says what the world was asked that it does not know.
func (w *World) Lacks() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lacks)
}

// info is what is known of something that lay there.
type info struct{ name, kind string }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return 0 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.kind == "dir" }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	switch i.kind {
	case "file":
		return 0
	case "dir":
		return fs.ModeDir
	case "link":
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}
