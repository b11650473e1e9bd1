package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"time"
)

// ID names one event. IDs made by Fire sort by time: 48 bits of milliseconds since
// 1970 and 80 random ones, as in a ULID. As text, in JSON too, it is 32 hexadecimal
// digits. IDs are comparable; the zero ID is not an event's.
type ID [16]byte

// newMark completes a mark. born is when the event was fired, since
// processStart; zero is now.
func newMark(given *Mark, born time.Duration) *Mark {
	m := &Mark{Time: time.Now()}
	if born > 0 {
		m.Time = m.Time.Add(born - m.Time.Sub(processStart))
	}
	if given != nil && !given.Time.IsZero() {
		m.Time = given.Time
	}
	if m.ID = newID(m.Time); given != nil && given.ID != (ID{}) {
		m.ID = given.ID
	}
	return m
}

// newID makes an id that sorts by time. The rest is random.
func newID(now time.Time) (id ID) {
	ms, chance, more := uint64(now.UnixMilli()), rand.Uint64(), rand.Uint64()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	for i := range 8 {
		id[6+i] = byte(chance >> (8 * i))
	}
	id[14], id[15] = byte(more), byte(more>>8)
	return id
}

// ParseID reads an ID: 32 hexadecimal digits, with or without dashes. Other text, as
// another program's ids may be, is hashed: the same text always gives the same ID.
// The empty text gives the zero ID.
func ParseID(text string) (id ID) {
	if text == "" {
		return id
	}
	if raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", "")); err == nil && len(raw) == len(id) {
		return ID(raw)
	}
	sum := sha256.Sum256([]byte(text))
	return ID(sum[:len(id)])
}

// String returns the digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns the digits.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what ParseID reads.
func (id *ID) UnmarshalText(text []byte) error {
	*id = ParseID(string(text))
	return nil
}
