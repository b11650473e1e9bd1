package gateway_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/webhook"
)

const token = "a-token-that-is-long-enough"

// whsec is a secret of Standard Webhooks.
const whsec = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// post is a gateway with one mapping, ci, and what came of its requests.
type post struct {
	*gateway.Gateway
	t *testing.T

	mu    sync.Mutex
	sent  []gateway.Message
	fired []gateway.Event
	lines []string
	ids   int
	err   error // of Send

	blocked string // why a hook does not want what is sent
}

func template(t testing.TB, text string) *gateway.Template {
	t.Helper()
	tm, err := gateway.ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

func mapping(t testing.TB, change func(*gateway.Mapping)) *gateway.Mapping {
	m := &gateway.Mapping{
		Name: "ci", Auth: gateway.Auth{Scheme: gateway.Bearer, SecretEnv: "CI"}, MaxBody: gateway.DefaultMaxBody,
		PerMinute: 60, Burst: 30, Timeout: time.Minute,
		Message: &gateway.MessageTemplate{To: template(t, "Alice"), From: template(t, "ci"), Text: template(t, "{{ .title }}")},
	}
	if change != nil {
		change(m)
	}
	return m
}

func newPost(t *testing.T, dir string, m *gateway.Mapping) *post {
	t.Helper()
	p := &post{t: t}
	p.Gateway = &gateway.Gateway{
		Load: func(context.Context) (*gateway.Config, error) {
			return &gateway.Config{Hooks: map[string]*gateway.Mapping{m.Name: m}}, nil
		},
		Send: func(_ context.Context, m gateway.Message) (gateway.Sent, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.err != nil {
				return gateway.Sent{}, p.err
			}
			p.sent = append(p.sent, m)
			if p.blocked != "" {
				return gateway.Sent{ID: m.ID, Blocked: true, Reason: p.blocked}, nil
			}
			return gateway.Sent{ID: m.ID, Receipts: []gateway.Receipt{{To: m.To, State: "accepted"}}}, nil
		},
		Fire: func(_ context.Context, ev gateway.Event) (hook.Outcome[any], error) {
			p.fired = append(p.fired, ev)
			return hook.Outcome[any]{Verdict: hook.Verdict{Event: ev.Name, Action: hook.ActionBlock, Reason: "no"}}, nil
		},
		Getenv: func(name string) string { return map[string]string{"CI": token, "STD": whsec}[name] },
		NewID: func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.ids++
			return fmt.Sprintf("id-%d", p.ids)
		},
		Dir: dir,
		Log: logline.New(func(line string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.lines = append(p.lines, line)
		}),
	}
	return p
}

// ask sends a request to ci, with headers "Name: value".
func (p *post) ask(body string, headers ...string) (*gateway.Answer, error) {
	p.t.Helper()
	h := http.Header{"Content-Type": {"application/json"}}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		h.Set(name, value)
	}
	call, err := p.Admit(p.t.Context(), "ci", h)
	if err != nil {
		return nil, err
	}
	return call.Do(p.t.Context(), []byte(body))
}

// refused is the kind of a refusal.
func refused(err error) string {
	var r *gateway.Refusal
	if errors.As(err, &r) {
		return r.Kind
	}
	return fmt.Sprint(err)
}

const bearer = "Authorization: Bearer " + token

