//go:build linux || darwin

package session_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/faketui"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/terminal"
)

// TestMain lets the test binary be the programs that the tests run.
func TestMain(m *testing.M) {
	faketui.Main()
	if f, ok := programs[os.Getenv("SESSION_TEST_PROGRAM")]; ok {
		f()
		os.Exit(0)
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup, and so by what is started here, unless somebody listens
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // most wait for the time to pass
		panic(err)
	}
	os.Exit(m.Run())
}

var programs = map[string]func(){
	// agent says its line, and answers every line it reads.
	"agent": func() {
		fmt.Println("session", os.Getenv("HOOKWAY_SESSION"), "agent", os.Getenv("HOOKWAY_AGENT"))
		fmt.Println(os.Getenv("AGENT_SAYS"))
		for in := bufio.NewScanner(os.Stdin); in.Scan() && in.Text() != "bye"; {
			remember(in.Text())
			fmt.Println("got:", in.Text())
		}
	},
	// mailrun is hookway itself, around the agent, with messages of a mailbox.
	"mailrun": mailrun,
	// wrapper is hookway itself, around a shell that answers every line.
	"wrapper": wrapper,
}

// wrapper prints what it sees of its hooks, for tests that send it signals.
func wrapper() {
	var engine hook.Engine
	var under sync.Once
	err := engine.Add(hook.New("end", hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		fmt.Printf("SessionEnd %s\n", ev.Body().(hook.SessionSummary).Reason)
		return hook.Inject(os.Getenv("WRAPPER_INJECT")), nil
	}), hook.For("SessionEnd")))
	if err != nil {
		panic(err)
	}
	// The program's first output reaches a hook when the session is under way.
	err = engine.Add(hook.New("output", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		under.Do(func() { fmt.Println("under way") })
		return hook.Decision{}, nil
	}), hook.For("Output")))
	if err != nil {
		panic(err)
	}
	os.Unsetenv("SESSION_TEST_PROGRAM")
	ctx := context.Background()
	if os.Getenv("WRAPPER_CONTEXT") != "" { // as in hookway's main
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	status, err := session.Run(ctx, session.Config{
		Engine: &engine, Command: sh(os.Getenv("WRAPPER_SCRIPT")), Stdout: os.Stdout,
	})
	fmt.Printf("code %d error %v\n", status.Code, err)
}

func sh(script string) []string { return []string{"sh", "-c", script} }

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// atOnce wants an end within five seconds. A busy machine may
// need as long once; what waits needs as long every time.
func atOnce(t *testing.T, end func() (took time.Duration)) {
	t.Helper()
	var took time.Duration
	for range 3 {
		if took = end(); took < 5*time.Second {
			return
		}
	}
	t.Errorf("it took %v", took)
}

// log is a list that grows, and that tests wait for.
type log[T any] struct {
	mu      sync.Mutex
	all     []T
	changed chan struct{}
}

func (l *log[T]) add(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, v)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (l *log[T]) list() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// await waits until enough holds for the list.
func (l *log[T]) await(t testing.TB, what string, enough func([]T) bool) []T {
	t.Helper()
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		all := slices.Clone(l.all)
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if enough(all) {
			return all
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waiting for %s; there is %v", what, all)
		}
	}
}

// screen is a user's screen.
type screen struct{ writes log[string] }

func (s *screen) Write(p []byte) (int, error) {
	s.writes.add(string(p))
	return len(p), nil
}

func (s *screen) String() string { return strings.Join(s.writes.list(), "") }

func (s *screen) await(t testing.TB, text string) {
	t.Helper()
	s.writes.await(t, fmt.Sprintf("%q on the screen", text), func(w []string) bool {
		return strings.Contains(strings.Join(w, ""), text)
	})
}

// wrapped is a session under test.
type wrapped struct {
	t        testing.TB
	engine   hook.Engine
	screen   screen
	events   log[hook.AnyEvent] // of all hooks made by hook
	warnings log[string]
	cancel   context.CancelFunc
	result   chan result
}

type result struct {
	status terminal.ExitStatus
	err    error
}

func newWrapped(t testing.TB) *wrapped { return &wrapped{t: t, result: make(chan result, 1)} }

// hook registers a hook that records its events and then decides; a nil decide
// has no opinion.
func (w *wrapped) hook(event string, decide func(context.Context, hook.AnyEvent) (hook.Decision, error)) {
	w.t.Helper()
	err := w.engine.Add(hook.New("on-"+event, hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		w.events.add(ev)
		if decide == nil {
			return hook.Decision{}, nil
		}
		return decide(ctx, ev)
	}), hook.For(event)))
	if err != nil {
		w.t.Fatal(err)
	}
}

// injects is a hook that always injects the same.
func injects(text string) func(context.Context, hook.AnyEvent) (hook.Decision, error) {
	return func(context.Context, hook.AnyEvent) (hook.Decision, error) { return hook.Inject(text), nil }
}

// run starts the session. Idle is off unless the test sets a threshold.
func (w *wrapped) run(cfg session.Config) {
	w.t.Helper()
	cfg.Engine, cfg.Stdout, cfg.Warn = &w.engine, &w.screen, w.warnings.add
	if cfg.IdleThreshold == 0 {
		cfg.IdleThreshold = -1
	}
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		status, err := session.Run(ctx, cfg)
		w.result <- result{status, err}
	}()
	w.t.Cleanup(func() {
		w.cancel()
		<-ended
	})
}

// agent runs the test binary as an agent that says something.
func (w *wrapped) agent(says string, cfg session.Config) {
	w.t.Helper()
	cfg.Command = []string{os.Args[0]}
	cfg.Env = append(append(os.Environ(), "SESSION_TEST_PROGRAM=agent", "AGENT_SAYS="+says), cfg.Env...)
	w.run(cfg)
}

// end waits for the session's end.
func (w *wrapped) end() result {
	w.t.Helper()
	select {
	case r := <-w.result:
		w.result <- r
		return r
	case <-time.After(patience):
		w.t.Fatalf("the session does not end; the screen is %q", w.screen.String())
		return result{}
	}
}

// clean waits for an end without error and with code 0.
func (w *wrapped) clean() {
	w.t.Helper()
	if r := w.end(); r.err != nil || r.status != (terminal.ExitStatus{}) {
		w.t.Errorf("the session ended with %+v, %v", r.status, r.err)
	}
}

// of waits until there are n events of one payload type and returns those
// there are.
func of[P any](w *wrapped, n int) []P {
	w.t.Helper()
	var found []P
	w.events.await(w.t, fmt.Sprintf("%d of %T", n, *new(P)), func(all []hook.AnyEvent) bool {
		found = now[P](all)
		return len(found) >= n
	})
	return found
}

func now[P any](events []hook.AnyEvent) []P {
	var found []P
	for _, ev := range events {
		if p, ok := ev.Body().(P); ok {
			found = append(found, p)
		}
	}
	return found
}

func names(events []hook.AnyEvent) []string {
	var out []string
	for _, ev := range events {
		out = append(out, ev.Info().Name)
	}
	return out
}

// keyboard is a user's standard input that stays open until the test ends.
func keyboard(t testing.TB) (in *os.File, keys io.Writer) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	return r, w
}

func write(t testing.TB, to io.Writer, text string) {
	t.Helper()
	if _, err := io.Copy(to, bytes.NewBufferString(text)); err != nil {
		t.Fatal(err)
	}
}
