package owner

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// links are the connections of TCP that are open; told is false where the system does not
// tell them.
func links() (list []link, told bool) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the machine may have no IPv6
		}
		told = true
		for line := range bytes.Lines(text) {
			// 0: 0100007F:0016 0200007F:D431 01 …
			f := strings.Fields(string(line))
			if len(f) < 4 || f[3] != "01" { // established
				continue
			}
			here, ok := hexAddress(f[1])
			there, ok2 := hexAddress(f[2])
			if ok && ok2 {
				list = append(list, link{plain(here), plain(there)})
			}
		}
	}
	return list, told
}

// hexAddress reads an address of /proc/net/tcp: words of four bytes in the machine's order.
func hexAddress(text string) (a netip.AddrPort, ok bool) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return a, false
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		for word := range slices.Chunk(raw, 4) {
			slices.Reverse(word)
		}
	}
	addr, known := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(addr, uint16(n)), known && err == nil
}
