package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestARequestIsAnsweredWhole(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			_, _ = w.Write([]byte("arrived"))
		case "/bytes":
			_, _ = w.Write([]byte{0xff, 0})
		case "/large":
			_, _ = w.Write(make([]byte, 2<<20))
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/agent":
			_, _ = w.Write([]byte(r.UserAgent() + r.Header.Get("A")))
		default:
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	}))
	defer server.Close()
	c := New(nil, 1<<20)
	defer c.Close()
	for _, x := range []struct {
		name, path, redirect string
		status               int
		body, fails          string
	}{
		{"a redirection is followed", "/here", "", 200, "arrived", ""},
		{"a redirection is given", "/here", "manual", 302, "", ""},
		{"a redirection is an error", "/here", "error", 0, "", "it was redirected"},
		{"a circle ends", "/round", "follow", 0, "", "redirected 10 times"},
		{"what is not text", "/bytes", "", 200, "/wA=", ""},
		{"what is too large", "/large", "", 0, "", "has more than 1 MiB"},
		{"headers", "/agent", "", 200, "hookwayb", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := c.Do(t.Context(), Request{URL: server.URL + x.path, Redirect: x.redirect, Headers: [][2]string{{"a", "a"}, {"A", "b"}}})
			if x.fails != "" {
				if err == nil || !strings.Contains(err.Error(), x.fails) {
					t.Fatalf("it gave %v, want %q", err, x.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := got.Text(); got.Status != x.status || x.body != "" && text != x.body {
				t.Errorf("it gave %d %q, want %d %q", got.Status, text, x.status, x.body)
			}
		})
	}
}

func TestASlowServerIsLeft(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(gone) }))
	defer server.Close()
	c := New(nil, 1)
	if _, err := c.Do(t.Context(), Request{URL: server.URL, Timeout: 50 * time.Millisecond}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it gave %v", err)
	}
	<-gone // the server sees it
}
