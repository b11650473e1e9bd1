//go:build unix

package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
)

const hookToken = "a-secret-of-one-hook-alone"

// usersGateway is the user's configuration.
const usersGateway = `events: [{name: Deployed}]
gateway:
  hosts: hooks.example.com
  hooks:
    ci:
      auth: {type: bearer, secret_file: ci.token}
      max_body: 2KiB
      message: {to: '{{ .to }}', text: '{{ .text }}'}
    few:
      auth: {type: bearer, secret_file: ci.token}
      rate: {per_minute: 1, burst: 1}
      message: {to: Alice, text: x}
    signed:
      auth: {type: github, secret_file: ci.token}
      event: deployed
      payload: '{{ . }}'
    large:
      auth: {type: bearer, secret_file: ci.token}
      max_body: 4MiB
      message: {to: Alice, text: x}
`

// gatehouse is a house with a gateway, and what was sent by it.
type gatehouse struct {
	*house
	mu   sync.Mutex
	sent []gateway.Message
}

func newGatehouse(t *testing.T, p plan) *gatehouse {
	t.Helper()
	h := &gatehouse{}
	p.gateway = &gateway.Gateway{
		Load: func(ctx context.Context) (*gateway.Config, error) {
			all, err := h.judge.Hooks(ctx, "")
			if err != nil {
				return nil, err
			}
			return all.Set.Gateway, nil
		},
		Send: func(_ context.Context, m gateway.Message) (gateway.Sent, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if m.To == "nobody" {
				return gateway.Sent{}, &gateway.SendError{Err: errors.New("there is no nobody; did you mean Norbert?")}
			}
			h.sent = append(h.sent, m)
			return gateway.Sent{ID: m.ID, Receipts: []gateway.Receipt{{To: m.To, State: "accepted"}}}, nil
		},
		Fire: func(ctx context.Context, ev gateway.Event) (hook.Outcome[any], error) {
			return h.judge.Fire(ctx, judge.Firing{Event: ev.Name, Payload: ev.Payload, Source: "gateway", ID: ev.ID, Metadata: ev.Metadata, Foreign: true})
		},
		Getenv: func(string) string { return "" }, NewID: func() string { return "m-1" }, Log: logline.New(func(line string) { h.log(line) }),
	}
	h.house = newHouse(t, oneHook, p)
	folder := filepath.Join(h.home, "config")
	for name, text := range map[string]string{"ci.token": hookToken + "\n", "hookway.yaml": usersGateway} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

const hookBearer = "Authorization: Bearer " + hookToken

func TestServicesComeInWithTheSecretOfOneHook(t *testing.T) {
	h := newGatehouse(t, plan{listen: []string{"127.0.0.1:0"}})
	at := "http://" + h.listeners[0].Addr().String()
	client := &http.Client{Timeout: patient}
	defer client.CloseIdleConnections()
	post := func(path, body string, headers ...string) (int, string) {
		t.Helper()
		return h.do(client, at+path, http.MethodPost, body, headers...)
	}
	message := `{"to":"Alice","text":"red"}`
	for _, c := range []struct {
		what, path, body string
		headers          []string
		status           int
		says             string
	}{
		{"a message", "/hooks/ci", message, []string{hookBearer}, 202, `{"id":"m-1","receipts":[{"to":"Alice","state":"accepted"}],"status":"accepted"}`},
		{"by the name of a proxy", "/hooks/ci", message, []string{hookBearer, "Host: hooks.example.com"}, 202, "accepted"},
		{"again", "/hooks/ci", message, []string{hookBearer, "Idempotency-Key: k"}, 202, "accepted"},
		{"the key of another", "/hooks/ci", `{"to":"Alice","text":"blue"}`, []string{hookBearer, "Idempotency-Key: k"}, 409, "key-in-use"},
		{"text", "/hooks/few", "anything", []string{hookBearer, "Content-Type: text/plain"}, 202, "accepted"},
		{"too many", "/hooks/few", "{}", []string{hookBearer}, 429, "too-many"},
		{"the daemon's token", "/hooks/ci", message, []string{"Authorization: Bearer " + h.token}, 401, "no-token"},
		{"no token", "/hooks/ci", message, nil, 401, "no-token"},
		{"no signature", "/hooks/signed", message, nil, 401, "bad-signature"},
		{"a wrong signature", "/hooks/signed", message, []string{"X-Hub-Signature-256: sha256=00"}, 401, "bad-signature"},
		{"another host", "/hooks/ci", message, []string{hookBearer, "Host: attacker.example"}, 403, "not-here"},
		{"a page", "/hooks/ci", message, []string{hookBearer, "Origin: http://127.0.0.1"}, 403, "not-here"},
		{"an unknown name", "/hooks/cii", message, []string{hookBearer}, 404, "there is nothing here"},
		{"no name", "/hooks/", message, []string{hookBearer}, 404, "there is nothing here"},
		{"the secret of a hook elsewhere", "/v1/events", h.firing("ls"), []string{hookBearer}, 401, "no-token"},
		{"no JSON", "/hooks/ci", "{", []string{hookBearer}, 400, "bad-request"},
		{"a page's form", "/hooks/ci", "{}", []string{hookBearer, "Content-Type: multipart/form-data; boundary=x"}, 415, "wrong-type"},
		{"too large", "/hooks/ci", `{"to":"` + strings.Repeat("x", 3000) + `"}`, []string{hookBearer}, 413, "2 KiB"},
		{"a missing field", "/hooks/ci", `{"to":"Alice"}`, []string{hookBearer}, 422, "text: the request has no field .text"},
		{"an unknown receiver", "/hooks/ci", `{"to":"nobody","text":"x"}`, []string{hookBearer}, 422, "not-sent"},
		{"one of 2 MiB", "/hooks/large", `"` + strings.Repeat("x", 2<<20) + `"`, []string{hookBearer}, 202, "accepted"},
		{"one of 5 MiB", "/hooks/large", `"` + strings.Repeat("x", 5<<20) + `"`, []string{hookBearer}, 413, "4 MiB"},
	} {
		status, text := post(c.path, c.body, c.headers...)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d and %q", c.what, status, text, c.status, c.says)
		} else if strings.Contains(text, "Norbert") || strings.Contains(text, hookToken) {
			t.Errorf("%s: %d %s, want %d and %q", c.what, status, text, c.status, c.says)
		}
	}
	if status, text := h.do(client, at+"/hooks/ci", http.MethodGet, "", hookBearer); status != 405 {
		t.Errorf("GET: %d %s", status, text)
	}
	if status, text := h.ask(http.MethodPost, "/hooks/ci", message); status != 401 { // at the daemon's own socket, too
		t.Errorf("without a token at the socket: %d %s", status, text)
	}
	h.house.mu.Lock()
	defer h.house.mu.Unlock()
	for _, line := range h.lines {
		if strings.Contains(line, hookToken) {
			t.Errorf("the log has the secret: %s", line)
		}
	}
	want(t, strings.Join(h.lines, "\n"), "did you mean Norbert?")
}

