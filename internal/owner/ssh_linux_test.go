package owner

import (
	"net"
	"net/netip"
	"slices"
	"testing"
)

func TestOpenConnectionsAreTold(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // a machine without IPv6
			continue
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		end := func(a net.Addr) netip.AddrPort { return netip.MustParseAddrPort(a.String()) }
		want := link{here: end(c.RemoteAddr()), there: end(c.LocalAddr())}
		all, told := links()
		if !told {
			t.Skip("the kernel does not tell connections here")
		}
		if !slices.Contains(all, want) {
			t.Errorf("%v is not among the connections: %v", want, all)
		}
		if listens := (link{here: end(l.Addr())}); slices.ContainsFunc(all, func(l link) bool { return l.here == listens.here && !l.there.IsValid() }) {
			t.Errorf("what only listens is among the connections: %v", all)
		}
		if !isOwn(want.there, ownAddresses()) || isOwn(netip.MustParseAddrPort("192.0.2.77:1"), ownAddresses()) {
			t.Errorf("got %v as the machine's own addresses", ownAddresses())
		}
	}
}
