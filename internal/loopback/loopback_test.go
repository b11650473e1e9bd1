package loopback

import (
	"net"
	"testing"
)

func TestOnlyTheLoopbackIsThisMachineAlone(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "127.1": false,
	} {
		if got := Host(host); got != want {
			t.Errorf("Host(%q): got %v, want %v", host, got, want)
		}
	}
	for at, want := range map[net.Addr]bool{
		&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}: true, &net.TCPAddr{IP: net.IPv6loopback}: true,
		&net.TCPAddr{}: false, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}: false, &net.UnixAddr{Name: "x"}: false,
	} {
		if got := Addr(at); got != want {
			t.Errorf("Addr(%v): got %v, want %v", at, got, want)
		}
	}
}
