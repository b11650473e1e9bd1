//go:build unix

package api_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/api"
)

// What comes in at the page's port is for the page, in whatever language; what it lets
// through is marked, and nothing else is.
func TestThePagesPortIsThePages(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &api.Page{Listener: l, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, marked := api.OwnerOf(r.Context())
		fmt.Fprint(w, "the page, ", marked, " ", who.By)
	})}
	h := newHouse(t, oneHook, plan{page: p, patience: 100 * time.Millisecond})
	at := l.Addr().String()
	for path, want := range map[string]string{"/v1/status": "the page, false ", "/hooks/x": "the page, false ", "/healthz": "the page, false "} {
		if got := saidAt(t, at, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+h.token+"\r\nConnection: close\r\n\r\n"); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := saidAt(t, at, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); !strings.HasPrefix(got, "HTTP/1.1 ") || !strings.HasSuffix(got, "the page, false ") {
		t.Errorf("gRPC: %q, want the page's answer", got)
	}
}

// Who sends slowly, or nothing, is sent away; agents are answered meanwhile.
func TestThePageWaitsForNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, oneHook, plan{page: &api.Page{Listener: l, Handler: http.NotFoundHandler()}, patience: 100 * time.Millisecond})
	var slow []net.Conn
	for range 200 {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if _, err := io.WriteString(nc, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, nc)
	}
	if status, text := h.ask("GET", "/v1/status", ""); status != http.StatusOK {
		t.Errorf("got %d %s, want %d", status, text, http.StatusOK)
	}
	for _, nc := range slow { // each comes to its end
		_ = nc.SetReadDeadline(time.Now().Add(patient))
		if text, err := io.ReadAll(nc); err != nil || strings.HasPrefix(string(text), "HTTP/1.1 200") {
			t.Fatalf(`got %q, %v, want err == nil and !strings.HasPrefix(string(text), "HTTP/1.1 200")`, text, err)
		}
	}
}

// saidAt sends bytes, and gives all that comes.
func saidAt(t *testing.T, address, text string) string {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Now().Add(patient))
	if _, err := io.WriteString(nc, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(nc)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}
