//go:build unix

package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/procgroup"
)

// BenchmarkCommand compares a one-shot hook with a bare fork and exec of the
// same program, which reads nothing and says nothing.
func BenchmarkCommand(b *testing.B) {
	ctx := context.Background()
	run := func(b *testing.B) {
		h := newHandler(b, Config{Argv: []string{"/bin/true"}})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := h.Handle(ctx, bash("ls")); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("hook", run)
	b.Run("kept", func(b *testing.B) { // as in the daemon, which leaves no process behind when it is killed
		defer procgroup.Keep()()
		run(b)
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCommandPayload runs hooks on one event of 1 MiB: the event is encoded
// once and not copied for each hook.
func BenchmarkCommandPayload(b *testing.B) {
	h := newHandler(b, Config{Shell: "cat >/dev/null"})
	ev := bash(strings.Repeat("x", 1<<20))
	b.ReportAllocs()
	b.SetBytes(1 << 20)
	for b.Loop() {
		if _, err := h.Handle(context.Background(), ev); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWorkerRoundTrip is one event to a worker and back, with the encoding
// of the event and the reading of the decision. The median is reported.
func BenchmarkWorkerRoundTrip(b *testing.B) {
	h := newHandler(b, Config{Argv: []string{os.Args[0]}, Worker: true, Env: []string{playLean + "=1", atOnce}})
	ctx := context.Background()
	ask := func() error {
		d, err := h.Handle(ctx, bash("ls"))
		if err == nil && d.Action != hook.ActionBlock {
			err = fmt.Errorf("it decided %s", d.Action)
		}
		return err
	}
	if err := ask(); err != nil { // it starts at its first event
		b.Fatal(err)
	}
	hooktest.Median(b, ask)
}

// BenchmarkRequestFrame shows that a request shares the event's bytes.
func BenchmarkRequestFrame(b *testing.B) {
	event := [][]byte{[]byte(`{"a":"`), bytes.Repeat([]byte("x"), 1<<20), []byte(`"}`)}
	b.ReportAllocs()
	for b.Loop() {
		requestFrame(1, event)
	}
}

// BenchmarkPipeRoundTrip is what BenchmarkWorkerRoundTrip cannot go below: the
// same line to the same worker and back, with nothing around it.
func BenchmarkPipeRoundTrip(b *testing.B) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), playLean+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"hook","params":{"hook_event_name":"PreToolUse"}}` + "\n")
	r := bufio.NewReader(out)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := in.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "median-µs")
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