func TestABearerTokenLetsIn(t *testing.T) {
	p := newPost(t, "", mapping(t, nil))
	a, err := p.ask(`{"title":"red"}`, bearer)
	if err != nil || a.Status != http.StatusAccepted || string(a.Body) != `{"id":"id-1","receipts":[{"to":"Alice","state":"accepted"}],"status":"accepted"}` {
		t.Fatalf("got %+v %v, want err == nil and a.Status == http.StatusAccepted and string(a.Body) == `{\"id\":\"id-1\",\"receipts\":[{\"to\":\"Alice\",\"state\":\"accepted\"}],\"status\":\"accepted\"}`", a, err)
	}
	switch m := p.sent[0]; {
	case m.To != "Alice":
		t.Errorf("m.To: got %v, want %v", m.To, "Alice")
	case m.From != "ci":
		t.Errorf("m.From: got %v, want %v", m.From, "ci")
	case m.Text != "red":
		t.Errorf("m.Text: got %v, want %v", m.Text, "red")
	case m.Metadata["gateway"] != "ci":
		t.Errorf("m.Metadata[\"gateway\"]: got %v, want %v", m.Metadata["gateway"], "ci")
	}
	for _, header := range []string{"X: y", "Authorization: Bearer", "Authorization: Bearer " + token + "x", "Authorization: " + token, "Authorization: Basic " + token} {
		if _, err := p.ask(`{"title":"red"}`, header); refused(err) != "no-token" {
			t.Errorf(`%s: got %v, want refused(err) == "no-token"`, header, err)
		}
	}
	p = newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth.Header = "X-Gitlab-Token" }))
	if _, err := p.ask(`{"title":"red"}`, "X-Gitlab-Token: "+token); err != nil {
		t.Error(err)
	}
	if _, err := p.ask(`{"title":"red"}`, bearer); refused(err) != "no-token" {
		t.Errorf(`got %v, want refused(err) == "no-token"`, err)
	}
}

func TestAnUnknownNameTellsNothing(t *testing.T) {
	p := newPost(t, "", mapping(t, nil))
	_, err := p.Admit(t.Context(), "cj", http.Header{})
	if refused(err) != "no-such-path" || strings.Contains(err.Error(), "ci") {
		t.Errorf(`got %v, want refused(err) == "no-such-path" and !strings.Contains(err.Error(), "ci")`, err)
	}
}

func signed(body string, at time.Time, id string) []string {
	key, err := webhook.ParseKey(whsec)
	if err != nil {
		panic(err)
	}
	return []string{"Webhook-Id: " + id, "Webhook-Timestamp: " + strconv.FormatInt(at.Unix(), 10), "Webhook-Signature: " + key.Sign(id, at, []byte(body))}
}

func TestStandardWebhooksAreCheckedAndNotReplayed(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth = gateway.Auth{Scheme: gateway.Standard, SecretEnv: "STD"} }))
	body := `{"title":"red"}`
	if _, err := p.ask(body, signed(body, time.Now(), "msg_1")...); err != nil {
		t.Fatal(err)
	}
	again, err := p.ask(body, signed(body, time.Now(), "msg_1")...)
	if err != nil || !again.Again || len(p.sent) != 1 {
		t.Errorf("again: %+v %v, %d sent", again, err, len(p.sent))
	}
	for what, headers := range map[string][]string{
		"another body": signed(`{"title":"blue"}`, time.Now(), "msg_2"), "too old": signed(body, time.Now().Add(-6*time.Minute), "msg_3"),
		"too new": signed(body, time.Now().Add(6*time.Minute), "msg_4"), "none": nil, "half": signed(body, time.Now(), "msg_5")[:2],
	} {
		if _, err := p.ask(body, headers...); refused(err) != "bad-signature" {
			t.Errorf(`%s: got %v, want refused(err) == "bad-signature"`, what, err)
		}
	}
	if len(p.sent) != 1 {
		t.Errorf("%d were sent", len(p.sent))
	}
}

// TestATokenInAHeaderOfItsOwnGoesIntoNoMessage: whatever a template asks for.
func TestATokenInAHeaderOfItsOwnGoesIntoNoMessage(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) {
		m.Auth = gateway.Auth{Scheme: gateway.Bearer, Header: "X-Gitlab-Token", SecretEnv: "CI"}
		m.Message.Text = template(t, `{{ header "x-gitlab-token" | default "none" }} {{ header "X-Kind" }}`)
	}))
	if _, err := p.ask(`{"title":"red"}`, "X-Gitlab-Token: "+token, "X-Kind: push"); err != nil {
		t.Fatal(err)
	}
	if got := p.sent[0].Text; got != "none push" {
		t.Errorf("sent %q", got)
	}
}

