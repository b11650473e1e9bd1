package command

import (
	"errors"
	"testing"
)

// TestWhoEndsBecauseOfAnEventWasGivenIt: a process may read an event and end
// before its writer knows that it is written. It is not given to another one.
func TestWhoEndsBecauseOfAnEventWasGivenIt(t *testing.T) {
	ended := errors.New("it ended")
	for name, c := range map[string]struct {
		written bool
		want    error
	}{"written whole": {true, ended}, "not written": {false, errUnsent}} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(newWorker(&Config{}, nil), nil)
			answers := make(chan answer, 1)
			id, _ := p.register(answers)
			p.sends(id)
			p.failed = true
			p.failAll(ended)
			select {
			case a := <-answers:
				t.Fatalf("it is settled as %v before it is known whether it was written", a.err)
			default:
			}
			p.isSent(id, c.written)
			if a := <-answers; !errors.Is(a.err, c.want) {
				t.Errorf("it is settled as %v, want %v", a.err, c.want)
			}
		})
	}
}
