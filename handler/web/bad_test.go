package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// fails wants one clear error: on one line, with the URL but not what is behind
// its question mark, and with these words.
func fails(t *testing.T, h *Handler, ev hook.AnyEvent, words ...string) {
	t.Helper()
	d, err := h.Handle(t.Context(), ev)
	if err == nil {
		t.Fatalf("it decided %v (%q)", d.Action, d.Reason)
	}
	isClear(t, err, append(words, h.url.Host+"/hooks")...)
}

func isClear(t *testing.T, err error, words ...string) {
	t.Helper()
	text := err.Error()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("the error has no %q: %s", word, text)
		}
	}
	if strings.Contains(text, "hidden") || strings.Contains(text, "\n") || len(text) > 700 {
		t.Errorf("the error is too long, or shows a secret: %q", text)
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	start := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		ev     hook.AnyEvent
		words  []string
	}{
		{"500", says(500, "the rules\nare gone"), bash("ls"), []string{"500 Internal Server Error", "the rules"}},
		{"500 without a word", says(500, ""), bash("ls"), []string{"500", "said nothing more"}},
		{"404", says(404, ""), bash("ls"), []string{"404", "POST"}},
		{"403", says(403, "no"), bash("ls"), []string{"403", "secret"}},
		{"an allow with status 500", says(500, `{"action":"allow"}`), bash("ls"), []string{"500"}},
		{"a web page", says(200, "<html>Sign in to the hotel</html>"), bash("ls"), []string{"<html>"}},
		{"a web page where text would be injected", says(200, "<html>Sign in to the hotel</html>"), start, []string{"<html>"}},
		{"half a JSON", says(200, `{"action":`), bash("ls"), []string{"not a decision"}},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b, 8})
		}, bash("ls"), []string{"gzip"}},
		{"headers without end", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, bash("ls"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := serve(t, Config{}, c.handle)
			fails(t, h, c.ev, c.words...)
		})
	}
}

func TestNoOpinionAndRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   hook.Decision
	}{
		{200, "", hook.Continue()},
		{204, "", hook.Continue()},
		{200, " \n", hook.Continue()},
		{403, `{"action":"block","reason":"never"}`, hook.Block("never")},
		{500, `{"decision":"block","reason":"never"}`, hook.Block("never")},
		{200, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"never"}}`, hook.Block("never")},
	} {
		h, _ := serve(t, Config{}, says(c.status, c.body))
		d, err := h.Handle(t.Context(), bash("ls"))
		if err != nil || d.Action != c.want.Action || d.Reason != c.want.Reason {
			t.Errorf("got %d %s: %v %q, %v, want err == nil and d.Action == c.want.Action and d.Reason == c.want.Reason", c.status, c.body, d.Action, d.Reason, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, secret := range []string{"", testSecret} {
			h, _ := serve(t, Config{Secret: secret}, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+"/elsewhere?token=hidden", status)
			})
			fails(t, h, bash("ls"), "/elsewhere", "never followed")
		}
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("%d events went to the other server", n)
	}
}

// TestAnswerOfTenGigabytes: the server sees long before that it is not wanted.
func TestAnswerOfTenGigabytes(t *testing.T) {
	const all = 10 << 30
	for _, announced := range []bool{true, false} {
		for _, version := range []string{"1.1", "2"} {
			sent := make(chan int, 1)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if announced {
					w.Header().Set("Content-Length", "10737418240")
				}
				piece, n := make([]byte, 64<<10), 0
				for n < all {
					m, err := w.Write(piece)
					if n += m; err != nil {
						break
					}
				}
				sent <- n
			}))
			s.EnableHTTP2 = version == "2"
			s.StartTLS()
			h := newHandler(t, Config{URL: s.URL + "/hooks", AllowPrivate: true, CA: authority(s)})
			fails(t, h, bash("ls"), "more than 2 MiB")
			if n := <-sent; n > 1<<28 {
				t.Errorf("HTTP/%s, announced %v: %d bytes were sent all the same", version, announced, n)
			}
			s.Close()
		}
	}
}

// drip answers a byte at a time until its client is gone.
func drip(started, gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		defer func() { gone <- struct{}{} }()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			if i == 10 {
				started <- struct{}{}
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

func TestAnswerByteByByteEndsWithItsTime(t *testing.T) {
	started, gone := make(chan struct{}, 2), make(chan struct{}, 2)
	h, _ := serve(t, Config{}, drip(started, gone))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_, err := h.Handle(ctx, bash("ls"))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	isClear(t, err, "/hooks")
	<-gone

	var e hook.Engine
	if err := e.Add(hook.New("slow", h, hook.For("PreToolUse"), hook.As(hook.Guard), hook.Timeout(200*time.Millisecond))); err != nil {
		t.Fatal(err)
	}
	out, err := e.Fire(t.Context(), bash("ls"))
	if err != nil || out.Action != hook.ActionBlock || !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
		t.Errorf("%v, %v, step %v", out.Action, err, out.Steps[0].Err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
} // the server waits for its handlers when it is closed

func TestAnswerThatBreaksOff(t *testing.T) {
	h, _ := serve(t, Config{Secret: testSecret}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"action":"allow"}`)
	})
	fails(t, h, bash("ls"), "broke off after 18 bytes")
}

