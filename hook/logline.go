package hook

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxLogLine bounds what LogLine gives, in bytes.
const maxLogLine = 500

// secrets are the shapes of credentials that programs print by mistake. The
// whole match is hidden.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`sk-[A-Za-z0-9_-]{16,}`,
		`[rs]k_(?:live|test)_[A-Za-z0-9]{10,}`,
		`gh[pousr]_[A-Za-z0-9]{20,}`,
		`github_pat_[A-Za-z0-9_]{20,}`,
		`glpat-[A-Za-z0-9_-]{16,}`,
		`xox[abposr]-[A-Za-z0-9-]{10,}`,
		`A(?:KIA|SIA)[A-Z0-9]{16}`,
		`AIza[A-Za-z0-9_-]{30,}`,
		`whsec_[A-Za-z0-9+/=]{20,}`,
		`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
		`(?i:authorization["']?\s*[=:]\s*["']?(?:basic\s+|bearer\s+|token\s+)?)[^\s"',;]{4,}`,
		`(?i:bearer\s+)[A-Za-z0-9._~+/=-]{8,}`,
		`(?i:(?:password|passwd|secret(?:_access_key)?|token|api[_-]?key)["']?\s*[=:]\s*)["']?[^\s"',;]{4,}`,
		`://[^/\s:@]*:[^/\s:@]+@`,
	}, "|"))
})

// LogLine makes a hook's text safe for a log and for a reason: one line, without
// control and format characters, with "[redacted]" in place of what has the shape of
// a credential, and at most 500 bytes of UTF-8. It recognises common shapes (keys of
// known services, "password=…", credentials in URLs); it cannot find every secret.
func LogLine(text string) string {
	if len(text) > 16*maxLogLine { // enough to see whole secrets in what is kept
		text = text[:16*maxLogLine]
	}
	line := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
	line = strings.Join(strings.Fields(line), " ")
	line = secrets().ReplaceAllString(line, "[redacted]")
	if len(line) <= maxLogLine {
		return line
	}
	cut := maxLogLine - len("…")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}
