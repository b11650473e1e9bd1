// Package trust holds what hooks of a workspace may run: the user's word for it, and what
// that word was given for.
//
// [Pins] are the files that hooks run, read or load, as they were hashed; a shell line's
// are found by reading it. A [Store] keeps the pins that the user trusted, and copies of
// small files, so that a later change can be shown. A [Handler] runs a hook only while its
// files are what was pinned, wherever the agent works.
package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

// MaxState bounds a file of hookway's own.
const MaxState = 64 << 20

// State says whether the hooks of a workspace may run, and why.
type State string

// The states of trust. Hooks run in TrustGiven, TrustEnvironment and TrustNamed.
const (
	None        State = "none"        // there is no workspace, or nothing in it to trust
	Given       State = "trusted"     // the user trusted just these files
	Environment State = "environment" // HOOKWAY_TRUST=1
	Named       State = "named"       // the user named the file
	Missing     State = "untrusted"   // the user never trusted the workspace
	Changed     State = "changed"     // files changed since the user trusted them
)

// Runs reports whether the hooks may run.
func (s State) Runs() bool {
	return s == Given || s == Environment || s == Named
}

// Status is the trust in one workspace.
type Status struct {
	Workspace string        `json:"workspace,omitempty"`
	State     State         `json:"state"`
	Hash      string        `json:"hash,omitempty"`
	Files     []string      `json:"files,omitempty"`       // what is pinned, by path from the workspace
	Changes   []Change      `json:"changes,omitempty"`     // with TrustChanged
	Lost      string        `json:"lost,omitempty"`        // with TrustChanged: why it is not known any more what was trusted
	Wishes    []Wish        `json:"wishes,omitempty"`      // of Trust: what scripts and modules may do from now on
	Diffs     []Difference  `json:"differences,omitempty"` // of Trust, with TrustChanged
	Unknown   []Doubt       `json:"unknown,omitempty"`     // of Trust: what the hooks may run that cannot be pinned
	Unread    []string      `json:"unreadable,omitempty"`  // of Trust: what hooks would run and nobody can look at
	Sees      []Sight       `json:"sees,omitempty"`        // of Trust: what scripts see of the environment
	Sends     []Destination `json:"sends,omitempty"`       // of Trust: where what is remembered, and events, go
	Wraps     []Wrap        `json:"wraps,omitempty"`       // of Trust: what hookway run runs when it is given nothing

	manifest Manifest // of Hash
}

// Edited reports whether the workspace had a hash before one of its files was changed
// from a text to another, and nothing else is different now. A nil text is no file.
func (s Status) Edited(hash, path string, from, to []byte) bool {
	pinned, ok := strings.CutPrefix(s.manifest[path], textSum(to))
	if !ok || pinned != "" && pinned != executable {
		return false
	}
	before := maps.Clone(s.manifest)
	if delete(before, path); from != nil {
		before[path] = textSum(from) + pinned
	}
	return before.Hash() == hash
}

// Bounds of a text that names files that changed.
const (
	maxChanged = 5
	maxName    = 120
)

