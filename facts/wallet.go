package facts

import (
	"crypto/sha256"
	"math/big"
	"strings"

	"github.com/hookway/hookway/hook"
)

// walletKind is the kind of a private key in the form in which wallets write it. Nothing
// stands around it that tells of it: its length and its checksum do.
const walletKind = "bitcoin key"

// walletKeys gives the words of a text that are such keys. A word of that length has one of
// every so many places in a text: only what stands around those is looked at.
func walletKeys(text string, found func(at hook.Span)) {
	const least, most = 51, 52
	for at, from := least-1, 0; at < len(text); at += least {
		if !letter(text[at]) {
			continue
		}
		start, end := at, at+1
		for start > from && letter(text[start-1]) {
			start--
		}
		for end < len(text) && letter(text[end]) {
			end++
		}
		if n := end - start; n >= least && n <= most && walletKey(text[start:end]) {
			found(hook.Span{From: start, To: end})
		}
		from, at = end, max(at, end-1)
	}
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// walletKey reports whether a word is a key with its checksum: the double SHA-256 of what
// stands before it.
func walletKey(word string) bool {
	if strings.IndexByte("5KL9c", word[0]) < 0 { // of the main chain, or of the one for tests
		return false
	}
	n := new(big.Int)
	for i := range len(word) {
		v := strings.IndexByte(base58, word[i])
		if v < 0 {
			return false
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(v)))
	}
	b := n.Bytes()
	if len(b) < 37 {
		return false
	}
	once := sha256.Sum256(b[:len(b)-4])
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(b[len(b)-4:])
}
