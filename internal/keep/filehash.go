package keep

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// keyed begins the hash of a file that was made by the key of a machine.
const keyed = "k"

// fileHash names what a file held, before anything is kept of it.
func fileHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// fileHash is a hash of a file that says nothing to who does not have the key.
func (p *Placeholders) fileHash(bare string) string {
	mac := hmac.New(sha256.New, p.key)
	_, _ = mac.Write([]byte("file\x00" + bare))
	return keyed + hex.EncodeToString(mac.Sum(nil)[:16])
}

// Keyed is what was found about an event as it is kept: hashes of files are by the key.
func (p *Placeholders) Keyed(list []Analysis) []Analysis {
	isRead := func(l Look) bool { return len(l) == 4 && l[0] == actRead && !strings.HasPrefix(l[3], keyed) }
	for i := range list {
		if !slices.ContainsFunc(list[i].Seen.Looks, isRead) {
			continue
		}
		list = slices.Clone(list)
		for ; i < len(list); i++ {
			looks := slices.Clone(list[i].Seen.Looks)
			for k, l := range looks {
				if isRead(l) {
					looks[k] = Look{l[0], l[1], l[2], p.fileHash(l[3])}
				}
			}
			list[i].Seen.Looks = looks
		}
		break
	}
	return list
}

// holds reports whether a text is what a file held by its hash, which may be one by the
// key. known is false if that key is not there.
func (p *Placeholders) holds(text []byte, hash string) (same, known bool) {
	bare := fileHash(text)
	switch {
	case !strings.HasPrefix(hash, keyed):
		return bare == hash, true
	case p == nil:
		return false, false
	}
	return p.fileHash(bare) == hash, true
}