func TestAServicesEventIsOnRecord(t *testing.T) {
	h := newGatehouse(t, plan{})
	body := `{"version":"1.2"}`
	status, text := h.ask(http.MethodPost, "/hooks/signed", body, "X-Hub-Signature-256: sha256="+hmacHex(hookToken, body))
	if status != 200 || text != `{"action":"continue","event":"Deployed","status":"fired"}` {
		t.Errorf("got %d %s, want status == 200 and text == `{\"action\":\"continue\",\"event\":\"Deployed\",\"status\":\"fired\"}`", status, text)
	}
	all := h.recorded()
	if len(all) != 1 || all[0].Event != "Deployed" || all[0].Source != "gateway" {
		t.Errorf("recorded: %+v", all)
	}
}

// TestABodyThatDripsIsCutOff: one that comes byte by byte holds the daemon up for no longer
// than a body may take.
func TestABodyThatDripsIsCutOff(t *testing.T) {
	h := newGatehouse(t, plan{listen: []string{"127.0.0.1:0"}, patience: 50 * time.Millisecond})
	nc, err := net.Dial("tcp", h.listeners[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := nc.SetDeadline(time.Now().Add(patient)); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(nc, "POST /hooks/ci HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"+hookBearer+"\r\n\r\n{")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(nc)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf(`got %v %s, want err == nil and strings.HasPrefix(string(answer), "HTTP/1.1 408 ")`, err, answer)
	}
}

func hmacHex(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}
