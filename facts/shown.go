package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// printing are programs that print what they are given, or the same written in another way.
var printing = []string{"echo", "printf", "cat", "tac", "tee", "tr", "rev", "nl", "fold", "base64", "base32", "xxd", "od", "hexdump"}

// shows tells of variables with a credential that a program prints, where nothing takes
// in what it prints: no pipe, no file and no substitution.
func (c textCall) shows(out values) values {
	if c.taken > 0 || !slices.Contains(printing, c.name) {
		return out
	}
	for _, from := range out.sources() {
		name, isVar := strings.CutPrefix(from, "env:")
		if isVar && secretVariable(name) {
			c.tell(hook.Fact{Does: "read", Path: from, Secret: "variable", At: c.at, Sure: true})
		}
	}
	return out
}

// takes runs f, of which something takes in what it prints.
func (sh *shell) takes(f func() values) values {
	sh.taken++
	defer func() { sh.taken-- }()
	return f()
}

// secretVariable reports whether the name of a variable says that it holds a credential.
// secretName reports it of a name in any spelling: dbPassword, //host/:_authToken.
func secretName(name string) bool {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
		case r >= 'A' && r <= 'Z':
			if i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return secretVariable(b.String())
}

func secretVariable(name string) bool {
	if name != strings.ToUpper(name) {
		return false
	}
	words := strings.Split(strings.Trim(name, "_"), "_")
	last := words[len(words)-1]
	if last == "KEY" && len(words) > 1 {
		return !slices.Contains([]string{"PUBLIC", "PUB", "CACHE", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "HASH", "ROW", "IDEMPOTENCY", "REGISTRY"}, words[len(words)-2])
	}
	for _, end := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	return len(words) > 1 && (last == "PAT" || last == "PASS" || last == "CREDENTIALS") && name != "GOOGLE_APPLICATION_CREDENTIALS"
}
