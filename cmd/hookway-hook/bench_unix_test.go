//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// BenchmarkShim measures what an agent waits for: from the start of the process
// to its end, with a daemon that answers at once.
func BenchmarkShim(b *testing.B) {
	w := newWorld(b)
	w.listen(func(conn net.Conn, _ *call.Request) {
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n")})
	})
	event := filepath.Join(w.home, "event.json")
	if err := os.WriteFile(event, []byte(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"rm -rf ./victim"}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	program := filepath.Join(w.bin, "hookway-hook")
	var took []time.Duration
	var resident int64
	for b.Loop() {
		stdin, err := os.Open(event)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		p, err := os.StartProcess(program, []string{program, "claude", "--event", "PreToolUse", "--timeout", "60s"},
			&os.ProcAttr{Env: w.env, Files: []*os.File{stdin, null, null}})
		if err != nil {
			b.Fatal(err)
		}
		state, err := p.Wait()
		took = append(took, time.Since(start))
		if err != nil || !state.Success() {
			b.Fatalf("got %v, %v, want err == nil and state.Success()", state, err)
		}
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			resident = max(resident, int64(usage.Maxrss))
		}
		_ = stdin.Close()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
	b.ReportMetric(float64(resident), "rss-max")
}
