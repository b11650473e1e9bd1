package notify

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/fakentfy"
)

const (
	allowToken = "AAAAAAAAAAAAAAAAAAAAAAAAAA"
	denyToken  = "DDDDDDDDDDDDDDDDDDDDDDDDDD"
)

func ask() Card {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	return Card{Allow: allowToken, Deny: denyToken, Request: approve.Request{
		Code: "K7QX4", State: approve.Waiting, Agent: "claude", Session: "s-1", Workspace: "/work", Tool: "Bash", Input: "command: rm -rf build\n",
		Rule: "files/wipe@1", Reason: "it deletes /work/build", Does: "delete /work/build\n", First: now, Until: now.Add(5 * time.Minute),
	}}
}

func serve(t *testing.T, s *fakentfy.Server) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

func secretFile(t *testing.T, text string) Secret {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return Secret{File: path}
}

// heard are the answers that came.
type heard struct {
	mu    sync.Mutex
	all   []string
	ready int
	down  []error
	fails int // so often, no answer can be noted
}

func (h *heard) answer(_ context.Context, s Said) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails > 0 {
		h.fails--
		return errors.New("the disk is full")
	}
	word := "no"
	if s.Yes {
		word = "yes"
	}
	h.all = append(h.all, strings.Join([]string{word, s.Token, s.Note, s.From}, "|"))
	return nil
}

func (h *heard) got() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.all, "\n")
}

func (h *heard) times() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ready
}

// listen has a channel listen for the length of the test.
func listen(t *testing.T, c Channel) *heard {
	t.Helper()
	return listenWith(t, c, &heard{})
}

func listenWith(t *testing.T, c Channel, h *heard) *heard {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Listen(ctx, h.answer, func() { h.mu.Lock(); h.ready++; h.mu.Unlock() }, func(err error) { h.mu.Lock(); h.down = append(h.down, err); h.mu.Unlock() })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Listen ended with %v", err)
		}
	})
	return h
}

func TestAButtonAnswersOverNtfy(t *testing.T) {
	s := &fakentfy.Server{Rights: map[string]map[string]string{
		"tk_daemon": {"asks": "w", "said": "r"}, "tk_button": {"said": "w"}, "": {},
	}}
	n := NewNtfy(Ntfy{Called: "phone", URL: serve(t, s), Topic: "asks", Back: "said", Token: secretFile(t, "tk_daemon"), Button: secretFile(t, "tk_button"), Since: time.Now()})
	h := listen(t, n)
	eventually.True(t, "it listens", func() bool { return h.times() == 1 })
	if err := n.Send(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	cards := s.Messages("asks")
	if len(cards) != 1 || cards[0].Title != "K7QX4: claude asks for Bash" || cards[0].Priority != 4 {
		t.Fatalf(`got %+v, want len(cards) == 1 and cards[0].Title == "K7QX4: claude asks for Bash" and cards[0].Priority == 4`, cards)
	}
	for _, want := range []string{"command: rm -rf build\n", "why: it deletes /work/build\n", "it would: delete /work/build\n", "in: /work\n"} {
		if !strings.Contains(cards[0].Message, want) {
			t.Errorf("the card has no %q:\n%s", want, cards[0].Message)
		}
	}
	for _, b := range cards[0].Actions {
		if err := b.Press(); err != nil {
			t.Fatal(err)
		}
	}
	const want = "yes|" + allowToken + "||ntfy topic asks\nno|" + denyToken + "||ntfy topic asks"
	eventually.True(t, "both answers come", func() bool { return h.got() == want })

	over := ask()
	over.Allow, over.Deny, over.State, over.By, over.From, over.Answered, over.After = "", "", approve.Denied, "anna", "/dev/pts/3", over.First.Add(12*time.Second), 12
	if err := n.Send(t.Context(), over); err != nil {
		t.Fatal(err)
	}
	cards = s.Messages("asks")
	if len(cards) != 2 || cards[1].Title != "K7QX4: denied" || len(cards[1].Actions) > 0 {
		t.Fatalf(`got %+v, want len(cards) == 2 and cards[1].Title == "K7QX4: denied" and len(cards[1].Actions) == 0`, cards)
	}
	if cards[1].Sequence != cards[0].Sequence || cards[1].Sequence == "" {
		t.Errorf("the sequence is %q, and was %q", cards[1].Sequence, cards[0].Sequence)
	}
	if text := cards[1].Message; !strings.Contains(text, "by: anna, /dev/pts/3, after 12s") {
		t.Errorf("the outcome:\n%s", text)
	}
}

// What was published while the connection was down is read, once.
func TestNothingIsLostWhenTheServerGoesAway(t *testing.T) {
	s := &fakentfy.Server{Keepalive: 10 * time.Millisecond}
	url := serve(t, s)
	n := NewNtfy(Ntfy{Called: "phone", URL: url, Topic: "asks", Back: "said", Since: time.Now().Add(-time.Minute)})
	press := func(body string) {
		t.Helper()
		if err := (fakentfy.Action{Method: http.MethodPost, URL: url + "/said", Body: body}).Press(); err != nil {
			t.Fatal(err)
		}
	}
	press("allow " + allowToken) // before anybody listens
	h := listen(t, n)
	eventually.True(t, "what was there comes", func() bool { return strings.Count(h.got(), allowToken) == 1 })
	s.Down(true)
	eventually.True(t, "it is down", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.down) > 0 })
	s.Down(false)
	press("what a stranger likes")
	press("allow tooshort")
	press("deny " + denyToken + " use the staging database")
	want := "yes|" + allowToken + "||ntfy topic asks…\nno|" + denyToken + "|use the staging database|ntfy topic asks…"
	eventually.True(t, "what came meanwhile comes", func() bool { return h.got() == want })
}

