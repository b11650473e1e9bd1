package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// scrubber puts placeholders in the place of the secrets of an event.
type scrubber struct {
	redact *redactor
	holds  *keep.Placeholders
	found  map[string]string // what stands for each secret
	short  []string          // of these, what is looked for though it is short
	order  []string          // what again looks for, the longest first
	count  int
	known  []byte // a document whose secrets are replaced already

	kinds []string // of credentials, as facts name them: their member "secret" is none
}

// leastAlone is how long a secret is that is looked for also where nothing else tells
// that it is one.
const leastAlone = 8

// hold gives what stands for a secret; a name of something that is elsewhere is none.
func (s *scrubber) hold(kind, secret string) string {
	if secret == "" || kind == "" && elsewhere(secret) {
		return secret
	}
	text, ok := s.found[secret]
	if !ok && s.known != nil && stands(secret, [][]byte{s.known}) {
		return secret
	}
	if !ok {
		if s.found == nil {
			s.found = map[string]string{}
		}
		text = s.holds.For(secret)
		s.found[strings.Clone(secret)] = text
		s.order = nil
	}
	s.count++
	return text
}

// withhold has values taken out wherever they stand in documents: they are those of
// variables, which a fact may have in the middle of a word.
func (s *scrubber) withhold(values []string, docs ...[]byte) {
	for _, value := range values {
		if _, ok := s.found[value]; !ok && !stands(value, docs) || slices.Contains(s.short, value) {
			continue
		}
		s.hold("", value)
		s.short = append(s.short, value)
	}
	s.order = nil
}

// stands reports whether a text may stand in one of some documents.
func stands(text string, docs [][]byte) bool {
	quoted := keep.AppendText(nil, text)
	quoted = quoted[1 : len(quoted)-1]
	return slices.ContainsFunc(docs, func(doc []byte) bool { return bytes.Contains(doc, quoted) })
}

