package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire/call"
)

// playServe makes this test binary a daemon at the socket of that folder.
const playServe = "DAEMON_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(playServe); dir != "" {
		if how := os.Getenv(playDeaf); how != "" {
			deaf(dir, how)
		}
		err := Serve(context.Background(), Config{
			Places: placesIn(dir), Version: "played", Idle: time.Minute, Handle: echo,
			Ready: func() { CloseReady(os.Getenv(call.ReadyFD)) },
			Log:   logline.New(func(line string) { fmt.Fprintln(os.Stderr, line) }),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// echo answers with what it was asked.
func echo(_ context.Context, _ Peer, r *call.Request) call.Reply {
	return call.Reply{Stdout: r.Stdin, ExitCode: 7}
}

// running is a daemon in this process.
type running struct {
	call.Places
	stop  context.CancelFunc
	ended chan struct{} // closed when Serve has returned
	err   error         // of Serve; read after ended

	mu    sync.Mutex
	lines []string
}

func placesIn(dir string) call.Places {
	socket := filepath.Join(dir, "run", "hookway.sock")
	if runtime.GOOS == "windows" {
		socket = `\\.\pipe\hookway-test-` + strings.Map(func(r rune) rune {
			if strings.ContainsRune(`\/:`, r) {
				return '-'
			}
			return r
		}, dir)
	}
	return call.Places{Dir: filepath.Join(dir, "run"), Socket: socket, Lock: filepath.Join(dir, "run", "start.lock")}
}

// folder is a short one: the path of a socket has little room.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start runs a daemon until the test ends, and then sees that nothing of it is left.
func start(t testing.TB, c Config) *running {
	t.Helper()
	before := runtime.NumGoroutine()
	if c.Places.Dir == "" {
		c.Places = placesIn(folder(t))
	}
	if c.Handle == nil {
		c.Handle = echo
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &running{Places: c.Places, stop: cancel, ended: make(chan struct{})}
	c.Log = logline.New(func(line string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lines = append(d.lines, line)
	})
	ready := make(chan struct{})
	c.Ready = func() { close(ready) }
	go func() {
		defer close(d.ended)
		d.err = Serve(ctx, c)
	}()
	select {
	case <-ready:
	case <-d.ended:
		t.Fatal(d.err)
	}
	t.Cleanup(func() {
		cancel()
		d.await(t)
		eventually.Goroutines(t, before)
	})
	return d
}

// await waits for the end of the daemon.
func (d *running) await(t testing.TB) {
	t.Helper()
	within(t, "the daemon's end", d.ended)
	if d.err != nil {
		t.Error(d.err)
	}
}

func (d *running) logged(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Contains(strings.Join(d.lines, "\n"), text)
}

func dial(t testing.TB, at call.Places) *Client {
	t.Helper()
	c, err := Dial(t.Context(), at.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends one event and gives the reply's stdout.
func ask(t testing.TB, c *Client, text string) string {
	t.Helper()
	r, err := c.Do(t.Context(), event(text))
	if err == nil && r.Err != "" {
		err = errors.New(r.Err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Stdout)
}

func event(text string) *call.Request {
	return &call.Request{Kind: call.KindHook, Version: "test", Agent: "claude", Stdin: []byte(text)}
}

func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		t.Fatalf("waited in vain for %s", what)
	}
}
