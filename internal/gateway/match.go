package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Match says which requests of a mapping count; all that is given must hold. The
// zero value takes every request. Values are exact or with * and ?, and of several one
// must fit. A field or header that is not there never fits.
type Match struct {
	Fields  map[string][]string // by path, as ParsePath reads it
	Headers map[string][]string
	Any     []Match
	Not     *Match

	fields  []fieldTest
	headers []headerTest
}

type fieldTest struct {
	path   []string
	values []string
}

type headerTest struct {
	name   string
	values []string
}

// Compile makes a matcher ready. The error says where it is wrong.
func (m *Match) Compile() error {
	for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
		path, err := ParsePath(name)
		if err != nil {
			return fmt.Errorf("fields: %w", err)
		}
		m.fields = append(m.fields, fieldTest{path, m.Fields[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if name == "" || strings.ContainsFunc(name, notInHeader) || Secret(name) {
			return fmt.Errorf("headers: invalid header name %q: this header cannot be compared", name)
		}
		m.headers = append(m.headers, headerTest{name, m.Headers[name]})
	}
	for i := range m.Any {
		if err := m.Any[i].Compile(); err != nil {
			return fmt.Errorf("any[%d].%w", i, err)
		}
	}
	if m.Not != nil {
		if err := m.Not.Compile(); err != nil {
			return fmt.Errorf("not.%w", err)
		}
	}
	return nil
}

// Holds reports whether a request is meant.
func (m *Match) Holds(in Input) bool {
	for _, t := range m.fields {
		value, ok := Find(in.Body, t.path)
		if !ok || !t.holds(value) {
			return false
		}
	}
	for _, t := range m.headers {
		if !slices.ContainsFunc(in.Header.Values(t.name), func(v string) bool { return oneFits(t.values, v) }) {
			return false
		}
	}
	if len(m.Any) > 0 && !slices.ContainsFunc(m.Any, func(one Match) bool { return one.Holds(in) }) {
		return false
	}
	return m.Not == nil || !m.Not.Holds(in)
}

// holds compares a field; of a list, one entry must fit.
func (t *fieldTest) holds(value any) bool {
	if list, ok := value.([]any); ok {
		return slices.ContainsFunc(list, t.holds)
	}
	if _, ok := value.(map[string]any); ok {
		return false
	}
	if value == nil {
		return oneFits(t.values, "null")
	}
	text, err := asText(value)
	return err == nil && oneFits(t.values, text)
}

func oneFits(values []string, text string) bool {
	return slices.ContainsFunc(values, func(pattern string) bool { return fits(pattern, text) })
}

// fits compares a text with a pattern, in which * is any number of letters and ?
// is one. It looks back to the last * only, so that it takes no longer than the
// product of both.
func fits(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// Secret reports whether a header tells who calls: it goes into no message.
func Secret(header string) bool {
	return slices.Contains([]string{"Authorization", "Proxy-Authorization", "Cookie"}, http.CanonicalHeaderKey(header))
}
