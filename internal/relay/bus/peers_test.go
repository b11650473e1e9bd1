package bus

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// learner counts what a store is told of other machines.
type learner struct {
	Store
	told int
}

func (l *learner) Learn(context.Context, string, []byte) error { l.told++; return nil }

// TestAPeerThatGoesOnIsHeardOf, also if nothing changes there: else senders would be
// told that it is gone.
func TestAPeerThatGoesOnIsHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &learner{}
		o := &others{link: &link{b: &Bus{store: store, state: state{failing: map[string]string{}}}}}
		p, directory := &peer{machine: "m2"}, pack([]byte("{}"))
		for range 9 { // two minutes, and the first
			o.learn(t.Context(), p, directory)
			time.Sleep(helloEvery)
		}
		if store.told != 3 {
			t.Errorf("it was told %d times", store.told)
		}
		o.learn(t.Context(), p, pack([]byte("{ }")))
		if store.told != 4 {
			t.Errorf("of a change: %d times", store.told)
		}
	})
}
