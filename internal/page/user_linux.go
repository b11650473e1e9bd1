package page

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
)

// mostTable bounds what is read of the system's table of connections.
const mostTable = 16 << 20

// ofThisUser refuses a login from a program of another user of this machine: they may see
// the link among the arguments of the browser that it was opened with. Where the system
// has no table of connections, the link alone decides.
func ofThisUser(r *http.Request) error {
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return nil
	}
	local, err1 := netip.ParseAddrPort(here.String())
	remote, err2 := netip.ParseAddrPort(r.RemoteAddr)
	if err1 != nil || err2 != nil {
		return nil
	}
	read := false
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := readTable(name)
		if err != nil {
			continue
		}
		read = true
		if uid, ok := uidOf(table, remote, local); ok {
			if uid == os.Getuid() {
				return nil
			}
			return refuse(http.StatusForbidden, "not-here", "the login comes from a program of user %d; the page is for user %d", uid, os.Getuid())
		}
	}
	if !read {
		return nil
	}
	return refuse(http.StatusForbidden, "not-here", "whose program the login comes from cannot be found out")
}

func readTable(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostTable))
	return string(text), err
}