// An answer that cannot be noted is read again: nobody presses the button twice.
func TestAnAnswerThatCannotBeNotedIsReadAgain(t *testing.T) {
	s := &fakentfy.Server{}
	url := serve(t, s)
	n := NewNtfy(Ntfy{Called: "phone", URL: url, Topic: "asks", Back: "said", Since: time.Now().Add(-time.Minute)})
	if err := (fakentfy.Action{Method: http.MethodPost, URL: url + "/said", Body: "allow " + allowToken}).Press(); err != nil {
		t.Fatal(err)
	}
	h := listenWith(t, n, &heard{fails: 1})
	eventually.True(t, "it is noted", func() bool { return strings.Contains(h.got(), allowToken) })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.down) != 1 || h.down[0].Error() != "the disk is full" {
		t.Errorf(`got %v, want len(h.down) == 1 and h.down[0].Error() == "the disk is full"`, h.down)
	}
}

// Whoever may publish can make no line behind which nothing is heard any more.
func TestALineThatIsNoMessageIsPassedOver(t *testing.T) {
	line := `{"id":"m2","time":1,"event":"message","message":"allow ` + allowToken + `"}`
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, `{"event":"open"}`+"\nno message\n\n"+`{"id":"m1","event":"message","message":"`+strings.Repeat("x", 3*mostLine)+"\"}\n"+line+"\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	h := listen(t, NewNtfy(Ntfy{Called: "phone", URL: web.URL, Topic: "asks", Back: "said", Since: time.Now()}))
	eventually.True(t, "the answer behind them is heard", func() bool { return strings.Contains(h.got(), allowToken) })
	if n := h.times(); n != 1 {
		t.Errorf("it took %d connections", n)
	}
}

