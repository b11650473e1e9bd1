package backoff_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

// TestThePausesDouble up to the longest, each up to a fifth shorter, until a success.
func TestThePausesDouble(t *testing.T) {
	b := backoff.Backoff{First: 100 * time.Millisecond, Most: 2 * time.Second}
	for range 2 {
		for i, want := range []time.Duration{100, 200, 400, 800, 1600, 2000, 2000} {
			want *= time.Millisecond
			if got := b.Next(); got < want*4/5 || got > want {
				t.Errorf("pause %d is %v, want %v or up to a fifth less", i+1, got, want)
			}
		}
		b.Reset()
	}
}

func TestThePausesDiffer(t *testing.T) {
	pauses := map[time.Duration]bool{}
	for range 50 {
		pauses[backoff.Jitter(time.Hour)] = true
	}
	if len(pauses) < 40 {
		t.Errorf("of 50 pauses %d are different", len(pauses))
	}
	if got := backoff.Jitter(0); got != 0 {
		t.Errorf("of no time it makes %v", got)
	}
}

// TestAWaitEndsSooner with what it waits for, after which the pauses begin anew, and
// with its context.
func TestAWaitEndsSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backoff.Backoff{First: time.Hour, Most: 24 * time.Hour}
		began, came := time.Now(), make(chan struct{}, 1)
		came <- struct{}{}
		if err := b.Wait(t.Context(), came); err != nil || time.Since(began) != 0 {
			t.Errorf("it waited %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.Wait(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		b.Reset()
		if err := b.Wait(t.Context(), came); err != nil || time.Since(began) > time.Hour+time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestSleepWaits(t *testing.T) {
	for _, d := range []time.Duration{time.Nanosecond, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if err := backoff.Sleep(t.Context(), d); err != nil || time.Since(began) != d {
				t.Errorf("of %v it waited %v: %v", d, time.Since(began), err)
			}
		})
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := backoff.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		for range 100 { // both are due
			if err := backoff.Sleep(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("when it is over: %v", err)
			}
		}
		if err := backoff.Sleep(t.Context(), -time.Second); err != nil || time.Since(began) != time.Minute {
			t.Errorf("no time: %v", err)
		}
	})
}
