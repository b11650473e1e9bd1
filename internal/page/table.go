package page

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// uidOf finds in a table as Linux has it in /proc/net/tcp and tcp6 whose the end of a
// connection is that is at from, and whose other end is at to.
func uidOf(table string, from, to netip.AddrPort) (uid int, ok bool) {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 8 || !isAt(fields[1], from) || !isAt(fields[2], to) {
			continue
		}
		if uid, err := strconv.Atoi(fields[7]); err == nil {
			return uid, true
		}
	}
	return 0, false
}

// isAt reports whether an entry as 0100007F:1239 is an address.
func isAt(entry string, at netip.AddrPort) bool {
	address, port, _ := strings.Cut(entry, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	raw, bad := hex.DecodeString(address)
	if err != nil || bad != nil || uint16(n) != at.Port() || len(raw)%4 != 0 {
		return false
	}
	for word := range slices.Chunk(raw, 4) { // each as the processor has it
		binary.BigEndian.PutUint32(word, binary.NativeEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(raw)
	return ok && ip.Unmap() == at.Addr().Unmap()
}
