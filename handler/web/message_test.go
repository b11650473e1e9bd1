package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestAMessageIsTold(t *testing.T) {
	status, answer, after := http.StatusOK, "a page, and no decision", ""
	var got *http.Request
	var body []byte
	h, _ := serve(t, Config{Secret: testSecret}, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", after)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
	m, err := h.Message(bash("ls"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Send(t.Context(), m); err != nil {
		t.Error(err)
	}
	switch err := Verify(testSecret, got.Header, body); {
	case err != nil || got.Header.Get("Webhook-Id") != m.ID || got.Header.Get("Hookway-Event") != "PreToolUse":
		t.Errorf("%v: %v, %s", err, got.Header, body)
	case string(body) != string(m.Body):
		t.Errorf("string(body): got %v, want %v", string(body), string(m.Body))
	}
	answer = `{"action":"block","reason":"no"}` // which is not an answer to what only tells
	for _, c := range []struct {
		status int
		after  string
		want   time.Duration
	}{{410, "", 0}, {429, "120", 2 * time.Minute}, {503, "soon", 0}, {503, "-1", 0}, {302, "", 0}} {
		status, after = c.status, c.after
		var said *StatusError
		switch err := h.Send(t.Context(), m); {
		case !errors.As(err, &said):
			t.Errorf("%d: %v", c.status, err)
		case said.Status != c.status:
			t.Errorf("%v: said.Status: got %v, want %v", c.status, said.Status, c.status)
		case said.RetryAfter != c.want:
			t.Errorf("%v: said.RetryAfter: got %v, want %v", c.status, said.RetryAfter, c.want)
		case errors.Is(err, ErrUnset):
			t.Errorf("%d: %v", c.status, err)
		}
	}
	status, after = 503, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	var said *StatusError
	if err := h.Send(t.Context(), m); !errors.As(err, &said) || said.RetryAfter < 50*time.Minute || said.RetryAfter > time.Hour {
		t.Errorf("a date: %v", err)
	}
}

func TestWithoutItsSecretAMessageIsNotSent(t *testing.T) {
	sent := false
	h, _ := serve(t, Config{Secret: "${MISSING}"}, func(http.ResponseWriter, *http.Request) { sent = true })
	if err := h.Send(t.Context(), Message{ID: "evt_1", Event: "Stop", Body: []byte("{}")}); !errors.Is(err, ErrUnset) || sent {
		t.Errorf("sent %v, %v", sent, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Send(ended, Message{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want errors.Is(err, context.Canceled)", err)
	}
}

func TestAMessageIsToldOnlyIfTheAnswerIsSigned(t *testing.T) {
	h, _ := serve(t, Config{Secret: testSecret, Verify: true}, func(http.ResponseWriter, *http.Request) {})
	if err := h.Send(t.Context(), Message{ID: "evt_1", Event: "Stop", Body: []byte("{}")}); err == nil {
		t.Error("an answer that is not signed is believed")
	}
}
