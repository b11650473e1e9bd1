package keep

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/internal/disk"
)

const (
	keySize = 32
	keyName = "key"
)

// maxRemembered bounds the placeholders that are remembered.
const maxRemembered = 512

// Placeholders makes texts that stand for secrets. It is safe for concurrent use.
type Placeholders struct {
	key []byte

	mu   sync.Mutex
	made map[[sha256.Size]byte]string // by the secret's code: no secret is kept
}

// NewPlaceholders makes placeholders with the key in a folder's file, which is made if
// there is none: random, and readable by its user alone.
func NewPlaceholders(dir string) (*Placeholders, error) {
	path := filepath.Join(dir, keyName)
	key, err := disk.Read(path, keySize)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(key) == 0 {
		key, err = makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the placeholders cannot be used: %w", err)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("the key of the placeholders in %s has %d bytes, not %d; remove it, and another is made", path, len(key), keySize)
	}
	return &Placeholders{key: key, made: map[[sha256.Size]byte]string{}}, nil
}

// ReadPlaceholders reads the key of a folder; nil if there is none that can be used.
func ReadPlaceholders(dir string) *Placeholders {
	key, err := disk.Read(filepath.Join(dir, keyName), keySize)
	if err != nil || len(key) != keySize {
		return nil
	}
	return &Placeholders{key: key, made: map[[sha256.Size]byte]string{}}
}

// makeKey makes a key in one step. Of several processes that make one at a time, the
// first wins. It is not forced to the disk: the first decision waits for it, and the
// events are not forced there either. What is left empty by a machine that stopped is
// replaced.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+keyName+"-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err = os.Link(f.Name(), path); err == nil {
		return key, nil
	}
	if errors.Is(err, fs.ErrExist) {
		if there, err := disk.Read(path, keySize); err != nil || len(there) > 0 {
			return there, err
		}
	}
	if err = os.Rename(f.Name(), path); err != nil { // there are no links here, or an empty key
		return nil, err
	}
	return disk.Read(path, keySize)
}

// For gives what stands for a secret: always the same, whoever saw it first.
func (p *Placeholders) For(secret string) string {
	code := p.code(secret, 0)
	p.mu.Lock()
	text, ok := p.made[code]
	p.mu.Unlock()
	if ok {
		return text
	}
	text = p.make(secret)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.made) >= maxRemembered {
		clear(p.made)
	}
	p.made[code] = text
	return text
}

func (p *Placeholders) code(secret string, try byte) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, p.key)
	_, _ = mac.Write([]byte{try})
	_, _ = mac.Write([]byte(secret))
	mac.Sum(sum[:0])
	return sum
}

// maxPrefix bounds the beginning of a known kind that is kept, as "ghp_".
const maxPrefix = 24

// make tries to keep as little as is needed for the same kind to be seen.
func (p *Placeholders) make(secret string) string {
	if strings.HasPrefix(secret, "-----BEGIN ") {
		return p.block(secret)
	}
	want := facts.Credentials(secret)
	if len(want) != 1 {
		return p.like(secret, 0, 0)
	}
	least, most := 0, min(maxPrefix, len(secret)/2)
	if dot := strings.IndexByte(secret, '.'); strings.HasPrefix(secret, "eyJ") && dot > 0 { // says how it is signed
		least, most = dot+1, dot+1+len("eyJ")
	}
	for keep := least; keep <= most; keep++ {
		for try := range byte(2) {
			text := p.like(secret, keep, try)
			if got := facts.Credentials(text); len(got) == 1 && got[0].Kind == want[0].Kind && got[0].At == want[0].At && got[0].Sure == want[0].Sure {
				return text
			}
		}
	}
	return p.like(secret, 0, 0)
}

// block is a private key: the lines that say what it is stay.
func (p *Placeholders) block(secret string) string {
	lines := strings.Split(secret, "\n")
	for i, line := range lines {
		kept := ""
		if name, rest, ok := strings.Cut(strings.TrimPrefix(line, dashes), dashes); ok && strings.HasPrefix(line, dashes) && strings.Trim(name, upper+digits+" ") == "" {
			kept, line = dashes+name+dashes, rest // the key may be all in one line
		}
		if strings.TrimSpace(line) != "" {
			line = p.like(line, 0, byte(i))
		}
		lines[i] = kept + line
	}
	return strings.Join(lines, "\n")
}

// dashes are around what a block says that it is.
const dashes = "-----"

// Alphabets of the classes of characters.
const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// like is another text of the same shape: of as many bytes, letters for letters, digits
// for digits, hexadecimal ones if it has no others.
func (p *Placeholders) like(secret string, keep int, try byte) string {
	for keep > 0 && keep < len(secret) && !utf8.RuneStart(secret[keep]) {
		keep--
	}
	head, rest := secret[:keep], secret[keep:]
	low, up, dig := lower, upper, digits
	switch {
	case strings.Trim(rest, "0123456789abcdefABCDEF-:") == "":
		low, up = lower[:6], upper[:6]
	case strings.Trim(rest, upper+"234567") == "":
		dig = digits[2:8]
	}
	random := mathrand.New(mathrand.NewChaCha8(p.code(secret, try)))
	pick := func(from string) byte { return from[random.IntN(len(from))] }
	var b strings.Builder
	b.WriteString(head)
	changed, length := 0, len(rest)
	for size := 0; rest != ""; rest = rest[size:] {
		var r rune
		r, size = utf8.DecodeRuneInString(rest)
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteByte(pick(low))
		case r >= 'A' && r <= 'Z':
			b.WriteByte(pick(up))
		case r >= '0' && r <= '9':
			b.WriteByte(pick(dig))
		case r >= utf8.RuneSelf && size == 1: // no character
			b.WriteByte(pick(low))
		case r >= utf8.RuneSelf:
			b.WriteRune(other(size, random.IntN(24)))
		default:
			b.WriteRune(r)
			continue
		}
		changed++
	}
	if changed < min(4, length) { // its signs would tell it
		b.Reset()
		b.WriteString(head)
		for range length {
			b.WriteByte(pick(low))
		}
	}
	return withChecksum(secret, b.String())
}

// other is a letter of so many bytes.
func other(size, n int) rune {
	switch size {
	case 2:
		return 'à' + rune(n%16)
	case 3:
		return 'あ' + rune(2*n)
	}
	return '𐐀' + rune(n)
}

// withChecksum ends a placeholder as tokens of GitHub and npm end, if its secret does:
// with the checksum of what is before.
func withChecksum(secret, text string) string {
	if end, ok := checksum(secret); !ok || !strings.HasSuffix(secret, end) {
		return text
	}
	end, ok := checksum(text)
	if !ok {
		return text
	}
	return text[:len(text)-len(end)] + end
}

// checksum is the CRC-32 of the thirty characters behind the first _, in base 62.
func checksum(token string) (end string, ok bool) {
	_, body, _ := strings.Cut(token, "_")
	if len(body) != 36 {
		return "", false
	}
	const base62 = digits + upper + lower
	sum := crc32.ChecksumIEEE([]byte(body[:30]))
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:]), true
}
