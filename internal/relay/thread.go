package relay

import (
	"fmt"
	"strings"
	"unicode"
)

// Thread says why a thread cannot have that name: in front of a directive's
// text, as in [thread:build], it is one word. What programs of others call a thread
// is kept as it is, so that [Store.Send] takes more; there it is answered by
// [Message.ReplyTo]. "" is no thread, and fine.
func Thread(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return r == ']' || unicode.IsSpace(r) }) {
		return &refusal{fmt.Sprintf("%q cannot be the name of a thread: agents write it as one word, [thread:NAME]; use - or _ in place of blanks and brackets", name)}
	}
	return nil
}
