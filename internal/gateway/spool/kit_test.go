package spool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/webhook"
)

// place is the folder of the configuration in these tests.
const place = "/config"

// server is a webhook's server that answers as a test says.
type server struct {
	mu     sync.Mutex
	answer func(n int, m webhook.Message) error // to try n, counted from 1; nil takes all
	tries  []try
	under  map[string]bool
}

// try is what the server received.
type try struct {
	webhook.Message
	at time.Time
}

// Message names an event by the number that it has as its content.
func (s *server) Message(ev hook.AnyEvent) (webhook.Message, error) {
	d := ev.Body().(hook.Delivery)
	body, err := json.Marshal(d)
	return webhook.Message{ID: "evt_" + d.Content, Event: ev.Info().Name, Body: body}, err
}

func (s *server) Send(_ context.Context, m webhook.Message) error {
	s.mu.Lock()
	s.tries = append(s.tries, try{m, time.Now()})
	if s.under == nil {
		s.under = map[string]bool{}
	}
	twice := s.under[m.ID]
	s.under[m.ID] = true
	n, answer := len(s.tries), s.answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.under, m.ID)
		s.mu.Unlock()
	}()
	if twice {
		panic("two send the same at the same time")
	}
	if answer == nil {
		return nil
	}
	return answer(n, m)
}

func (s *server) Close() error { return nil }

// received returns what came, by id, in the order in which it came.
func (s *server) received() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tries {
		ids = append(ids, strings.TrimPrefix(t.ID, "evt_"))
	}
	return ids
}

// at is when a try came.
func (s *server) at(n int) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries[n].at
}

func (s *server) answers(answer func(n int, m webhook.Message) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// down is a server that cannot be reached.
func down(int, webhook.Message) error { return fmt.Errorf("connection refused") }

// says is a server that answers with a status.
func says(status int) func(int, webhook.Message) error {
	return func(int, webhook.Message) error { return &webhook.StatusError{Status: status} }
}

// world is a folder with a spool, and what it logs.
type world struct {
	*testing.T
	dir  string
	slow bool // Carry looks once in five minutes: the test is about days

	mu   sync.Mutex
	said []string
}

func newWorld(t *testing.T) *world { return &world{T: t, dir: t.TempDir()} }

// spool is one process's.
func (w *world) spool() *Spool {
	s := New(w.dir, logline.New(func(line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, line)
	}))
	s.most, s.bytes = 1000, 1<<20
	if w.slow {
		s.every = 5 * time.Minute
	}
	return s
}

// log gives what was logged.
func (w *world) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// tell tells a receiver of messages with these contents.
func (w *world) tell(r *Receiver, contents ...string) {
	w.Helper()
	for _, content := range contents {
		ev, err := hook.MessageSent.Info().New(hook.Envelope{}, hook.Delivery{Message: hook.Message{Content: content}})
		w.must(err)
		_, err = r.Handle(w.Context(), ev)
		w.must(err)
	}
}

// carry has a spool carry for these targets. stop ends it, as the process would.
func (w *world) carry(s *Spool, targets ...Target) (stop func()) {
	all := Loaded{Place: place, Targets: map[string]Target{}}
	for _, t := range targets {
		all.Targets[t.ID] = t
	}
	return w.carryAll(s, func() Loaded { return all })
}

func (w *world) carryAll(s *Spool, load func() Loaded) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var carrying sync.WaitGroup
	carrying.Go(func() { s.Carry(ctx, func(context.Context) (Loaded, error) { return load(), nil }) })
	return func() {
		w.Helper()
		cancel()
		carrying.Wait()
		w.must(s.Close())
	}
}

// target is a webhook with a server.
func target(id string, s *server) Target {
	return Target{Webhook: Webhook{place, id}, Post: s.Send}
}

// waiting is how much waits for a webhook.
func (w *world) status(s *Spool, id string) Status {
	w.Helper()
	all, err := s.Status(context.Background())
	w.must(err)
	for _, one := range all {
		if one.ID == id {
			return one
		}
	}
	return Status{}
}
