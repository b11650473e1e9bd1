package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/fakentfy"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/webhook"
)

// phoned is a home with channels, and what works them.
type phoned struct {
	t testing.TB
	*Home
	dir   string
	store *approve.Store
	asks  *asks
	stop  func()

	mu    sync.Mutex
	lines []string
}

// newPhoned has a configuration of channels that are minted.
func newPhoned(t testing.TB, channels string) *phoned {
	t.Helper()
	a := &phoned{t: t, dir: t.TempDir(), stop: func() {}}
	a.Home = testHome(t, a.dir)
	a.Managed = config.Managed{Dir: filepath.Join(a.dir, "etc")}
	a.Home.Log = logline.New(func(line string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lines = append(a.lines, line)
	})
	a.configure(channels)
	store, err := approve.Open(t.Context(), filepath.Join(a.dir, "state", "approvals"), approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.store = store
	t.Cleanup(func() {
		a.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *phoned) configure(channels string) {
	a.t.Helper()
	write(a.t, filepath.Join(a.dir, "config", "hookway.yaml"), "approvals: {channels: ["+channels+"]}\n")
}

// mint has all channels count that are configured.
func (a *phoned) mint() {
	a.t.Helper()
	file := config.ApprovalsFile{Getenv: a.Getenv, Managed: a.Managed}
	all, _, err := file.Read()
	if err == nil {
		err = a.ChangeMinted(a.t.Context(), func(m *Minted) error {
			for _, c := range all.Channels {
				m.MintChannel(c, Minter{By: "anna"})
			}
			return nil
		})
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// start has the channels worked until stop.
func (a *phoned) start() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(a.t.Context()))
	a.asks = newAsks(a.Home, nil)
	a.asks.every = 5 * time.Millisecond
	ended := make(chan struct{})
	go func() { defer close(ended); a.asks.run(ctx) }()
	a.stop = func() { cancel(); <-ended; a.stop = func() {} }
}

func (a *phoned) logged(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Contains(strings.Join(a.lines, "\n"), text)
}

func (a *phoned) ask(command string, wait time.Duration) approve.Request {
	a.t.Helper()
	route := approve.RouteRetry
	if wait > 0 {
		route = approve.RouteHold
	}
	r, err := a.store.Ask(a.t.Context(), approve.Call{Agent: "claude", Session: "s-1", Workspace: "/work", Tool: "Bash", Input: map[string]any{"command": command},
		Hook: "gate", Reason: "it is dangerous", Kind: approve.KindAsk, Route: route, Wait: wait}, "here")
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

// becomes waits until a request is in a state.
func (a *phoned) becomes(code string, want approve.State) (r approve.Request) {
	a.t.Helper()
	eventually.True(a.t, fmt.Sprintf("%s is %s", code, want), func() bool {
		var err error
		r, err = a.store.Get(a.t.Context(), code)
		return err == nil && r.State == want
	}, func() string { return fmt.Sprintf("it is %s", r.State) })
	return r
}

// cards waits for so many cards of a topic.
func (a *phoned) cards(s *fakentfy.Server, topic string, n int) (list []fakentfy.Message) {
	a.t.Helper()
	eventually.True(a.t, fmt.Sprintf("%s has %d cards", topic, n), func() bool { list = s.Messages(topic); return len(list) >= n })
	if len(list) != n {
		a.t.Fatalf("%s has %d cards, want %d: %+v", topic, len(list), n, list)
	}
	return list
}

func serveNtfy(t testing.TB, s *fakentfy.Server) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

func ntfyAt(url, name string) string {
	return fmt.Sprintf("{name: %s, ntfy: {url: '%s', topic: %s-asks, answers: %s-said}}", name, url, name, name)
}

func press(t testing.TB, m fakentfy.Message, label string) {
	t.Helper()
	for _, b := range m.Actions {
		if b.Label == label {
			if err := b.Press(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no button %s in %+v", label, m)
}

func TestAnAskIsAnsweredFromAPhone(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	a.mint()
	a.start()
	yes, no := a.ask("make deploy", 0), a.ask("make destroy", 0)
	cards := a.cards(s, "phone-asks", 2)
	if cards[0].Title != yes.Code+": claude asks for Bash" || !strings.Contains(cards[0].Message, "command: make deploy") {
		t.Errorf(`got %+v, want cards[0].Title == yes.Code + ": claude asks for Bash" and strings.Contains(cards[0].Message, "command: make deploy")`, cards[0])
	}
	press(t, cards[0], "Allow")
	press(t, cards[1], "Deny")
	r := a.becomes(yes.Code, approve.Allowed)
	if r.By != "phone" || r.From != "ntfy topic phon…" {
		t.Errorf("by %q, from %q", r.By, r.From)
	}
	a.becomes(no.Code, approve.Denied)
	if over := a.cards(s, "phone-asks", 4); !strings.Contains(over[2].Title+over[3].Title, ": allowed") || len(over[2].Actions)+len(over[3].Actions) > 0 {
		t.Errorf(`got %+v, want strings.Contains(over[2].Title+over[3].Title, ": allowed") and len(over[2].Actions) + len(over[3].Actions) == 0`, over[2:])
	}
	if !a.logged("an answer") && a.logged("AAAA") {
		t.Error("a token is in the log")
	}
	eventually.True(t, "both answers are on record", func() bool {
		records := records(t, a)
		return strings.Contains(records, yes.Code+" was allowed: ntfy topic phon…") && strings.Contains(records, no.Code+" was denied")
	})
	press(t, cards[0], "Deny") // too late: the card is shown as it is
	if late := a.cards(s, "phone-asks", 5); late[4].Title != yes.Code+": allowed" || late[4].Sequence != cards[0].Sequence {
		t.Errorf(`got %+v, want late[4].Title == yes.Code + ": allowed" and late[4].Sequence == cards[0].Sequence`, late[4])
	}
}

// The daemon ends: what was sent is not sent again, and what was said meanwhile counts.
func TestAsksOutlastTheDaemon(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	a.mint()
	a.start()
	first := a.ask("make deploy", 0)
	card := a.cards(s, "phone-asks", 1)[0]
	eventually.True(t, "that is noted", func() bool {
		sent, err := a.store.Sent(t.Context(), "phone")
		return err == nil && sent[first.Code] == approve.Waiting
	})
	a.stop()
	press(t, card, "Allow")
	second := a.ask("make destroy", 0)
	a.start()
	a.becomes(first.Code, approve.Allowed)
	cards := a.cards(s, "phone-asks", 3)
	if titles := cards[1].Title + cards[2].Title; !strings.Contains(titles, second.Code+": claude asks") || !strings.Contains(titles, first.Code+": allowed") {
		t.Errorf(`got %+v, want strings.Contains(titles, second.Code+": claude asks") and strings.Contains(titles, first.Code+": allowed")`, cards)
	}
	a.stop()
	a.start() // the old answer is read again: nobody is told anything
	third := a.ask("make", 0)
	if cards := a.cards(s, "phone-asks", 4); !strings.HasPrefix(cards[3].Title, third.Code) {
		t.Errorf("got %+v, want strings.HasPrefix(cards[3].Title, third.Code)", cards[3])
	}
}

func TestAChannelThatIsDownHoldsUpNoOther(t *testing.T) {
	down, up := &fakentfy.Server{}, &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, down), "down")+", "+ntfyAt(serveNtfy(t, up), "up"))
	down.Down(true)
	a.mint()
	a.start()
	r := a.ask("make deploy", 0)
	card := a.cards(up, "up-asks", 1)[0]
	press(t, card, "Deny")
	a.becomes(r.Code, approve.Denied)
	eventually.True(t, "it is logged", func() bool { return a.logged("the channel down is down; the others go on") })
	if a.logged("the channel up is down") {
		t.Error("the other one is said to be down")
	}
	down.Down(false)
	eventually.True(t, "it works again", func() bool { return a.logged("the channel down works again") })
}

// What a channel shows that the owner has not seen answers nothing, and neither does one
// that leads elsewhere since.
func TestOnlyMintedChannelsCount(t *testing.T) {
	own, foreign := &fakentfy.Server{}, &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, own), "phone"))
	a.start()
	eventually.True(t, "it is said", func() bool { return a.logged("hookway approvals mint phone, in a terminal of your own, has it count") })
	first := a.ask("make deploy", 0)
	a.mint()
	a.cards(own, "phone-asks", 1)
	a.configure(ntfyAt(serveNtfy(t, foreign), "phone"))
	eventually.True(t, "nobody listens", func() bool { return own.Streams() == 0 })
	a.ask("make destroy", 0)
	if n := len(foreign.Requests()); n > 0 {
		t.Errorf("a channel that nobody minted had %d requests", n)
	}
	if r, err := a.store.Get(t.Context(), first.Code); err != nil || r.State != approve.Waiting {
		t.Errorf("got %+v, %v, want err == nil and r.State == approve.Waiting", r, err)
	}
}

// A token is good for its own request, channel and answer.
func TestAForeignTokenAnswersNothing(t *testing.T) {
	s := &fakentfy.Server{}
	url := serveNtfy(t, s)
	a := newPhoned(t, ntfyAt(url, "phone")+", "+ntfyAt(url, "desk"))
	a.mint()
	a.start()
	r := a.ask("make deploy", 0)
	phone, desk := a.cards(s, "phone-asks", 1)[0], a.cards(s, "desk-asks", 1)[0]
	say := func(topic, text string) {
		t.Helper()
		if err := (fakentfy.Action{Method: http.MethodPost, URL: url + "/" + topic, Body: text}).Press(); err != nil {
			t.Fatal(err)
		}
	}
	allow, deny := strings.TrimPrefix(phone.Actions[0].Body, "allow "), strings.TrimPrefix(phone.Actions[1].Body, "deny ")
	say("desk-said", "allow "+allow)   // another channel's
	say("phone-said", "allow "+deny)   // another answer's
	say("phone-said", "deny "+allow)   // the same
	say("phone-said", "allow "+r.Code) // a code is not a token
	say("phone-said", "allow AAAAAAAAAAAAAAAAAAAAAAAAAA")
	eventually.True(t, "both are logged", func() bool {
		return a.logged("somebody answers over the channel phone with a token that answers nothing") && a.logged("somebody answers over the channel desk with")
	})
	press(t, desk, "Deny")
	if r = a.becomes(r.Code, approve.Denied); r.By != "desk" {
		t.Errorf("by %q", r.By)
	}
}

// A card that the server does not take keeps none behind it from being seen.
func TestACardThatIsNotTakenHoldsUpNoOther(t *testing.T) {
	s := &fakentfy.Server{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(body, []byte("make huge")) {
			http.Error(w, "", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	a := newPhoned(t, ntfyAt(web.URL, "phone"))
	a.mint()
	huge := a.ask("make huge", 0)
	r := a.ask("make deploy", 0)
	a.start()
	if card := a.cards(s, "phone-asks", 1)[0]; !strings.HasPrefix(card.Title, r.Code) {
		t.Errorf("got %+v, want strings.HasPrefix(card.Title, r.Code)", card)
	}
	eventually.True(t, "it is logged", func() bool { return a.logged("the card of " + huge.Code + " was not taken over the channel phone") })
}

// What keeps a channel from beginning is told, so that it is logged once.
func TestFollowTellsWhyAChannelCannotBegin(t *testing.T) {
	a := newPhoned(t, ntfyAt("http://127.0.0.1:1", "phone"))
	a.mint()
	asks := newAsks(a.Home, nil)
	channels, err := asks.channelsNow()
	if err != nil || len(channels) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(channels) == 1", channels, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := asks.follow(ctx, channels, new(sync.WaitGroup)); err == nil {
		t.Error("follow says nothing of a channel that cannot begin")
	}
}

func TestNobodyAnsweredIsSaidInItsOwnWords(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	a.mint()
	a.start()
	for wait := 500 * time.Millisecond; ; wait *= 2 { // a slow machine has no card out before it is over
		r := a.ask(fmt.Sprint("make ", wait), wait)
		a.becomes(r.Code, approve.TimedOut)
		if sent, err := a.store.Sent(t.Context(), "phone"); err != nil || sent[r.Code] == "" {
			continue
		}
		eventually.True(t, "that is told", func() bool {
			for _, m := range s.Messages("phone-asks") {
				if m.Title == r.Code+": timed out" && strings.Contains(m.Message, "nobody answered: in ") {
					return true
				}
			}
			return false
		})
		return
	}
}

// A service answers at the gateway: signed, with its token.
func TestAServiceAnswersAtTheGateway(t *testing.T) {
	const secret = "whsec_aG9va3dheSB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"
	asked := make(chan map[string]any, 4)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- bodyOf(t, r) }))
	t.Cleanup(service.Close)
	a := newPhoned(t, fmt.Sprintf("{webhook: {url: '%s', answers: asks, secret_file: asks.secret, allow_private: true}}", service.URL))
	write(t, filepath.Join(a.dir, "config", "asks.secret"), secret)
	a.mint()
	a.start()
	r := a.ask("make deploy", 0)
	data, _ := (<-asked)["data"].(map[string]any)
	tokens, _ := data["answer"].(map[string]any)
	if data["code"] != r.Code || tokens["path"] != "/hooks/asks" {
		t.Fatalf(`got %+v, want data["code"] == r.Code and tokens["path"] == "/hooks/asks"`, data)
	}
	set, err := config.Load(t.Context(), a.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	g := &gateway.Gateway{Load: func(context.Context) (*gateway.Config, error) { return set.Gateway, nil }, Approve: a.asks.approve, NewID: func() string { return "m" }}
	say := func(id, body, with string) (string, error) {
		t.Helper()
		h := signed(t, with, id, body)
		call, err := g.Admit(t.Context(), "asks", h)
		if err != nil {
			return "", err
		}
		answer, err := call.Do(t.Context(), []byte(body))
		if err != nil {
			return "", err
		}
		return string(bytes.TrimSpace(answer.Body)), nil
	}
	refused := func(kind string, err error) {
		t.Helper()
		var no *gateway.Refusal
		if !errors.As(err, &no) || no.Kind != kind {
			t.Errorf("got %v, want %s", err, kind)
		}
	}
	allow := fmt.Sprintf(`{"token":"%s","answer":"allow","note":"go on"}`, tokens["allow"])
	_, err = say("1", allow, "whsec_"+strings.Repeat("QUJD", 12))
	refused("bad-signature", err)
	_, err = say("2", `{"token":"AAAAAAAAAAAAAAAAAAAAAAAAAA","answer":"allow"}`, secret)
	refused("not-answered", err)
	_, err = say("3", `{"yes":true}`, secret)
	refused("bad-request", err)
	if got, err := say("4", allow, secret); err != nil || got != `{"status":"allowed"}` {
		t.Fatalf("got %s, %v, want err == nil and got == `{\"status\":\"allowed\"}`", got, err)
	}
	if r = a.becomes(r.Code, approve.Allowed); r.Note != "go on" || r.From != "webhook webhook" {
		t.Errorf(`got %+v, want r.Note == "go on" and r.From == "webhook webhook"`, r)
	}
	if got, err := say("4", allow, secret); err != nil || got != `{"status":"allowed"}` { // sent again: the answer that it had
		t.Errorf("got %s, %v, want err == nil and got == `{\"status\":\"allowed\"}`", got, err)
	}
	_, err = say("5", allow, secret) // replayed under another id
	refused("not-answered", err)
	if over := <-asked; over["type"] != "approval.over" {
		t.Errorf(`got %+v, want over["type"] == "approval.over"`, over)
	}
}

// records are the reasons of the answers on record.
func records(t testing.TB, a *phoned) string {
	t.Helper()
	var all []string
	for one, err := range audit.Read(filepath.Join(a.dir, "state", "audit"), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if one.Event == audit.Approval {
			all = append(all, one.Action+" "+one.By+": "+one.Reason)
		}
	}
	return strings.Join(all, "\n")
}

func bodyOf(t testing.TB, r *http.Request) (body map[string]any) {
	t.Helper()
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Error(err)
	}
	return body
}

