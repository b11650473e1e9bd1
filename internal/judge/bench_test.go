//go:build unix

package judge_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// BenchmarkAnswer is one call of Claude Code that a hook refuses, from its bytes
// to its answer, with its record written; by that hook alone, and with hookway's own rules
// beside it.
func BenchmarkAnswer(b *testing.B) {
	for _, of := range []struct {
		guards  string
		clients int
	}{{"", 1}, {"", 16}, {"default", 1}, {"default", 16}} {
		clients := of.clients
		b.Run(fmt.Sprintf("guards=%s/clients=%d", of.guards, clients), func(b *testing.B) {
			yaml := noRM
			if of.guards != "" {
				yaml += "guards: {use: " + of.guards + ", mode: enforce}\n"
			}
			w := newWorld(b, yaml)
			state := &guards.State{Dir: filepath.Join(w.home, "guards")}
			b.Cleanup(func() { _ = state.Close() })
			w.Guards = func(on *config.Guards) hook.Handler { return &guards.Guard{Policy: on.Policy, State: state} }
			log, err := audit.Open(audit.Config{Dir: filepath.Join(w.home, "audit")})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = log.Close() })
			w.Record, w.Draft = log.Append, log.Draft
			var n atomic.Int64
			b.ReportAllocs()
			b.SetParallelism(clients)
			ask := func() {
				i := n.Add(1)
				r := w.bash(fmt.Sprint("s", i%16), fmt.Sprint(i), "rm -rf build")
				reply := w.Answer(context.Background(), judge.Caller{}, r)
				if len(reply.Stdout) < 10 {
					b.Errorf("got %v, want len(reply.Stdout) >= 10", reply)
				}
			}
			ask()
			if clients == 1 {
				for b.Loop() {
					ask()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask()
				}
			})
		})
	}
}

// BenchmarkConversation is an event of Gemini CLI that holds a whole conversation,
// as four and more in a turn do.
func BenchmarkConversation(b *testing.B) {
	for _, messages := range []int{100, 1000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			w := newWorld(b, noRM)
			log, err := audit.Open(audit.Config{Dir: filepath.Join(w.home, "audit")})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = log.Close() })
			w.Record, w.Draft = log.Append, log.Draft
			text := strings.Repeat(`what is \"said\" in it, with\nlines `, 30)
			event := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"AfterModel","llm_request":{"model":"m","messages":[%s{"role":"user","content":""}]},`+
				`"llm_response":{"text":"x"}}`, w.dir, strings.Repeat(`{"role":"user","content":"`+text+`"},`, messages-1))
			r := &call.Request{Kind: call.KindHook, Agent: "gemini", Event: "AfterModel", Dir: w.dir, Env: w.env, Timeout: time.Minute, Stdin: []byte(event)}
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				if reply := w.Answer(context.Background(), judge.Caller{}, r); reply.Err != "" {
					b.Fatalf(`got %v, want ""`, reply.Err)
				}
			}
		})
	}
}
