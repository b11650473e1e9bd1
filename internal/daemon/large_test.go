package daemon

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

// TestALargeRequestIsLeftToAProcessOfItsOwn: the daemon keeps nothing of it, and answers the
// next one.
func TestALargeRequestIsLeftToAProcessOfItsOwn(t *testing.T) {
	var leaves atomic.Bool
	leaves.Store(true)
	d := start(t, Config{Leaves: leaves.Load})
	var before, after runtime.MemStats
	large := event(strings.Repeat("x", 16<<20))
	runtime.ReadMemStats(&before)
	reply, err := dial(t, d.Places).Do(t.Context(), large)
	runtime.ReadMemStats(&after)
	if err != nil || reply.Err != call.OwnProcess {
		t.Errorf("got %.100q, %q, %v; want that a process of its own judges it", reply.Stdout, reply.Err, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 { // sender and daemon together
		t.Errorf("%d bytes were taken for it, want at most 1 MiB", got)
	}
	if d.logged(call.OwnProcess) {
		t.Error("it is logged, and nothing is wrong")
	}
	if got := ask(t, dial(t, d.Places), "on"); got != "on" {
		t.Errorf("a small one beside it: %q", got)
	}
	leaves.Store(false) // what a program registered is known in the daemon alone
	if reply, err := dial(t, d.Places).Do(t.Context(), large); err != nil || len(reply.Stdout) != 16<<20 {
		t.Errorf("got %d bytes, %q, %v; want that it is judged here", len(reply.Stdout), reply.Err, err)
	}
}

// TestGarbageIsBounded: of much that is alive, the collector lets a smaller share pile up.
func TestGarbageIsBounded(t *testing.T) {
	for alive, want := range map[uint64]int{0: mostShare, 1 << 20: mostShare, 4 << 20: 200, 8 << 20: 100, 16 << 20: 50, 1 << 30: leastShare} {
		if got := shareFor(alive); got != want {
			t.Errorf("of %d MiB: %d percent, want %d", alive>>20, got, want)
		}
	}
	was := debug.SetGCPercent(mostShare)
	defer debug.SetGCPercent(was)
	Pace()
	alive := make([]byte, 48<<20)
	eventually.True(t, "the share is set anew after a collection", func() bool {
		runtime.GC()
		now := debug.SetGCPercent(leastShare)
		debug.SetGCPercent(now)
		return now == leastShare
	})
	alive[0] = 1
}
