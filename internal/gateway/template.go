package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a template.
const (
	maxTemplate = 16 << 10 // bytes
	maxParts    = 200
	maxPath     = 32 // steps of one path
)

// Template is text with places for what a request has:
//
//	{{ .pull_request.title }}         a field of the body
//	{{ .commits.0."short id" }}       an entry of a list, a name with any letters
//	{{ . }}                           the whole body
//	{{ header "X-GitHub-Event" }}     a header
//	{{ .branch | default "main" }}    what stands in for what is not there
//	{{ "{{" }}                        two braces
//
// There is nothing else: no functions, conditions or loops.
type Template struct {
	parts []part
}

// part is a piece of text, or a place.
type part struct {
	text     string // if there is neither path nor header
	path     []string
	body     bool // path is meant; without steps it is the whole body
	header   string
	fallback *string
}

// TemplateError is a mistake in a template.
type TemplateError struct {
	Offset int // in bytes
	Text   string
}

func (e *TemplateError) Error() string { return e.Text }

// MissingError says that a request lacks what a template asks for.
type MissingError struct{ Place string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the request has no %s", e.Place)
}

// ParseTemplate reads a template. The error is a *TemplateError.
func ParseTemplate(text string) (*Template, error) {
	if len(text) > maxTemplate {
		return nil, &TemplateError{maxTemplate, fmt.Sprintf("the template has %d bytes; the limit is %d", len(text), maxTemplate)}
	}
	t := &Template{}
	for at := 0; at < len(text); {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			t.parts = append(t.parts, part{text: text[at:]})
			break
		}
		if open > 0 {
			t.parts = append(t.parts, part{text: text[at : at+open]})
		}
		s := &scanner{text: text, at: at + open + 2}
		p, err := s.action()
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, p)
		at = s.at
		if len(t.parts) > maxParts {
			return nil, &TemplateError{at, fmt.Sprintf("the template has more than %d parts", maxParts)}
		}
	}
	return t, nil
}

// Headers are the headers that the template asks for.
func (t *Template) Headers() []string {
	var names []string
	for _, p := range t.parts {
		if p.header != "" {
			names = append(names, p.header)
		}
	}
	return names
}

// constant reports whether no request changes what the template says.
func (t *Template) constant() bool {
	for _, p := range t.parts {
		if p.body || p.header != "" {
			return false
		}
	}
	return true
}

// Input is what a template is filled from.
type Input struct {
	Body   any // as Parse gives it
	Header http.Header
}

// Text fills the template. The result has at most so many bytes.
func (t *Template) Text(in Input, most int) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		value, err := p.value(in)
		if err != nil {
			return "", err
		}
		text, err := asText(value)
		if err != nil {
			return "", err
		}
		if b.Len()+len(text) > most {
			return "", fmt.Errorf("the text comes to more than %d bytes", most)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Value is Text, but a template that is one place and nothing else keeps what
// stands there: a number stays a number, an object an object.
func (t *Template) Value(in Input, most int) (any, error) {
	if len(t.parts) != 1 || !t.parts[0].body {
		return t.Text(in, most)
	}
	value, err := t.parts[0].value(in)
	if err != nil {
		return nil, err
	}
	if text, err := asText(value); err != nil || len(text) > most {
		return nil, fmt.Errorf("the value comes to more than %d bytes", most)
	}
	return value, nil
}

func (p *part) value(in Input) (any, error) {
	var found any
	switch {
	case p.body:
		found, _ = Find(in.Body, p.path)
	case p.header != "":
		if values := in.Header.Values(p.header); len(values) > 0 {
			found = strings.Join(values, ", ")
		}
	default:
		return p.text, nil
	}
	if found != nil {
		return found, nil
	}
	if p.fallback != nil {
		return *p.fallback, nil
	}
	return nil, &MissingError{p.place()}
}

func (p *part) place() string {
	if p.header != "" {
		return "header " + p.header
	}
	return "field ." + strings.Join(p.path, ".")
}

// Find follows a path into a body; nil if there is nothing.
func Find(body any, path []string) (value any, ok bool) {
	for _, step := range path {
		switch in := body.(type) {
		case map[string]any:
			body, ok = in[step]
			if !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			body = in[i]
		default:
			return nil, false
		}
	}
	return body, true
}

// asText writes a value into a text: what is not text itself as JSON.
func asText(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("a value cannot be written as text: %w", err)
	}
	return string(text), nil
}