// TestASecretOfTheWrongForm: it is for the log of who set it up, not for strangers.
func TestASecretOfTheWrongForm(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth = gateway.Auth{Scheme: gateway.Standard, SecretEnv: "CI"} }))
	_, err := p.ask(`{"title":"red"}`, signed(`{"title":"red"}`, time.Now(), "msg_1")...)
	if refused(err) != "failed" || strings.Contains(err.Error(), "whsec_") {
		t.Errorf("a stranger is told %v", err)
	}
	if got := strings.Join(p.lines, "\n"); !strings.Contains(got, "must begin with whsec_") {
		t.Errorf("logged %q", got)
	}
}

func TestAMissingSecretIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth.SecretEnv = "NONE" }))
		for range 3 {
			for range 100 {
				if _, err := p.ask(`{}`); refused(err) != "failed" {
					t.Fatalf(`got %v, want refused(err) == "failed"`, err)
				}
			}
			time.Sleep(time.Minute)
		}
		if len(p.lines) != 3 || !strings.Contains(p.lines[0], "NONE is not set") {
			t.Errorf("logged: %q", p.lines)
		}
	})
}

func hub(body string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func TestGitHubsSignatureIsChecked(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth.Scheme = gateway.GitHub }))
	body := `{"title":"red"}`
	if _, err := p.ask(body, "X-Hub-Signature-256: sha256="+hub(body), "X-GitHub-Delivery: 1"); err != nil {
		t.Fatal(err)
	}
	// The delivery's id is not signed: who saw the request once could send it under another.
	if a, err := p.ask(body, "X-Hub-Signature-256: sha256="+hub(body), "X-GitHub-Delivery: 2"); err != nil || !a.Again || len(p.sent) != 1 {
		t.Errorf("got %+v %v, want err == nil and a.Again and len(p.sent) == 1", a, err)
	}
	for _, signature := range []string{"sha256=" + hub("x"), "sha256=", "sha256=zz", "sha1=" + hub(body), hub(body)[:10], strings.Repeat("a", 1000)} {
		if _, err := p.ask(body, "X-Hub-Signature-256: "+signature); refused(err) != "bad-signature" {
			t.Errorf(`%q: got %v, want refused(err) == "bad-signature"`, signature, err)
		}
	}
	form := "payload=%7B%22title%22%3A%22blue%22%7D"
	if _, err := p.ask(form, "X-Hub-Signature-256: sha256="+hub(form), "Content-Type: application/x-www-form-urlencoded"); err != nil || p.sent[1].Text != "blue" {
		t.Errorf("a form: %v %+v", err, p.sent)
	}
}

func TestSecretsAreInNoErrorAndNoLog(t *testing.T) {
	dir := t.TempDir()
	open, short := filepath.Join(dir, "open"), filepath.Join(dir, "short")
	for path, mode := range map[string]os.FileMode{open: 0o644, short: 0o600} {
		if err := os.WriteFile(path, []byte(map[string]string{open: token, short: "tooshort"}[path]), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, auth := range []gateway.Auth{{SecretEnv: "UNSET"}, {SecretFile: filepath.Join(dir, "none")}, {SecretFile: dir}, {SecretFile: short}, {SecretFile: open}} {
		auth.Scheme = gateway.Bearer
		p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth = auth }))
		_, err := p.ask("{}", bearer)
		if refused(err) != "failed" || len(p.lines) != 1 {
			t.Errorf("%+v: %v, log %q", auth, err, p.lines)
		}
		if text := fmt.Sprint(err, p.lines); strings.Contains(text, token) || strings.Contains(text, "tooshort") {
			t.Errorf("%+v: the secret is told: %s", auth, text)
		}
	}
}

