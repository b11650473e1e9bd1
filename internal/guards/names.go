package guards

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/visible"
)

// Bounds of one text in the file of a session, in bytes as JSON has them. All texts that
// a session may have make less than maxStateFile.
const (
	maxName = 192 // of what is only compared, such as a path: a longer one is a hash
	maxText = 512 // of what is shown: a longer one is cut

	maxRead = 4 << 10 // of the paths that are read when a call has ended, together
)

const hashed = "sha256:"

// keep is a name as a session keeps it: itself, or its hash if it is long or is not
// UTF-8, which JSON would change. Two names are kept as the same only if they are.
func keep(name string) string {
	if utf8.ValidString(name) && encoded(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return keepSum(sum[:])
}

func keepSum(sum []byte) string { return hashed + hex.EncodeToString(sum[:16]) }

// short bounds a text that is shown.
func short(s string) string {
	s = visible.ClipBytes(s, maxText)
	if encoded(s) > maxText {
		s = visible.ClipBytes(s, maxText/6)
	}
	return s
}

// encoded is how many bytes a text may have in JSON, where a byte becomes six at most.
func encoded(s string) int {
	if 6*len(s) <= maxName {
		return 6 * len(s)
	}
	b, err := json.Marshal(s)
	if err != nil { // no string has one
		return 6 * len(s)
	}
	return len(b) - len(`""`)
}

// lineage is a path as it is looked for among what is kept: itself, and the hashes of
// the folders above it.
type lineage struct {
	name string
	sums map[string]bool // of a long name
}

func lineageOf(name string) lineage {
	l := lineage{name: name}
	if keep(name) == name {
		return l
	}
	l.sums = map[string]bool{}
	h, from := sha256.New(), 0
	for i := range len(name) + 1 {
		if i == len(name) || name[i] == '/' && i > 0 {
			_, _ = h.Write([]byte(name[from:i]))
			l.sums[keepSum(h.Sum(nil))], from = true, i
		}
	}
	return l
}

// below reports whether the path is one that was kept, or below it.
func (l lineage) below(dir string) bool {
	if strings.HasPrefix(dir, hashed) {
		return l.sums[dir]
	}
	return dir != "" && (l.name == dir || strings.HasPrefix(l.name, dir+"/"))
}

// rooted reports whether a path begins at a root, of whatever system: /x, C:/x or C:\x.
func rooted(name string) bool {
	if len(name) >= 3 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') {
		c := name[0] | 0x20
		return 'a' <= c && c <= 'z'
	}
	return strings.HasPrefix(name, "/")
}
