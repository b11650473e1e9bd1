//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
)

// soon is what a call may take that must not wait for anything: far more than it
// needs, because the machine may be busy, and far less than what it would wait for.
const soon = 2 * time.Minute

func TestTimedOutGroupIsEnded(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []string
	}{
		{"with its children", []string{"sleep 1000 &", `echo $$ >"$PID"`, "sleep 1000"}},
		{"though it ignores SIGTERM", []string{"trap '' TERM", `echo $$ >"$PID"`, "while :; do sleep 1000; done"}},
		{"though only a child ignores SIGTERM", []string{`(trap '' TERM; echo $$ >"$PID"; sleep 1000) &`, "sleep 1000"}},
		{"though it stopped itself", []string{`echo $$ >"$PID"`, "kill -STOP $$"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			nothingLeft(t)
			pid := t.TempDir() + "/pid"
			h := newHandler(t, Config{Argv: []string{script(t, c.script...)}, Env: []string{"PID=" + pid}, Grace: 100 * time.Millisecond})
			ctx := newExpiring()
			result := handled(h, ctx, bash("ls"))
			group := readPID(t, pid)
			ended := ctx.expire()
			err := <-result
			if late := time.Since(ended); !errors.Is(err, context.DeadlineExceeded) || late > soon {
				t.Errorf("it gave %v, %v after the deadline", err, late)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			groupGone(t, group)
		})
	}
}

// expiring is a context that ends as at a deadline, but when the test says so:
// by then the program has done what the test needs, on any machine.
type expiring struct {
	context.Context
	over chan struct{}
}

func newExpiring() expiring {
	return expiring{context.Background(), make(chan struct{})}
}

// expire says when it ended.
func (e expiring) expire() time.Time {
	defer close(e.over)
	return time.Now()
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// handled calls a handler and gives the error when it returns.
func handled(h *Handler, ctx context.Context, ev hook.AnyEvent) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := h.Handle(ctx, ev)
		result <- err
	}()
	return result
}

