package page

import (
	"math"
	"strconv"
	"sync"
	"time"
)

// limit bounds how many wrong links are looked at.
type limit struct {
	mu    sync.Mutex
	times []time.Time // of those of the last minute
}

// mostWrong is how many wrong links there may be in a minute.
const mostWrong = 20

// wait is how long it is until one more may be tried.
func (l *limit) wait(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.times) > 0 && now.Sub(l.times[0]) >= time.Minute {
		l.times = l.times[1:]
	}
	if len(l.times) < mostWrong {
		return 0
	}
	return time.Minute - now.Sub(l.times[0])
}

// note notes a wrong one.
func (l *limit) note(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = append(l.times, now)
}

// seconds is a wait as a header has it.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
