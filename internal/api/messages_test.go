//go:build unix

package api_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

// relayed is a house's relay: a store, opened when it is needed, and the judge's
// hooks.
type relayed struct {
	h        *house
	mu       sync.Mutex
	store    *relay.Store
	notified int

	counter *delivery.Leases
	most    int // messages in an inbox
}

func (r *relayed) open(ctx context.Context) (*relay.Store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.store == nil {
		r.store, err = relay.Open(context.WithoutCancel(ctx), filepath.Join(r.h.home, "relay"), relay.Options{Machine: "m1", Limits: relay.Limits{Inbox: cmp.Or(r.most, 2)}})
	}
	return r.store, err
}

func (r *relayed) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.store == nil {
		return nil
	}
	if r.counter != nil {
		if err := r.counter.Close(); err != nil {
			return err
		}
	}
	return r.store.Close()
}

func (r *relayed) Notify() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notified++
	return "the token is too short", nil
}

func (r *relayed) Send(ctx context.Context, s api.Sending) (delivery.Sent, error) {
	store, err := r.open(ctx)
	if err != nil {
		return delivery.Sent{}, err
	}
	return delivery.Send(ctx, store, hooksOf{r.h.judge, s}, s.Message)
}

func (r *relayed) Page(ctx context.Context, q relay.PageQuery) (relay.Page, error) {
	store, err := r.open(ctx)
	if err != nil {
		return relay.Page{}, err
	}
	return store.Page(ctx, q)
}

func (r *relayed) Receipts(ctx context.Context, id string) (relay.Message, []relay.Receipt, error) {
	store, err := r.open(ctx)
	if err != nil {
		return relay.Message{}, nil, err
	}
	return store.Receipts(ctx, id)
}

func (r *relayed) Agents(ctx context.Context) ([]relay.Agent, error) {
	store, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	return store.Agents(ctx)
}

func (r *relayed) Inbox(ctx context.Context, agent string, q relay.Query) ([]relay.Item, error) {
	store, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	return store.Inbox(ctx, agent, q)
}

// desk is where messages are handed out.
func (r *relayed) desk(ctx context.Context) (*delivery.Leases, error) {
	store, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counter == nil {
		r.counter = delivery.NewLeases(store)
	}
	return r.counter, nil
}

func (r *relayed) Take(ctx context.Context, t api.Taking) (api.Leased, error) {
	d, err := r.desk(ctx)
	if err != nil {
		return api.Leased{}, err
	}
	t.Hooks = func(string) delivery.Hooks {
		return hooksOf{r.h.judge, api.Sending{Message: relay.Message{From: t.Agent}, CWD: t.CWD, Foreign: t.Foreign}}
	}
	b, err := d.Take(ctx, t.TakeRequest)
	if err != nil {
		return api.Leased{}, err
	}
	waiting, err := d.Waiting(ctx, b)
	return api.Leased{Lease: b, Machine: "m1", Waiting: waiting}, err
}

func (r *relayed) Confirm(ctx context.Context, agent string, ids []string) (delivery.Confirmed, error) {
	d, err := r.desk(ctx)
	if err != nil {
		return delivery.Confirmed{}, err
	}
	return d.Confirm(ctx, agent, ids)
}

// hooksOf are the hooks of the folder that a message is sent from.
type hooksOf struct {
	j *judge.Judge
	s api.Sending
}

func (h hooksOf) fire(ctx context.Context, event string, m hook.Message) (out hook.Outcome[hook.Message], err error) {
	all, err := h.j.Fire(ctx, judge.Firing{Event: event, Body: m, Agent: h.s.From, Source: "http", CWD: h.s.CWD, Foreign: h.s.Foreign})
	out.Verdict = all.Verdict
	out.Payload, _ = all.Payload.(hook.Message)
	return out, err
}

func (h hooksOf) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return h.fire(ctx, "MessageSending", m)
}

func (h hooksOf) Sent(context.Context, hook.Delivery) {}

func (h hooksOf) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return h.fire(ctx, "MessageReceived", m)
}

