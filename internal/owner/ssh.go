package owner

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/process"
)

// link is a connection that is open: one of its ends is on this machine.
type link struct{ here, there netip.AddrPort }

// bySSH refuses a session that comes from this machine itself: whoever is at its other
// end cannot be looked at. Where it comes from stands in its environment, which what it
// runs can have changed; so the kernel's word is taken, too, where it can be had.
func bySSH(m *machine, chain []process.Process) error {
	server := slices.IndexFunc(chain, func(p process.Process) bool {
		return slices.ContainsFunc(names(&p), func(name string) bool { return strings.HasPrefix(name, "sshd") || name == "dropbear" })
	})
	if server < 0 {
		return nil
	}
	said := ""
	for _, p := range chain[:server] {
		if s := variable(m.environ(p.PID), "SSH_CONNECTION"); s != "" {
			said = s // of the process next to the server
		}
	}
	f := strings.Fields(said) // client, port, server, port
	if len(f) < 4 {
		return notOwner("where this ssh session comes from was hidden (SSH_CONNECTION is not set); log in again")
	}
	it, ok := linkOf(f)
	own := m.own()
	switch {
	case f[0] == f[2] || ok && isOwn(it.there, own):
		return notOwner("this ssh session comes from this machine itself (%s); use a terminal that you opened here, or log in from elsewhere", f[0])
	case !ok:
		return notOwner("where this ssh session comes from is not known (SSH_CONNECTION is %.100q); log in again", said)
	}
	open, told := m.links()
	switch {
	case !told:
		return nil
	case !slices.Contains(open, it):
		return notOwner("this ssh session does not come from where it says (SSH_CONNECTION is %.100q): there is no such connection; log in again", said)
	case slices.ContainsFunc(open, func(l link) bool { return l.here.Port() == it.here.Port() && isOwn(l.here, own) && isOwn(l.there, own) }):
		return notOwner("an ssh session from this machine to itself is open, and cannot be told from this one; end it, or use a terminal that you opened here")
	}
	return nil
}

// linkOf is the connection that SSH_CONNECTION names, as its server sees it.
func linkOf(f []string) (l link, ok bool) {
	there, err := netip.ParseAddrPort(net.JoinHostPort(f[0], f[1]))
	if err != nil {
		return l, false
	}
	here, err := netip.ParseAddrPort(net.JoinHostPort(f[2], f[3]))
	return link{here: plain(here), there: plain(there)}, err == nil
}

// plain is an address as it is compared: without a zone, and IPv4 as such.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// isOwn reports whether an address is one of this machine.
func isOwn(a netip.AddrPort, own []netip.Addr) bool {
	return a.Addr().IsLoopback() || slices.Contains(own, a.Addr())
}

// ownAddresses are those of this machine.
func ownAddresses() (all []netip.Addr) {
	list, _ := net.InterfaceAddrs()
	for _, one := range list {
		if p, err := netip.ParsePrefix(one.String()); err == nil {
			all = append(all, p.Addr().Unmap().WithZone(""))
		}
	}
	return all
}
