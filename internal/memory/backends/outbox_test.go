package backends

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/memory"
)

// recorded is a backend that notes what it is given.
type recorded struct {
	memory.Backend

	mu    sync.Mutex
	texts []string
	away  bool
	hold  func() // called before each save
}

func (r *recorded) Save(_ context.Context, m memory.Memory) (memory.Memory, error) {
	if r.hold != nil {
		r.hold()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return memory.Memory{}, memory.ErrUnavailable
	}
	r.texts = append(r.texts, m.Text)
	m.ID = "there-" + m.Text
	return m, nil
}

func (r *recorded) Search(ctx context.Context, _ string, _ int, _ memory.View) ([]memory.Memory, error) {
	return nil, ctx.Err()
}

func (r *recorded) Close() error { return nil }

func (r *recorded) set(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

// TestAnotherProcessSendsWhatWaits: also one that began before it had to wait.
func TestAnotherProcessSendsWhatWaits(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "outbox.db")
	there := &recorded{}
	first, second := memory.NewOutbox(there, path), memory.NewOutbox(there, path)
	save := func(o *memory.Outbox, text string) {
		t.Helper()
		if _, err := o.Save(ctx, memory.Memory{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	save(first, "one")
	there.set(true)
	save(second, "two")
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	there.set(false)
	save(first, "three")
	if got := strings.Join(there.texts, " "); got != "one two three" {
		t.Errorf("there is %s", got)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
}

// TestTwoProcessesSendWhatWaitsOnce: the second one finds nothing more to send when
// the first is done.
func TestTwoProcessesSendWhatWaitsOnce(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "outbox.db")
	there := &recorded{away: true}
	open := func() *memory.Outbox {
		o := memory.NewOutbox(there, path)
		t.Cleanup(func() { o.Close() })
		return o
	}
	kept, err := open().Save(ctx, memory.Memory{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	there.set(false)
	first, second := open(), open()
	begun, free := make(chan struct{}), make(chan struct{})
	there.hold = sync.OnceFunc(func() { close(begun); <-free })
	ended := make(chan error, 2)
	search := func(o *memory.Outbox) {
		_, err := o.Search(ctx, "x", 1, memory.View{})
		ended <- err
	}
	go search(first)
	<-begun
	brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := second.Search(brief, "x", 1, memory.View{}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("a search while another process sends: %v", err)
	}
	if err := second.Forget(brief, kept.ID, memory.View{All: true}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("what is just sent is forgotten here alone: %v", err)
	}
	go search(second)
	close(free)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(there.texts, " "); got != "one" {
		t.Errorf("there is %s", got)
	}
}

// TestASlowSaveHoldsUpNobodyPastTheirTime: a search that something waits for ends
// when its caller says, and what is saved meanwhile is kept here.
func TestASlowSaveHoldsUpNobodyPastTheirTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	begun, free := make(chan struct{}), make(chan struct{})
	there := &recorded{away: true}
	o := memory.NewOutbox(there, path)
	t.Cleanup(func() { o.Close() })
	if _, err := o.Save(t.Context(), memory.Memory{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	there.set(false)
	there.hold = sync.OnceFunc(func() { close(begun); <-free })
	o = memory.NewOutbox(there, path) // which asks at once
	ended := make(chan error, 1)
	go func() {
		_, err := o.Save(context.Background(), memory.Memory{Text: "two"})
		ended <- err
	}()
	<-begun
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := o.Search(brief, "x", 1, memory.View{}); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("a search: %v", err)
	}
	if m, err := o.Save(brief, memory.Memory{Text: "three"}); err != nil || !m.Waits {
		t.Errorf("a save: %+v, %v", m, err)
	}
	close(free)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := o.Search(t.Context(), "x", 1, memory.View{}); err != nil { // which sends what waits
		t.Error(err)
	}
	if got := strings.Join(there.texts, " "); len(there.texts) != 3 || !strings.HasPrefix(got, "one ") {
		t.Errorf("there is %s", got)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}
