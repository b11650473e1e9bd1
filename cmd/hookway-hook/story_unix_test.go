//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

const (
	event   = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ./victim"}}`
	denied  = `"permissionDecision":"deny"`
	byFull  = `{"from":"full"}` + "\n"
	byServe = `{"from":"daemon"}` + "\n"
)

// claude is the command line that install writes.
var claude = []string{"claude", "--event", "PreToolUse", "--timeout", "60s"}

func TestTheDaemonsAnswerIsPrinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := make(chan *call.Request, 1)
	w.listen(func(conn net.Conn, r *call.Request) {
		got <- r
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte("out\n"), Stderr: []byte("err\n"), ExitCode: 2})
	})
	if r := w.run(event, "copilot-pascal", "--event", "Stop", "--timeout", "20s", "--on-failure", "continue"); r != (result{"out\n", "err\n", 2}) {
		t.Errorf("the shim ended with %+v", r)
	}
	r := <-got
	if got, want := fmt.Sprint([]any{r.Kind, r.Agent, r.Event, r.Policy, string(r.Stdin)}), fmt.Sprint([]any{call.KindTold, "copilot-pascal", "Stop", "continue", event}); got != want {
		t.Errorf("the daemon was asked %+v: got %s, want %s", r, got, want)
	}
	if r.Timeout <= 0 || r.Timeout >= 20*time.Second {
		t.Errorf("the daemon has %v; the agent waits for 20s", r.Timeout)
	}
	if slices.Contains(r.Env, call.OneThread) {
		t.Errorf("hooks would get %s", call.OneThread)
	}
	if !slices.Contains(r.Env, "HOOKWAY_HOME="+w.home) || filepath.Base(r.Dir) != filepath.Base(w.home) {
		t.Errorf("the daemon got the folder %q and the environment %q", r.Dir, r.Env)
	}
	if log := w.log(); log != "" {
		t.Errorf("nothing failed, but it is in the log: %s", log)
	}
}

// A daemon that fails in any way is replaced by the full binary.
func TestTheFullBinaryJudgesIfTheDaemonCannot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		daemon func(net.Conn)
		says   string
	}{
		"closes":         {func(conn net.Conn) { _ = conn.Close() }, "EOF"},
		"prints rubbish": {func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, "not a frame"},
		"half an answer": {func(conn net.Conn) {
			_, _ = conn.Write([]byte("HKWY\x00\x01A\x00\x00\x00\x00\x20ab"))
			_ = conn.Close()
		}, "EOF"},
		"another version":   {func(conn net.Conn) { _, _ = conn.Write([]byte("HKWY\x00\x07A\x00\x00\x00\x00\x00")) }, "two versions"},
		"says it could not": {func(conn net.Conn) { _ = call.WriteReply(conn, &call.Reply{Err: "the engine is broken"}) }, "engine is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).full("fail", "answer")
			w.listen(func(conn net.Conn, r *call.Request) {
				if r.Kind == call.KindTold {
					c.daemon(conn)
				}
			})
			if r := w.run(event, append(slices.Clone(claude), "--on-failure", "block")...); r.stdout != byFull || r.code != 0 {
				t.Errorf("the shim ended with %+v", r)
			}
			if log := w.log(); !strings.Contains(log, c.says) || !strings.Contains(log, "claude PreToolUse") {
				t.Errorf("the log says not why: %s", log)
			}
			args, _ := os.ReadFile(filepath.Join(w.home, "judged"))
			before, after, _ := strings.Cut(string(args), "--timeout ")
			left, rest, _ := strings.Cut(after, " ")
			if d, err := time.ParseDuration(left); err != nil || d <= 0 || d >= 60*time.Second {
				t.Errorf("the full binary has %q of 60s", left)
			}
			if got := before + rest; got != "hook claude --event PreToolUse --on-failure block --local\n" {
				t.Errorf("the full binary was run as %q", got)
			}
			if stdin, _ := os.ReadFile(filepath.Join(w.home, "stdin")); string(stdin) != event+"\n" {
				t.Errorf("the full binary read %q", stdin)
			}
		})
	}
}

func TestTheDaemonCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("answer", "answer")
	w.env = append(w.env, "HOOKWAY_DAEMON=off")
	if r := w.run(event, claude...); r.stdout != byFull || w.lines("starts") > 0 || w.log() != "" {
		t.Errorf("the shim ended with %+v after %d starts; log: %s", r, w.lines("starts"), w.log())
	}
}

// The daemon may be there and never answer: it is asked whether it lives.
func TestADaemonThatHangsIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "answer")
	w.listen(func(net.Conn, *call.Request) { select {} })
	if r := w.run(event, "claude", "--event", "PreToolUse", "--timeout", "20s"); r.stdout != byFull {
		t.Errorf("the shim ended with %+v; log: %s", r, w.log())
	}
}

// A hook may take its time, as long as the daemon lives.
func TestASlowHookIsNotAHangingDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "answer")
	pinged := make(chan struct{})
	var once sync.Once
	w.listen(func(conn net.Conn, r *call.Request) {
		if r.Kind == call.KindPing {
			_ = call.WriteReply(conn, &call.Reply{})
			once.Do(func() { close(pinged) })
			return
		}
		<-pinged
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)})
	})
	if r := w.run(event, "claude", "--event", "PreToolUse", "--timeout", "30s"); r.stdout != byServe {
		t.Errorf("the shim ended with %+v; log: %s", r, w.log())
	}
	if w.lines("judged") > 0 {
		t.Error("the full binary judged too")
	}
}

// If all fails, the shim answers itself, by the policy.
func TestTheShimAnswersIfAllFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hook string
		says string
	}{
		"no full binary": {"", "neither beside"},
		"it fails":       {"fail", "this did not work"},
		"it panics":      {"panic", "a bug"},
		"it is rubbish":  {"rubbish", "gave no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.hook != "" {
				w.full("fail", c.hook)
			}
			r := w.run(event, claude...)
			if !strings.Contains(r.stdout, denied) || !strings.Contains(r.stdout, "hookway doctor") {
				t.Errorf("the shim ended with %+v", r)
			} else if r.stderr != "" || r.code != 0 {
				t.Errorf("the shim ended with %+v", r)
			}
			if log := w.log(); !strings.Contains(log, c.says) {
				t.Errorf("the log says not why: %s", log)
			}
			if r := w.run(event, append(slices.Clone(claude), "--on-failure", "continue")...); r != (result{"{}\n", "", 0}) {
				t.Errorf("with --on-failure continue: %+v", r)
			}
			if r := w.run(event, "claude", "--event", "Stop"); r != (result{"{}\n", "", 0}) {
				t.Errorf("at an event that gates nothing: %+v", r)
			}
		})
	}
}

// The agent's patience ends while everything hangs, and nothing is left running.
func TestTheShimAnswersBeforeTheAgentGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("hang", "hang")
	w.listen(func(net.Conn, *call.Request) { select {} })
	if r := w.run(event, "claude", "--event", "PreToolUse", "--timeout", "12s"); !strings.Contains(r.stdout, denied) || r.code != 0 {
		t.Errorf("the shim ended with %+v", r)
	}
	if w.lines("hanging") != 1 {
		t.Fatalf("the full binary was not asked; log: %s", w.log())
	}
	eventually.True(t, "the full binary ends", func() bool {
		lock, err := call.TryLock(filepath.Join(w.home, "alive"))
		if err != nil {
			t.Fatal(err)
		}
		return lock != nil && lock.Close() == nil
	})
}

