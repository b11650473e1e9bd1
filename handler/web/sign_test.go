package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

const otherSecret = "whsec_YW5vdGhlciB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"

// The value was computed with Python's hmac.
func TestSignatureIsThatOfStandardWebhooks(t *testing.T) {
	got, err := Sign(testSecret, "evt_1", time.Unix(1700000000, 0), []byte(`{"a":1}`))
	if want := "v1,bkSfGl2npHugBGjYwKtlIkj+kZ30wjYWLw6A0BY8sbs="; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestSecretsThatAreNone(t *testing.T) {
	for secret, word := range map[string]string{
		"hidden":                           "whsec_",
		"whsec_hidden hidden!":             "base64",
		"whsec_aGlkZGVu":                   "24 to 64",
		"whsec_" + strings.Repeat("A", 88): "24 to 64",
	} {
		_, err := New(Config{URL: "https://example.com", Secret: secret})
		switch {
		case err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "hidden"):
			t.Errorf("%s: %v", secret, err)
		case strings.Contains(err.Error(), "aGlkZGVu"):
			t.Errorf("%s: %v", secret, err)
		}
	}
}

func TestRequestsAreSigned(t *testing.T) {
	ids := make(chan string, 4)
	h, _ := serve(t, Config{Secret: "${HOOK_SECRET}", Environ: environFrom("HOOK_SECRET=" + testSecret)}, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = Verify(testSecret, r.Header, body)
		}
		if err == nil && Verify(otherSecret, r.Header, body) == nil {
			err = fmt.Errorf("another secret holds as well")
		}
		if err != nil {
			http.Error(w, err.Error(), 400)
		}
		ids <- r.Header.Get("webhook-id")
	})
	ev := bash("ls")
	for _, ev := range []hook.AnyEvent{ev, ev, bash("ls")} {
		if _, err := h.Handle(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
	first, again, other := <-ids, <-ids, <-ids
	if first != again || first == other || !strings.Contains(first, ev.ID().String()) {
		t.Errorf("ids %q, %q and %q: an event must keep its own", first, again, other)
	}
}

// answering answers with a signature that sign makes.
func answering(body string, sign func(h http.Header, r *http.Request, request []byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		text := []byte(body)
		if other := sign(w.Header(), r, request); other != nil {
			text = other
		}
		_, _ = w.Write(text)
	}
}

func signed(h http.Header, secret, id string, at time.Time, body string) {
	s, err := Sign(secret, id, at, []byte(body))
	if err != nil {
		panic(err)
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("webhook-signature", s)
}

func TestSignaturesOfAnswers(t *testing.T) {
	const allow = `{"action":"allow","reason":"known"}`
	id := func(r *http.Request) string { return r.Header.Get("webhook-id") }
	for _, c := range []struct {
		name  string
		sign  func(h http.Header, r *http.Request, request []byte) []byte
		plain string // the error without verify, or ""
		word  string // the error with verify, or ""
	}{
		{"right", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, testSecret, id(r), time.Now(), allow)
			return nil
		}, "", ""},
		{"right, after one of another secret", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, otherSecret, id(r), time.Now(), allow)
			first := h.Get("webhook-signature")
			signed(h, testSecret, id(r), time.Now(), allow)
			h.Set("webhook-signature", first+" v1a,xyz "+h.Get("webhook-signature"))
			return nil
		}, "", ""},
		{"none", func(http.Header, *http.Request, []byte) []byte { return nil }, "", "not signed"},
		{"of another secret", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, otherSecret, id(r), time.Now(), allow)
			return nil
		}, "is wrong", "is wrong"},
		{"of another answer", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, testSecret, id(r), time.Now(), `{"action":"block"}`)
			return nil
		}, "is wrong", "is wrong"},
		{"of another request", func(h http.Header, _ *http.Request, _ []byte) []byte {
			signed(h, testSecret, "evt_2", time.Now(), allow)
			return nil
		}, "another request", "another request"},
		{"of yesterday", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, testSecret, id(r), time.Now().Add(-24*time.Hour), allow)
			return nil
		}, "5m0s", "5m0s"},
		{"of tomorrow", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, testSecret, id(r), time.Now().Add(24*time.Hour), allow)
			return nil
		}, "5m0s", "5m0s"},
		{"without a time", func(h http.Header, r *http.Request, _ []byte) []byte {
			signed(h, testSecret, id(r), time.Now(), allow)
			h.Set("webhook-timestamp", "now")
			return nil
		}, "timestamp", "timestamp"},
		{"the request's own", func(h http.Header, r *http.Request, request []byte) []byte {
			for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
				h.Set(name, r.Header.Get(name))
			}
			return request
		}, "sent back", "sent back"},
	} {
		for verify, word := range map[bool]string{false: c.plain, true: c.word} {
			t.Run(fmt.Sprintf("%s, verify %v", c.name, verify), func(t *testing.T) {
				h, _ := serve(t, Config{Secret: testSecret, Verify: verify}, answering(allow, c.sign))
				if word != "" {
					fails(t, h, bash("ls"), word, "cannot be relied on")
					return
				}
				if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Action != hook.ActionAllow {
					t.Errorf("got %v, %v, want err == nil and d.Action == hook.ActionAllow", d.Action, err)
				}
			})
		}
	}
}
