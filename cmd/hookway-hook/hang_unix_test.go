//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

// A daemon that hangs is found out once, and not by each event.
func TestADaemonThatHangsIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "answer")
	var hooks, pings atomic.Int64
	var well atomic.Bool
	w.listen(func(conn net.Conn, r *call.Request) {
		switch r.Kind {
		case call.KindTold:
			hooks.Add(1)
		case call.KindPing:
			pings.Add(1)
		}
		if !well.Load() {
			select {}
		}
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)})
	})
	stuck := filepath.Join(w.places.Dir, "stuck")
	aged := func(d time.Duration) {
		t.Helper()
		at := time.Now().Add(-d)
		if err := os.Chtimes(stuck, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		when         string
		before       func()
		hooks, pings int64 // so far
		want         string
	}{
		{"first", func() {}, 1, 1, byFull},
		{"soon after", func() { aged(-time.Second) }, 1, 1, byFull},
		{"later", func() { aged(time.Minute) }, 1, 2, byFull},
		{"soon after that", func() { aged(-time.Second) }, 1, 2, byFull},
		{"when it is well again", func() { aged(time.Minute); well.Store(true) }, 2, 3, byServe},
		{"afterwards", func() {}, 3, 3, byServe},
	} {
		step.before()
		if r := w.run(event, "claude", "--event", "PreToolUse", "--timeout", "60s"); r.stdout != step.want {
			t.Errorf("%s: the shim ended with %+v; log: %s", step.when, r, w.log())
		}
		if hooks.Load() != step.hooks || pings.Load() != step.pings {
			t.Errorf("%s: %d hooks and %d pings, want %d and %d", step.when, hooks.Load(), pings.Load(), step.hooks, step.pings)
		}
	}
	if _, err := os.Lstat(stuck); err == nil {
		t.Error("it is still remembered")
	}
	if log := w.log(); !strings.Contains(log, "hookway stop") {
		t.Errorf("the log says not what to do: %s", log)
	}
}

// A stopped daemon does not even read: neither a small event nor a large one gets
// lost in its queue.
func TestAStoppedDaemonIsReplaced(t *testing.T) {
	t.Parallel()
	for name, stdin := range map[string]string{"small": event, "large": strings.Repeat("x", 8<<20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).full("answer", "answer")
			if r := w.run(event, claude...); r.stdout != byServe {
				t.Fatalf("the shim ended with %+v; log: %s", r, w.log())
			}
			pid := w.daemon()
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			awaitStopped(t, pid)
			r := w.run(stdin, claude...)
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
			if r.stdout != byFull {
				t.Errorf("the shim ended with %+v; log: %s", r, w.log())
			}
			if lately, _ := w.places.Stuck(); !lately {
				t.Error("it is not remembered")
			}
		})
	}
}

// awaitStopped waits until every thread of a process has stopped: on a busy
// machine one of them may do much after the signal was sent.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	stopped := func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			if i := strings.LastIndexByte(string(text), ')'); i < 0 || !strings.HasPrefix(string(text[i+1:]), " T") {
				return false
			}
		}
		if len(tasks) > 0 {
			return true
		}
		out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output() // where there is no /proc
		return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
	}
	eventually.True(t, "the process stops", stopped)
}

// daemon is the process that listens.
func (w *world) daemon() int {
	w.t.Helper()
	pids := strings.Fields(w.text("daemon"))
	if len(pids) == 0 {
		w.t.Fatal("no daemon was started")
	}
	return number(w.t, pids[len(pids)-1])
}

// A daemon that ends while it is called is replaced by the next one.
func TestADaemonThatEndsIsStartedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("answer", "answer")
	var once sync.Once
	var l net.Listener
	l = w.listen(func(conn net.Conn, _ *call.Request) {
		once.Do(func() { _ = l.Close() }) // the socket first, as a daemon does
		_ = conn.Close()
	})
	if r := w.run(event, claude...); r.stdout != byServe || w.log() != "" {
		t.Errorf("the shim ended with %+v; log: %s", r, w.log())
	}
	if n := w.lines("starts"); n != 1 || w.lines("judged") > 0 {
		t.Errorf("%d daemons were started; the full binary judged %d times", n, w.lines("judged"))
	}
}

// One that always ends is not asked for ever.
func TestADaemonThatEndsAgainIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "answer")
	var asked atomic.Int64
	w.listen(func(conn net.Conn, _ *call.Request) {
		asked.Add(1)
		_ = conn.Close()
	})
	if r := w.run(event, claude...); r.stdout != byFull || asked.Load() != 2 {
		t.Errorf("the shim ended with %+v after %d tries; log: %s", r, asked.Load(), w.log())
	}
}

// A killed shim leaves no full binary behind.
func TestTheFullBinaryEndsWithTheShim(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a process that its parent was killed")
	}
	w := newWorld(t).full("fail", "hang")
	c := w.command("claude", "--event", "PreToolUse", "--timeout", "600s")
	c.Stdin = strings.NewReader(event)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the full binary judges", func() bool { return w.lines("hanging") > 0 })
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	eventually.True(t, "the full binary ends long before it would by itself", func() bool {
		lock, err := call.TryLock(filepath.Join(w.home, "alive"))
		if err != nil {
			t.Fatal(err)
		}
		return lock != nil && lock.Close() == nil
	})
}
