//go:build unix

package api_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire/call"
)

// patient bounds every wait of these tests; none comes near it.
const patient = 2 * time.Minute

// house is a daemon with its API, a judge, and a trusted workspace, all real.
type house struct {
	t         testing.TB
	dir       string // the workspace
	home      string
	socket    string
	listeners []net.Listener
	token     string
	judge     *judge.Judge
	relay     *relayed
	client    *http.Client // at the socket
	stop      context.CancelFunc
	ended     chan struct{} // closed when the daemon has ended

	mu    sync.Mutex
	lines []string
}

// plan says what a house has besides its hooks.
type plan struct {
	listen   []string
	secure   *tls.Config
	idle     time.Duration
	patience time.Duration // for a head or a body to arrive; zero is as usual
	gateway  *gateway.Gateway
	page     *api.Page
	sessions api.Sessions
}

const oneHook = "hooks:\n  - {id: no-rm, on: PreToolUse, match: {command: 'rm -rf /'}, block: not today}\n"

// newHouse opens one with this hookway.yaml, until the test ends.
func newHouse(t testing.TB, yaml string, p plan) *house {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		eventually.Goroutines(t, before)
	})
	root, err := os.MkdirTemp("", "api") // the path of a socket has little room
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	h := &house{t: t, dir: filepath.Join(root, "project"), home: filepath.Join(root, "home"), ended: make(chan struct{})}
	t.Setenv("HOOKWAY_HOME", h.home)
	t.Setenv("HOME", root)
	for _, dir := range []string{h.dir, h.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.write("hookway.yaml", yaml)
	if _, err := config.Trust(config.Options{Dir: h.dir, Getenv: os.Getenv}); err != nil {
		t.Fatal(err)
	}
	h.serve(p)
	return h
}

func (h *house) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

// serve runs the daemon.
func (h *house) serve(p plan) {
	h.t.Helper()
	at, err := call.Find(os.Getenv)
	if err != nil {
		h.t.Fatal(err)
	}
	h.socket = at.Socket
	if h.token, err = api.Token(h.home); err != nil {
		h.t.Fatal(err)
	}
	log, err := audit.Open(audit.Config{Dir: filepath.Join(h.home, "audit"), Log: logline.New(h.log)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.judge = &judge.Judge{Log: logline.New(h.log), Record: log.Append, AuditDir: filepath.Join(h.home, "audit")}
	h.relay = &relayed{h: h}
	found := index.Open(h.judge.AuditDir, nil)
	server := api.New(api.Config{Engine: h.judge, Lister: h.judge, Relay: h.relay, Records: records{found}, Token: h.token, Log: logline.New(h.log), HeadTime: p.patience, BodyTime: p.patience})
	server.Gateway, server.Page, server.Sessions = p.gateway, p.page, p.sessions
	c := daemon.Config{
		Places: at, Version: "test", Idle: p.idle, API: server, Log: logline.New(h.log),
		Handle: func(ctx context.Context, peer daemon.Peer, r *call.Request) call.Reply {
			return h.judge.Answer(ctx, judge.Caller{PID: peer.PID}, r)
		},
		Load: h.judge.Load, Needed: func() bool { return server.Registered() > 0 },
		Listeners: func() ([]net.Listener, error) {
			for _, address := range p.listen {
				l, err := api.Listen(address, p.secure)
				if err != nil {
					return h.listeners, err
				}
				h.listeners = append(h.listeners, l)
			}
			if p.page != nil {
				h.listeners = append(h.listeners, p.page.Listener)
			}
			return h.listeners, nil
		},
		Close: func() {
			server.Close()
			if err := errors.Join(found.Close(), h.judge.Close(), log.Close(), h.relay.close()); err != nil {
				h.t.Error(err)
			}
		},
	}
	ready := make(chan struct{})
	c.Ready = func() { close(ready) }
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	go func() {
		defer close(h.ended)
		if err := daemon.Serve(ctx, c); err != nil {
			h.t.Error(err)
		}
	}()
	h.client = &http.Client{Transport: &http.Transport{DialContext: h.dial}, Timeout: patient}
	h.t.Cleanup(func() {
		h.client.CloseIdleConnections()
		cancel()
		h.await("the daemon's end", h.ended)
	})
	select {
	case <-ready:
	case <-h.ended:
		h.t.FailNow()
	}
}

func (h *house) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", h.socket)
}

func (h *house) log(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

func (h *house) await(what string, done <-chan struct{}) {
	h.t.Helper()
	timer := time.NewTimer(patient)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		h.t.Fatalf("waited in vain for %s", what)
	}
}

// ask sends a request to the socket; see do.
func (h *house) ask(method, path, body string, headers ...string) (int, string) {
	h.t.Helper()
	return h.do(h.client, "http://hookway"+path, method, body, headers...)
}

// do sends a request with headers "Name: value", and holds the answer against the
// description.
func (h *house) do(client *http.Client, url, method, body string, headers ...string) (int, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			r.Host = value
		} else if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	response, err := client.Do(r)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, url, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, url, err)
	}
	if method != http.MethodHead {
		if err := described(method, r.URL.EscapedPath(), response.StatusCode, response.Header, text); err != nil {
			h.t.Errorf("%s %s: %v\n%s", method, url, err, text)
		}
	}
	return response.StatusCode, string(bytes.TrimSpace(text))
}

// hold keeps the daemon busy until it is let go.
func (h *house) hold() (letGo func()) {
	h.t.Helper()
	began, over, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	remove, _, err := h.judge.Register(h.t.Context(), h.dir, before("hold", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		close(began)
		<-over
		return hook.Decision{}, nil
	})))
	if err != nil {
		h.t.Fatal(err)
	}
	go func() {
		defer close(answered)
		if status, text := h.ask("POST", "/v1/events", h.firing("held")); status != http.StatusOK {
			h.t.Errorf("the event that was held: %d %s", status, text)
		}
	}()
	h.await("the event that is held", began)
	return func() {
		remove()
		close(over)
		h.await("its end", answered)
	}
}

// firing is the body for a shell command.
func (h *house) firing(command string, more ...string) string {
	return fmt.Sprintf(`{"event":"PreToolUse","cwd":%q,"payload":{"tool_name":"Bash","tool_input":{"command":%q}}%s}`, h.dir, command, strings.Join(more, ""))
}

// records are those of a house, in which each folder is its own workspace.
type records struct{ *index.Index }

func (records) Where(folder string) (workspace, alone string, err error) { return folder, "", nil }

func (h *house) recorded() (all []audit.Record) {
	h.t.Helper()
	for r, err := range audit.Read(h.judge.AuditDir, audit.Filter{}) {
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func want(t testing.TB, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("got %s\nwant it with %q", got, part)
		}
	}
}

// before is a hook of PreToolUse.
func before(id string, handler hook.Handler) hook.Hook {
	h := hook.New(id, handler)
	h.Events = []string{"PreToolUse"}
	return h
}
