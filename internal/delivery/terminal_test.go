package delivery

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
)

// overtaken is a terminal in which the first text fails while the second one is being
// brought. Everything after these two is typed at once.
type overtaken struct {
	oneText
	first  Input
	failed chan struct{}
	second error // of the claim of the second text
	n      int
}

type failing struct{ ended chan struct{} }

func (failing) Withdraw() {}
func (f failing) Wait() Result {
	<-f.ended
	return Result{Err: errors.New("the terminal failed")}
}

func (e *overtaken) Bring(in Input) Typing {
	e.mu.Lock()
	e.n++
	n := e.n
	e.mu.Unlock()
	switch n {
	case 1:
		e.first = in
		return failing{e.failed}
	case 2:
		e.first.Failed(errors.New("the terminal failed"))
		close(e.failed)
		err := in.Claim(context.Background(), in.Text, "typed")
		e.mu.Lock()
		e.second = err
		e.mu.Unlock()
		if err != nil {
			in.Failed(err)
			return typedText{Result{Err: err}}
		}
		e.oneText.typed = append(e.typed, in.Text)
		return typedText{Result{Given: true}}
	}
	return e.oneText.Bring(in)
}

// runUntilTyped runs a terminal until so many texts are typed, and closes it.
func runUntilTyped(t *testing.T, c *Terminal, edge *oneText, texts int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx)
	}()
	eventually.True(t, "the texts are typed", func() bool {
		edge.mu.Lock()
		defer edge.mu.Unlock()
		return len(edge.typed) == texts
	})
	cancel()
	<-done
	c.Close()
}

// TestNoTextOvertakesOneThatFailed: a text that is brought at the moment at which one
// ahead of it fails is not claimed; both come again in their order.
func TestNoTextOvertakesOneThatFailed(t *testing.T) {
	t.Parallel()
	store, err := relay.Open(t.Context(), t.TempDir(), relay.Options{Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	edge := &overtaken{failed: make(chan struct{})}
	c := NewTerminal(TerminalConfig{Edge: edge, Hooks: silent{}, Warn: t.Errorf, Presence: relay.Presence{Session: "s", Name: "Bob", Kind: relay.KindWrapped},
		Open: func(context.Context) (*relay.Store, error) { return store, nil }})
	if !c.wait(t.Context()) {
		t.Fatal("the store was not opened")
	}
	for _, text := range []string{"one", "two"} {
		if _, err := c.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	runUntilTyped(t, c, &edge.oneText, 2)
	if !errors.Is(edge.second, errOrder) {
		t.Errorf("the second text's claim: got %v, want %v", edge.second, errOrder)
	}
	if got := strings.Join(edge.typed, "|"); !strings.Contains(edge.typed[0], "one") || !strings.Contains(edge.typed[1], "two") {
		t.Errorf("got %q, want one before two", got)
	}
}
