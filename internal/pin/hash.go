package pin

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Cost is what one guess costs.
type Cost struct {
	Passes  uint32
	Memory  uint32 // KiB
	Threads uint8
}

// Usual is the second choice of RFC 9106, section 4, which it has for where memory is
// short: a person waits for a moment (0.2 s on a quiet machine), and no program of theirs
// is pushed out of memory. The first choice takes 2 GiB.
var Usual = Cost{Passes: 3, Memory: 64 << 10, Threads: 4}

// Bounds of what a file may ask for: it may have been written by others.
var mostCost = Cost{Passes: 16, Memory: 1 << 20, Threads: 16}

const (
	saltLength = 16 // as RFC 9106 says
	hashLength = 32

	// MinLength is how short a PIN may be: a million of them last a processor a day,
	// for who has the file.
	MinLength = 6
	maxLength = 128
)

// Usable says why a text cannot be a PIN.
func Usable(pin string) error {
	switch n := utf8.RuneCountInString(pin); {
	case !utf8.ValidString(pin), strings.ContainsFunc(pin, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("a PIN is of characters that can be seen; take digits and letters")
	case n < MinLength:
		return fmt.Errorf("this PIN has %d characters; take at least %d", n, MinLength)
	case n > maxLength:
		return fmt.Errorf("this PIN has %d characters; take at most %d", n, maxLength)
	}
	if steady(pin) {
		return errors.New("this PIN is a row like 000000 or 123456, which is tried first; take another one")
	}
	return nil
}

// steady reports whether each character lies as far from the one before as the first two do.
func steady(pin string) bool {
	list := []rune(pin)
	step := list[1] - list[0]
	for i := 1; i < len(list); i++ {
		if list[i]-list[i-1] != step {
			return false
		}
	}
	return step >= -1 && step <= 1
}

// hashed is a PIN as it is kept, in the form that Argon2's own programs write.
func (c Cost) hashed(pin string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // it never fails
	sum := argon2.IDKey([]byte(pin), salt, c.Passes, c.Memory, c.Threads, hashLength)
	plain := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, plain.EncodeToString(salt), plain.EncodeToString(sum))
}

// same reports whether a PIN is the one that was hashed.
func same(kept, pin string) (bool, error) {
	c, salt, sum, err := parse(kept)
	if err != nil {
		return false, err
	}
	got := argon2.IDKey([]byte(pin), salt, c.Passes, c.Memory, c.Threads, hashLength)
	return subtle.ConstantTimeCompare(got, sum) == 1, nil
}

// parse reads what hashed wrote.
func parse(kept string) (c Cost, salt, sum []byte, err error) {
	bad := errors.New("the PIN that is kept cannot be read")
	parts := strings.Split(kept, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, bad
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return c, nil, nil, bad
	}
	if c.Passes < 1 || c.Threads < 1 || c.Passes > mostCost.Passes || c.Memory > mostCost.Memory || c.Threads > mostCost.Threads {
		return c, nil, nil, bad
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(salt) < saltLength || len(sum) != hashLength {
		return c, nil, nil, bad
	}
	return c, salt, sum, nil
}