// scanner reads one place of a template.
type scanner struct {
	text string
	at   int
}

func (s *scanner) fail(format string, args ...any) error {
	return &TemplateError{s.at, fmt.Sprintf(format, args...)}
}

// action reads up to the closing braces.
func (s *scanner) action() (part, error) {
	p, err := s.source()
	if err != nil {
		return p, err
	}
	if s.blank(); s.take("|") {
		if s.blank(); !s.take("default") {
			return p, s.fail(`only default may stand behind a |, as in {{ .branch | default "main" }}`)
		}
		s.blank()
		text, err := s.quoted()
		if err != nil {
			return p, err
		}
		p.fallback = &text
	}
	if s.blank(); !s.take("}}") {
		return p, s.fail(`}} is missing, or there is something else before it; a place is {{ .field }}, {{ header "Name" }} or either with | default "text"`)
	}
	return p, nil
}

// source reads where a place comes from.
func (s *scanner) source() (p part, err error) {
	s.blank()
	switch {
	case s.take("header"):
		s.blank()
		if p.header, err = s.quoted(); err == nil && (p.header == "" || strings.ContainsFunc(p.header, notInHeader)) {
			err = s.fail("invalid header name %q", p.header)
		}
		return p, err
	case s.peek() == '"':
		p.text, err = s.quoted()
		return p, err
	case s.peek() != '.':
		return p, s.fail("a field of the body begins with a dot, as in {{ .title }}")
	}
	p.body = true
	p.path, err = s.path()
	return p, err
}

func notInHeader(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// ParsePath reads a path without its first dot, as in a filter: a.b.0."c d".
func ParsePath(text string) ([]string, error) {
	s := &scanner{text: "." + text}
	path, err := s.path()
	if err == nil && s.at != len(s.text) {
		err = s.fail("invalid path %q: want a.b.0, and other names in double quotes", text)
	}
	if err == nil && len(path) == 0 {
		err = s.fail("the path is empty")
	}
	return path, err
}

// path reads .a.b.0."c d"; a dot alone is the whole.
func (s *scanner) path() ([]string, error) {
	var path []string
	for s.take(".") {
		name := s.name()
		if name == "" && s.peek() == '"' {
			var err error
			if name, err = s.quoted(); err != nil {
				return nil, err
			}
		} else if name == "" && len(path) > 0 {
			return nil, s.fail("a name is missing behind the dot")
		} else if name == "" {
			return nil, nil
		}
		if path = append(path, name); len(path) > maxPath {
			return nil, s.fail("a path has more than %d steps", maxPath)
		}
	}
	return path, nil
}

// name reads letters, digits, - and _ of any script.
func (s *scanner) name() string {
	begin := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r < utf8.RuneSelf && notInHeader(r) || r == utf8.RuneError {
			break
		}
		s.at += size
	}
	return s.text[begin:s.at]
}

// quoted reads a text in double quotes, as JSON and Go write it.
func (s *scanner) quoted() (string, error) {
	if s.peek() != '"' {
		return "", s.fail("a text in double quotes must stand here")
	}
	text, err := strconv.QuotedPrefix(s.text[s.at:])
	if err != nil {
		return "", s.fail("the text in double quotes does not end")
	}
	out, err := strconv.Unquote(text)
	if err != nil || !utf8.ValidString(out) {
		return "", s.fail("the text in double quotes cannot be read")
	}
	s.at += len(text)
	return out, nil
}

func (s *scanner) blank() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) take(what string) bool {
	if strings.HasPrefix(s.text[s.at:], what) {
		s.at += len(what)
		return true
	}
	return false
}