// Changed names the files that changed since they were trusted, in one line.
func (s Status) Changed() string {
	var names []string
	for i, c := range s.Changes {
		if i == maxChanged {
			names = append(names, fmt.Sprintf("and %d more", len(s.Changes)-i))
			break
		}
		name := visible.Line(c.Path)
		if r := []rune(name); len(r) > maxName {
			name = "…" + string(r[len(r)-maxName:])
		}
		if c.Kind != "changed" {
			name += " " + c.Kind
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Wish is what one script or module of a workspace asks to be allowed.
type Wish struct {
	Kind   string   `json:"kind"` // script or wasm
	File   string   `json:"file"` // by its path from the workspace
	Grants []string `json:"grants"`
	More   []string `json:"more,omitempty"` // those that the user has not given it before
	Seen   []string `json:"seen,omitempty"` // those for which it does not ask: they were seen in its code
}

// MayDo is what each grant lets a script do, in words.
var MayDo = map[string]string{
	"exec":  "run programs, as you",
	"read":  "read your files",
	"write": "write your files",
	"net":   "use the network",
}

// Sight is what one script sees of the environment, beside what any script does.
type Sight struct {
	File      string   `json:"file"`                // by its path from the workspace
	Variables []string `json:"variables,omitempty"` // those that it names
	All       bool     `json:"all,omitempty"`       // it runs programs: it sees every variable
}

// Destination is one place that a workspace sends something to.
type Destination struct {
	What string `json:"what"` // memory or events
	To   string `json:"to"`   // a server without what may be secret, or a command
	By   string `json:"by"`   // embedder, mem0, Qdrant or handler; of events, the hook
}

// Wrap is a program that hookway run runs when it is given none.
type Wrap struct {
	File    string `json:"file"`
	Command string `json:"command"`
}

// Agreed is what the user has let a script do, because it was seen in its code.
type Agreed struct {
	Hash string   `json:"hash"` // of the files it was made of
	Seen []string `json:"seen"`
}

// Entry is one workspace in trust.json.
type Entry struct {
	Hash   string              `json:"hash"`
	Files  Manifest            `json:"files"`
	Grants map[string][]string `json:"grants,omitempty"` // by script
	Seen   map[string]Agreed   `json:"seen,omitempty"`   // of those, by script, what nothing but this gives
	Since  time.Time           `json:"since"`
}

// File is trust.json.
type File struct {
	Version    int               `json:"version"`
	Workspaces map[string]Entry  `json:"workspaces"`
	Own        map[string]Agreed `json:"own,omitempty"` // of the user's scripts, by path
}

// Store keeps trust.json in the state folder.
type Store struct{ Dir string }

func (s Store) Path() string { return filepath.Join(s.Dir, "trust.json") }

// Read gives what is trusted. A missing file is no trust at all; so is one that
// others could have written, which is an error too.
func (s Store) Read() (File, error) {
	empty := File{Version: 1, Workspaces: map[string]Entry{}}
	f, err := disk.Open(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("%s cannot be read: %w", s.Path(), disk.Cause(err))
	}
	defer f.Close()
	if err := CheckOwner(s.Path(), f.Info()); err != nil {
		return empty, fmt.Errorf("%s cannot be relied on: %w", s.Path(), err)
	}
	var out File
	if err := json.NewDecoder(io.LimitReader(f, MaxState)).Decode(&out); err != nil {
		return empty, fmt.Errorf("%s is damaged; remove it and run hookway trust in each workspace again: %w", s.Path(), err)
	}
	if out.Version != 1 {
		return empty, fmt.Errorf("%s is of version %d, which this hookway does not know; use a newer one", s.Path(), out.Version)
	}
	if out.Workspaces == nil {
		out.Workspaces = map[string]Entry{}
	}
	return out, nil
}

// Change rewrites trust.json under a lock: two processes lose nothing.
func (s Store) Change(edit func(*File) error) error {
	if err := PrivateDir(s.Dir); err != nil {
		return err
	}
	unlock, err := LockFile(s.Path() + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	t, err := s.Read()
	if err != nil {
		return err
	}
	if err := edit(&t); err != nil {
		return err
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.Path(), err)
	}
	if err := disk.Replace(s.Path(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.Path(), disk.Cause(err))
	}
	return nil
}

// Trust notes what is trusted in a workspace, and keeps copies of its files.
func (s Store) Trust(workspace string, entry Entry, pins map[string]Pin) error {
	return s.Change(func(t *File) error {
		t.Workspaces[workspace] = entry
		return s.copies().keep(pins, *t)
	})
}

// Untrust takes the trust in a workspace back. It reports whether there was any.
func (s Store) Untrust(workspace string) (was bool, err error) {
	err = s.Change(func(t *File) error {
		_, was = t.Workspaces[workspace]
		delete(t.Workspaces, workspace)
		return s.copies().forget(*t)
	})
	return was, err
}

// PrivateDir makes a folder that only the user may enter, or checks one.
func PrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the state folder %s cannot be made: %w", dir, disk.Cause(err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the state folder %s cannot be used: %w", dir, disk.Cause(err))
	}
	if err := CheckOwner(dir, info); err != nil {
		return fmt.Errorf("the state folder %s cannot be relied on: %w", dir, err)
	}
	return nil
}

// Status compares a workspace with what is trusted.
func (t File) Status(workspace string, m Manifest) Status {
	out := Status{Workspace: workspace, State: Missing, Hash: m.Hash(), Files: slices.Sorted(maps.Keys(m)), manifest: m}
	entry, ok := t.Workspaces[workspace]
	switch {
	case !ok && len(m) == 0:
		out.State = None
	case !ok:
	case entry.Hash == out.Hash && entry.Files.Hash() == out.Hash:
		out.State = Given
	default:
		out.State, out.Changes = Changed, m.Changes(entry.Files)
	}
	return out
}

// lockWait is how long a lock is waited for. It is held for one small write.
const lockWait = 10 * time.Second

// LockFile takes a lock between processes. The kernel gives it back when the
// process dies; the file itself stays.
func LockFile(path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err = disk.LockFile(ctx, path)
	switch {
	case errors.Is(err, disk.ErrHeld):
		return nil, fmt.Errorf("another process holds %s for more than %v; try again when it has ended", path, lockWait)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be locked: %w", path, disk.Cause(err))
	}
	return unlock, nil
}
