package main

import (
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
)

// The next look is when the first of all requests is over, whichever was asked first.
func TestTheNextLookIsWhenTheFirstRequestIsOver(t *testing.T) {
	now := time.Now()
	list := []approve.Request{{Until: now.Add(40 * time.Second)}, {Until: now.Add(5 * time.Second)}, {Until: now.Add(time.Hour)}}
	if got := firstExpires(list, now); got != 5*time.Second+10*time.Millisecond {
		t.Errorf("after %v", got)
	}
	if got := firstExpires(list[2:], now); got != time.Minute {
		t.Errorf("after %v", got)
	}
}
