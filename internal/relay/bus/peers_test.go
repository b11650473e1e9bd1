package bus

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/nats-io/nats.go"
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

// TestAHelloOfNoMachineIsNotHeard, and of no more than there may be.
func TestAHelloOfNoMachineIsNotHeard(t *testing.T) {
	b := &Bus{machine: "m1", peers: map[string]*peer{}, state: state{failing: map[string]string{}}, c: Config{Log: logline.Or(nil)}}
	o := &others{link: &link{b: b}}
	for _, name := range []string{"", "M 2", "a.b", "größe", strings.Repeat("x", 33)} {
		m := nats.NewMsg("hello")
		m.Header.Set(helloMachine, name)
		o.hear(t.Context(), m)
	}
	if len(b.peers) != 0 {
		t.Errorf("there are %v", b.peers)
	}
	for i := range mostPeers {
		b.meet(fmt.Sprint("m", i+2))
	}
	m := nats.NewMsg("hello")
	m.Header.Set(helloMachine, "one-more")
	o.hear(t.Context(), m)
	if len(b.peers) != mostPeers || b.state.failing["peers"] == "" {
		t.Errorf("%d machines, %v", len(b.peers), b.state.failing)
	}
}