// A bug of the shim's own, in any goroutine.
func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.link(self, "panics")
	for _, where := range []string{"main", "beside"} {
		c := w.command(where)
		c.Path = filepath.Join(w.bin, "panics")
		c.Args[0] = c.Path
		if r := w.result(c); r.code != 0 || !strings.Contains(r.stdout, denied) || !strings.Contains(r.stdout, "index out of range") {
			t.Errorf(`%s: got %+v, want r.code == 0 and strings.Contains(r.stdout, denied) and strings.Contains(r.stdout, "index out of range")`, where, r)
		}
		if log := w.log(); !strings.Contains(log, "panicked") {
			t.Errorf("%s: the log says not why: %s", where, log)
		}
	}
}

// insist sends a signal until it is told to stop: the first may come before the
// shim heeds any.
func insist(p *os.Process, sig os.Signal) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			_ = p.Signal(sig)
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func TestSignalsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).full("fail", "hang")
			asked, heard := make(chan struct{}), make(chan *call.Request, 1)
			w.listen(func(conn net.Conn, r *call.Request) {
				if r.Kind == call.KindTold {
					close(asked)
					last, _ := call.ReadRequest(conn)
					heard <- last
				}
				select {}
			})
			c := w.command(claude...)
			c.Stdin = strings.NewReader(event)
			var stdout bytes.Buffer
			c.Stdout = &stdout
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			<-asked
			defer insist(c.Process, sig)()
			if err := c.Wait(); err != nil || !strings.Contains(stdout.String(), denied) {
				t.Errorf("%v; it printed %q", err, stdout.String())
			}
			if last := <-heard; last == nil || last.Kind != call.KindGaveUp {
				t.Errorf("the daemon heard %+v", last)
			} else if last.Policy != call.PolicyBlock || !strings.Contains(last.Event, sig.String()) {
				t.Errorf("the daemon heard %+v", last)
			}
		})
	}
}

func TestStdinOfAnySize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sizes := make(chan int, 1)
	w.listen(func(conn net.Conn, r *call.Request) {
		if r.Kind == call.KindTold { // a slow machine is asked whether it lives, too
			sizes <- len(r.Stdin)
		}
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)})
	})
	for _, size := range []int{0, 1, 8 << 10, call.MaxEvent} {
		if r := w.run(strings.Repeat("x", size), claude...); r.stdout != byServe {
			t.Errorf("%d bytes: %+v", size, r)
		} else if got := <-sizes; got != size {
			t.Errorf("%d bytes became %d", size, got)
		}
	}
	if r := w.run(strings.Repeat("x", call.MaxEvent+1), claude...); !strings.Contains(r.stdout, denied) || !strings.Contains(r.stdout, "16 MiB") {
		t.Errorf("too many bytes: %+v", r)
	}
}

// An agent may leave stdin open.
func TestStdinThatStaysOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stdin, timeout, want string }{
		"after the event":  {event + "\n", "60s", byServe},
		"before the event": {"", "2s", denied},
		"inside of it":     {event[:20], "2s", denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.listen(func(conn net.Conn, r *call.Request) {
				_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)})
			})
			r, open, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer open.Close()
			defer r.Close()
			if _, err := io.WriteString(open, c.stdin); err != nil {
				t.Fatal(err)
			}
			cmd := w.command("claude", "--event", "PreToolUse", "--timeout", c.timeout)
			cmd.Stdin = r
			if r := w.result(cmd); !strings.Contains(r.stdout, c.want) {
				t.Errorf("the shim ended with %+v", r)
			}
		})
	}
}

func TestStdinThatIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listen(func(conn net.Conn, r *call.Request) { _ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)}) })
	c := w.command()
	c.Args = []string{"sh", "-c", `exec "$0" claude --event PreToolUse <&-`, c.Path}
	c.Path = "/bin/sh"
	if r := w.result(c); r.stdout != byServe && !strings.Contains(r.stdout, denied) {
		t.Errorf("the shim ended with %+v", r)
	}
}