func TestAbortEndsTheGroup(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	h := newHandler(t, Config{Argv: []string{script(t, "sleep 1000 &", `echo $$ >"$PID"`, "sleep 1000")}, Env: []string{"PID=" + pid}, Grace: 100 * time.Millisecond})
	ctx, abort := context.WithCancel(context.Background())
	result := handled(h, ctx, bash("ls"))
	group := readPID(t, pid)
	abort()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("it gave %v", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	groupGone(t, group)
}

func TestProgramMayCleanUpWithinTheGrace(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := newHandler(t, Config{
		Shell: `trap 'kill $!; echo cleaned >"$DIR/done"; exit 1' TERM; sh -c 'echo $$ >"$DIR/child"; exec sleep 1000' & echo $$ >"$DIR/pid"; wait`,
		Env:   []string{"DIR=" + dir}, Grace: time.Minute,
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := handled(h, ctx, bash("ls"))
	group := readPID(t, dir+"/pid")
	readPID(t, dir+"/child") // one that is still the shell may miss the signal
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the abort gave %v", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	groupGone(t, group)
	if text, err := os.ReadFile(dir + "/done"); err != nil || string(text) != "cleaned\n" {
		t.Errorf("it had no time to clean up: %q, %v", text, err)
	}
}

func TestGrandchildThatHoldsThePipesCannotDelayTheAnswer(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	h := newHandler(t, Config{
		Shell: `echo $$ >"$PID"; sleep 1000 & echo '{"action":"block","reason":"no"}'`, Env: []string{"PID=" + pid},
	})
	began := time.Now()
	d, err := h.Handle(t.Context(), bash("ls"))
	if took := time.Since(began); err != nil || d.Reason != "no" || took > soon {
		t.Errorf("got %+v, %v after %v", d, err, took)
	}
	groupGone(t, readPID(t, pid))
}

func TestBackgroundJobEndsWithItsHookAndADaemonDoesNot(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := newHandler(t, Config{
		Shell: `sleep 1000 >/dev/null 2>&1 & echo $$ >"$DIR/hook"; "$SELF" & while [ ! -e "$DIR/daemon" ]; do :; done`,
		Env:   []string{"DIR=" + dir, "SELF=" + os.Args[0], playDaemon + "=" + dir + "/daemon"},
	})
	if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	groupGone(t, readPID(t, dir+"/hook"))
	daemon := readPID(t, dir+"/daemon")
	if err := syscall.Kill(daemon, 0); err != nil {
		t.Errorf("the daemon was ended, too: %v", err)
	}
	syscall.Kill(daemon, syscall.SIGKILL)
}

func TestFloodOfStdoutIsAFailureAndEndsTheGroup(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	h := newHandler(t, Config{Shell: `echo $$ >"$PID"; trap '' PIPE TERM; yes; sleep 1000`, Env: []string{"PID=" + pid}})
	began := time.Now()
	_, err := h.Handle(t.Context(), bash("ls"))
	if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "more than 2 MiB") || took > soon {
		t.Errorf("got %v after %v", err, took)
	}
	groupGone(t, readPID(t, pid))
}

func TestFloodOfStderrTakesBoundedMemory(t *testing.T) {
	nothingLeft(t)
	var log hooktest.Log
	h := newHandler(t, Config{
		Shell: `echo first >&2; yes 'noise noise noise' | head -c 67108864 >&2; echo last >&2; exit 2`, Log: log.Logger(),
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := h.Handle(t.Context(), bash("ls"))
	runtime.ReadMemStats(&after)
	if err != nil || d.Action != hook.ActionBlock || !strings.HasPrefix(d.Reason, "first\n") {
		t.Errorf("got %v %.40q, %v", d.Action, d.Reason, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("64 MiB of stderr took %d MiB of memory", grown>>20)
	}
}

func TestHeadAndTailOfStderrAreKept(t *testing.T) {
	for _, size := range []int{0, 1, maxStderr / 2, maxStderr/2 + 1, maxStderr, maxStderr + 1, 3*maxStderr + 17} {
		for _, chunk := range []int{1, 7, 4096, 1 << 20} {
			text := make([]byte, size)
			for i := range text {
				text[i] = byte('a' + i%26)
			}
			h := newHeadTail()
			for rest := text; len(rest) > 0; {
				n := min(chunk, len(rest))
				h.add(rest[:n])
				rest = rest[n:]
			}
			got := h.bytes()
			if size <= maxStderr {
				if !bytes.Equal(got, text) {
					t.Fatalf("of %d bytes in pieces of %d, %d were kept", size, chunk, len(got))
				}
				continue
			}
			if !bytes.HasPrefix(got, text[:maxStderr/2]) || !bytes.HasSuffix(got, text[size-maxStderr/2:]) || !bytes.Contains(got, []byte("bytes left out")) {
				t.Fatalf("of %d bytes in pieces of %d, head or tail is wrong", size, chunk)
			}
		}
	}
}

func TestStdinThatIsClosedEarlyIsNoFailure(t *testing.T) {
	nothingLeft(t)
	h := newHandler(t, Config{Shell: `exec 0<&-; echo '{"action":"block","reason":"no"}'; sleep 0.05`})
	ev := bash(strings.Repeat("x", 1<<20))
	if d, err := h.Handle(t.Context(), ev); err != nil || d.Reason != "no" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestCloseEndsCallsThatGoOnBeyondTheGrace(t *testing.T) {
	nothingLeft(t)
	pid := t.TempDir() + "/pid"
	h := newHandler(t, Config{Shell: `echo $$ >"$PID"; sleep 1000`, Env: []string{"PID=" + pid}, Grace: 50 * time.Millisecond})
	result := handled(h, context.Background(), bash("ls"))
	group := readPID(t, pid)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, ErrClosed) {
		t.Errorf("the call under way gave %v", err)
	}
	groupGone(t, group)
	if _, err := h.Handle(t.Context(), bash("ls")); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close gave %v", err)
	}
}

func TestCloseLetsCallsUnderWayFinish(t *testing.T) {
	nothingLeft(t)
	dir := t.TempDir()
	h := newHandler(t, Config{
		Shell: `echo $$ >"$DIR/pid"; while [ ! -e "$DIR/go" ]; do sleep 0.01; done; echo '{"action":"block","reason":"no"}'`,
		Env:   []string{"DIR=" + dir}, Grace: time.Minute,
	})
	decisions := make(chan hook.Decision, 1)
	go func() {
		d, _ := h.Handle(context.Background(), bash("ls"))
		decisions <- d
	}()
	readPID(t, dir+"/pid")
	closed := make(chan error, 1)
	go func() { closed <- h.Close() }()
	eventually.True(t, "the handler takes no more calls", func() bool {
		h.runner.under.mu.Lock()
		defer h.runner.under.mu.Unlock()
		return h.runner.under.closed
	})
	if err := os.WriteFile(dir+"/go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if d := <-decisions; d.Reason != "no" {
		t.Errorf("the call under way gave %+v", d)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestPayloadOfAMebibyteIsNotCopiedForEachHook(t *testing.T) {
	nothingLeft(t)
	ev := bash(strings.Repeat("x", 1<<20))
	for name, h := range map[string]*Handler{
		"one process each": newHandler(t, Config{Shell: "cat >/dev/null"}),
		"worker":           newHandler(t, Config{Argv: []string{os.Args[0]}, Worker: true, Env: []string{playLean + "=1", atOnce}}),
	} {
		if _, err := h.Handle(t.Context(), ev); err != nil { // encodes it, and starts the worker
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 4 {
			if _, err := h.Handle(t.Context(), ev); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / 4; each > 256<<10 {
			t.Errorf("%s: a hook allocates %d KiB for an event of 1 MiB", name, each>>10)
		}
	}
}
