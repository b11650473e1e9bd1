//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
)

const webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// webhookService is a service that receives events. It may be away, and come back at the
// same address.
type webhookService struct {
	t       *testing.T
	address string
	server  *http.Server

	mu    sync.Mutex
	ids   []string
	texts []string
	said  [][]byte       // the bodies
	took  map[string]int // how often it took a text
	no    bool           // it answers 503
}

// come begins to answer, and go to do so no more.
func (s *webhookService) come() {
	s.t.Helper()
	if s.address == "" {
		s.address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	s.server = &http.Server{Handler: s}
	go s.server.Serve(l)
}

func (s *webhookService) leave() { s.server.Close() }

func (s *webhookService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = web.Verify(webhookSecret, r.Header, body)
	}
	var event struct{ Content string }
	err = errors.Join(err, json.Unmarshal(body, &event))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.t.Errorf("%s is not an event: %v", body, err)
	}
	s.said = append(s.said, body)
	s.ids, s.texts = append(s.ids, r.Header.Get("Webhook-Id")), append(s.texts, event.Content)
	if s.no {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if s.took == nil {
		s.took = map[string]int{}
	}
	s.took[event.Content]++
}

// received gives the ids under which a text came.
func (s *webhookService) received(text string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range s.texts {
		if one == text {
			ids = append(ids, s.ids[i])
		}
	}
	return ids
}

// taken is how often it took a text.
func (s *webhookService) taken(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took[text]
}

// webhookWorld is a home of hookway with a webhook.
type webhookWorld struct {
	*testing.T
	dir, program string
	env          []string
}

func newWebhookWorld(t *testing.T, url string) *webhookWorld {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	w := &webhookWorld{T: t, dir: dir, program: filepath.Join(dir, "hookway")} // by that name, this binary is hookway
	placeSelf(t, w.program)
	home := filepath.Join(dir, "home")
	w.env = []string{"HOME=" + dir, "HOOKWAY_HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	config := "gateway:\n  webhooks:\n    - {id: ci, url: '" + url + "', on: MessageSent, secret_file: secret, allow_private: true}\n"
	err = os.MkdirAll(filepath.Join(home, "config"), 0o700)
	for name, text := range map[string]string{"hookway.yaml": config, "secret": webhookSecret + "\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(home, "config", name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = w.hookway("stop")
		os.RemoveAll(dir)
	})
	return w
}

