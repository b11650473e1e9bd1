// Package loopback tells addresses that other machines cannot reach from those that
// they can.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Host reports whether a host of a URL or an address is this machine alone: localhost,
// or an IP address of the loopback. No name is looked up: localhost may resolve to
// another machine, so what was connected to is checked with [Addr], too.
func Host(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Addr reports whether an address of a connection or a listener is of the loopback.
func Addr(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
