package sleep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/sleep"
)

func TestForWaits(t *testing.T) {
	for _, d := range []time.Duration{time.Nanosecond, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if err := sleep.For(t.Context(), d); err != nil || time.Since(began) != d {
				t.Errorf("of %v it waited %v: %v", d, time.Since(began), err)
			}
		})
	}
}

func TestForEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := sleep.For(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		for range 100 { // both are due
			if err := sleep.For(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("when it is over: %v", err)
			}
		}
		if err := sleep.For(t.Context(), -time.Second); err != nil || time.Since(began) != time.Minute {
			t.Errorf("no time: %v", err)
		}
	})
}
