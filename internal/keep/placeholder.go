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
	"slices"
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

// maxTries bounds how often another placeholder is tried that is seen as its secret is.
const maxTries = 8

// make keeps what tells the kind of a secret, and looks for a text that is seen as that is:
// as one that somebody may use, or as one that was made up.
func (p *Placeholders) make(secret string) string {
	if strings.HasPrefix(secret, "-----BEGIN ") {
		return p.block(secret)
	}
	if len(secret) > maxSeen {
		return p.like(secret, nil, 0, false)
	}
	if words := facts.ExamplesLike(secret); len(words) > 0 { // rules take these for no secrets
		return words[mathrand.New(mathrand.NewChaCha8(p.code(secret, 0))).IntN(len(words))]
	}
	want := facts.Credentials(secret)
	s := shapeOf(secret)
	if !slices.Contains(s.stays, false) { // nothing of it varies: it is an example
		return strings.ToValidUTF8(secret, string(utf8.RuneError))
	}
	for _, cipher := range []bool{false, true} {
		for try := range byte(maxTries) {
			text := p.like(secret, s, try, cipher)
			if text != secret && slices.Equal(facts.Credentials(text), want) {
				return text
			}
		}
	}
	for try := range byte(maxTries) { // by chance a letter stands for itself: all of a short secret's may
		if text := p.like(secret, s, try, false); text != secret {
			return text
		}
	}
	return p.like(secret, nil, maxTries, false)
}

// maxSeen bounds a secret that is looked at for what tells its kind.
const maxSeen = 4 << 10

// shape says which bytes of a secret stay, and which characters may stand in the place of
// the others.
type shape struct {
	known bool
	stays []bool
	takes []*facts.Varying // by byte; nil is any
}

// shapeOf finds what tells the kind of a secret.
func shapeOf(secret string) *shape {
	s := &shape{stays: make([]bool, len(secret)), takes: make([]*facts.Varying, len(secret))}
	var parts []facts.Varying
	parts, s.known = facts.VaryingParts(secret)
	for i := range s.stays {
		s.stays[i] = true
	}
	for i := range parts {
		for at := parts[i].At.From; at < parts[i].At.To; at++ {
			s.stays[at], s.takes[at] = false, &parts[i]
		}
	}
	if dot := strings.IndexByte(secret, '.'); strings.HasPrefix(secret, "eyJ") && dot > 0 { // says how it is signed
		for i := range min(dot+1+len("eyJ"), len(secret)) {
			s.stays[i] = true
		}
	}
	return s
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
			line = p.like(line, nil, byte(i), false)
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
// for digits, hexadecimal ones if it has no others. With cipher the same letter stands for
// each that is the same, so that it looks no more made up than its secret.
func (p *Placeholders) like(secret string, s *shape, try byte, cipher bool) string {
	random := mathrand.New(mathrand.NewChaCha8(p.code(secret, try)))
	w := &mimic{random: random, shape: s, low: lower, up: upper, dig: digits}
	rest := secret
	if s != nil && s.known {
		rest = ""
	}
	switch {
	case rest == "":
	case strings.Trim(rest, "0123456789abcdefABCDEF-:") == "":
		w.low, w.up = lower[:6], upper[:6]
	case strings.Trim(rest, upper+"234567") == "":
		w.dig = digits[2:8]
	}
	if cipher {
		w.same = map[rune]byte{}
	}
	for at, size := 0, 0; at < len(secret); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(secret[at:])
		w.add(r, size, at)
	}
	if (s == nil || !s.known && slices.Contains(s.stays, false)) && w.changed < min(4, len(secret)) { // its signs would tell it
		w.out.Reset()
		for range len(secret) {
			w.out.WriteByte(w.pick(lower, -1))
		}
	}
	return withChecksum(secret, w.out.String())
}

// mimic writes a placeholder.
type mimic struct {
	out          strings.Builder
	random       *mathrand.Rand
	shape        *shape // nil: all changes
	low, up, dig string
	same         map[rune]byte // what stands for a letter; nil: another each time
	changed      int
}

// add adds what stands for a character.
func (w *mimic) add(r rune, size, at int) {
	if w.shape != nil && w.shape.stays[at] {
		w.out.WriteRune(r)
		return
	}
	from := ""
	switch {
	case r >= 'a' && r <= 'z':
		from = w.low
	case r >= 'A' && r <= 'Z':
		from = w.up
	case r >= '0' && r <= '9':
		from = w.dig
	case r >= utf8.RuneSelf && size == 1: // no character
		from = lower
	case r >= utf8.RuneSelf:
		w.changed++
		w.out.WriteRune(other(size, w.random.IntN(24)))
		return
	default:
		w.out.WriteRune(r)
		return
	}
	w.changed++
	if c, ok := w.same[r]; ok {
		w.out.WriteByte(c)
		return
	}
	c := w.pick(from, at)
	if w.same != nil {
		w.same[r] = c
	}
	w.out.WriteByte(c)
}

// pick picks one of some characters that may stand at a place.
func (w *mimic) pick(from string, at int) byte {
	if at >= 0 && w.shape != nil && w.shape.takes[at] != nil {
		if kept := strings.Map(func(r rune) rune {
			if w.shape.takes[at].Takes(r) {
				return r
			}
			return -1
		}, from); kept != "" {
			from = kept
		}
	}
	return from[w.random.IntN(len(from))]
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

// ageKey begins a key of age.
const ageKey = "AGE-SECRET-KEY-1"

// withBech32 ends a key of age with its checksum (BIP 173).
func withBech32(text string) string {
	const set, size = "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 6
	body := []byte(strings.ToLower(text[len(ageKey) : len(text)-size]))
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	head := strings.ToLower(ageKey[:len(ageKey)-1])
	for _, shift := range []int{5, 0} {
		for i := range len(head) {
			step(head[i] >> shift & 31)
		}
		if shift == 5 {
			step(0)
		}
	}
	for i, c := range body {
		at := strings.IndexByte(set, c)
		if at < 0 { // no character of such keys
			at = int(c) % len(set)
			body[i] = set[at]
		}
		step(byte(at))
	}
	for range size {
		step(0)
	}
	sum ^= 1
	for i := range size {
		body = append(body, set[sum>>(5*(size-1-i))&31])
	}
	return ageKey + strings.ToUpper(string(body))
}

// withChecksum ends a placeholder as tokens of GitHub and npm end, if its secret does:
// with the checksum of what is before.
func withChecksum(secret, text string) string {
	if strings.HasPrefix(secret, ageKey) && strings.HasPrefix(text, ageKey) && len(text) == len(ageKey)+58 {
		if found := facts.Credentials(secret); len(found) == 1 && found[0].Sure {
			return withBech32(text)
		}
	}
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
