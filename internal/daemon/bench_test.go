package daemon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkRoundTrip is a call from socket to socket, with a handler that does
// nothing.
func BenchmarkRoundTrip(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { roundTrips(b, clients) })
	}
}

func roundTrips(b *testing.B, clients int) {
	d := start(b, Config{Handle: echo})
	request := event(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	for i := range 40 {
		request.Env = append(request.Env, fmt.Sprintf("SOME_VARIABLE_%d=with some value in it", i))
	}
	took := make([][]time.Duration, clients)
	var all sync.WaitGroup
	b.ResetTimer()
	for i := range clients {
		c := dial(b, d.Places)
		n := b.N / clients
		if i < b.N%clients {
			n++
		}
		took[i] = make([]time.Duration, n)
		all.Go(func() {
			for j := range took[i] {
				began := time.Now()
				if _, err := c.Do(context.Background(), request); err != nil {
					b.Error(err)
					return
				}
				took[i][j] = time.Since(began)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	each := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(each[len(each)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(each[len(each)*95/100].Microseconds()), "p95-µs")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
