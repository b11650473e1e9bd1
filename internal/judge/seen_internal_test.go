package judge

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// TestWhatNoReportCanBelongToIsNotKept: outcomes may be large.
func TestWhatNoReportCanBelongToIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s seen
		claim := func(id string) *flight {
			ev, err := hook.PreToolUse.Info().New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolUseID: id})
			if err != nil {
				t.Fatal(err)
			}
			f, first := s.claim("", "claude", nil, ev)
			if !first {
				t.Fatalf("%s is not the first", id)
			}
			return f
		}
		kept := func() (n int) {
			for _, f := range s.ring {
				if f != nil {
					n++
				}
			}
			for _, list := range s.events {
				n += len(list)
			}
			return n
		}
		for i := range maxSeen + 10 { // the ring goes round
			claim(fmt.Sprint("full", i)).settle(hook.ID{}, hook.Outcome[any]{}, "", nil)
		}
		if got := kept(); got != 2*maxSeen {
			t.Fatalf("%d kept, want %d", got, 2*maxSeen)
		}
		busy := claim("busy")
		time.Sleep(soon)
		claim("new")
		if got := kept(); got != 2*2 {
			t.Errorf("%d kept, want the one under way and the new one, twice each", got)
		}
		busy.settle(hook.ID{}, hook.Outcome[any]{}, "", nil)
		time.Sleep(soon)
		claim("newest").settle(hook.ID{}, hook.Outcome[any]{}, "", nil)
		if got := kept(); got != 2*2 { // that of new never ends
			t.Errorf("%d kept, want 4", got)
		}
	})
}
