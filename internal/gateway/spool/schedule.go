package spool

import (
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

// keepTime is how long a message is tried.
const keepTime = 3 * 24 * time.Hour

// steps are the longest pauses after the first failure, the second and so on; the last
// one is that of all later failures.
var steps = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// pause is how long to wait after so many failures in a row: not for all users of a
// server the same time, and not shorter than the server asks for.
func pause(failures int, asked time.Duration) time.Duration {
	step := steps[min(max(failures, 1), len(steps))-1]
	return max(backoff.Jitter(step), min(asked, steps[len(steps)-1]))
}
