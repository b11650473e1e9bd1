//go:build !unix

package terminal

import (
	"testing"
	"time"
)

var began = time.Now()

// worked is how much time has passed, which is as near as one comes here.
func worked(*testing.T) time.Duration { return time.Since(began) }
