package server

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire/call"
)

// runningDaemon is a daemon that serves a folder of its own.
type runningDaemon struct {
	*Daemon
	*daemon.Client
	listening chan string // where else it does
	ended     chan error
}

// startDaemon has a daemon serve a new home with a configuration of the user.
func startDaemon(t *testing.T, hooks string, addresses ...string) runningDaemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("HOOKWAY_HOME", dir) // events of programs have the daemon's environment
	write(t, filepath.Join(dir, "config", "hookway.yaml"), hooks)
	h := testHome(t, dir)
	listening := make(chan string, len(addresses))
	log := h.Log
	h.Log = logline.New(func(line string) {
		if rest, ok := strings.CutPrefix(line, "listening at "); ok {
			address, _, _ := strings.Cut(rest, ",")
			listening <- address
		}
		log.Info(line)
	})
	d := &Daemon{Home: h, Idle: time.Hour}
	ready := make(chan struct{})
	d.Ready = func() { close(ready) }
	if d.Places, err = call.Find(h.Getenv); err != nil {
		t.Fatal(err)
	}
	if d.Listeners, err = h.PlanListeners(addresses, "", ""); err != nil {
		t.Fatal(err)
	}
	r := runningDaemon{Daemon: d, listening: listening, ended: make(chan error, 1)}
	go func() { r.ended <- d.Serve(context.WithoutCancel(t.Context())) }()
	select {
	case <-ready:
	case err := <-r.ended:
		t.Fatalf("it did not serve: %v", err)
	}
	if r.Client, err = daemon.Dial(t.Context(), d.Places.Socket); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stop ends the daemon as hookway stop does.
func (r runningDaemon) stop(t *testing.T) {
	t.Helper()
	if _, err := r.Stop(t.Context(), ""); err != nil {
		t.Fatal(err) // it may go on, and would be waited for without end
	}
	if err := <-r.ended; err != nil {
		t.Errorf("Serve gave %v", err)
	}
}

// TestADaemonServesAndLeavesNothing speaks to a daemon as agents and as programs do,
// and stops it. The next one finds the place free.
func TestADaemonServesAndLeavesNothing(t *testing.T) {
	r := startDaemon(t, "hooks:\n  - {id: no-rm, on: PreToolUse, match: {command: 'rm -rf'}, lane: guard, block: not here}\n", "127.0.0.1:0")
	dir := t.TempDir()
	reply, err := r.Do(t.Context(), &call.Request{
		Kind: call.KindHook, Agent: "claude", Event: "PreToolUse", Dir: dir, Env: os.Environ(),
		Stdin: []byte(`{"session_id":"s-1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t-1","tool_input":{"command":"rm -rf build"}}`),
	})
	if got := string(reply.Stdout) + string(reply.Stderr); err != nil || !strings.Contains(got, "not here") {
		t.Errorf("an agent got %q, %v; want the reason of the hook", got, err)
	}
	status, err := r.Status(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if status.PID != os.Getpid() || status.Version != "test" {
		t.Errorf("status %+v, want that of this process", status)
	}
	_, state, err := config.Places(r.Home.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(api.TokenFile(state))
	if err != nil {
		t.Fatal(err)
	}
	address := <-r.listening
	for given, want := range map[string]int{"Bearer " + strings.TrimSpace(string(token)): http.StatusOK, "Bearer " + strings.Repeat("x", 40): http.StatusUnauthorized} {
		if got, action := fire(t, address, given); got != want || want == http.StatusOK && action != "block" {
			t.Errorf("a program got %d %q, want %d and a block", got, action, want)
		}
	}
	r.stop(t)
	if _, err := os.Stat(r.Places.Socket); err == nil {
		t.Error("the socket is still there")
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Errorf("something listens at %s", address)
	}
	events := map[string]int{}
	for one, err := range audit.Read(filepath.Join(state, "audit"), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		events[one.Event+" "+one.Action]++
	}
	if events["PreToolUse block"] != 2 {
		t.Errorf("the record has %v, want two blocks of PreToolUse", events)
	}
	ctx, cancel := context.WithCancel(t.Context())
	next := *r.Daemon
	next.Home = testHome(t, r.Home.Getenv("HOOKWAY_HOME"))
	next.Ready = cancel
	if err := next.Serve(ctx); err != nil {
		t.Errorf("the next daemon: %v", err)
	}
}

// fire fires an event over HTTP.
func fire(t *testing.T, address, authorization string) (status int, action string) {
	t.Helper()
	body := `{"event":"PreToolUse","session_id":"s-2","payload":{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/events", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Action, Detail string }
	if err := json.Unmarshal(text, &out); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return answer.StatusCode, out.Action + out.Detail
}
