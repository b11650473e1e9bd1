package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// patient bounds every wait of these tests; none comes near it.
const patient = 2 * time.Minute

// silent are not hooks.
type silent struct{}

func (silent) Sending(context.Context, hook.Message) (out hook.Outcome[hook.Message], err error) {
	return out, nil
}
func (silent) Sent(context.Context, hook.Delivery) {}
func (silent) Received(context.Context, hook.Message) (out hook.Outcome[hook.Message], err error) {
	return out, nil
}

// stage is a store with leases.
type stage struct {
	*testing.T
	dir    string
	store  *relay.Store
	leases *Leases
}

func newStage(t *testing.T) *stage {
	s := &stage{T: t, dir: t.TempDir()}
	s.open()
	t.Cleanup(s.close)
	if err := s.store.Register(t.Context(), "Bob"); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) open() {
	s.Helper()
	var err error
	if s.store, err = relay.Open(s.Context(), s.dir, relay.Options{Machine: "m1"}); err != nil {
		s.Fatal(err)
	}
	s.leases = NewLeases(s.store)
}

func (s *stage) close() {
	s.Helper()
	if err := errors.Join(s.leases.Close(), s.store.Close()); err != nil {
		s.Error(err)
	}
}

// say sends texts to Bob.
func (s *stage) say(from string, texts ...string) {
	s.Helper()
	for _, text := range texts {
		if _, err := s.store.Send(s.Context(), relay.Message{From: from, To: "Bob", Content: text}); err != nil {
			s.Fatal(err)
		}
	}
}

func (s *stage) take(wait time.Duration, most int) *Lease {
	s.Helper()
	b, err := s.leases.Take(s.Context(), TakeRequest{Agent: "bob", Most: most, Wait: wait, Hooks: func(string) Hooks { return silent{} }})
	if err != nil {
		s.Fatal(err)
	}
	return b
}

