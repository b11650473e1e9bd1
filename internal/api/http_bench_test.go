//go:build unix

package api_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkEvents is an event of 2 KiB that is fired over HTTP at the daemon's
// socket, with a hook that is a rule, and put on record.
func BenchmarkEvents(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { benchmarkEvents(b, clients) })
	}
}

func benchmarkEvents(b *testing.B, clients int) {
	h := newHouse(b, oneHook, plan{})
	h.client.Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	body := h.firing("rm -rf / " + strings.Repeat("x", 2<<10))
	took := make(chan []time.Duration, clients)
	b.ResetTimer()
	for i := range clients {
		n := b.N / clients
		if i < b.N%clients {
			n++
		}
		go func() {
			each := make([]time.Duration, n)
			for j := range each {
				began := time.Now()
				response, err := h.client.Post("http://hookway/v1/events", "application/json", strings.NewReader(body))
				if err != nil {
					b.Error(err)
					break
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				each[j] = time.Since(began)
			}
			took <- each
		}()
	}
	var all []time.Duration
	for range clients {
		all = append(all, <-took...)
	}
	b.StopTimer()
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*95/100].Microseconds()), "p95-µs")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
