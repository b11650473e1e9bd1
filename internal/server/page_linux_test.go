package server

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A program of another user may have seen the link among the arguments of a browser.
func TestALinkIsForItsUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can come as another user")
	}
	p := openPage(t, "hooks: []\n")
	defer p.stop(t)
	code := p.link()
	nc := dialAs(t, p.host, 65534)
	defer nc.Close()
	body := fmt.Sprintf(`{"link":%q}`, code)
	a := p.over(nc, fmt.Sprintf("POST /login HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	if a.status != http.StatusForbidden || !strings.Contains(a.body, "a program of user 65534") {
		t.Errorf(`got %d %s, want a.status == http.StatusForbidden and strings.Contains(a.body, "a program of user 65534")`, a.status, a.body)
	}
	if a := p.login(code); a.status != http.StatusOK {
		t.Errorf("the link was used up: %d %s", a.status, a.body)
	}
}

// dialAs connects with a socket that another user has made.
func dialAs(t *testing.T, address string, uid int) net.Conn {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(uid); err != nil { // of this thread, and so of its sockets
		t.Skip(err)
	}
	defer func() { _ = unix.Setfsuid(0) }()
	nc, err := net.Dial("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	return nc
}
