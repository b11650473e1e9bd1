package judge_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// TestARefusalIsNotHeldUpByItsRecord: a disk that hangs would make of it a timeout,
// which agents take for a yes.
func TestARefusalIsNotHeldUpByItsRecord(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		0:                      time.Second, // how long the agent waits is not known
		time.Minute:            time.Second,
		300 * time.Millisecond: 150 * time.Millisecond,
		20 * time.Millisecond:  50 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			j := judge.Judge{Record: func(ctx context.Context, _ audit.Record) error {
				<-ctx.Done()
				return ctx.Err()
			}}
			began := time.Now()
			j.Answer(t.Context(), judge.Caller{}, &call.Request{Kind: call.KindHook, Agent: "unknown", Timeout: timeout})
			if took := time.Since(began); took != want {
				t.Errorf("with a timeout of %v it took %v, want %v", timeout, took, want)
			}
		})
	}
}
