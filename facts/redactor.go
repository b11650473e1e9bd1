package facts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Redactor takes out of texts all that may be a credential: what Credentials finds,
// also if it is too short, made up or an example, and what is given to a name such as
// password. It is for records and logs, in which a word too many costs nothing. The
// zero Redactor is ready to use, also from several goroutines.
type Redactor struct {
	names *literalIndex // of the owner's own
}

// NewRedactor makes one that also takes out what is given to names of one's own: "ssn"
// in "ssn=123".
func NewRedactor(names []string) *Redactor {
	if len(names) == 0 {
		return &Redactor{}
	}
	x := &literalIndex{}
	for _, name := range names {
		name = asciiLower(strings.TrimSpace(name))
		if name == "" || !utf8.ValidString(name) {
			continue
		}
		r := given(name, regexp.QuoteMeta(name))
		if len(name) == 1 { // the index has pairs of bytes: these may follow
			r.literals = nil
			for _, next := range "=:\"'\\ \t\n\v\f\r" {
				r.literals = append(r.literals, name+string(next))
			}
		}
		x.add(r)
	}
	return &Redactor{names: x}
}

// Redacted stands in for what is given to a name. A credential of a kind that is known
// is replaced as Mask does it.
const Redacted = "[redacted]"

// Text is a text without what may be a credential. Of a text that is without them already it
// changes nothing.
func (r *Redactor) Text(s string) string {
	for range mostRounds { // what was taken out may have hidden where another begins
		without := r.Replace(s, mask)
		if without == s {
			break
		}
		s = without
	}
	return s
}

// TextFrom is Text from a place on: what stands before it still tells what is a secret.
func (r *Redactor) TextFrom(s string, from int) string {
	if from <= 0 {
		return r.Text(s)
	}
	cut := s[from:]
	if spans := r.spans(s); len(spans) > 0 {
		spans = slices.DeleteFunc(spans, func(one suspect) bool { return one.to <= from })
		for i := range spans {
			spans[i].from, spans[i].to = max(spans[i].from-from, 0), spans[i].to-from
		}
		cut = without(cut, spans, mask)
	}
	return r.Text(cut)
}

// mostRounds bounds how often a text is looked at. Two do for what people and programs write.
const mostRounds = 16

// mask stands in for what was found of a kind.
func mask(kind, _ string) string {
	if kind == "" {
		return Redacted
	}
	return masked(kind)
}

// Replace is a text with other words in place of what may be a credential. by gives them
// for each kind, "" is what a name was given, and what stands there.
func (r *Redactor) Replace(s string, by func(kind, found string) string) string {
	spans := r.spans(s)
	if len(spans) == 0 {
		return s
	}
	return without(s, spans, by)
}

// spans are what may be credentials, but for what was taken out before.
func (r *Redactor) spans(s string) []suspect {
	low := asciiLower(s)
	spans := suspicious(nil, suspects(), s, low)
	if r.names != nil {
		spans = suspicious(spans, r.names, s, low)
	}
	return outside(spans, masks(low))
}

// masks are the places where something was taken out of a text before: what says so is no
// secret, and what is made of it would be rubbish.
func masks(low string) (all []suspect) {
	for at := 0; ; {
		i := strings.IndexByte(low[at:], '[')
		if i < 0 {
			return all
		}
		at += i
		n := 0
		if strings.HasPrefix(low[at:], Redacted) {
			n = len(Redacted)
		} else if rest, ok := strings.CutPrefix(low[at:], "[secret: "); ok {
			if end := strings.IndexByte(rest[:min(len(rest), mostKind)], ']'); end > 0 && kinds()[rest[:end]] {
				n = len("[secret: ") + end + 1
			}
		}
		if n > 0 {
			all = append(all, suspect{from: at, to: at + n})
		}
		at += max(n, 1)
	}
}

// mostKind bounds the name of a kind.
const mostKind = 64

// kinds are the names of all kinds, in small letters.
var kinds = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{notSearched: true}
	for _, r := range slices.Concat(recogniserTable(), shapes()) {
		all[asciiLower(r.kind)] = true
	}
	return all
})

// outside is what of spans is not in masks, which are in order.
func outside(spans, masks []suspect) (out []suspect) {
	if len(masks) == 0 {
		return spans
	}
	for _, s := range spans {
		i, _ := slices.BinarySearchFunc(masks, s.from, func(m suspect, from int) int { return m.to - from - 1 })
		for ; i < len(masks) && masks[i].from < s.to; i++ {
			if s.from < masks[i].from {
				out = append(out, suspect{s.from, masks[i].from, s.kind})
			}
			s.from = max(s.from, masks[i].to)
		}
		if s.from < s.to {
			out = append(out, s)
		}
	}
	return out
}

// suspect is a part of a text that may be a credential.
type suspect struct {
	from, to int
	kind     string // "" is what a name was given
}

