package web

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hookway/hookway/hook"
)

const testSecret = "whsec_aG9va3dheSB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"

func newHandler(t testing.TB, c Config) *Handler {
	t.Helper()
	if c.Environ == nil {
		c.Environ = environFrom()
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// serve starts a server, and makes a handler that asks it.
func serve(t testing.TB, c Config, handle http.HandlerFunc) (*Handler, *httptest.Server) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	c.URL, c.AllowPrivate = s.URL+"/hooks?token=hidden-token", true
	return newHandler(t, c), s
}

func authority(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func bash(command string) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
}

// environFrom is an environment of these variables only.
func environFrom(entries ...string) func(context.Context) []string {
	return func(context.Context) []string { return entries }
}