func TestRequestsAreFilteredAndFilled(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) {
		m.Match = gateway.Match{
			Fields: map[string][]string{"action": {"opened", "re*"}, "labels": {"bug"}}, Headers: map[string][]string{"X-Event": {"issue"}},
			Not: &gateway.Match{Fields: map[string][]string{"draft": {"true"}}},
		}
		if err := m.Match.Compile(); err != nil {
			t.Fatal(err)
		}
		m.Message.Metadata = map[string]any{"n": template(t, "{{ .n }}"), "fixed": true, "gateway": "another"}
		m.Message.Thread = template(t, `issue-{{ .n }}`)
	}))
	body := `{"action":"reopened","labels":["ui","bug"],"title":"x","n":7}`
	if a, err := p.ask(body, bearer, "X-Event: issue"); err != nil || a.Status != http.StatusAccepted {
		t.Fatalf("got %+v %v, want err == nil and a.Status == http.StatusAccepted", a, err)
	}
	m := p.sent[0]
	switch {
	case m.Thread != "issue-7":
		t.Errorf("m.Thread: got %v, want %v", m.Thread, "issue-7")
	case m.Metadata["n"] != json.Number("7"):
		t.Errorf("%+v", m)
	case m.Metadata["fixed"] != true:
		t.Errorf("m.Metadata[\"fixed\"]: got %v, want %v", m.Metadata["fixed"], true)
	case m.Metadata["gateway"] != "ci":
		t.Errorf("m.Metadata[\"gateway\"]: got %v, want %v", m.Metadata["gateway"], "ci")
	}
	for _, other := range []string{
		`{"action":"closed","labels":["bug"],"title":"x","n":7}`, `{"action":"opened","labels":["ui"],"title":"x","n":7}`, `{"labels":["bug"]}`,
		`{"action":"opened","labels":["bug"],"draft":true,"title":"x","n":7}`, `[]`, `"opened"`,
	} {
		if a, err := p.ask(other, bearer, "X-Event: issue"); err != nil || string(a.Body) != `{"status":"ignored"}` {
			t.Errorf("%s: got %+v %v, want err == nil and string(a.Body) == `{\"status\":\"ignored\"}`", other, a, err)
		}
	}
	if a, err := p.ask(body, bearer); err != nil || string(a.Body) != `{"status":"ignored"}` {
		t.Errorf("without the header: %+v %v", a, err)
	}
	if _, err := p.ask(`{"action":"opened","labels":["bug"],"n":7}`, bearer, "X-Event: issue"); refused(err) != "missing-field" || !strings.Contains(err.Error(), "text: the request has no field .title") {
		t.Errorf("a missing field: %v", err)
	}
	if len(p.sent) != 1 {
		t.Errorf("%d were sent", len(p.sent))
	}
}

func TestARequestBecomesAnEvent(t *testing.T) {
	p := newPost(t, "", mapping(t, func(m *gateway.Mapping) {
		m.Message = nil
		m.Event = &gateway.EventTemplate{Name: "Deployed", Session: template(t, "{{ .run }}"), Payload: map[string]any{"ok": template(t, "{{ .ok }}"), "all": template(t, "{{ . }}"), "list": []any{template(t, "v{{ .run }}"), 1}}}
	}))
	a, err := p.ask(`{"run":"r1","ok":true}`, bearer)
	if err != nil || a.Status != http.StatusOK || string(a.Body) != `{"action":"block","event":"Deployed","reason":"no","status":"fired"}` {
		t.Fatalf("got %s %v, want err == nil and a.Status == http.StatusOK and string(a.Body) == `{\"action\":\"block\",\"event\":\"Deployed\",\"reason\":\"no\",\"status\":\"fired\"}`", a.Body, err)
	}
	if ev := p.fired[0]; ev.Session != "r1" || string(ev.Payload) != `{"all":{"ok":true,"run":"r1"},"list":["vr1",1],"ok":true}` {
		t.Errorf("got %+v %s, want ev.Session == \"r1\" and string(ev.Payload) == `{\"all\":{\"ok\":true,\"run\":\"r1\"},\"list\":[\"vr1\",1],\"ok\":true}`", ev, ev.Payload)
	}
}

func TestWhatAServiceIsToldOfASendThatFails(t *testing.T) {
	p := newPost(t, "", mapping(t, nil))
	p.err = &gateway.SendError{Err: errors.New("nobody is called Alice; did you mean Alicia?")}
	if _, err := p.ask(`{"title":"x"}`, bearer); refused(err) != "not-sent" || strings.Contains(err.Error(), "Alicia") || !strings.Contains(strings.Join(p.lines, ""), "Alicia") {
		t.Errorf("%v, log %q", err, p.lines)
	}
	p.err = &gateway.SendError{Full: true, Err: errors.New("full")}
	if _, err := p.ask(`{"title":"x"}`, bearer); refused(err) != "busy" {
		t.Errorf(`got %v, want refused(err) == "busy"`, err)
	}
}

