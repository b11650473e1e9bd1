package keep

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"

	"github.com/hookway/hookway/internal/chance"
)

// Sealed is the seed of what hooks drew at an event, for who has the key: others make
// nothing of it, so that what a hook made of it stays secret.
func (p *Placeholders) Sealed(seed []byte) string {
	if p == nil || len(seed) != chance.SeedSize {
		return ""
	}
	b := make([]byte, 2*chance.SeedSize)
	_, _ = rand.Read(b[:chance.SeedSize]) // it never fails
	p.seal(b, seed)
	return hex.EncodeToString(b)
}

// Unsealed is the seed of a text that Sealed gave; nil of others.
func (p *Placeholders) Unsealed(text string) []byte {
	b, err := hex.DecodeString(text)
	if p == nil || err != nil || len(b) != 2*chance.SeedSize {
		return nil
	}
	seed := make([]byte, chance.SeedSize)
	copy(seed, b[chance.SeedSize:])
	p.seal(b, seed)
	return b[chance.SeedSize:]
}

// seal fills the second half of b with a seed under what the first half and the key make.
func (p *Placeholders) seal(b, seed []byte) {
	pad := p.code("chance\x00"+string(b[:chance.SeedSize]), sealing)
	subtle.XORBytes(b[chance.SeedSize:], seed, pad[:])
}

// sealing keeps what seals apart from what stands for secrets, which are tried less often.
const sealing = 0xff
