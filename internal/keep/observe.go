package keep

import (
	"io/fs"
	"strconv"
	"sync"

	"github.com/hookway/hookway/facts"
)

// Bounds of the observations of one analysis.
const (
	maxLooks = 1024
	maxNames = 1024 // in all folders together
	maxEnv   = 64
)

// Observations are what an analysis saw of the machine.
type Observations struct {
	Dir     string            `json:"dir,omitempty"`
	Home    string            `json:"home,omitempty"`
	Project string            `json:"project,omitempty"`
	Temp    []string          `json:"temp,omitempty"`
	Scratch []string          `json:"scratch,omitempty"`
	Trees   []string          `json:"trees,omitempty"`  // other work trees
	Env     map[string]string `json:"env,omitempty"`    // of the variables that the call names
	Unkept  []string          `json:"unkept,omitempty"` // such variables whose values may be secrets
	Looks   []Look            `json:"looks,omitempty"`
	More    bool              `json:"more,omitempty"` // it saw more than is kept
}

// Look is one look at the disk: what was done, at which path, and what was found.
//
//	stat, path, "file", "dir", "link" or "other"; nothing: it is not there
//	link, path, where it leads; nothing: it is not a link
//	list, path, names…; nothing: it cannot be listed, or is empty
//	read, path, how many bytes were asked for, hash of what came; no hash: it cannot be read
//
// On the disk the hash is one by this machine's key, so that who has the record cannot try
// guesses at what a file held. Records of before have a bare one.
type Look []string

// The acts of looks.
const (
	actStat = "stat"
	actLink = "link"
	actList = "list"
	actRead = "read"
)

// observer notes what an analysis sees. It is safe for concurrent use.
type observer struct {
	mu    sync.Mutex
	seen  Observations
	done  map[string]bool // looks that are noted
	names int
}

// observed is a world that notes what it is asked.
func observed(w facts.World) (facts.World, *observer) {
	o := &observer{seen: Observations{Dir: w.Dir, Home: w.Home, Project: w.Project, Temp: w.Temp, Scratch: w.Scratch}, done: map[string]bool{}}
	if f := w.Lstat; f != nil {
		w.Lstat = func(path string) (fs.FileInfo, error) {
			info, err := f(path)
			o.note(actStat, path, kindOf(info, err)...)
			return info, err
		}
	}
	if f := w.Readlink; f != nil {
		w.Readlink = func(path string) (string, error) {
			to, err := f(path)
			if err != nil {
				o.note(actLink, path)
			} else {
				o.note(actLink, path, to)
			}
			return to, err
		}
	}
	if f := w.ReadDir; f != nil {
		w.ReadDir = func(path string) ([]string, error) {
			names, err := f(path)
			o.list(path, names)
			return names, err
		}
	}
	if f := w.ReadFile; f != nil {
		w.ReadFile = func(path string, n int) ([]byte, error) {
			text, err := f(path, n)
			if err != nil {
				o.note(actRead, path, strconv.Itoa(n))
			} else {
				o.note(actRead, path, strconv.Itoa(n), fileHash(text))
			}
			return text, err
		}
	}
	if f := w.Worktrees; f != nil {
		w.Worktrees = func() []string {
			trees := f()
			o.mu.Lock()
			o.seen.Trees = trees
			o.mu.Unlock()
			return trees
		}
	}
	return w, o
}

func kindOf(info fs.FileInfo, err error) []string {
	switch {
	case err != nil:
		return nil
	case info.Mode().IsRegular():
		return []string{"file"}
	case info.IsDir():
		return []string{"dir"}
	case info.Mode()&fs.ModeSymlink != 0:
		return []string{"link"}
	}
	return []string{"other"}
}

func (o *observer) note(act, path string, found ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := act + path
	switch {
	case o.done[key]:
		return
	case len(o.seen.Looks) >= maxLooks:
		o.seen.More = true
		return
	}
	o.done[key] = true
	look := make(Look, 0, 2+len(found))
	o.seen.Looks = append(o.seen.Looks, append(append(look, act, path), found...))
}

func (o *observer) list(path string, names []string) {
	o.mu.Lock()
	o.names += len(names)
	if o.names > maxNames {
		o.seen.More = true
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	o.note(actList, path, names...)
}
