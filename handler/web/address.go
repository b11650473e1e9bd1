package web

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// PrivateError is the error of a connection to an address that is not public.
type PrivateError struct {
	Address  netip.Addr
	Loopback bool // loopback is permitted, and no more can be
}

// Error says what to do.
func (e *PrivateError) Error() string {
	if e.Loopback {
		return fmt.Sprintf("its address %v is inside a private network, where nothing is sent; only a public address or this machine's loopback can be asked", e.Address)
	}
	return fmt.Sprintf("its address %v is inside this machine's own network; if that is meant, set allow_private: true", e.Address)
}

// reserved are the networks that are not public, besides those that netip knows.
var reserved = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "100::/64", "2001::/32", "2001:db8::/32", "fec0::/10", "64:ff9b:1::/48")

// These addresses hold one of version 4, beginning at a byte, to which they lead.
var (
	nat64  = prefixes("64:ff9b::/96")
	sixTo4 = prefixes("2002::/16")
	oldV4  = prefixes("::/96")
)

// prefixes are networks that are parsed when they are first needed.
func prefixes(texts ...string) func() []netip.Prefix {
	return sync.OnceValue(func() []netip.Prefix {
		var out []netip.Prefix
		for _, t := range texts {
			out = append(out, netip.MustParsePrefix(t))
		}
		return out
	})
}

func within(ip netip.Addr, networks func() []netip.Prefix) bool {
	return slices.ContainsFunc(networks(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// private reports whether an address is not a public one.
func private(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() { // the first leaves out loopback, link-local, multicast and unspecified
		return true
	}
	if within(ip, reserved) {
		return true
	}
	if ip.Is4() {
		return false
	}
	b := ip.As16()
	switch {
	case within(ip, nat64), within(ip, oldV4):
		return private(netip.AddrFrom4([4]byte(b[12:])))
	case within(ip, sixTo4):
		return private(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return false
}

// own reports whether an address is one of this machine's.
func own(ip netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false // then the networks above have to do
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if mine, ok := netip.AddrFromSlice(n.IP); ok && mine.Unmap() == ip.Unmap().WithZone("") {
				return true
			}
		}
	}
	return false
}

// permits are the addresses that may be asked besides public ones.
type permits struct{ private, loopback bool }

// address refuses an address, as the dialer has it after names were resolved.
func (p permits) address(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %s cannot be read: %w", address, err)
	}
	return p.ip(at.Addr())
}

// ip refuses an address.
func (p permits) ip(ip netip.Addr) error {
	if p.private || p.loopback && ip.Unmap().IsLoopback() || !private(ip) && !own(ip) {
		return nil
	}
	return &PrivateError{ip, p.loopback}
}
