//go:build unix

package judge_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
)

// BenchmarkGuest is one event of an agent that is not wrapped, and gets no
// messages: without a relay, where it was never used, and where it was.
func BenchmarkGuest(b *testing.B) {
	for _, relay := range []string{"none", "unused", "used"} {
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			b.Run(relay+"/"+event, func(b *testing.B) {
				m := newMail(b, quiet, relay == "used")
				if relay == "none" {
					m.Relay = delivery.Relay{}
				}
				i := 0
				ask := func() {
					i++
					m.Answer(context.Background(), judge.Caller{}, m.own(session, event, "tool_use_id", fmt.Sprint(i)))
				}
				ask()
				b.ReportAllocs()
				for b.Loop() {
					ask()
				}
			})
		}
	}
}