// TestAFailedHookIsNotRemembered: its failure is not an answer, and none of the
// service's business.
func TestAFailedHookIsNotRemembered(t *testing.T) {
	p := newPost(t, t.TempDir(), mapping(t, nil))
	p.err = &gateway.SendError{Hooks: true, Err: errors.New("http://127.0.0.1:9/guard refused the connection")}
	if _, err := p.ask(`{"title":"x"}`, bearer, "Idempotency-Key: k1"); refused(err) != "busy" || strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(strings.Join(p.lines, ""), "127.0.0.1") {
		t.Errorf("%v, log %q", err, p.lines)
	}
	p.err = nil
	switch a, err := p.ask(`{"title":"x"}`, bearer, "Idempotency-Key: k1"); {
	case err != nil:
		t.Errorf("the same request, when the hook is well: %+v, %v", a, err)
	case a.Status != http.StatusAccepted:
		t.Errorf("a.Status: got %v, want %v", a.Status, http.StatusAccepted)
	case a.Again:
		t.Errorf("the same request, when the hook is well: %+v, %v", a, err)
	case len(p.sent) != 1:
		t.Errorf("len(p.sent): got %v, want %v", len(p.sent), 1)
	}
	p.blocked = "the text has the key of http://10.0.0.1"
	switch a, err := p.ask(`{"title":"x"}`, bearer); {
	case err != nil:
		t.Errorf("%+v, %v", a, err)
	case a.Status != http.StatusOK:
		t.Errorf("a.Status: got %v, want %v", a.Status, http.StatusOK)
	case strings.Contains(string(a.Body), "10.0.0.1") || !strings.Contains(string(a.Body), "a hook does not want it"):
		t.Errorf("%+v, %v", a, err)
	}
}

