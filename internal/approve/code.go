package approve

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// letters are those of codes: no two of them look alike, and without vowels they make
// no words.
const letters = "CDFHJKMNPQRTVWXY3479"

// codeLength makes 3.2 million codes, of which a few hundred live at a time.
const codeLength = 5

// newCode makes a code by chance.
func newCode() string {
	var b strings.Builder
	one := make([]byte, 1)
	for b.Len() < codeLength {
		_, _ = rand.Read(one) // it never fails
		if n := int(one[0]); n < 256/len(letters)*len(letters) {
			b.WriteByte(letters[n%len(letters)])
		}
	}
	return b.String()
}

// ParseCode reads a code as people write it: case, blanks and hyphens do not matter.
func ParseCode(text string) (string, error) {
	code := strings.ToUpper(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, text))
	if len(code) != codeLength || strings.Trim(code, letters) != "" {
		return "", fmt.Errorf("invalid code %.40q: want %d of the letters and digits %s, as in K7QX4; hookway approvals lists the codes", text, codeLength, letters)
	}
	return code, nil
}