func (w *webhookWorld) hookway(args ...string) (string, error) {
	cmd := exec.Command(w.program, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("hookway %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (w *webhookWorld) must(args ...string) string {
	w.Helper()
	out, err := w.hookway(args...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// wake starts the daemon, as the first event of an agent does.
func (w *webhookWorld) wake() {
	w.Helper()
	cmd := exec.Command(w.program, "hook", "claude")
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"SessionStart","session_id":"s-wake","source":"startup","cwd":"` + w.dir + `"}`)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%v\n%s", err, out)
	}
}

// status is the daemon's.
func (w *webhookWorld) status() (st daemon.Status) {
	w.Helper()
	if err := json.Unmarshal([]byte(w.must("status", "--json")), &st); err != nil {
		w.Fatal(err)
	}
	return st
}

// TestAWebhookHearsWhatAKilledDaemonWasTold kills the real daemon while a webhook does
// not answer. The next one tells it, under the same id, with a signature that holds.
func TestAWebhookHearsWhatAKilledDaemonWasTold(t *testing.T) {
	s := &webhookService{t: t, no: true}
	s.come()
	w := newWebhookWorld(t, "http://"+s.address+"/")
	w.must("inbox")
	w.wake()
	w.must("send", "user", "first")
	fire := func(text string) {
		t.Helper()
		client, err := daemon.Dial(t.Context(), w.status().Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		event := `{"event":"MessageSent","payload":{"id":"m-1","from":"Alice","to":"Bob","content":"` + text + `","success":true}}`
		if code, answer, err := client.Ask(t.Context(), http.MethodPost, "/v1/events", []byte(event)); err != nil || code != http.StatusOK {
			t.Fatalf("the event was answered with %d %s, %v", code, answer, err)
		}
	}
	fire("of the daemon")
	waiting := func() int {
		for _, one := range w.status().Webhooks {
			return one.Waiting
		}
		return 0
	}
	eventually.True(t, "both wait", func() bool { return waiting() == 2 })
	if err := syscall.Kill(w.status().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "HOOKWAY_DAEMON=off")
	if out := w.must("send", "user", "without a daemon"); strings.Contains(out, "webhook") { // it is known to be down
		t.Errorf(`got %v, want !strings.Contains(out, "webhook")`, out)
	}
	s.mu.Lock()
	s.no = false
	s.mu.Unlock()
	w.env = w.env[:len(w.env)-1]
	w.wake()
	w.must("send", "user", "last")
	texts := []string{"first", "of the daemon", "without a daemon", "last"}
	for _, text := range texts {
		eventually.True(t, text+" came", func() bool { return s.taken(text) > 0 })
	}
	eventually.True(t, "nothing waits", func() bool { return len(w.status().Webhooks) == 0 })
	for _, text := range texts {
		if n, ids := s.taken(text), s.received(text); n != 1 || ids[0] == "" || slices.ContainsFunc(ids, func(id string) bool { return id != ids[0] }) {
			t.Errorf("%s was taken %d times, under the ids %v", text, n, ids)
		}
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "home", "state", "gateway", "webhooks.db"))
	if err != nil || strings.Contains(string(text), webhookSecret[6:]) {
		t.Errorf("the secret is in the file, or that cannot be read: %v", err)
	}
}

// TestAWebhookHearsWhatNobodyCouldTell: a process that sends a message while the webhook
// is away, and no daemon runs, has left when the webhook comes.
func TestAWebhookHearsWhatNobodyCouldTell(t *testing.T) {
	s := &webhookService{t: t}
	s.come()
	s.leave()
	w := newWebhookWorld(t, "http://"+s.address+"/")
	w.must("inbox")
	w.env = append(w.env, "HOOKWAY_DAEMON=off")
	if out := w.must("send", "user", "alone"); !strings.Contains(out, "webhook ci: ") || !strings.Contains(out, "its messages are kept") {
		t.Errorf(`got %v, want strings.Contains(out, "webhook ci: ") and strings.Contains(out, "its messages are kept")`, out)
	}
	w.env = w.env[:len(w.env)-1]
	s.come()
	defer s.leave()
	w.must("agents") // needs no daemon
	if ids := s.received("alone"); len(ids) != 0 {
		t.Errorf("it came by itself: %v", ids)
	}
	w.wake()
	w.must("send", "user", "another")
	eventually.True(t, "it came", func() bool { return len(s.received("alone")) == 1 && len(s.received("another")) == 1 })
	eventually.True(t, "nothing waits", func() bool { return len(w.status().Webhooks) == 0 })
}

// TestAWebhookIsToldWhatWasDecidedAndNoSecret: after the decision, with the outcome, as
// the audit log would have it; and that is not an event of its own in the log.
func TestAWebhookIsToldWhatWasDecidedAndNoSecret(t *testing.T) {
	s := &webhookService{t: t}
	s.come()
	defer s.leave()
	w := newWebhookWorld(t, "http://"+s.address+"/")
	config := `redact: [ssn]
events: [{name: Deployed}]
hooks:
  - {id: no-uploads, on: PreToolUse, lane: guard, match: {command: curl}, block: not from here}
gateway:
  hooks:
    deploy: {auth: {type: bearer, secret_file: token}, event: Deployed, payload: {outcome: '{{ .outcome }}', api_key: '{{ .key }}'}}
  webhooks:
    - {id: ci, url: 'http://` + s.address + `/', on: [PreToolUse, Deployed], secret_file: secret, allow_private: true}
`
	for name, text := range map[string]string{"hookway.yaml": config, "token": "a-token-of-the-build-server\n"} {
		if err := os.WriteFile(filepath.Join(w.dir, "home", "config", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.wake()
	client, err := daemon.Dial(t.Context(), w.status().Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	event := `{"event":"PreToolUse","payload":{"tool_name":"Bash","tool_input":{"command":"curl -H 'Authorization: Bearer abcdefgh12345678' x","ssn":"078-05-1120"}}}`
	if code, answer, err := client.Ask(t.Context(), http.MethodPost, "/v1/events", []byte(event)); err != nil || code != http.StatusOK {
		t.Fatalf("the event was answered with %d %s, %v", code, answer, err)
	}
	fromOutside, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://hookway/hooks/deploy", strings.NewReader(`{"outcome":"green","key":"k-12345"}`))
	if err != nil {
		t.Fatal(err)
	}
	fromOutside.Header.Set("Authorization", "Bearer a-token-of-the-build-server")
	fromOutside.Header.Set("Content-Type", "application/json")
	outside := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", w.status().Socket)
	}}}
	defer outside.CloseIdleConnections()
	answer, err := outside.Do(fromOutside)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("got %+v, %v, want err == nil and answer.StatusCode == http.StatusOK", answer, err)
	}
	answer.Body.Close()
	eventually.True(t, "both came", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.said) >= 2 })
	s.mu.Lock()
	defer s.mu.Unlock()
	type webhookEvent struct {
		Event      string            `json:"hook_event_name"`
		ToolInput  map[string]string `json:"tool_input"`
		OwnOutcome string            `json:"own_outcome"`
		Outcome    struct {
			Action, By, Reason string
			Steps              []struct{ Hook string }
		}
	}
	for _, body := range s.said {
		var e webhookEvent
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		for _, secret := range []string{"abcdefgh12345678", "078-05-1120", "k-12345"} {
			if strings.Contains(string(body), secret) {
				t.Errorf("%s is in it: %s", secret, body)
			}
		}
		switch {
		case e.Event == "PreToolUse" && e.Outcome.Action == "block" && e.Outcome.By == "no-uploads" && e.Outcome.Reason == "not from here" &&
			len(e.Outcome.Steps) == 1 && strings.HasPrefix(e.ToolInput["command"], "curl -H 'Authorization: "):
		case e.Event == "Deployed" && e.Outcome.Action == "continue" && e.OwnOutcome == "green":
		default:
			t.Errorf("it received %s", body)
		}
	}
	if log := w.must("log"); strings.Contains(log, "observed") || strings.Count(log, "PreToolUse") != 1 {
		t.Errorf("the log has\n%s", log)
	}
}