// The answer cannot be printed: the exit code says no.
func TestStdoutThatTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listen(func(conn net.Conn, r *call.Request) { _ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)}) })
	closed, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	defer stdout.Close()
	outs := map[string]*os.File{"closed pipe": stdout}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // Linux only
		defer full.Close()
		outs["full disk"] = full
	}
	for name, out := range outs {
		for event, want := range map[string]int{"PreToolUse": 2, "Stop": 1} {
			c := w.command("claude", "--event", event)
			c.Stdin, c.Stdout = strings.NewReader("{}"), out
			if r := w.result(c); r.code != want || !strings.Contains(r.stderr, "could not be printed") {
				t.Errorf(`got %s, %s: %+v, want r.code == want and strings.Contains(r.stderr, "could not be printed")`, name, event, r)
			}
		}
	}
}

// unread is an answer whose reader stops after the first byte.
type unread struct {
	to      func(c *exec.Cmd, unread *os.File)
	timeout string
	signal  os.Signal
	code    int
}

// try runs the shim once, and gives what it noted.
func (c unread) try(t *testing.T) (state *os.ProcessState, noted string) {
	w := newWorld(t)
	w.listen(func(conn net.Conn, r *call.Request) {
		_ = call.WriteReply(conn, &call.Reply{Stdout: make([]byte, 1<<20), Stderr: make([]byte, 1<<20)})
	})
	read, unread, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer unread.Close()
	shim := w.command("claude", "--event", "PreToolUse", "--timeout", c.timeout)
	shim.Stdin = strings.NewReader(event)
	c.to(shim, unread)
	if err := shim.Start(); err != nil {
		t.Fatal(err)
	}
	unread.Close()
	_, _ = read.Read(make([]byte, 1)) // then it prints, or has ended
	if c.signal != nil {
		defer insist(shim.Process, c.signal)()
	}
	_ = shim.Wait()
	return shim.ProcessState, w.log()
}

// An unread answer does not keep the shim, nor make it deaf to signals.
func TestOutputThatNobodyReads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]unread{
		"stdout":               {func(c *exec.Cmd, unread *os.File) { c.Stdout = unread }, "1s", nil, 2},
		"stdout, and a signal": {func(c *exec.Cmd, unread *os.File) { c.Stdout = unread }, "10m", syscall.SIGTERM, 2},
		"stderr":               {func(c *exec.Cmd, unread *os.File) { c.Stderr = unread }, "1s", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := time.Now().Add(time.Minute)
			for {
				state, noted := c.try(t)
				// On a machine so busy that the answer comes too late, the shim has one of
				// its own, which a pipe takes: that says nothing of an answer that is stuck.
				late := strings.Contains(noted, "hang") || strings.Contains(noted, "hung") || strings.Contains(noted, "time")
				if state.ExitCode() == c.code {
					return
				}
				if !late || time.Now().After(end) {
					t.Fatalf("it ended with %v; it noted %q", state, noted)
				}
			}
		})
	}
}

// A process that the full binary leaves behind does not hold up the agent.
func TestAGrandchildHoldsNothingUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "grandchild")
	r := w.run(event, claude...) // ends only when its stdout is closed everywhere
	if r.stdout != byFull {
		t.Errorf("the shim ended with %+v", r)
	}
	pid := number(t, w.text("grandchild"))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the grandchild was to live on: %v", err)
	}
}

// Every user who can open the folder of the socket could answer.
func TestAStrangersFolderIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("answer", "answer")
	w.listen(func(conn net.Conn, r *call.Request) { _ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)}) })
	if err := os.Chmod(w.places.Dir, 0o777); err != nil { //nolint:gosec // that is the point
		t.Fatal(err)
	}
	if r := w.run(event, claude...); r.stdout != byFull {
		t.Errorf("the shim ended with %+v", r)
	}
	if log := w.log(); !strings.Contains(log, "chmod 700") {
		t.Errorf("the log says not what to do: %s", log)
	}
}

