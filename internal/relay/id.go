package relay

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"sync"
	"time"
)

var lastID struct {
	sync.Mutex
	milli uint64
	tail  [10]byte
}

// NewID gives an id that no other message has: a ULID in lower case. Of two that
// one process makes, the later one sorts after the earlier.
func NewID() string {
	lastID.Lock()
	defer lastID.Unlock()
	if now := uint64(time.Now().UnixMilli()); now > lastID.milli {
		lastID.milli = now
		_, _ = rand.Read(lastID.tail[:]) // it never fails
		lastID.tail[0] &= 0x7f           // room to count up
	} else {
		for i := len(lastID.tail) - 1; i >= 0; i-- {
			lastID.tail[i]++
			if lastID.tail[i] != 0 {
				break
			}
		}
	}
	return ulid(lastID.milli, lastID.tail)
}

// IDOf gives the id of a message that says one thing, known at a time: whoever sends it
// again sends the same message.
func IDOf(at time.Time, what string) string {
	sum := sha256.Sum256([]byte(what))
	return ulid(uint64(at.UnixMilli()), [10]byte(sum[:10]))
}

// ulid writes a time and what follows it as 26 characters, without those letters
// that are taken for digits.
func ulid(milli uint64, tail [10]byte) string {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	hi := milli<<16 | uint64(binary.BigEndian.Uint16(tail[:2]))
	lo := binary.BigEndian.Uint64(tail[2:])
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = letters[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// Short is the end of an id: what agents see, and may answer to.
func Short(id string) string {
	const n = 8
	if len(id) <= n {
		return strings.ToLower(id)
	}
	return strings.ToLower(id[len(id)-n:])
}

func validID(id string) bool {
	return len(id) >= 8 && len(id) <= 64 && strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) < 0
}
