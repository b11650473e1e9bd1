package relay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// nobodyHeld are limits that hold nobody up.
var nobodyHeld = relay.Limits{PerMinute: -1, PingPong: -1, Inbox: -1}

// median reports the time that half of the operations took at most.
func median(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
}

func benchmarkSend(b *testing.B, s *relay.Store, to func(i int) string) {
	took := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		send(b, s, relay.Message{From: "Alice", To: to(i), Session: "s-Alice", Content: "the tests pass, please review the branch", Agent: true})
		took = append(took, time.Since(began))
	}
	median(b, took)
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkSend is one sender that waits for each message to be on the disk.
func BenchmarkSend(b *testing.B) {
	s := open(b, "", relay.Options{Limits: nobodyHeld})
	join(b, s, "Alice")
	join(b, s, "Bob")
	benchmarkSend(b, s, func(int) string { return "Bob" })
}

// BenchmarkSendTenThousandAgents is the same where so many are known.
func BenchmarkSendTenThousandAgents(b *testing.B) {
	s := open(b, "", relay.Options{Limits: nobodyHeld})
	join(b, s, "Alice")
	must(b, s.Exec(`INSERT INTO agent (key, name, program, cwd, kind, lead, since, seen)
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 9999)
		SELECT 'agent-' || i, 'Agent-' || i, '', '', '', '', 1, 1 FROM n`))
	b.Run("direct", func(b *testing.B) {
		benchmarkSend(b, s, func(i int) string { return fmt.Sprintf("agent-%d", i*7919%10000) })
	})
	b.Run("everyone", func(b *testing.B) {
		benchmarkSend(b, s, func(int) string { return "*" })
	})
	b.Run("unknown", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Send(b.Context(), relay.Message{From: "Alice", To: "agnet-500", Content: "x"}); err == nil {
				b.Fatal("it was sent")
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if all, err := s.Agents(b.Context()); err != nil || len(all) != 10001 {
				b.Fatalf("got %v, %v, want err == nil and len(all) == 10001", len(all), err)
			}
		}
	})
}

// BenchmarkTakeBeginDone is one receiver's part: two commits for each message.
func BenchmarkTakeBeginDone(b *testing.B) {
	s := open(b, "", relay.Options{Limits: nobodyHeld})
	join(b, s, "Alice")
	bob := join(b, s, "Bob")
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		b.StopTimer()
		say(b, s, "Alice", "Bob", "the tests pass")
		b.StartTimer()
		began := time.Now()
		if inject(b, bob) != "the tests pass" {
			b.Fatal("it did not come")
		}
		took = append(took, time.Since(began))
	}
	median(b, took)
}

// BenchmarkIngest takes in a hundred messages of another machine at once.
func BenchmarkIngest(b *testing.B) {
	s := open(b, "", relay.Options{Limits: nobodyHeld})
	join(b, s, "Bob")
	last := uint64(0)
	for b.Loop() {
		var data [][]byte
		for range 100 {
			data = append(data, fmt.Appendf(nil, `{"v":1,"machine":"m2","agent":"Bob","message":{"id":%q,"from":"Eve","to":"Bob","content":"the tests pass"}}`, relay.NewID()))
		}
		last += 100
		must(b, s.Ingest(b.Context(), relay.Source{Stream: "in", Created: begun}, last, data))
	}
}
