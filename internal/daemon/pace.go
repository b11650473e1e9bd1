package daemon

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The collector lets as much garbage pile up as a share of what is alive. One event that
// takes much for a moment would so have the daemon hold several times as much.
const (
	mostShare   = 200     // in percent; of little that is alive, with 400 as many decisions leave a heap that is a third larger, full of holes
	leastShare  = 25      // or it would do nothing but collect
	mostGarbage = 8 << 20 // between two collections
)

// Pace bounds the garbage of this process from now on: beside the share it has a size.
func Pace() {
	debug.SetGCPercent(mostShare)
	afterCollection(&pacer{share: mostShare, alive: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}})
}

// pacer sets the share anew after each collection.
type pacer struct {
	share int
	alive []metrics.Sample
}

// afterCollection has the pacer asked when the next collection has ended, which finds
// nobody that holds the mark.
func afterCollection(p *pacer) {
	runtime.SetFinalizer(&struct{ *pacer }{p}, func(m *struct{ *pacer }) {
		metrics.Read(p.alive)
		if share := shareFor(p.alive[0].Value.Uint64()); share != p.share {
			p.share = share
			debug.SetGCPercent(share)
		}
		afterCollection(m.pacer)
	})
}

// shareFor is the share of so many bytes that are alive.
func shareFor(alive uint64) int {
	return int(min(max(mostGarbage*100/max(alive, 1), leastShare), mostShare)) //nolint:gosec // it is bounded
}