// A server takes 8192 bytes, however JSON has what stands on the card.
func TestACardFitsTheServer(t *testing.T) {
	s := &fakentfy.Server{}
	n := NewNtfy(Ntfy{URL: serve(t, s), Topic: "asks", Back: "said"})
	for _, letter := range []string{"<", "&", `"`, "\\", "ä", "x"} {
		c := ask()
		c.Input, c.Reason, c.Does = strings.Repeat(letter, 5000), strings.Repeat(letter, 5000), strings.Repeat(letter, 5000)
		if err := n.Send(t.Context(), c); err != nil {
			t.Errorf("%s: %v", letter, err)
		}
	}
	m := published{Topic: "asks", Message: strings.Repeat(`"`, 6000), Actions: []action{{Label: "Allow"}}}
	if body, err := m.body(); err != nil || len(body) > mostBody || !strings.Contains(string(body), "are not shown here") {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

func TestASilentServerIsCalledAnew(t *testing.T) {
	s := &fakentfy.Server{Keepalive: time.Hour}
	n := NewNtfy(Ntfy{Called: "phone", URL: serve(t, s), Topic: "asks", Back: "said", Since: time.Now(), Quiet: 500 * time.Millisecond})
	h := listen(t, n)
	eventually.True(t, "it is called again", func() bool { return h.times() >= 2 })
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.down[0]; !strings.Contains(err.Error(), "it said nothing for 500ms") {
		t.Errorf(`got %v, want strings.Contains(err.Error(), "it said nothing for 500ms")`, err)
	}
}

// A wrong token, a wrong topic and a server that is none are one clear line, without the
// token and the topic in it.
func TestMistakesOfTheSetupAreOneClearLine(t *testing.T) {
	strict := &fakentfy.Server{Rights: map[string]map[string]string{"tk_daemon": {"asks": "rw", "secretsaid": "r"}}}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(page.Close)
	moved := httptest.NewServer(http.RedirectHandler("https://example.com/", http.StatusFound))
	t.Cleanup(moved.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	url := serve(t, strict)
	for _, tt := range []struct {
		name  string
		c     Ntfy
		check string // what Check says
		send  string
	}{
		{"all is well", Ntfy{URL: url, Topic: "asks", Back: "secretsaid", Token: secretFile(t, "tk_daemon")}, "", ""},
		{"wrong token", Ntfy{URL: url, Topic: "asks", Back: "secretsaid", Token: secretFile(t, "tk_wrong")}, "does not let this access token read the topic of the answers (401): the token or the topic is wrong", "write to the topic of the cards (401)"},
		{"wrong topic", Ntfy{URL: url, Topic: "secretask", Back: "secretsay", Token: secretFile(t, "tk_daemon")}, "read the topic of the answers (403): the token or the topic is wrong", "write to the topic of the cards (403)"},
		{"no token", Ntfy{URL: url, Topic: "asks", Back: "secretsaid"}, "wants an access token to read the topic", "wants an access token to write"},
		{"no file", Ntfy{URL: url, Topic: "asks", Back: "secretsaid", Token: Secret{File: "/not/there"}}, "the file /not/there with the access token is not there", "is not there"},
		{"no variable", Ntfy{URL: url, Topic: "asks", Back: "secretsaid", Token: Secret{Env: "NTFY"}}, "the variable NTFY is not set", "is not set"},
		{"no button", Ntfy{URL: url, Topic: "asks", Back: "secretsaid", Token: secretFile(t, "tk_daemon"), Button: Secret{Env: "NTFY"}}, "the variable NTFY is not set", "is not set"},
		{"no ntfy", Ntfy{URL: page.URL, Topic: "asks", Back: "secretsaid"}, "does not speak as ntfy does", ""},
		{"elsewhere", Ntfy{URL: moved.URL, Topic: "asks", Back: "secretsaid"}, "has no ntfy at this address (302)", "(302)"},
		{"nobody", Ntfy{URL: gone.URL, Topic: "asks", Back: "secretsaid"}, "connection refused", "connection refused"},
	} {
		tt.c.Getenv = func(string) string { return "" }
		n := NewNtfy(tt.c)
		for what, got := range map[string]struct {
			err  error
			want string
		}{"Check": {n.Check(t.Context()), tt.check}, "Send": {n.Send(t.Context(), ask()), tt.send}} {
			text := ""
			if got.err != nil {
				text = got.err.Error()
			}
			if !strings.Contains(text, got.want) || (text == "") != (got.want == "") {
				t.Errorf("%s, %s: got %q, want %q", tt.name, what, text, got.want)
			}
			for _, secret := range []string{"tk_", "secretsa", "secretask", "\n", allowToken} {
				if strings.Contains(text, secret) {
					t.Errorf("%s, %s: %q has %q in it", tt.name, what, text, secret)
				}
			}
		}
	}
}

// A phone gets 4 KiB in all. What is left out is said.
func TestACardIsBoundedAndSafeToShow(t *testing.T) {
	c := ask()
	c.Input = "command: " + strings.Repeat("ä", 5000) + "; rm -rf ~\x1b[2K\n"
	c.Reason, c.Does, c.Workspace = strings.Repeat("why ", 1000), strings.Repeat("delete\n", 1000), strings.Repeat("/very", 500)
	text := c.Text()
	if len(text) > 3500 {
		t.Errorf("it has %d bytes", len(text))
	}
	for _, want := range []string{"bytes in between are not shown here)", "; rm -rf ~", "until: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in it:\n%s", want, text)
		}
	}
	if strings.ContainsRune(text, 0x1b) {
		t.Error("a terminal sequence is in it")
	}
	s := &fakentfy.Server{}
	n := NewNtfy(Ntfy{URL: serve(t, s), Topic: "asks", Back: "said"})
	if err := n.Send(t.Context(), c); err != nil || !strings.HasPrefix(s.Messages("asks")[0].Message, "command:") {
		t.Errorf(`got %v, want err == nil and strings.HasPrefix(s.Messages("asks")[0].Message, "command:")`, err)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add("allow " + allowToken)
	f.Add(" DENY  " + denyToken + " with a note")
	f.Add("allow\x00" + allowToken)
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := parseAnswer(text)
		if !ok && s != (Said{}) {
			t.Errorf("%q: it is no answer, and gives one", text)
		}
		if ok && (!isToken(s.Token) || len(s.Note) > mostNote) {
			t.Errorf("%q: %+v", text, s)
		}
		if word := strings.ToLower(strings.TrimSpace(text)); ok && s.Yes != strings.HasPrefix(word, "allow ") {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
