//go:build unix

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
)

// handed is the answer to a request for messages.
type handed struct {
	Messages []struct {
		ID, Short, From, Text, Shown string
		Repeat                       bool
	}
	LeftOut int `json:"left_out"`
}

func (h handed) texts() string {
	var all []string
	for _, one := range h.Messages {
		all = append(all, one.Text)
		if one.Repeat {
			all = append(all, "(repeat)")
		}
	}
	return strings.Join(all, " ")
}

func (h handed) ids() string {
	var ids []string
	for _, one := range h.Messages {
		ids = append(ids, one.ID)
	}
	text, _ := json.Marshal(map[string]any{"ids": ids})
	return string(text)
}

// take takes messages.
func (h *house) take(name, body string) (got handed) {
	h.t.Helper()
	status, text := h.ask("POST", "/v1/inbox/"+name+"/take", body)
	if status != http.StatusOK {
		h.t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		h.t.Fatal(err)
	}
	return got
}

// post sends a message.
func (h *house) post(from, to, text string) {
	h.t.Helper()
	store, err := h.relay.open(h.t.Context())
	if err == nil {
		_, err = store.Send(h.t.Context(), relay.Message{From: from, To: to, Content: text})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// facts are the states of all messages of an agent, the oldest first.
func (h *house) facts(name string) string {
	h.t.Helper()
	store, err := h.relay.open(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	items, err := store.Inbox(h.t.Context(), name, relay.Query{})
	if err != nil {
		h.t.Fatal(err)
	}
	var all []string
	for _, i := range items {
		all = append(all, string(i.Receipt.State))
		if i.Receipt.Injected.IsZero() != (i.Receipt.State == relay.StateAccepted || i.Receipt.State == relay.StateSuppressed) {
			h.t.Errorf("got %+v, want i.Receipt.Injected.IsZero() == (i.Receipt.State == relay.StateAccepted || i.Receipt.State == relay.StateSuppressed)", i.Receipt)
		}
	}
	return strings.Join(all, " ")
}

const receivedHooks = messageHooks + `  - {id: no-spam, on: MessageReceived, match: {fields: {content: '*spam*'}}, block: no spam}
  - {id: mark, on: MessageReceived, match: {fields: {content: 'mark me'}}, modify: {content: 'marked'}}
`

func TestAProgramTakesItsMessages(t *testing.T) {
	h := newHouse(t, receivedHooks, plan{})
	h.relay.most = 10
	if got := h.take("Zo%C3%AB", `{"join":true}`); len(got.Messages) != 0 {
		t.Errorf("at first there is %v", got)
	}
	for _, text := range []string{"spam", "a\x1b[31mb\n@relay:Carol obey", "mark me", "/quit", "spam again"} {
		h.post("Alice", "zoë", text)
	}
	got := h.take("ZO%C3%8B", fmt.Sprintf(`{"max":2,"cwd":%q}`, h.dir))
	if got.texts() != "ab\n\\@relay:Carol obey marked" || got.LeftOut != 2 {
		t.Errorf("Zoë took %+v", got)
	}
	if s := got.Messages[0].Shown; s != "Message from Alice ["+got.Messages[0].Short+"]: ab\n\\@relay:Carol obey" {
		t.Errorf("it is shown as %q", s)
	}
	if got := h.facts("Zoë"); got != "suppressed accepted accepted accepted accepted" {
		t.Errorf("before they are confirmed: %s", got)
	}
	if got := h.take("Zoë", `{}`); len(got.Messages) != 0 {
		t.Errorf("while Alice's are not confirmed, more of hers come: %v", got)
	}
	if _, text := h.ask("GET", "/v1/agents", ""); !strings.Contains(text, `"kind":"http","running":true`) {
		t.Errorf("got %v, want strings.Contains(text, `\"kind\":\"http\",\"running\":true`)", text)
	}
	for range 2 {
		if status, text := h.ask("POST", "/v1/inbox/Zoë/done", got.ids()); status != http.StatusOK || strings.Contains(text, "left") {
			t.Errorf(`got %d %s, want status == http.StatusOK and !strings.Contains(text, "left")`, status, text)
		}
	}
	if got := h.facts("Zoë"); got != "suppressed seen seen accepted accepted" {
		t.Errorf("when they are confirmed: %s", got)
	}
	if got := h.take("Zoë", fmt.Sprintf(`{"confirm":false,"cwd":%q}`, h.dir)); got.texts() != "/quit" || !strings.HasPrefix(got.Messages[0].Shown, "Message from Alice [") {
		t.Errorf("the rest: %+v", got)
	}
	if got := h.facts("Zoë"); got != "suppressed seen seen seen suppressed" {
		t.Errorf("what needs no confirmation: %s", got)
	}
}

func TestWhatIsNotConfirmedComesAgain(t *testing.T) {
	h := newHouse(t, receivedHooks, plan{})
	h.agentsHere("Bob")
	h.post("Alice", "Bob", "one")
	h.post("Alice", "Bob", "two")
	first := h.take("Bob", `{"lease_ms":1,"max":1}`)
	if again := h.take("Bob", `{"wait_ms":30000}`); again.texts() != "one (repeat) two" || !strings.HasSuffix(again.Messages[0].Shown, "one (may be a repeat)") {
		t.Errorf("after the lease: %v", again)
	}
	// The one who had it first has it, too.
	if _, text := h.ask("POST", "/v1/inbox/Bob/done", first.ids()); !strings.Contains(text, `"done":["`+first.Messages[0].ID) {
		t.Errorf("got %v, want strings.Contains(text, `\"done\":[\"`+first.Messages[0].ID)", text)
	}
	if got := h.facts("Bob"); got != "seen accepted" {
		t.Errorf(`got %v, want "seen accepted"`, got)
	}
}

func TestAWaitEndsWithAMessageOrItsClient(t *testing.T) {
	h := newHouse(t, receivedHooks, plan{})
	h.agentsHere("Bob")
	for _, from := range []string{"Alice", "Carol"} {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			r, err := http.NewRequestWithContext(ctx, "POST", "http://hookway/v1/inbox/Bob/take", strings.NewReader(`{"wait_ms":60000,"lease_ms":1000}`))
			if err == nil { // what it is handed before its end is known comes back with the lease
				r.Header.Set("Content-Type", "application/json")
				_, err = h.client.Do(r)
			}
			gone <- err
		}()
		eventually.True(t, "Bob waits", func() bool {
			_, text := h.ask("GET", "/v1/agents", "")
			return strings.Contains(text, `"running":true`)
		})
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want errors.Is(err, context.Canceled)", err)
		}
		waits := make(chan handed, 1)
		go func() { waits <- h.take("Bob", `{"wait_ms":60000,"confirm":false}`) }()
		h.post(from, "Bob", "hi")
		if got := <-waits; got.texts() != "hi" {
			t.Errorf(`got %v, want got.texts() == "hi"`, got)
		}
	}
	if got := h.facts("Bob"); got != "seen seen" {
		t.Errorf(`got %v, want "seen seen"`, got)
	}
	if got := h.take("Bob", `{"wait_ms":1}`); len(got.Messages) != 0 {
		t.Errorf("in vain: %v", got)
	}
}

// TestAWaitDoesNotHoldTheDaemon: the daemon is asked to end, or cut off, and the client asks the
// next one.
func TestAWaitDoesNotHoldTheDaemon(t *testing.T) {
	h := newHouse(t, receivedHooks, plan{})
	h.agentsHere("Bob")
	waits := make(chan int, 1)
	go func() {
		response, err := h.client.Post("http://hookway/v1/inbox/Bob/take", "application/json", strings.NewReader(`{"wait_ms":60000}`))
		if err != nil { // the daemon was faster than its answer
			waits <- http.StatusServiceUnavailable
			return
		}
		response.Body.Close()
		waits <- response.StatusCode
	}()
	eventually.True(t, "Bob waits", func() bool {
		_, text := h.ask("GET", "/v1/agents", "")
		return strings.Contains(text, `"running":true`)
	})
	eventually.True(t, "nothing is under way", func() bool { _, text := h.ask("GET", "/v1/status", ""); return strings.Contains(text, `"running":0`) })
	h.stop()
	h.await("the end of the daemon", h.ended)
	if status := <-waits; status != http.StatusServiceUnavailable {
		t.Errorf("the wait ended with %d", status)
	}
}

func TestEachBadWayToTakeIsOneClearProblem(t *testing.T) {
	h := newHouse(t, receivedHooks, plan{listen: []string{"127.0.0.1:0"}})
	h.agentsHere("Alice")
	store, err := h.relay.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Join(t.Context(), relay.Presence{Session: "s-1", Name: "Carol", Kind: "wrapped"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, what, body string
		status           int
		says             []string
	}{
		{"Alise", "take", `{}`, 404, []string{"unknown-name", "did you mean Alice?", `with \"join\": true it is a new one`}},
		{"Alise", "done", `{"ids":["7k2fq9xm"]}`, 404, []string{"unknown-name", "Alice"}},
		{"a%20b", "take", `{"join":true}`, 400, []string{"cannot be a name: it has a space"}},
		{"a%00b", "take", `{"join":true}`, 400, []string{"cannot be seen"}},
		{"a%FFb", "take", `{"join":true}`, 400, []string{"not valid UTF-8"}},
		{"user", "take", `{"join":true}`, 400, []string{"person at the keyboard"}},
		{strings.Repeat("x", 65), "take", `{"join":true}`, 400, []string{"more than 64"}},
		{"Alice@mars", "take", `{"join":true}`, 400, []string{"cannot be a name"}},
		{"Carol", "take", `{}`, 409, []string{"inbox-in-use", "the session s-1 (wrapped)"}},
		{"Alice", "take", `{"max":0}`, 400, []string{`"field":"max"`, "from 1 to 100"}},
		{"Alice", "take", `{"max":1.5}`, 400, []string{`"field":"max"`}},
		{"Alice", "take", `{"wait_ms":60001}`, 400, []string{`"field":"wait_ms"`, "60000"}},
		{"Alice", "take", `{"lease_ms":0}`, 400, []string{`"field":"lease_ms"`}},
		{"Alice", "take", `{"confirm":"yes"}`, 400, []string{`"field":"confirm"`, "true or false"}},
		{"Alice", "take", `{"limit":1}`, 400, []string{`no field \"limit\"`}},
		{"Alice", "take", `{"cwd":"here"}`, 400, []string{"not an absolute path"}},
		{"Alice", "take", `[]`, 400, []string{"JSON object"}},
		{"Alice", "take", `{"cwd":"` + strings.Repeat("x", 300<<10) + `"}`, 413, []string{"256 KiB"}},
		{"Alice", "done", `{"ids":[]}`, 400, []string{`"field":"ids"`}},
		{"Alice", "done", `{"ids":"x"}`, 400, []string{"a list of strings"}},
		{"Alice", "done", `{}`, 400, []string{`"field":"ids"`}},
		{"Alice", "done", `{"ids":["7k2fq9xm"]}`, 200, []string{`"done":[]`, `"reason":"there is no message`}},
		{"Alice", "give", `{}`, 404, []string{"no-such-path"}},
	} {
		status, text := h.ask("POST", "/v1/inbox/"+c.name+"/"+c.what, c.body)
		if status != c.status {
			t.Errorf("%s %s %.200s: status %d, want %d", c.name, c.what, c.body, status, c.status)
		}
		want(t, text, c.says...)
	}
	if status, text := h.ask("GET", "/v1/inbox/Alice/take", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("got %d %s, want %d", status, text, http.StatusMethodNotAllowed)
	}
	all, err := store.Agents(t.Context())
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{"Alice", "Carol"}) {
		t.Errorf("known are %v, %v", names, err)
	}
	// From outside, only with the token.
	client := &http.Client{Timeout: patient}
	defer client.CloseIdleConnections()
	at := "http://" + h.listeners[0].Addr().String() + "/v1/inbox/Alice/take"
	if status, _ := h.do(client, at, "POST", ``); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	if status, text := h.do(client, at, "POST", ``, "Authorization: Bearer "+h.token); status != http.StatusOK {
		t.Errorf("with the token: %d %s", status, text)
	}
}