// suspicious adds what the recognisers of an index find. What one of them has found it
// does not look into again, so that no text takes more than one look at each byte. What is
// behind the place where the work is too much is taken out as a whole.
func suspicious(out []suspect, x *literalIndex, s, low string) []suspect {
	var past []int // made when something is found, which is seldom
	end, work := 0, effortFor(s)
	at := x.scan(low, &work, func(r *recogniser, n, at int) {
		if past == nil {
			past = make([]int, x.size)
		}
		if at < past[n] || !r.open && at < end { // what a shape has taken out needs no second look
			return
		}
		if r.all != nil {
			found, to := r.all(s, at)
			out, past[n] = append(out, found...), max(past[n], to)
			work.spend(8 + r.back + to - at)
			return
		}
		from, to, ok := r.inAll(s, at)
		if ok {
			out = append(out, suspect{from, to, r.kind})
			end = max(end, to)
		}
		if past[n] = max(past[n], to); r.open {
			work.spend(r.openCost(low, at, to))
		} else {
			work.spend(r.cost(low, at, to, ok))
		}
	})
	if at < len(low) {
		out = append(out, suspect{from: at, to: len(s)})
	}
	return out
}

// How far a pattern without a bound looks at first, and at most.
const (
	nearWindow = 1 << 10
	farWindow  = 64 << 10
)

// openCost is cost of a pattern without a bound.
func (r *recogniser) openCost(low string, at, to int) int {
	if to > at {
		return 8 + 2*(to-at)
	}
	return 16 + r.size().run(low[at:], nearWindow)
}

func wordly(c byte) bool { return letter(c) || c == '-' }

// inAll is match for those recognisers that see more than a window. What goes on behind the
// end of what they see goes on to the end of the text.
func (r *recogniser) inAll(s string, at int) (from, to int, ok bool) {
	if !r.open {
		return r.match(s, at)
	}
	var m []int
	rest := s[at:]
	for _, size := range []int{nearWindow, farWindow} {
		rest = s[at:min(len(s), at+size)]
		m = r.find(rest)
		if len(rest) == len(s)-at || m != nil && m[1] < len(rest) || m == nil && span(rest, wordly) < len(rest) {
			break
		}
	}
	switch {
	case m == nil && r.jump && strings.HasPrefix(rest, "eyJ"): // it fails up to the end of the word
		return 0, at + span(rest, wordly), false
	case m == nil && span(rest, wordly) == farWindow: // it was not seen to its end
		return at, len(s), true
	case m == nil:
		return 0, 0, false
	case m[1] == farWindow:
		m[1] = len(s) - at
	}
	if len(m) > 2 && m[3] > 0 { // the first group is kept
		return at + m[3], at + m[1] - r.spare, true
	}
	return at, at + m[1], true
}

// without replaces spans, which may overlap. Of those that do the first kind is told.
func without(s string, spans []suspect, by func(kind, found string) string) string {
	slices.SortStableFunc(spans, func(a, b suspect) int { return a.from - b.from })
	var out strings.Builder
	for at := 0; ; {
		if len(spans) == 0 {
			out.WriteString(s[at:])
			return out.String()
		}
		one := spans[0]
		for spans = spans[1:]; len(spans) > 0 && spans[0].from < one.to; spans = spans[1:] {
			one.to = max(one.to, spans[0].to)
			if one.kind == "" {
				one.kind = spans[0].kind
			}
		}
		out.WriteString(s[at:one.from])
		out.WriteString(by(one.kind, s[one.from:one.to]))
		at = one.to
	}
}

// What follows a name in a text: `=secret`, `": "secret"`, `:= 'my secret'`.
const givenTo = `(?:\\?["'])?\s{0,8}(?:=>|:=|[=:])\s{0,8})(?:\\?"[^"\\]+|'[^']+|[^\s"',;&\\)}]+)`

// authorized is a scheme and what follows it.
const authorized = `(?:\\?["'])?\s{0,8}[=:]\s{0,8}(?:\\?["'])?(?:(?:basic|bearer|token|digest|negotiate)\s+)?)[^\s"',;\\]{4,}`

// given is what a name is given, whatever it is.
func given(literal, name string) *recogniser { return header(literal, `(`+name+givenTo).when(isGiven) }

// isGiven reports whether the name that has a literal in it is followed by a sign.
func isGiven(low string, at, end int) bool {
	i := end + span(low[end:min(len(low), end+64)], func(c byte) bool { return letter(c) || c == '-' })
	i += span(low[i:min(len(low), i+12)], func(c byte) bool { return strings.IndexByte("\\\"' \t\n\v\f\r", c) >= 0 })
	return i < len(low) && (low[i] == '=' || low[i] == ':') || strings.IndexByte("=:", low[end-1]) >= 0
}

// maxOption is how far the name of an option is looked at before its pattern is tried.
const maxOption = 48

// isOption reports whether an option that has a value as its next word begins here.
func isOption(low string, at, end int) bool {
	if end >= len(low) || !letter(low[end]) {
		return false
	}
	n := span(low[end:min(len(low), end+maxOption)], wordly)
	return n == maxOption || end+n < len(low) && low[end+n] <= ' '
}

