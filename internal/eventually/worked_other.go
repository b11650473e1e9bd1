//go:build !unix

package eventually

import (
	"testing"
	"time"
)

var began = time.Now()

// Worked is how much time has passed, which is as near as one comes here.
func Worked(testing.TB) time.Duration { return time.Since(began) }
