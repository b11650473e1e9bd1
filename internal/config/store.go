package config

import (
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

// maxState bounds a file of hookway's own.
const maxState = 64 << 20

// TrustState says whether the hooks of a workspace may run, and why.
type TrustState string

// The states of trust. Hooks run in TrustGiven, TrustEnvironment and TrustNamed.
const (
	TrustNone        TrustState = "none"        // there is no workspace, or nothing in it to trust
	TrustGiven       TrustState = "trusted"     // the user trusted just these files
	TrustEnvironment TrustState = "environment" // HOOKWAY_TRUST=1
	TrustNamed       TrustState = "named"       // the user named the file
	TrustMissing     TrustState = "untrusted"   // the user never trusted the workspace
	TrustChanged     TrustState = "changed"     // files changed since the user trusted them
)

// Runs reports whether the hooks may run.
func (s TrustState) Runs() bool {
	return s == TrustGiven || s == TrustEnvironment || s == TrustNamed
}

// TrustStatus is the trust in one workspace.
type TrustStatus struct {
	Workspace string        `json:"workspace,omitempty"`
	State     TrustState    `json:"state"`
	Hash      string        `json:"hash,omitempty"`
	Files     []string      `json:"files,omitempty"`       // what is pinned, by path from the workspace
	Changes   []Change      `json:"changes,omitempty"`     // with TrustChanged
	Lost      string        `json:"lost,omitempty"`        // with TrustChanged: why it is not known any more what was trusted
	Wishes    []Wish        `json:"wishes,omitempty"`      // of Trust: what scripts and modules may do from now on
	Diffs     []Difference  `json:"differences,omitempty"` // of Trust, with TrustChanged
	Unknown   []Doubt       `json:"unknown,omitempty"`     // of Trust: what the hooks may run that cannot be pinned
	Unread    []string      `json:"unreadable,omitempty"`  // of Trust: what hooks would run and nobody can look at
	Sends     []Destination `json:"sends,omitempty"`       // of Trust: where what is remembered, and events, go
	Wraps     []Wrap        `json:"wraps,omitempty"`       // of Trust: what hookway run runs when it is given nothing
}

// Bounds of a text that names files that changed.
const (
	maxChanged = 5
	maxName    = 120
)

// Changed names the files that changed since they were trusted, in one line.
func (s TrustStatus) Changed() string {
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

// agreed is what the user has let a script do, because it was seen in its code.
type agreed struct {
	Hash string   `json:"hash"` // of the files it was made of
	Seen []string `json:"seen"`
}

// trusted is one workspace in trust.json.
type trusted struct {
	Hash   string              `json:"hash"`
	Files  manifest            `json:"files"`
	Grants map[string][]string `json:"grants,omitempty"` // by script
	Seen   map[string]agreed   `json:"seen,omitempty"`   // of those, by script, what nothing but this gives
	Since  time.Time           `json:"since"`
}

// trustFile is trust.json.
type trustFile struct {
	Version    int                `json:"version"`
	Workspaces map[string]trusted `json:"workspaces"`
	Own        map[string]agreed  `json:"own,omitempty"` // of the user's scripts, by path
}

// trustStore keeps trust.json in the state folder.
type trustStore struct{ dir string }

func (s trustStore) path() string { return filepath.Join(s.dir, "trust.json") }

// read gives what is trusted. A missing file is no trust at all; so is one that
// others could have written, which is an error too.
func (s trustStore) read() (trustFile, error) {
	empty := trustFile{Version: 1, Workspaces: map[string]trusted{}}
	f, err := disk.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("%s cannot be read: %w", s.path(), cause(err))
	}
	defer f.Close()
	if err := checkOwner(s.path(), f.Info()); err != nil {
		return empty, fmt.Errorf("%s cannot be relied on: %w", s.path(), err)
	}
	var out trustFile
	if err := json.NewDecoder(io.LimitReader(f, maxState)).Decode(&out); err != nil {
		return empty, fmt.Errorf("%s is damaged; remove it and run hookway trust in each workspace again: %w", s.path(), err)
	}
	if out.Version != 1 {
		return empty, fmt.Errorf("%s is of version %d, which this hookway does not know; use a newer one", s.path(), out.Version)
	}
	if out.Workspaces == nil {
		out.Workspaces = map[string]trusted{}
	}
	return out, nil
}

// change rewrites trust.json under a lock: two processes lose nothing.
func (s trustStore) change(edit func(*trustFile) error) error {
	if err := privateDir(s.dir); err != nil {
		return err
	}
	unlock, err := lockFile(s.path() + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	t, err := s.read()
	if err != nil {
		return err
	}
	if err := edit(&t); err != nil {
		return err
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.path(), err)
	}
	if err := disk.Replace(s.path(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.path(), cause(err))
	}
	return nil
}

// trust notes what is trusted in a workspace, and keeps copies of its files.
func (s trustStore) trust(workspace string, entry trusted, pins map[string]pin) error {
	return s.change(func(t *trustFile) error {
		t.Workspaces[workspace] = entry
		return s.copies().keep(pins, *t)
	})
}

// untrust takes the trust in a workspace back. It reports whether there was any.
func (s trustStore) untrust(workspace string) (was bool, err error) {
	err = s.change(func(t *trustFile) error {
		_, was = t.Workspaces[workspace]
		delete(t.Workspaces, workspace)
		return s.copies().forget(*t)
	})
	return was, err
}

// privateDir makes a folder that only the user may enter, or checks one.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the state folder %s cannot be made: %w", dir, cause(err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the state folder %s cannot be used: %w", dir, cause(err))
	}
	if err := checkOwner(dir, info); err != nil {
		return fmt.Errorf("the state folder %s cannot be relied on: %w", dir, err)
	}
	return nil
}

// status compares a workspace with what is trusted.
func (t trustFile) status(workspace string, m manifest) TrustStatus {
	out := TrustStatus{Workspace: workspace, State: TrustMissing, Hash: m.hash(), Files: slices.Sorted(maps.Keys(m))}
	entry, ok := t.Workspaces[workspace]
	switch {
	case !ok && len(m) == 0:
		out.State = TrustNone
	case !ok:
	case entry.Hash == out.Hash && entry.Files.hash() == out.Hash:
		out.State = TrustGiven
	default:
		out.State, out.Changes = TrustChanged, m.changes(entry.Files)
	}
	return out
}
