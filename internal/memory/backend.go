package memory

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Backend is where memories are kept: the [Store] of this machine, or a service
// that has them. All methods may be called from many goroutines.
type Backend interface {
	// Save keeps a memory and gives it back with the id by which to forget it.
	Save(ctx context.Context, m Memory) (Memory, error)

	// Search gives the k memories that fit a query best, the best one first.
	Search(ctx context.Context, query string, k int, v View) ([]Memory, error)

	// Forget deletes a memory that the view can see; [ErrUnknown] if there is none.
	Forget(ctx context.Context, id string, v View) error

	// List gives the newest memories that the view can see, at most n; 0 is all. With
	// [ErrPart] these are those that it can have.
	List(ctx context.Context, n int, v View) ([]Memory, error)

	Close() error
}

// Importer is a backend that reads many memories at once.
type Importer interface {
	Import(ctx context.Context, from io.Reader, otherwise Memory) (Imported, error)
}

// Exporter is a backend that writes all that it has without holding it.
type Exporter interface {
	Export(ctx context.Context, to io.Writer, v View) (int, error)
}

var _ interface {
	Backend
	Importer
	Exporter
} = (*Store)(nil)

// ErrUnavailable is the error of a backend that cannot be asked now: it is down,
// slow, or refuses all work. What it was to save can be sent later.
var ErrUnavailable = errors.New("the memory cannot be reached")

// ErrPart is the error of a backend that cannot give all that was asked for.
var ErrPart = errors.New("these may not be all memories")

// Sees reports whether a memory is in a view.
func (v View) Sees(m *Memory) bool {
	switch {
	case v.Session != "" && m.Session != v.Session, v.By != "" && m.Agent != v.By, v.Scope != "" && m.Scope != v.Scope:
		return false
	}
	for _, tag := range cleanTags(v.Tags) {
		if !slices.Contains(m.Tags, tag) {
			return false
		}
	}
	if v.All || m.Scope == ScopeUser {
		return true
	}
	return m.Workspace == v.Workspace && (m.Scope == ScopeWorkspace || m.Agent == v.Agent && v.Agent != "")
}

// Import reads memories into any backend, one JSON object a line, as [Export]
// writes them. All lines are checked before the first is saved. A backend that is
// no [Importer] saves them one after the other: the error says how many it has.
func Import(ctx context.Context, b Backend, from io.Reader, otherwise Memory) (Imported, error) {
	if can, ok := b.(Importer); ok {
		return can.Import(ctx, from, otherwise)
	}
	var done Imported
	all, err := readLines(ctx, from, otherwise)
	if err != nil {
		return done, err
	}
	for i := range all {
		if _, err := b.Save(ctx, all[i]); err != nil {
			return done, fmt.Errorf("the first %d of %d memories were saved, then: %w", i, len(all), err)
		}
		done.Added++
	}
	return done, nil
}

// Export writes the memories that a view can see, one JSON object a line, the
// oldest first, and says how many they are. After [ErrPart] they are written too.
func Export(ctx context.Context, b Backend, to io.Writer, v View) (int, error) {
	if can, ok := b.(Exporter); ok {
		return can.Export(ctx, to, v)
	}
	all, part := b.List(ctx, 0, v)
	if part != nil && !errors.Is(part, ErrPart) {
		return 0, part
	}
	out := bufio.NewWriter(to)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range all {
		if err := enc.Encode(all[len(all)-1-i]); err != nil {
			return i, err
		}
	}
	return len(all), cmp.Or(out.Flush(), part)
}

// Terms gives the stems of a text that say what it is about, each as often as it
// is there.
func Terms(text string) []string { return terms(text) }