func TestARequestThatComesAgainIsAnsweredFromAFile(t *testing.T) {
	dir, key := t.TempDir(), "Idempotency-Key: k1"
	p := newPost(t, dir, mapping(t, nil))
	first, err := p.ask(`{"title":"x"}`, bearer, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ask(`{"title":"y"}`, bearer, key); refused(err) != "key-in-use" {
		t.Errorf("another body: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = newPost(t, dir, mapping(t, nil)) // the next daemon
	again, err := p.ask(`{"title":"x"}`, bearer, key)
	switch {
	case err != nil || !again.Again:
		t.Errorf("%+v %v", again, err)
	case string(again.Body) != string(first.Body):
		t.Errorf("string(again.Body): got %v, want %v", string(again.Body), string(first.Body))
	case len(p.sent) != 0:
		t.Errorf("len(p.sent): got %v, want %v", len(p.sent), 0)
	}
	info, err := os.Stat(filepath.Join(dir, "answers.jsonl"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file: %v %v", info.Mode(), err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhatBeganBeforeACrashKeepsItsID: the daemon died after the message was sent
// and before that was noted. The next try is the same message.
// TestAnAnswerThatIsGivenAgainIsNobodysAlone: who adds to it changes it for no other.
func TestAnAnswerThatIsGivenAgainIsNobodysAlone(t *testing.T) {
	for n := range 16 { // answers of so many lengths: one has room behind it
		p := newPost(t, "", mapping(t, nil))
		p.NewID = func() string { return strings.Repeat("i", n+1) }
		var got [3][]byte
		for i := range got {
			a, err := p.ask(`{"title":"x"}`, bearer, "Idempotency-Key: k1")
			if err != nil {
				t.Fatal(err)
			}
			got[i] = append(a.Body, byte('0'+i)) //nolint:gocritic // that is what is tested
		}
		for i, text := range got {
			if i > 0 && !strings.HasSuffix(string(text), string(rune('0'+i))) {
				t.Errorf("answer %d has become %s", i, text)
			}
		}
	}
}

func TestWhatBeganBeforeACrashKeepsItsID(t *testing.T) {
	dir, key := t.TempDir(), "Idempotency-Key: k1"
	p := newPost(t, dir, mapping(t, nil))
	p.err = errors.New("it died here")
	if _, err := p.ask(`{"title":"x"}`, bearer, key); err == nil {
		t.Fatal("it was answered")
	}
	_ = p.Close()
	if err := os.WriteFile(filepath.Join(dir, "answers.jsonl"), append(read(t, filepath.Join(dir, "answers.jsonl")), `{"k":"cut sho`...), 0o600); err != nil {
		t.Fatal(err)
	}
	p = newPost(t, dir, mapping(t, nil))
	p.ids = 100
	a, err := p.ask(`{"title":"x"}`, bearer, key)
	if err != nil || a.Again || p.sent[0].ID != "id-1" {
		t.Errorf(`got %+v %v %+v, want err == nil and !a.Again and p.sent[0].ID == "id-1"`, a, err, p.sent)
	}
	_ = p.Close()
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRequestsAtOnceWithOneKeyAreSentOnce(t *testing.T) {
	p := newPost(t, t.TempDir(), mapping(t, nil))
	defer p.Close()
	var all sync.WaitGroup
	bodies := make([]string, 20)
	for i := range bodies {
		all.Go(func() {
			a, err := p.ask(`{"title":"x"}`, bearer, "Idempotency-Key: k1")
			if err != nil {
				t.Error(err)
				return
			}
			bodies[i] = string(a.Body)
		})
	}
	all.Wait()
	for _, b := range bodies {
		if b != bodies[0] {
			t.Errorf("%s and %s", b, bodies[0])
		}
	}
	if len(p.sent) != 1 {
		t.Errorf("%d were sent", len(p.sent))
	}
}

func TestTheRateIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.PerMinute, m.Burst = 6, 2 }))
		ask := func() string {
			_, err := p.ask(`{"title":"x"}`, bearer)
			if err == nil {
				return ""
			}
			return refused(err)
		}
		for i, want := range []string{"", "", "too-many"} {
			if got := ask(); got != want {
				t.Errorf("request %d: %q", i, got)
			}
		}
		_, err := p.ask(`{"title":"x"}`, bearer)
		var r *gateway.Refusal
		if !errors.As(err, &r) || gateway.Seconds(r.After) != "10" || !strings.Contains(r.Error(), "2 at once and 6 a minute are taken") {
			t.Errorf(`got %+v, want errors.As(err, &r) and gateway.Seconds(r.After) == "10" and strings.Contains(r.Error(), "2 at once and 6 a minute are taken")`, r)
		}
		time.Sleep(10 * time.Second)
		if got := ask(); got != "" {
			t.Errorf("after ten seconds: %q", got)
		}
		// Strangers use up nobody's share, and are bounded by themselves.
		time.Sleep(time.Minute)
		for range gateway.DefaultBurst {
			if _, err := p.ask(`{}`, "Authorization: Bearer wrong"); refused(err) != "no-token" {
				t.Fatalf(`got %v, want refused(err) == "no-token"`, err)
			}
		}
		if _, err := p.ask(`{}`, "Authorization: Bearer wrong"); refused(err) != "too-many" {
			t.Errorf(`got %v, want refused(err) == "too-many"`, err)
		}
		if got := ask(); got != "" {
			t.Errorf("beside strangers: %q", got)
		}
	})
}

func TestAnswersAreForgottenAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPost(t, "", mapping(t, nil))
		for i, wait := range []time.Duration{0, 23 * time.Hour, 2 * time.Hour} {
			time.Sleep(wait)
			if _, err := p.ask(`{"title":"x"}`, bearer, "Idempotency-Key: k1"); err != nil {
				t.Fatal(err)
			}
			if want := []int{1, 1, 2}[i]; len(p.sent) != want {
				t.Errorf("request %d: %d were sent", i, len(p.sent))
			}
		}
	})
}
