package owner

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/process"
)

// What no agent is above is looked at once a second, however often it calls.
func TestACallerIsLookedAtOnceASecond(t *testing.T) {
	if process.Marked(os.Getpid()) {
		t.Skip("this test is marked itself")
	}
	looks := 0
	r := Rule{system: &machine{
		look: func(pid int) (process.Process, bool) {
			looks++
			return process.Process{PID: pid, Args: []string{"sh"}}, true
		},
		environ: func(int) []string { return nil },
	}}
	synctest.Test(t, func(t *testing.T) {
		var m Marker
		for range 3 {
			m.Mark(r, os.Getpid())
		}
		once := looks
		if once == 0 || once > 2 {
			t.Errorf("got %d looks for three calls, want those for one", once)
		}
		time.Sleep(asLong)
		m.Mark(r, os.Getpid())
		if looks != 2*once {
			t.Errorf("got %d looks a second later, want %d", looks, 2*once)
		}
		m.Mark(r, os.Getppid())
		if looks != 2*once {
			t.Error("the parent of a caller was looked at anew")
		}
	})
}
