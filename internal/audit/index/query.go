package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/audit"
)

// Query says which records are wanted, and which page of them.
type Query struct {
	audit.Filter // Last is not for it

	Rule string // that decided, or that a step names: with its version or without

	// Text has words, each of which must stand somewhere in the record: in any of its
	// values, without regard to case. "two words" in quotes are one.
	Text string

	Limit  int    // of a page; 0 is 100
	After  string // the Next of the page before
	Oldest bool   // the oldest first
}

// Page is a page of records.
type Page struct {
	Records  []audit.Record `json:"records"`
	Next     string         `json:"next"`  // for the page after it, also after one that ran out of time; empty at the end
	Total    int64          `json:"total"` // on all pages
	AtLeast  bool           `json:"total_at_least,omitempty"`
	Behind   int64          `json:"behind"`   // records that are not looked at yet
	Problems []string       `json:"problems"` // what is wrong with the log, or the index
}

// Bounds of a query.
const (
	DefaultLimit = 100
	MostLimit    = 500
	mostWords    = 16
	mostText     = 1 << 10
)

// ErrQuery is of a query that cannot be answered.
var ErrQuery = errors.New("the query is not as it must be")

// ErrOther is of a page after one that another log had.
var ErrOther = errors.New("the log is another one than that of the page before; begin with the first page again")

// place is where a line of the log begins: the order of places is that of the log.
type place struct {
	file int64 // the number that the file is named after
	at   int64
}

// next is the place where a page ended, and how its file begins: at the same place of
// another log there is something else.
type next struct {
	place
	begins string // "" is not known
}

func (n next) String() string {
	if n.begins == "" {
		return n.place.String()
	}
	return n.place.String() + "-" + n.begins
}

// parseNext reads what String wrote.
func parseNext(text string) (n next, err error) {
	parts := strings.SplitN(text, "-", 3)
	if len(parts) == 3 {
		n.begins = parts[2]
	}
	if n.place, err = parsePlace(strings.Join(parts[:min(len(parts), 2)], "-")); err != nil {
		return n, fmt.Errorf("%w: after is %q; give the next of the page before", ErrQuery, text)
	}
	return n, nil
}

func (p place) before(q place) bool { return p.file < q.file || p.file == q.file && p.at < q.at }

func (p place) String() string { return fmt.Sprintf("%d-%d", p.file, p.at) }

// parsePlace reads what String wrote.
func parsePlace(text string) (p place, err error) {
	if n, err := fmt.Sscanf(text+"\n", "%d-%d\n", &p.file, &p.at); n != 2 || err != nil || p.file < 0 || p.at < 0 {
		return p, errors.New("it is not a place")
	}
	return p, nil
}

// asked is a query made ready.
type asked struct {
	Query
	wants func(*audit.Record) bool // of the filter
	words []string                 // of the text, in small letters
	parts [][]byte                 // of each word what stands in JSON as it is, but for large letters
	from  next                     // where the page before ended
}

func (q Query) ready() (*asked, error) {
	a := &asked{Query: q, wants: q.Matcher()}
	if a.Limit == 0 {
		a.Limit = DefaultLimit
	}
	if a.Limit < 1 || a.Limit > MostLimit {
		return nil, fmt.Errorf("%w: limit is %d; it is from 1 to %d", ErrQuery, q.Limit, MostLimit)
	}
	if len(q.Text) > mostText {
		return nil, fmt.Errorf("%w: the text that is looked for has %d bytes; the limit is %d", ErrQuery, len(q.Text), mostText)
	}
	if a.words = words(q.Text); len(a.words) > mostWords {
		return nil, fmt.Errorf("%w: %d words are looked for; the limit is %d", ErrQuery, len(a.words), mostWords)
	}
	for _, word := range a.words {
		a.parts = append(a.parts, []byte(plainPart(word)))
	}
	if q.After == "" {
		return a, nil
	}
	var err error
	a.from, err = parseNext(q.After)
	return a, err
}

// begin is the place after which the page begins.
func (a *asked) begin() place {
	switch {
	case a.After != "":
		return a.from.place
	case a.Oldest:
		return place{}
	}
	return place{file: math.MaxInt64}
}

// beyond reports whether a place is on a later page.
func (a *asked) beyond(p place) bool {
	switch {
	case a.After == "":
		return true
	case a.Oldest:
		return a.from.before(p)
	}
	return p.before(a.from.place)
}

// words are those of a text: what is in quotes is one.
func words(text string) (list []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			if part != "" {
				list = append(list, folded(part))
			}
			continue
		}
		for _, word := range strings.Fields(part) {
			list = append(list, folded(word))
		}
	}
	return list
}

// folded is a text as it is compared.
func folded(text string) string {
	return strings.ToLower(strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// accepts reports whether a line is wanted; r is its record.
func (a *asked) accepts(r *audit.Record, line []byte) bool {
	return a.wants(r) && (a.Rule == "" || concernsRule(r, a.Rule)) && (len(a.words) == 0 || saysAll(line, a.words))
}

// concernsRule reports whether a record has to do with a rule.
func concernsRule(r *audit.Record, rule string) bool {
	if isRule(r.Rule, rule) {
		return true
	}
	for i := range r.Steps {
		if isRule(r.Steps[i].Rule, rule) || r.Steps[i].Would != nil && isRule(r.Steps[i].Would.Rule, rule) {
			return true
		}
	}
	return false
}

// isRule reports whether a rule has the name, which may have its version or not.
func isRule(rule, name string) bool {
	rest, ok := strings.CutPrefix(rule, name)
	return ok && (rest == "" || rest[0] == '@')
}

// Members of a record in which nobody looks for words, and those that are ids: a word
// must be the whole of one.
var (
	notSaid = map[string]bool{"prev": true, "hash": true, "kept": true, "torn": true, "time": true}
	idsOnly = map[string]bool{"event_id": true, "of": true, "tool_use_id": true}
)

// saysAll reports whether each of the words stands in a value of a record's line, or is an
// id of it.
func saysAll(line []byte, words []string) bool {
	var members map[string]any
	if json.Unmarshal(line, &members) != nil {
		return false
	}
	texts := saidOf(members)
	for _, word := range words {
		is := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, word) })
		for name := range idsOnly {
			id, _ := members[name].(string)
			is = is || id != "" && folded(id) == word
		}
		if !is {
			return false
		}
	}
	return true
}

// saidIn are the texts of a line in which words are looked for, folded.
func saidIn(line []byte) []string {
	var members map[string]any
	_ = json.Unmarshal(line, &members) // it was read before
	return saidOf(members)
}

func saidOf(members map[string]any) (texts []string) {
	for name, value := range members {
		if !notSaid[name] && !idsOnly[name] {
			texts = said(texts, value)
		}
	}
	return texts
}

// said adds the texts in a value, folded.
func said(texts []string, value any) []string {
	switch v := value.(type) {
	case string:
		return append(texts, folded(v))
	case []any:
		for _, inner := range v {
			texts = said(texts, inner)
		}
	case map[string]any:
		for _, inner := range v {
			texts = said(texts, inner)
		}
	}
	return texts
}