// messageHooks see what programs send.
const messageHooks = `hooks:
  - {id: no-secrets, on: MessageSending, match: {fields: {content: '*secret*'}}, block: no secrets}
  - {id: sign, on: MessageSending, match: {fields: {content: 'sign me'}}, modify: {content: 'signed'}}
`

// agentsHere makes agents known; they do not run.
func (h *house) agentsHere(names ...string) {
	h.t.Helper()
	store, err := h.relay.open(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, name := range names {
		seat, err := store.Join(h.t.Context(), relay.Presence{Session: "s-" + name, Name: name, Kind: "wrapped"})
		if err == nil {
			err = seat.Close()
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *house) message(to, content string, more ...string) string {
	return fmt.Sprintf(`{"to":%q,"content":%q,"cwd":%q%s}`, to, content, h.dir, strings.Join(more, ""))
}

func TestAProgramSendsAndLooksHowFarItIs(t *testing.T) {
	h := newHouse(t, messageHooks, plan{})
	h.agentsHere("Alice", "Bob")
	body := h.message("alice", "the build is green", `,"id":"my-own-id-1","from":"ci","priority":"high","thread":"build","metadata":{"run":7}`)
	if err := fits(ref("Sending"), []byte(body)); err != nil {
		t.Errorf("the description does not let this message: %v", err)
	}
	for range 2 { // the second time, it is the same message
		status, text := h.ask("POST", "/v1/messages", body)
		if status != http.StatusOK {
			t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
		}
		want(t, text, `"id":"my-own-id-1"`, `"short":"own-id-1"`, `"to":"Alice"`, `"state":"accepted"`, `"reason":"offline since`, `"run":7`)
	}
	for _, id := range []string{"my-own-id-1", "own-id-1"} {
		_, text := h.ask("GET", "/v1/messages/"+id, "")
		want(t, text, `"id":"my-own-id-1"`, `"content":"the build is green"`, `"state":"accepted"`)
	}
	_, text := h.ask("POST", "/v1/messages", h.message("Bob", "sign me"))
	want(t, text, `"content":"signed"`, `"from":"program"`)

	_, text = h.ask("GET", "/v1/agents", "")
	want(t, text, `"name":"Alice"`, `"name":"Bob"`, `"running":false`, `"machine":"m1"`)
	for path, n := range map[string]int{"/v1/inbox/Alice": 1, "/v1/inbox/alice?state=accepted&limit=5": 1, "/v1/inbox/Alice?state=seen": 0} {
		if _, text = h.ask("GET", path, ""); strings.Count(text, `"receipt"`) != n {
			t.Errorf("%s: got %s, want strings.Count(text, `\"receipt\"`) == n", path, text)
		}
	}
	if status, text := h.ask("POST", "/v1/relay/poke", ""); status != http.StatusOK || h.relay.notified != 1 || !strings.Contains(text, `"problem":"the token is too short"`) {
		t.Errorf("a notification: %d %s", status, text)
	}
}

func TestAnIdBelongsToOneMessage(t *testing.T) {
	h := newHouse(t, messageHooks, plan{listen: []string{"127.0.0.1:0"}})
	h.agentsHere("Alice", "Bob")
	for _, c := range []struct {
		to, text string
		status   int
	}{{"Bob", "first", http.StatusOK}, {"bob", "first", http.StatusOK}, {"Bob", "second", http.StatusConflict}, {"Alice", "first", http.StatusConflict}} {
		status, text := h.ask("POST", "/v1/messages", h.message(c.to, c.text, `,"id":"my-own-id-1"`))
		if status != c.status || status == http.StatusConflict && !strings.Contains(text, "id-in-use") {
			t.Errorf("%s to %s: %d %s", c.text, c.to, status, text)
		}
	}
}

func TestEachBadMessageIsOneClearProblem(t *testing.T) {
	h := newHouse(t, messageHooks, plan{listen: []string{"127.0.0.1:0"}})
	h.agentsHere("Alice", "Bob")
	for _, c := range []struct {
		method, path, body string
		status             int
		says               []string
	}{
		{body: h.message("Alise", "x"), status: 404, says: []string{"unknown-name", "Alice"}},
		{body: h.message("#nowhere", "x"), status: 404, says: []string{"unknown-name", "channel"}},
		{body: h.message("Alice@mars", "x"), status: 404, says: []string{"unknown-name", "machine"}},
		{body: h.message("Alice", "the secret is out"), status: 403, says: []string{"suppressed", "no secrets"}},
		{body: h.message("", "x"), status: 400, says: []string{"no receiver"}},
		{body: h.message("Alice", " \n"), status: 400, says: []string{"empty"}},
		{body: h.message("Alice", "x", `,"priority":"soon"`), status: 400, says: []string{"soon", "urgent"}},
		{body: `{"to":"Alice","content":"x","cwd":"/there/is/no/such/folder"}`, status: 400, says: []string{"is not a folder"}},
		{body: h.message("Alice", "x", `,"id":"a b"`), status: 400, says: []string{"cannot be the id"}},
		{body: h.message("Alice", "x", `,"thread":"the build"`), status: 400, says: []string{"cannot be the name of a thread", "one word"}},
		{body: h.message("Alice", "x", `,"from":"a/b"`), status: 400, says: []string{"cannot be a name"}},
		{body: h.message("Alice", "x", `,"reply_to":"none"`), status: 404, says: []string{"message"}},
		{body: h.message("Alice", "x", `,"text":"y"`), status: 400, says: []string{`no field \"text\"`}},
		{body: h.message("Alice", "x", `,"metadata":[]`), status: 400, says: []string{"metadata must be a JSON object"}},
		{body: `{"to":"Alice","content":"x","cwd":"here"}`, status: 400, says: []string{"not an absolute path"}},
		{body: h.message("Alice", strings.Repeat("a", 300<<10)), status: 413, says: []string{"256 KiB"}},
		{method: "GET", path: "/v1/messages/none", status: 404, says: []string{"unknown-name", "there is no message"}},
		{method: "GET", path: "/v1/inbox/Alise", status: 404, says: []string{"Alice"}},
		{method: "GET", path: "/v1/inbox/Alice?state=done", status: 400, says: []string{"state", "suppressed"}},
		{method: "GET", path: "/v1/inbox/Alice?limit=0", status: 400, says: []string{"limit", "1000"}},
		{method: "GET", path: "/v1/agents?all=1", status: 400, says: []string{"no parameter"}},
		{method: "PUT", path: "/v1/messages", status: 405, says: []string{"POST"}},
		{method: "GET", path: "/v1/messages/", status: 404, says: []string{"nothing at"}},
		{method: "GET", path: "/v1/inbox/Alice/x", status: 404, says: []string{"nothing at"}},
	} {
		if c.method == "" {
			c.method, c.path = "POST", "/v1/messages"
		}
		status, text := h.ask(c.method, c.path, c.body)
		if status != c.status {
			t.Errorf("%s %s %.200s: status %d, want %d", c.method, c.path, c.body, status, c.status)
		}
		want(t, text, c.says...)
	}
	// From outside, it cannot be notified.
	client := &http.Client{Timeout: patient}
	defer client.CloseIdleConnections()
	at := "http://" + h.listeners[0].Addr().String()
	status, text := h.do(client, at+"/v1/relay/poke", "POST", "", "Authorization: Bearer "+h.token)
	if status != http.StatusForbidden || h.relay.notified != 0 {
		t.Errorf("a notification from outside: %d %s", status, text)
	}
	if status, text = h.do(client, at+"/v1/messages", "POST", `{"to":"Alice","content":"from afar"}`, "Authorization: Bearer "+h.token); status != http.StatusOK {
		t.Errorf("a message from outside: %d %s", status, text)
	}
	if status, _ := h.do(client, at+"/v1/messages", "POST", `{"to":"Alice","content":"from afar"}`); status != http.StatusUnauthorized {
		t.Errorf("a message without the token: %d", status)
	}
}
