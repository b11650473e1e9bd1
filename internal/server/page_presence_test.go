package server

import (
	"bufio"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
)

// watch opens a stream of the page, as a browser does, or with other headers than that. It
// is there when this returns.
func (p *opened) watch(headers string) net.Conn {
	p.t.Helper()
	nc, err := net.Dial("tcp", p.host)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { nc.Close() })
	p.stream(nc, strings.NewReplacer("HOST", p.host, "COOKIE", p.cookie, "TOKEN", p.token).Replace("GET /v1/watch HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"+headers+"\r\n"))
	return nc
}

// stream sends a request for a stream, and waits for its first line.
func (p *opened) stream(nc net.Conn, text string) {
	p.t.Helper()
	_ = nc.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(nc, text); err != nil {
		p.t.Fatal(err)
	}
	for in := bufio.NewReader(nc); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			p.t.Fatalf("no stream: %q, %v", line, err)
		}
		if strings.HasPrefix(line, "retry:") {
			return
		}
	}
}

// An open page is somebody who is there, as a terminal that watches is: while a browser that
// is logged in has its stream. A program at the daemon's socket, which agents reach, is
// nobody, and so is a browser that was logged out, by whomever.
func TestAnOpenPageIsSomebody(t *testing.T) {
	p := openPage(t, "hooks: []\n")
	stopped := false
	defer func() {
		if !stopped {
			p.stop(t)
		}
	}()
	store, err := approve.Open(t.Context(), filepath.Join(p.Home.Getenv("HOOKWAY_HOME"), "state", "approvals"), approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	becomes := func(what string, want bool) {
		t.Helper()
		eventually.True(t, what, func() bool {
			there, err := store.Attended(t.Context())
			return err == nil && there == want
		})
	}
	socket, err := net.Dial("unix", p.Places.Socket)
	if err != nil {
		t.Skipf("the daemon's socket is not a file here: %v", err)
	}
	defer socket.Close()
	p.stream(socket, "GET /v1/watch HTTP/1.1\r\nHost: hookway\r\n\r\n")
	const browser = "Sec-Fetch-Site: same-origin\r\nCookie: COOKIE\r\nX-Hookway-Token: TOKEN\r\n"
	p.logIn()
	first := p.watch(browser)
	becomes("a page is open", true)
	second := p.watch(browser)
	first.Close()
	second.Close()
	becomes("no page is open any more, and the program that watches counts as nobody", false)

	last := p.watch(browser)
	becomes("a page is open again", true)
	if a := p.ask("POST", "/logout", ""); a.status >= 300 {
		t.Fatalf("got %d %s, want a.status < 300", a.status, a.body)
	}
	becomes("the browser was logged out", false)
	if _, err := io.Copy(io.Discard, last); err != nil {
		t.Errorf("the stream of a browser that was logged out does not end: %v", err)
	}

	p.logIn()
	p.watch(browser)
	becomes("a page is open before the daemon ends", true)
	stopped = true
	p.stop(t)
	if there, err := store.Attended(t.Context()); there || err != nil {
		t.Errorf("somebody is there when the daemon has ended: %v, %v", there, err)
	}
}