// A Claude Code that gives no arguments is answered like one that does.
func TestNoArgumentsAreClaudeCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("answer", "answer")
	asked := make(chan call.Request, 1)
	w.listen(func(conn net.Conn, r *call.Request) {
		asked <- *r
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(byServe)})
	})
	if r := w.run(event); r.stdout != byServe {
		t.Errorf("the shim ended with %+v", r)
	}
	if r := <-asked; r.Agent != "claude" || r.Event != "" || string(r.Stdin) != event {
		t.Errorf("the daemon is asked %+v", r)
	}
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, args := range [][]string{
		{"clod", "--event", "PreToolUse"}, {"--event", "PreToolUse"}, {"clod", "--on-failure", "continue"},
		{"claude", "--event"}, {"claude", "--frobnicate", "1"}, {"claude", "--timeout", "soon"}, {"claude", "--timeout", "-1s"},
		{"claude", "--on-failure", "ignore"}, {"claude", "twice"},
	} {
		r := w.run("", args...)
		if r.code != 2 || !strings.Contains(r.stdout, `"decision":"block"`) || !strings.Contains(r.stdout, denied) {
			t.Errorf("%q: got %+v, want r.code == 2 and strings.Contains(r.stdout, `\"decision\":\"block\"`) and strings.Contains(r.stdout, denied)", args, r)
		}
		if !strings.Contains(r.stderr, "copilot-pascal") || !strings.Contains(r.stderr, "hookway install") {
			t.Errorf("%q is told %q", args, r.stderr)
		}
	}
	// Who is known is told in its own words, at an event that gates nothing too.
	if r := w.run("", "claude", "--event", "Stop", "--frobnicate", "1"); r != (result{"{}\n", "", 0}) {
		t.Errorf("a wrong flag at Stop: %+v", r)
	}
	// No agent goes on for ever because hookway does not know it.
	for _, args := range [][]string{{"clod", "--event", "Stop"}, {"clod"}} {
		if r := w.run(`{"hook_event_name":"Stop"}`, args...); r != (result{"{}\n", "", 0}) {
			t.Errorf("%q at Stop: %+v", args, r)
		}
	}
	if r := w.run("", "--help"); r.code != 0 || !strings.Contains(r.stdout, "--on-failure") {
		t.Errorf("--help: %+v", r)
	}
	if r := w.run("", "--version"); r.code != 0 || !strings.HasPrefix(r.stdout, "hookway-hook devel go") {
		t.Errorf("--version: %+v", r)
	}
}

func TestManyShimsStartOneDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("answer", "answer")
	var all sync.WaitGroup
	results := make([]result, 64)
	for i := range results {
		c := w.command(claude...)
		c.Stdin = strings.NewReader(event)
		all.Go(func() {
			out, err := c.Output()
			results[i] = result{string(out), fmt.Sprint(err), 0}
		})
	}
	all.Wait()
	for i, r := range results {
		if r.stdout != byServe {
			t.Errorf("shim %d: %+v", i, r)
		}
	}
	if n := w.lines("starts"); n != 1 || t.Failed() {
		t.Errorf("%d daemons were started; log: %s", n, w.log())
	}
}

// A daemon that cannot start does not cost every event.
func TestAFailedStartIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t).full("fail", "answer")
	lately := func(ago time.Duration) {
		at := time.Now().Add(-ago)
		if err := os.Chtimes(w.places.Lock, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{1, 1, 2} {
		if r := w.run(event, claude...); r.stdout != byFull {
			t.Errorf("call %d: %+v", i, r)
		}
		if n := w.lines("starts"); n != want {
			t.Errorf("after call %d the daemon was started %d times, want %d", i, n, want)
		}
		lately(time.Duration(i)*time.Minute - 3*time.Second/2) // once just now, with time for a slow machine, then not
	}
}

func TestTheLogStaysSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.home, "state", "shim.log")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, mostNotes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run(event, claude...)
	if log := w.log(); len(log) > longestNote+1 || !strings.Contains(log, "PreToolUse") {
		t.Errorf("the log has %d bytes", len(log))
	}
}