// header is a pattern in any case, of which the first group is kept.
func header(literal, pattern string) *recogniser {
	return &recogniser{literals: []string{literal}, pattern: `(?is:` + pattern + `)`, open: true}
}

// shape is the beginning of a kind, however short what follows it is.
func shape(kind, literal, pattern string) *recogniser {
	return &recogniser{kind: kind, literals: []string{literal}, pattern: pattern, open: true}
}

// shapes are forms of credentials that are looser than those of recogniserTable.
func shapes() []*recogniser {
	jwt := shape("jwt", "eyj", `eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)
	jwt.jump = true
	inAddress := shape("password in an address", "://", `(://[^/\s:@"']*:)[^/\s@"']+@`).when(address)
	inAddress.spare = 1
	tokenOf := header("://", `(://)[a-z0-9_-]{20,}@`) // for a user
	tokenOf.spare = 1
	return []*recogniser{
		shape("api key", "sk-", `sk-[A-Za-z0-9_-]{16,}`),
		shape("stripe key", "k_live_", `k_live_[A-Za-z0-9]{10,}`),
		shape("stripe key", "k_test_", `k_test_[A-Za-z0-9]{10,}`),
		shape("github token", "gh", `gh[pousr]_[A-Za-z0-9]{20,}`),
		shape("github token", "github_pat_", `github_pat_[A-Za-z0-9_]{20,}`),
		shape("gitlab token", "glpat-", `glpat-[A-Za-z0-9_-]{16,}`),
		shape("slack token", "xox", `xox[abeposr]-[A-Za-z0-9-]{10,}`),
		shape("slack token", "xapp-", `xapp-[A-Za-z0-9-]{10,}`),
		shape("npm token", "npm_", `npm_[A-Za-z0-9]{30,}`),
		shape("pypi token", "pypi-", `pypi-[A-Za-z0-9_-]{32,}`),
		shape("hugging face token", "hf_", `hf_[A-Za-z0-9]{30,}`),
		shape("sendgrid key", "sg.", `SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
		shape("google oauth secret", "gocspx-", `GOCSPX-[A-Za-z0-9_-]{20,}`),
		shape("digitalocean token", "dop_v1_", `dop_v1_[a-f0-9]{32,}`),
		shape("webhook secret", "whsec_", `whsec_[A-Za-z0-9+/=]{20,}`),
		shape("slack webhook", "hooks.slack.com/", `(hooks\.slack\.com/[a-z]+/)[A-Za-z0-9/_-]{20,}`),
		shape("aws access key", "akia", `AKIA[A-Z0-9]{16}`),
		shape("aws access key", "asia", `ASIA[A-Z0-9]{16}`),
		shape("google api key", "aiza", `AIza[A-Za-z0-9_-]{30,}`),
		shape("google oauth token", "ya29.", `ya29\.[A-Za-z0-9_-]{20,}`),
		shape("age key", "age-secret-key-", `AGE-SECRET-KEY-[A-Z0-9]{20,}`),
		jwt,
		shape(privateKey, "-----begin ", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
		inAddress,
		header("authorization", `(authorization`+authorized).when(isGiven),
		header("machine", `(machine\s+\S+(?:\s+(?:login|account)\s+\S+){0,4}\s+password\s+)\S+`), header("login ", `(login\s+\S+\s+(?:account\s+\S+\s+)?password\s+)\S+`),
		header("identified", `(identified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?['"])[^'"]+`), header("password '", `(password ')[^']+`), tokenOf,
		header("cookie", `(cookie\s{0,8}:\s{0,8})[^\r\n"']{4,}`).when(isGiven),
		header("bearer ", `(bearer\s+)[A-Za-z0-9._~+/=-]{8,}`),
		given("passw", `passw(?:or)?d`), given("passphrase", `passphrase`), given("_pass", `_pass`), given("accountkey", `accountkey`), given("pwd", `pwd`),
		given("secret", `secret(?:[_-]?(?:access)?[_-]?key)?`), given("token", `token`), given("api", `api[_-]?(?:secret[_-]?)?key`),
		given("access", `access[_-]?key`), given("private", `private[_-]?key`), given("credential", `credentials?`),
		header("--", `(--(?:[a-z0-9]{1,32}[-_]){0,4}(?:password|passwd|passphrase|secret|token|api[_-]?key|secret[_-]?key|access[_-]?key)\s{1,8})(?:"[^"]+|'[^']+|[^\s"',;&-][^\s"',;&]*)`).when(isOption),
	}
}

// suspects finds the shapes, and the kinds without them.
var suspects = sync.OnceValue(func() *literalIndex {
	x := &literalIndex{}
	for _, r := range shapes() {
		x.add(r)
	}
	for _, r := range recogniserTable() {
		if r != assignedSecret && r.kind != privateKey { // a shape sees more of these
			x.add(r)
		}
	}
	for _, r := range commandLines() {
		x.add(r)
	}
	return x
})
