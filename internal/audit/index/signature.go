package index

import (
	"math/bits"
	"unicode/utf8"
)

// A signature says of a block which texts may stand in it, and which cannot: two, three and
// five letters that follow each other in a value set a bit each, and each name that is
// looked for as a whole sets three.

// Sizes of a signature, in bits. One that is nearly empty is folded.
const (
	signatureBits  = 1 << 18
	leastSignature = 1 << 12
	mostFull       = 10 // percent of the bits, after folding
)

// signer makes a signature.
type signer struct{ bits [signatureBits / 64]uint64 }

func (s *signer) set(hash uint32) {
	s.bits[hash%signatureBits/64] |= 1 << (hash % 64)
}

// Letters that follow each other, as they are folded, are the low bytes of a number.
const (
	pairMask   = 1<<16 - 1
	tripleMask = 1<<24 - 1
	fiveMask   = 1<<40 - 1
)

func pairHash(letters uint64) uint32   { return mixed(uint32(letters&pairMask) | 1<<24) }
func tripleHash(letters uint64) uint32 { return mixed(uint32(letters & tripleMask)) }
func fiveHash(letters uint64) uint32 {
	return uint32((letters & fiveMask * 0x9E3779B97F4A7C15) >> 32)
}

func mixed(x uint32) uint32 {
	x *= 0x9E3779B1
	return x ^ x>>15
}

// text adds a text.
func (s *signer) text(text []byte) {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			s.letters([]byte(folded(string(text))))
			return
		}
	}
	s.letters(text)
}

// letters adds a text that is folded, but for letters from A to Z.
func (s *signer) letters(text []byte) {
	letters := uint64(0)
	for i, c := range text {
		letters = letters<<8 | uint64(small[c])
		if i > 0 {
			s.set(pairHash(letters))
		}
		if i > 1 {
			s.set(tripleHash(letters))
		}
		if i > 3 {
			s.set(fiveHash(letters))
		}
	}
}

// small has the small letters of those from A to Z, and each other byte as it is.
var small = func() (all [256]byte) {
	for i := range all {
		all[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			all[i] += 'a' - 'A'
		}
	}
	return all
}()

// Kinds of names that are looked for as a whole.
const (
	nameOfSession = iota + 1
	nameOfAgent
	nameOfHook
	nameOfRule // without its version
	nameOfID   // of an event or a call, folded
)

// nameHash is of a name.
func nameHash[T string | []byte](kind byte, name T) uint64 {
	h := (14695981039346656037 ^ uint64(kind)) * 1099511628211
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// name adds a name.
func (s *signer) name(hash uint64) {
	for n := range 3 {
		s.set(probe(hash, n))
	}
}

func probe(hash uint64, n int) uint32 { return mixed(uint32(bits.RotateLeft64(hash, 21*n))) }

// sign gives the signature, and forgets it.
func (s *signer) sign() signature {
	out := s.bits[:]
	for len(out)*64 > leastSignature {
		half, full := len(out)/2, 0
		for i := range half {
			full += bits.OnesCount64(out[i] | out[half+i])
		}
		if full*100 > half*64*mostFull {
			break
		}
		for i := range half {
			out[i] |= out[half+i]
		}
		out = out[:half]
	}
	text := make(signature, 0, len(out)*8)
	for _, word := range out {
		for shift := 0; shift < 64; shift += 8 {
			text = append(text, byte(word>>shift))
		}
	}
	clear(s.bits[:])
	return text
}

// signature is one as it is kept. An empty one says that anything may be there.
type signature []byte

// valid reports whether its size is that of a signature.
func (s signature) valid() bool {
	return len(s) == 0 || len(s)*8 >= leastSignature && len(s)*8 <= signatureBits && len(s)&(len(s)-1) == 0
}

func (s signature) has(hash uint32) bool {
	at := int(hash) & (len(s)*8 - 1)
	return s[at/8]&(1<<(at%8)) != 0
}

// mayHave reports whether a name may be in the block.
func (s signature) mayHave(hash uint64) bool {
	if len(s) == 0 {
		return true
	}
	return s.has(probe(hash, 0)) && s.has(probe(hash, 1)) && s.has(probe(hash, 2))
}

// maySay reports whether a folded word may stand in a value of the block, or be an id.
func (s signature) maySay(word string) bool {
	if len(s) == 0 || len(word) < 2 {
		return true
	}
	return s.maySpell(word) || s.mayHave(nameHash(nameOfID, word))
}

func (s signature) maySpell(word string) bool {
	letters := uint64(0)
	for i := range len(word) {
		letters = letters<<8 | uint64(word[i])
		if i > 0 && !s.has(pairHash(letters)) || i > 1 && !s.has(tripleHash(letters)) || i > 3 && !s.has(fiveHash(letters)) {
			return false
		}
	}
	return true
}