// signed are the headers of a request, as Standard Webhooks have them.
func signed(t testing.TB, secret, id, body string) http.Header {
	t.Helper()
	key, err := webhook.ParseKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	return http.Header{"Content-Type": {"application/json"}, "Webhook-Id": {id}, "Webhook-Timestamp": {fmt.Sprint(now.Unix())}, "Webhook-Signature": {key.Sign(id, now, []byte(body))}}
}

// Many asks of one session are one question. A person sees all that a yes is for.
func TestManyAsksOfOneSessionAreOneQuestion(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	var all []approve.Request
	for i := range MostApart + 2 {
		all = append(all, a.ask(fmt.Sprint("make ", i), 0))
	}
	a.mint()
	a.start()
	card := a.cards(s, "phone-asks", 1)[0]
	if card.Title != "claude asks for 7 calls" || !strings.Contains(card.Message, all[0].Code+" Bash: command: make 0\n") {
		t.Errorf("got %+v, want card.Title == \"claude asks for 7 calls\" and strings.Contains(card.Message, all[0].Code+\" Bash: command: make 0\\n\")", card)
	}
	later := a.ask("make later "+strings.Repeat("x", 500), 0)
	second := a.cards(s, "phone-asks", 2)[1] // what is on it is not whole: it can only be denied
	if len(second.Actions) != 1 || second.Actions[0].Label != "Deny all" {
		t.Errorf(`got %+v, want len(second.Actions) == 1 and second.Actions[0].Label == "Deny all"`, second)
	}
	press(t, card, "Allow all")
	for _, r := range all {
		if got := a.becomes(r.Code, approve.Allowed); got.By != "phone" {
			t.Errorf("%s by %q", r.Code, got.By)
		}
	}
	if r, err := a.store.Get(t.Context(), later.Code); err != nil || r.State != approve.Waiting {
		t.Errorf("what was not on the card: %+v, %v", r, err)
	}
	press(t, second, "Deny all")
	a.becomes(later.Code, approve.Denied)
}
