//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// patient is how long a test waits for what must come.
const patient = 60 * time.Second

// shimBinary is the real thing, built as releases are.
var shimBinary string

// TestMain builds the shim. Under the name hookway the test binary is a full
// hookway that does what HOOKWAY_FAKE_SERVE and HOOKWAY_FAKE_HOOK say.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "hookway" {
		os.Exit(fake())
	}
	if filepath.Base(os.Args[0]) == "panics" {
		panics(os.Args[1])
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // many tests wait
		panic(err)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "shim")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shimBinary = filepath.Join(dir, "hookway-hook")
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", shimBinary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		return m.Run()
	}())
}

// world is a home of hookway with a shim in it.
type world struct {
	t      testing.TB
	home   string
	bin    string
	places call.Places
	env    []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	home, err := os.MkdirTemp("", "hw") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	w := &world{t: t, home: home, bin: filepath.Join(home, "bin")}
	w.env = append(os.Environ(), "HOOKWAY_HOME="+home, "PATH=/usr/bin:/bin", call.OneThread)
	if w.places, err = call.Find(func(name string) string { return map[string]string{"HOOKWAY_HOME": home}[name] }); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	w.link(shimBinary, "hookway-hook")
	return w
}

// link puts a program into the world. A copy would cost time, and a symbolic
// link would be followed.
func (w *world) link(program, name string) {
	w.t.Helper()
	if os.Link(program, filepath.Join(w.bin, name)) == nil {
		return
	}
	b, err := os.ReadFile(program)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.bin, name), b, 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// full puts a full hookway beside the shim: how it serves, and how it judges.
func (w *world) full(serve, hook string) *world {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	w.link(self, "hookway")
	w.env = append(w.env, "HOOKWAY_FAKE_SERVE="+serve, "HOOKWAY_FAKE_HOOK="+hook)
	w.t.Cleanup(w.stop)
	return w
}

// stop ends the daemon that the shim may have started.
func (w *world) stop() {
	if conn, err := net.Dial("unix", w.places.Socket); err == nil {
		_ = call.WriteRequest(conn, &call.Request{Kind: call.KindStop})
		_, _ = call.ReadReply(conn)
		_ = conn.Close()
	}
}

// listen answers the calls of shims in the test itself.
func (w *world) listen(answer func(net.Conn, *call.Request)) net.Listener {
	w.t.Helper()
	if err := call.MakeDir(w.places.Dir); err != nil {
		w.t.Fatal(err)
	}
	l, err := net.Listen("unix", w.places.Socket)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = l.Close() })
	go serve(l, answer)
	return l
}

func serve(l net.Listener, answer func(net.Conn, *call.Request)) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			for {
				r, err := call.ReadRequest(conn)
				if err != nil {
					return
				}
				answer(conn, r)
			}
		}()
	}
}

// result is how a shim ended.
type result struct {
	stdout, stderr string
	code           int
}

func (w *world) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	w.t.Cleanup(cancel)
	c := exec.CommandContext(ctx, filepath.Join(w.bin, "hookway-hook"), args...)
	c.Env, c.Dir = w.env, w.home
	return c
}

// run runs the shim to its end.
func (w *world) run(stdin string, args ...string) result {
	w.t.Helper()
	c := w.command(args...)
	c.Stdin = strings.NewReader(stdin)
	return w.result(c)
}

func (w *world) result(c *exec.Cmd) result {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &stdout
	}
	c.Stderr = &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		w.t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func (w *world) log() string {
	b, err := os.ReadFile(filepath.Join(w.home, "state", "shim.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

// lines counts the lines of a file of the world.
func (w *world) lines(name string) int { return strings.Count(w.text(name), "\n") }

func (w *world) text(name string) string {
	b, err := os.ReadFile(filepath.Join(w.home, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// panics is a shim with a bug.
func panics(where string) {
	s := &shim{options: options{agent: "claude", event: "PreToolUse"}}
	bug := func() { _ = os.Args[len(os.Args)] }
	if where == "main" {
		s.guarded(bug)
	}
	go s.guarded(bug)
	select {} // the answer to the panic ends the process
}

// fake is a full hookway for tests.
func fake() int {
	home := os.Getenv("HOOKWAY_HOME")
	if slices.Contains(os.Environ(), call.OneThread) { // it is for the shim alone
		return 9
	}
	time.AfterFunc(10*patient, func() { os.Exit(9) }) // nothing stays behind
	if os.Args[1] == "serve" {
		record(home, "starts", strings.Join(os.Args[1:], " "))
		return fakeServe(os.Getenv("HOOKWAY_FAKE_SERVE"))
	}
	record(home, "judged", strings.Join(os.Args[1:], " "))
	stdin, _ := io.ReadAll(os.Stdin)
	record(home, "stdin", string(stdin))
	return fakeHook(home, os.Getenv("HOOKWAY_FAKE_HOOK"))
}

func record(home, name, line string) {
	f, err := os.OpenFile(filepath.Join(home, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

func fakeServe(how string) int {
	switch how {
	case "fail":
		return 1
	case "hang":
		select {}
	}
	places, err := call.Find(os.Getenv)
	if err != nil {
		return 1
	}
	l, err := net.Listen("unix", places.Socket)
	if err != nil {
		return 1
	}
	record(os.Getenv("HOOKWAY_HOME"), "daemon", strconv.Itoa(os.Getpid()))
	_ = os.NewFile(3, "ready").Close()
	var once sync.Once
	ended := make(chan struct{})
	go serve(l, func(conn net.Conn, r *call.Request) {
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte(`{"from":"daemon"}` + "\n")})
		if r.Kind == call.KindStop {
			once.Do(func() { close(ended) })
		}
	})
	<-ended
	return 0
}

func fakeHook(home, how string) int {
	switch how {
	case "fail":
		fmt.Fprintln(os.Stderr, "this did not work")
		return 1
	case "rubbish":
		fmt.Println("a line of text")
	case "panic":
		panic("a bug")
	case "hang":
		lock, err := call.TryLock(filepath.Join(home, "alive"))
		if err != nil || lock == nil {
			return 1
		}
		record(home, "hanging", "")
		select {}
	case "grandchild":
		c := exec.Command("sleep", "60")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			return 1
		}
		record(home, "grandchild", fmt.Sprint(c.Process.Pid))
		fallthrough
	default:
		fmt.Println(`{"from":"full"}`)
	}
	return 0
}