func TestCertificates(t *testing.T) {
	secure := func(h http.HandlerFunc) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	var asked atomic.Int32
	s := secure(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fails(t, newHandler(t, Config{URL: s.URL + "/hooks", AllowPrivate: true}), bash("ls"), "certificate", "name its authority with ca")
	fails(t, newHandler(t, Config{URL: "https://localhost:" + port + "/hooks", AllowPrivate: true, CA: authority(s)}), bash("ls"), "localhost", "certificate")
	plain := httptest.NewServer(says(200, ""))
	defer plain.Close()
	fails(t, newHandler(t, Config{URL: strings.Replace(plain.URL, "http", "https", 1) + "/hooks", AllowPrivate: true}), bash("ls"), "does not speak TLS")
	if asked.Load() != 0 {
		t.Error("an event was sent to a server without a valid certificate")
	}
	if _, err := newHandler(t, Config{URL: s.URL, AllowPrivate: true, CA: authority(s)}).Handle(t.Context(), bash("ls")); err != nil || asked.Load() != 1 {
		t.Errorf("with its authority: %v, %d requests", err, asked.Load())
	}
}

// closer is a server that reads requests, answers the first ones, and closes
// instead of answering the next. It tells the id of each.
func closer(t *testing.T, answered int) (url string, ids <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen, done := make(chan string, 10), make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(conn)
			for {
				r, err := http.ReadRequest(in)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, r.Body)
				seen <- r.Header.Get("webhook-id")
				if n++; n == answered+1 {
					break
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String() + "/hooks", seen
}

// TestWhatWasSentIsSentAgainOnlyIfItIsKnownToBeTheSame: see the package comment.
func TestWhatWasSentIsSentAgainOnlyIfItIsKnownToBeTheSame(t *testing.T) {
	ev := bash("ls")
	run := func(secret string, answered int) ([]string, error) {
		url, seen := closer(t, answered)
		h := newHandler(t, Config{URL: url, Secret: secret, AllowPrivate: true})
		for range answered {
			if _, err := h.Handle(t.Context(), bash("first")); err != nil {
				t.Fatal(err)
			}
			<-seen
		}
		_, err := h.Handle(t.Context(), ev)
		_ = h.Close() // so that the server is not asked any more
		var ids []string
		for len(seen) > 0 {
			ids = append(ids, <-seen)
		}
		return ids, err
	}
	switch ids, err := run(testSecret, 1); {
	case err != nil:
		t.Errorf("signed, on a kept connection: %v, ids %q; want the same twice", err, ids)
	case len(ids) != 2:
		t.Errorf("len(ids): got %v, want %v", len(ids), 2)
	case ids[0] != ids[1]:
		t.Errorf("ids[0]: got %v, want %v", ids[0], ids[1])
	case !strings.HasPrefix(ids[0], "evt_"):
		t.Errorf("signed, on a kept connection: %v, ids %q; want the same twice", err, ids)
	}
	for name, c := range map[string]struct {
		secret   string
		answered int
	}{"not signed": {"", 1}, "on a new connection": {testSecret, 0}} {
		ids, err := run(c.secret, c.answered)
		if err == nil || len(ids) != 1 {
			t.Errorf("%s: %v, ids %q; want one request and an error", name, err, ids)
			continue
		}
		isClear(t, err, "not sent again")
	}
}

func TestConnectionThatIsRefusedIsTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	h := newHandler(t, Config{URL: "http://" + address + "/hooks", AllowPrivate: true})
	tries := 0
	h.pause = func(context.Context, time.Duration) error { tries++; return nil }
	fails(t, h, bash("ls"), "cannot be reached")
	if tries != len(pauses) {
		t.Errorf("%d pauses, want %d", tries, len(pauses))
	}
	s := httptest.NewUnstartedServer(says(200, `{"action":"block","reason":"here again"}`))
	defer s.Close()
	h.pause = func(context.Context, time.Duration) error {
		s.Listener.Close()
		if s.Listener, err = net.Listen("tcp", address); err == nil {
			s.Start()
		}
		return err
	}
	if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "here again" {
		t.Errorf(`got %q, %v, want err == nil and d.Reason == "here again"`, d.Reason, err)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	h, _ := serve(t, Config{}, drip(started, gone))
	failed := make(chan error, 1)
	go func() {
		_, err := h.Handle(context.Background(), bash("ls"))
		failed <- err
	}()
	<-started
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("the call under way: %v", err)
	}
	<-gone
	if _, err := h.Handle(t.Context(), bash("ls")); !errors.Is(err, ErrClosed) {
		t.Errorf("a later call: %v", err)
	}
	if n := len(h.client.conns); n != 0 {
		t.Errorf("%d connections are left", n)
	}
}

func TestAPortThatThereIsNotIsAMistake(t *testing.T) {
	for port, ok := range map[string]bool{"": true, ":1": true, ":65535": true, ":0": false, ":65536": false, ":99999": false} {
		c := Config{URL: "https://example.com" + port + "/hooks"}
		if err := c.Check(); (err == nil) != ok {
			t.Errorf("%q gave %v", port, err)
		}
	}
}