// elsewhere reports whether a value only says where the secret is: $TOKEN, ${token},
// $(pass show x), <token>, {{ token }}.
func elsewhere(value string) bool {
	for _, begin := range []string{"${", "$(", "{{", "`"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	if strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") {
		return true
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil":
		return true
	}
	name, ok := strings.CutPrefix(value, "$")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// loose takes out all that may be a secret, also by the name before it.
func (s *scrubber) loose(text string, named bool) string {
	if named {
		return s.hold("", text)
	}
	if len(text) < 5 {
		return text
	}
	return s.redact.replace(text, s.hold)
}

// tight takes out what has the shape of a secret, and leaves what only stands behind a
// name: it is for what was found of an event, in which "secret:" says something else.
func (s *scrubber) tight(text string, named bool) string {
	if named && slices.Contains(s.kinds, text) {
		return text
	}
	if named {
		return s.hold("", text)
	}
	if len(text) < leastAlone {
		return text
	}
	return s.redact.replace(text, func(kind, secret string) string {
		if kind == "" {
			return secret
		}
		return s.hold(kind, secret)
	})
}

// kindsOf are the kinds of credentials that lie where the facts of an event say so.
func kindsOf(e *keep.Event) (kinds []string) {
	add := func(list []hook.Fact) {
		for i := range list {
			if k := list[i].Secret; k != "" && !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	add(e.Before)
	for i := range e.Analyses {
		add(e.Analyses[i].Facts)
	}
	return kinds
}

// again takes out the secrets that were found, wherever else they stand.
func (s *scrubber) again(text string, _ bool) string {
	if to, ok := s.found[text]; ok {
		return to
	}
	if s.order == nil {
		for secret := range s.found {
			if len(secret) >= leastAlone || slices.Contains(s.short, secret) {
				s.order = append(s.order, secret)
			}
		}
		slices.SortFunc(s.order, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	}
	for _, secret := range s.order { // one may have another within
		text = strings.ReplaceAll(text, secret, s.found[secret])
	}
	return s.inWord(text)
}

// inWord takes a short secret out of a word of a command that stands alone: "-pabc",
// "bob:abc".
func (s *scrubber) inWord(text string) string {
	if len(text) > mostOfWord {
		return text
	}
	for n := min(leastAlone-1, len(text)-1); n >= leastInWord; n-- {
		begin := text[:len(text)-n]
		option := len(begin) == 2 && begin[0] == '-'
		if to, ok := s.found[text[len(begin):]]; ok && (option || strings.IndexByte(":=%", begin[len(begin)-1]) >= 0) {
			return begin + to
		}
	}
	return text
}

// listed finds the secrets in commands that are lists of words, as each word alone does not
// say that it is one.
func (s *scrubber) listed(v any, depth int) {
	if depth > maxListed {
		return
	}
	hold := func(words []any) {
		for _, secret := range s.redact.inWords(words) {
			if s.hold("", secret) != secret && len(secret) >= leastListed {
				s.short = append(s.short, secret)
			}
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if words, ok := commandOf(v); ok {
			hold(words)
		}
		for _, inner := range v {
			s.listed(inner, depth+1)
		}
	case []any:
		hold(v)
		for _, inner := range v {
			s.listed(inner, depth+1)
		}
	}
}

// How deep commands are looked for, and how long a secret of one is at least that is looked
// for elsewhere.
const (
	maxListed   = 8
	leastListed = 4
)

// leastInWord is how long a secret is that is looked for in a word.
const leastInWord = 3

// mostOfWord bounds a word in which a short secret is looked for.
const mostOfWord = 256

// clean is a document without its secrets, as by takes them out.
func (s *scrubber) clean(doc []byte, by func(text string, named bool) string) []byte {
	if s.quiet(doc) {
		return doc
	}
	before := len(s.found)
	if doc = rewrite(doc, by); len(s.found) > before {
		doc = rewrite(doc, s.again)
	}
	return doc
}

// quietBytes bounds the documents that are looked at as one text.
const quietBytes = 16 << 10

// quiet reports whether documents have no secrets. It looks at all their texts at once,
// which most events need once only: what it takes for a secret may be none.
func (s *scrubber) quiet(docs ...[]byte) bool {
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	if size > quietBytes {
		return false
	}
	all := make([]byte, 0, size)
	for _, d := range docs {
		w := walker{in: d}
		for t, ok := w.next(); ok; t, ok = w.next() {
			if t.named {
				return false
			}
			if !t.number {
				all = append(appendUnquoted(all, d[t.at+1:t.end-1]), '\n')
			}
		}
	}
	found := false
	s.redact.replace(string(all), func(string, string) string {
		found = true
		return ""
	})
	return !found
}

// walker goes through the texts and numbers of a JSON text that this program wrote.
type walker struct {
	in    []byte
	at    int
	depth [64]byte // the objects and lists around the place
	open  int
	named bool // the next value has the name of a secret
	key   bool // a name is next
}

// token is a text, with its quotes, or a number.
type token struct {
	at, end int
	number  bool
	named   bool // its name says that it is secret
}

// Kinds of what is open.
const (
	inObject = iota
	inList
	inSecrets // a list whose name is that of secrets
)

func (w *walker) next() (t token, ok bool) {
	for w.at < len(w.in) {
		at := w.at
		switch c := w.in[at]; c {
		case '{':
			w.push(inObject)
			w.key, w.named = true, false
		case '[':
			kind := byte(inList)
			if w.named {
				kind = inSecrets
			}
			w.push(kind)
			w.key = false
		case '}', ']':
			w.open, w.named = max(w.open-1, 0), false
		case ',':
			top := w.top()
			w.key, w.named = top == inObject, top == inSecrets
		case '"':
			return w.text(), true
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return w.number(), true
		}
		w.at++
	}
	return t, false
}

// push notes what is opened. What is deeper than anybody nests counts as an object.
func (w *walker) push(kind byte) {
	if w.open < len(w.depth) {
		w.depth[w.open] = kind
	}
	w.open++
}

func (w *walker) top() byte {
	switch {
	case w.open == 0:
		return inList
	case w.open > len(w.depth):
		return inObject
	}
	return w.depth[w.open-1]
}

func (w *walker) text() token {
	at, end := w.at, w.at+1
	for end < len(w.in) && w.in[end] != '"' {
		if w.in[end] == '\\' {
			end++
		}
		end++
	}
	w.at = min(end+1, len(w.in))
	t := token{at: at, end: w.at, named: w.named && !w.key && w.at-at > 2}
	if w.key {
		w.key, w.named = false, secretName(w.in[at+1:w.at-1])
	}
	return t
}

func (w *walker) number() token {
	at := w.at
	for w.at++; w.at < len(w.in) && strings.IndexByte("0123456789.eE+-", w.in[w.at]) >= 0; w.at++ {
	}
	return token{at: at, end: w.at, number: true, named: w.named}
}

// rewrite is a JSON text with other texts, and with other digits for secret numbers.
func rewrite(in []byte, by func(text string, named bool) string) []byte {
	var out []byte
	w, whole, done := walker{in: in}, string(in), 0
	put := func(t token, add []byte) { out, done = append(append(out, in[done:t.at]...), add...), t.end }
	for t, ok := w.next(); ok; t, ok = w.next() {
		text := whole[t.at:t.end]
		if t.number {
			if t.named && len(text) > 3 && strings.Trim(text, "0123456789") == "" {
				now := []byte(by(text, true))
				now[0] = max(now[0], '1')
				put(t, now)
			}
			continue
		}
		if text = text[1 : len(text)-1]; strings.IndexByte(text, '\\') >= 0 {
			text = string(appendUnquoted(nil, in[t.at+1:t.end-1]))
		}
		if now := by(text, t.named); now != text {
			put(t, keep.AppendText(nil, now))
		}
	}
	if done == 0 {
		return in
	}
	return append(out, in[done:]...)
}

// appendUnquoted adds what a text between its quotes says.
func appendUnquoted(b, raw []byte) []byte {
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	begin := len(b)
	b = slices.Grow(b, len(raw))
	for i := 0; i < len(raw); i++ {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 || i+n+1 == len(raw) {
			return append(b, raw[i:]...)
		}
		b = append(b, raw[i:i+n]...)
		i += n + 1
		if k := strings.IndexByte(from, raw[i]); k >= 0 {
			b = append(b, to[k])
			continue
		}
		var text string // a code, which is rare
		if json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &text) == nil {
			return append(b[:begin], text...)
		}
	}
	return b
}

// secretName reports whether a member's value is never written, by its name.
func secretName(name []byte) bool {
	if len(name) == 0 || strings.IndexByte("deyntlsDEYNTLS_-", name[len(name)-1]) < 0 {
		return false
	}
	for _, end := range secretNames {
		if endsIn(name, end) {
			return true
		}
	}
	return false
}

// endsIn reports whether a name, without its signs and in small letters, ends so.
func endsIn(name []byte, end string) bool {
	i, k := len(name)-1, len(end)-1
	for ; i >= 0 && k >= 0; i-- {
		c := name[i]
		if c == '_' || c == '-' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != end[k] {
			return false
		}
		k--
	}
	return k < 0
}
