package gateway

import (
	"sync"
	"time"
)

// bucket is a token bucket: it holds up to burst tokens, and gets perMinute of
// them each minute. The zero value is full.
type bucket struct {
	mu    sync.Mutex
	spent float64 // of burst
	at    time.Time
}

// take takes a token. Without one, it says how long until there is.
func (b *bucket) take(perMinute, burst int) (ok bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if !b.at.IsZero() {
		b.spent = max(0, b.spent-now.Sub(b.at).Minutes()*float64(perMinute))
	}
	b.at = now
	if b.spent+1 > float64(burst) {
		missing := b.spent + 1 - float64(burst)
		return false, time.Duration(missing / float64(perMinute) * float64(time.Minute))
	}
	b.spent++
	return true, 0
}
