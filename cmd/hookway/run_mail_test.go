package main

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/logline"
)

// Other machines reach a session through a daemon only: one that was killed is missed soon.
func TestDaemonIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		var said []string
		p := &notifier{
			wanted: make(chan struct{}, 1), every: daemonEvery,
			notify: func(context.Context) error {
				at = append(at, time.Since(began))
				return errors.New("it cannot be started")
			},
			log: logline.New(func(line string) { said = append(said, line) }),
		}
		p.working.Go(func() { p.run(t.Context()) })
		p.want()
		time.Sleep(25 * time.Second)
		p.close()
		if want := []time.Duration{0, 10 * time.Second, 20 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("the daemon was looked for at %v, not at %v", at, want)
		}
		if len(said) != 1 {
			t.Errorf("%d warnings instead of one: %q", len(said), said)
		}
	})
}

// A session that no other machine may send to looks for no daemon.
func TestDaemonIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := 0
		p := &notifier{wanted: make(chan struct{}, 1), notify: func(context.Context) error { times++; return nil }}
		p.working.Go(func() { p.run(t.Context()) })
		time.Sleep(time.Hour)
		p.close()
		if times > 0 {
			t.Errorf("got %d notifications, want none", times)
		}
	})
}
