package hook

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// Observers begin in order of priority, however they were registered.
func TestObserversBeginInOrder(t *testing.T) {
	e := &Engine{begins: time.Hour} // each is at work at once
	var mu sync.Mutex
	var began []int
	for _, priority := range []int{50, 10, 40, 20, 30} {
		err := e.Add(New(string(rune('a'+priority)), HandlerFunc(func(ctx context.Context, _ AnyEvent) (Decision, error) {
			mu.Lock()
			began = append(began, priority)
			mu.Unlock()
			Begun(ctx)
			return Decision{}, nil
		}), For("SessionStart"), As(Observe), Priority(priority)))
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		began = nil
		if _, err := Fire(context.Background(), e, SessionStart, &Envelope{}, SessionInfo{}); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(began, []int{10, 20, 30, 40, 50}) {
			t.Fatalf("they began as %v", began)
		}
	}
}

// One that takes its time keeps no other from beginning.
func TestASlowObserverHoldsUpNoOther(t *testing.T) {
	e := new(Engine)
	second := make(chan struct{})
	for priority, handle := range []func(){func() { <-second }, func() { close(second) }} {
		err := e.Add(New(string(rune('a'+priority)), HandlerFunc(func(context.Context, AnyEvent) (Decision, error) {
			handle()
			return Decision{}, nil
		}), For("SessionStart"), As(Observe), Priority(priority)))
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Fire(context.Background(), e, SessionStart, &Envelope{}, SessionInfo{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(context.Background()); err != nil { // it ends only when both have
		t.Fatal(err)
	}
}
