package facts

import (
	"regexp"
	"strings"
	"sync"
)

// appleScript reads code of AppleScript: the lines that it gives a shell are run. It reports
// whether that is all that it can do to a machine: what it tells other programs, and how it
// takes files and settings away, is not read.
func (c *call) appleScript(v value) bool {
	if !v.known() || len(v.text) > maxText {
		return false
	}
	rest := v.text
	for {
		at := shellOfAppleScript().FindStringIndex(rest)
		if at == nil {
			break
		}
		rest = strings.TrimSpace(rest[at[1]:])
		t, n := quotedApple(rest)
		if after := strings.TrimSpace(rest[n:]); n == 0 || strings.HasPrefix(after, "&") {
			return false // a part of the line is put together
		}
		old := c.st
		c.shell.st = old.clone()
		c.st.elevated = c.st.elevated || strings.Contains(rest[n:], "administrator privileges")
		c.builtin().runText(value{t, v.from}, nil)
		c.shell.st = old
		rest = rest[n:]
	}
	return !actsOfAppleScript().MatchString(stringsOfAppleScript().ReplaceAllString(v.text, `""`))
}

// quotedApple reads a string that begins a text, and gives its length with the quotes.
func quotedApple(s string) (string, int) {
	if !strings.HasPrefix(s, `"`) {
		return "", 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0
}

var (
	shellOfAppleScript   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bdo\s+shell\s+script\b`) })
	stringsOfAppleScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(\\.|[^"\\])*"`) })
	// actsOfAppleScript are words by which AppleScript does more than to show, to ask and to tell
	// what there is.
	actsOfAppleScript = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(delete|erase|empty|move|duplicate|remove|save|write|set\s+eof|open|run|load|store|keystroke|key\s+code|key\s+down|click|perform|shut\s+down|restart|log\s+out|sleep|quit|eject|make|send|import|use|current\s+application|password|clipboard|keychain|do\s+script|do\s+javascript|execute|mount|update|login\s+item)s?\b`)
	})
)