// got are the texts of a lease, and which may be repeats.
func got(b *Lease) string {
	var all []string
	for _, l := range b.Items {
		text := l.Text()
		if l.Repeat {
			text += "?"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func ids(b *Lease) (all []string) {
	for _, l := range b.Items {
		all = append(all, l.ID)
	}
	return all
}

func (s *stage) want(b *Lease, texts string) {
	s.Helper()
	if got(b) != texts {
		s.Errorf("there is %q, and not %q", got(b), texts)
	}
}

// facts are the states of Bob's messages, the oldest first.
func (s *stage) facts() string {
	s.Helper()
	items, err := s.store.Inbox(s.Context(), "Bob", relay.Query{})
	if err != nil {
		s.Fatal(err)
	}
	var all []string
	for _, i := range items {
		all = append(all, string(i.Receipt.State))
	}
	return strings.Join(all, " ")
}

func (s *stage) confirm(ids ...string) Confirmed {
	s.Helper()
	c, err := s.leases.Confirm(s.Context(), "Bob", ids)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

func TestWhatCouldNotBeWrittenWaitsAsBefore(t *testing.T) {
	s := newStage(t)
	s.say("Alice", "one", "two")
	for _, lease := range []bool{true, false} {
		b := s.take(0, 9)
		s.want(b, "one two")
		if lease {
			b.Begin(time.Hour)
		}
		b.Unsent(t.Context())
	}
	b := s.take(0, 1) // one that dies with it
	b.Begin(time.Hour)
	b.Abandon()
	for range 2 {
		b = s.take(patient, 9)
		s.want(b, "one? two")
		b.Begin(time.Hour)
		b.Unsent(t.Context()) // that it may be a repeat is not forgotten
	}
	b = s.take(patient, 9)
	s.want(b, "one? two")
	if err := b.Done(t.Context()); err != nil || s.facts() != "seen seen" {
		t.Errorf(`got %s, %v, want err == nil and s.facts() == "seen seen"`, s.facts(), err)
	}
}

// TestOrderIsKeptOfEachSender: while one of theirs is out, the next wait.
func TestOrderIsKeptOfEachSender(t *testing.T) {
	s := newStage(t)
	s.say("Alice", "a1", "a2")
	first := s.take(0, 1)
	first.Begin(time.Hour)
	s.say("Carol", "c1")
	other := s.take(0, 9)
	s.want(other, "c1")
	other.Begin(time.Hour)
	s.want(s.take(0, 9), "")
	if c := s.confirm(relay.Short(first.Items[0].ID), "none"); len(c.Done) != 1 || len(c.Left) != 1 || !strings.Contains(c.Left[0].Reason, "no message") {
		t.Errorf(`got %+v, want len(c.Done) == 1 and len(c.Left) == 1 and strings.Contains(c.Left[0].Reason, "no message")`, c)
	}
	next := s.take(0, 9)
	s.want(next, "a2")
	next.Begin(time.Hour)
	if c := s.confirm(append(ids(next), ids(other)...)...); len(c.Done) != 2 || s.facts() != "seen seen seen" {
		t.Errorf(`got %+v, %s, want len(c.Done) == 2 and s.facts() == "seen seen seen"`, c, s.facts())
	}
}

func TestALeaseEnds(t *testing.T) {
	s := newStage(t)
	s.say("Alice", "one", "two")
	b := s.take(0, 9)
	b.Begin(time.Millisecond)
	next := s.take(patient, 9) // waits for the end
	s.want(next, "one? two?")
	next.Begin(time.Hour)
	s.confirm(ids(b)...) // it was faster after all
	if s.facts() != "seen seen" {
		t.Errorf(`got %v, want "seen seen"`, s.facts())
	}
	if c := s.confirm(ids(next)...); len(c.Done) != 2 {
		t.Errorf("got %+v, want len(c.Done) == 2", c)
	}
	s.want(s.take(0, 9), "")
}

// TestTheNextDaemonKnowsWhatTheOneBeforeHasGiven: a daemon was ended.
func TestTheNextDaemonKnowsWhatTheOneBeforeHasGiven(t *testing.T) {
	s := newStage(t)
	s.say("Alice", "one", "two")
	b := s.take(0, 9)
	b.Begin(time.Hour)
	s.close()
	s.open()
	if c := s.confirm(b.Items[0].ID); len(c.Done) != 1 || s.facts() != "seen accepted" {
		t.Errorf(`got %+v, %s, want len(c.Done) == 1 and s.facts() == "seen accepted"`, c, s.facts())
	}
	s.want(s.take(0, 9), "two?")
}

func TestAWaitEndsWithTheLeases(t *testing.T) {
	s := newStage(t)
	failed := make(chan error, 1)
	waiting := make(chan struct{}, 1)
	go func() {
		_, err := s.leases.Take(t.Context(), TakeRequest{Agent: "Bob", Most: 1, Wait: patient, Hooks: func(string) Hooks { return silent{} }, Idle: func(wait func() error) error {
			waiting <- struct{}{}
			return wait()
		}})
		failed <- err
	}()
	<-waiting
	if err := s.leases.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
	if _, err := s.leases.Take(t.Context(), TakeRequest{Agent: "Bob", Most: 1}); !errors.Is(err, ErrClosed) {
		t.Errorf("the next: %v", err)
	}
}

func TestWhoStaysAwayIsOffline(t *testing.T) {
	s := newStage(t)
	running := func() bool {
		all, err := s.store.Agents(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v, want err == nil and len(all) == 1", all, err)
		}
		return all[0].Running
	}
	s.take(0, 9)
	if !running() {
		t.Error("Bob is not there after a look")
	}
	s.leases.mu.Lock()
	s.leases.lines["Bob"].rest.Reset(0)
	s.leases.mu.Unlock()
	for end := time.Now().Add(patient); running(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("Bob stays for ever")
		}
	}
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	if len(s.leases.lines) != 0 || s.leases.consumers != 0 {
		t.Errorf("%d names and %d consumers are left", len(s.leases.lines), s.leases.consumers)
	}
}

func TestAnotherSessionHasTheInbox(t *testing.T) {
	s := newStage(t)
	consumer, err := s.store.Join(t.Context(), relay.Presence{Session: "s-1", Name: "Bob", Kind: "wrapped"})
	if err != nil {
		t.Fatal(err)
	}
	var used *UsedError
	request := TakeRequest{Agent: "Bob", Most: 1, Wait: patient, Hooks: func(string) Hooks { return silent{} }}
	if _, err := s.leases.Take(t.Context(), request); !errors.As(err, &used) || used.Session != "s-1" {
		t.Errorf(`got %v, want errors.As(err, &used) and used.Session == "s-1"`, err)
	}
	if err := consumer.Close(); err != nil {
		t.Fatal(err)
	}
	s.say("Alice", "one")
	s.want(s.take(patient, 1), "one")
}

// TestAnAnswerConfirms: it says that the message was read.
func TestAnAnswerConfirms(t *testing.T) {
	s := newStage(t)
	if err := s.store.Register(t.Context(), "Alice"); err != nil {
		t.Fatal(err)
	}
	s.say("Alice", "one", "two")
	b := s.take(0, 1)
	b.Begin(time.Hour)
	if _, err := s.store.Send(t.Context(), relay.Message{From: "Bob", ReplyTo: b.Items[0].ID, Content: "yes"}); err != nil {
		t.Fatal(err)
	}
	b.Abandon()
	s.want(s.take(0, 9), "two")
}

// TestConsumersAreBounded: the free ones make room.
func TestConsumersAreBounded(t *testing.T) {
	s := newStage(t)
	s.take(0, 1) // one is free now
	if err := s.store.Register(t.Context(), "Carol"); err != nil {
		t.Fatal(err)
	}
	s.leases.mu.Lock()
	s.leases.consumers += mostConsumers - 1
	s.leases.mu.Unlock()
	request := TakeRequest{Agent: "Carol", Most: 1, Hooks: func(string) Hooks { return silent{} }}
	if _, err := s.leases.Take(t.Context(), request); err != nil {
		t.Error(err)
	}
	s.leases.mu.Lock()
	s.leases.lines["Carol"].free = nil // as if it were used
	s.leases.mu.Unlock()
	if _, err := s.leases.Take(t.Context(), request); !errors.Is(err, ErrBusy) {
		t.Errorf("beyond the bound: %v", err)
	}
}

// TestManyTakeAtOnce: each message goes to one of them, and none is left.
func TestManyTakeAtOnce(t *testing.T) {
	s := newStage(t)
	const senders, each = 5, 8
	for i := range senders {
		for n := range each {
			s.say(fmt.Sprint("sender-", i), fmt.Sprint(i, ".", n))
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithTimeout(t.Context(), patient)
	defer stop()
	texts := make(chan string, senders*each)
	for w := range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				b, err := s.leases.Take(ctx, TakeRequest{Agent: "Bob", Most: 3, Wait: patient, Hooks: func(string) Hooks { return silent{} }})
				if err != nil {
					if ctx.Err() == nil {
						t.Errorf("got %v, want ctx.Err() != nil", err)
					}
					return
				}
				if len(b.Items) == 0 {
					continue
				}
				b.Begin(time.Hour)
				for _, l := range b.Items {
					texts <- l.Text()
				}
				if _, err := s.leases.Confirm(ctx, "Bob", ids(b)); err != nil && ctx.Err() == nil {
					t.Error(w, err)
				}
			}
		})
	}
	next := map[string]int{}
	for range senders * each {
		select {
		case text := <-texts:
			from, n, _ := strings.Cut(text, ".")
			if fmt.Sprint(next[from]) != n {
				t.Errorf("%s came, and not %s.%d", text, from, next[from])
			}
			next[from]++
		case <-ctx.Done():
			t.Fatal("not all came")
		}
	}
}
