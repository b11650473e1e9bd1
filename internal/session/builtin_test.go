//go:build linux || darwin

package session_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

func lookPath(program string) (string, error) { return exec.LookPath(program) }

// fakeMemory is a list.
type fakeMemory struct{ log[hook.Remembered] }

func (m *fakeMemory) Save(_ context.Context, content string) (string, error) {
	if content == "too much" {
		return "", errors.New("the disk is full")
	}
	id := fmt.Sprint(len(m.list()) + 1)
	m.add(hook.Remembered{ID: id, Content: content})
	return id, nil
}

func (m *fakeMemory) Search(_ context.Context, query string) (found []hook.Remembered, err error) {
	for _, one := range m.list() {
		if strings.Contains(one.Content, query) {
			found = append(found, one)
		}
	}
	return found, nil
}

func (m *fakeMemory) List(context.Context) ([]hook.Remembered, error) { return m.list(), nil }

func (m *fakeMemory) Forget(_ context.Context, id string) error {
	if id != "1" {
		return errors.New("no memory has this id")
	}
	return nil
}

func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	var m fakeMemory
	w.reached("@memory:save User prefers dark mode\n\n@memory:save too much\n\n@memory:search dark\n\n@memory:search light\n\n@memory:forget 1\n\n"+
		"@memory:forget 7\n\n@memory:list\n\n@memory:serch x\n\n@memory:save\n\n@memory: save it\n\nend", session.Config{Memory: &m})
	for _, shown := range []string{
		"got: ✓ Saved to memory",
		"got: Memory: save failed: the disk is full",
		"got: Memories: - User prefers dark mode (1)",
		"got: Nothing in memory is about that.",
		"got: ✓ Forgotten",
		"got: Memory: forget failed: no memory has this id",
		`got: Memory: serch failed: there is no "serch"; did you mean \@memory:search?`,
		"got: Memory: save failed: it needs a text",
		`got: Memory: the line does not say what to do; write \@memory:save, search, forget, list`,
	} {
		w.screen.await(t, shown)
	}
	// One is what the search has found, the other the list.
	if n := strings.Count(w.screen.String(), "got: Memories: - User prefers dark mode (1)"); n != 2 {
		t.Errorf("memories were shown %d times: %q", n, w.screen.String())
	}
}

// TestWithoutThemTheirDirectivesAreTheUsers: what a session cannot serve is left alone.
func TestWithoutThemTheirDirectivesAreTheUsers(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", injects("mine"))
	w.reached("@relay:Bob one", session.Config{})
	w.screen.await(t, "got: mine")
	w.cancel()
	w.end()
	if n := w.engine.Len(); n != 1 {
		t.Errorf("the engine is left with %d hooks", n)
	}
}
