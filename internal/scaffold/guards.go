package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
)

// GuardEdit sets one key below guards of a hookway.yaml.
type GuardEdit struct {
	Path  []string // such as use, or rules and git/force-push
	Value string   // in YAML, on one line
}

// GuardFile is a hookway.yaml in which guards are changed.
type GuardFile struct {
	Path      string
	Was, Text []byte // before and after the edits; no Was: there is no file
}

// EditGuards reads a hookway.yaml, which need not be there, and changes guards in its
// text. Everything else of it stays as it is written. Write writes it.
func EditGuards(path string, edits []GuardEdit) (*GuardFile, error) {
	f := &GuardFile{Path: path}
	var err error
	if f.Was, err = disk.Read(path, strict.MaxFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if f.Text = f.Was; f.Was == nil {
		f.Text = []byte("version: 1\n")
	}
	for _, e := range edits {
		if f.Text, err = setGuard(f.Text, e); err != nil {
			return nil, fmt.Errorf("%s was left alone: %w; set guards: %s: %s by hand", path, err, strings.Join(e.Path, ": "), e.Value)
		}
	}
	return f, nil
}

// Write puts the text in the place of what was read.
func (f *GuardFile) Write() error {
	if f.Was == nil {
		return writeNew(f.Path, f.Text)
	}
	if now, err := disk.Read(f.Path, strict.MaxFile); err != nil || !bytes.Equal(now, f.Was) {
		return fmt.Errorf("%s has just been changed by somebody else; run this again", f.Path)
	}
	return replace(f.Path, f.Text)
}

var errUnusual = errors.New("guards is written in a way that cannot be changed")

// setGuard gives the text with one key below guards set.
func setGuard(text []byte, e GuardEdit) ([]byte, error) {
	root, fault := strict.Load(bytes.TrimPrefix(text, []byte("\ufeff")))
	if fault != nil {
		return nil, errors.New("it cannot be read as YAML")
	}
	var value any
	if err := yaml.Unmarshal([]byte(e.Value), &value); err != nil {
		return nil, err
	}
	want, ok := values(root)
	if !ok {
		return nil, errors.New("it is not a map")
	}
	path := append([]string{"guards"}, e.Path...)
	put(want, path, value)
	if root == nil || root.Kind == yaml.ScalarNode {
		root = &yaml.Node{Kind: yaml.MappingNode, Column: 1}
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return nil, errors.New("it is not a map with a key on each line")
	}
	d := &document{text: text, want: want}
	return d.set(root, len(text), path, e.Value)
}

// put sets a value in nested maps.
func put(m map[string]any, path []string, value any) {
	if len(path) == 1 {
		m[path[0]] = value
		return
	}
	inner, ok := m[path[0]].(map[string]any)
	if !ok {
		inner = map[string]any{}
		m[path[0]] = inner
	}
	put(inner, path[1:], value)
}

// document is a text that is being changed, and what it must say then.
type document struct {
	text []byte
	want map[string]any
}

// holds reports whether a text says what it must.
func (d *document) holds(text []byte) bool {
	root, fault := strict.Load(bytes.TrimPrefix(text, []byte("\ufeff")))
	if fault != nil {
		return false
	}
	is, ok := values(root)
	return ok && reflect.DeepEqual(is, d.want)
}

// set sets the value at a path below a map, of which nothing lies behind end.
func (d *document) set(m *yaml.Node, end int, path []string, value string) ([]byte, error) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		name, at := m.Content[i], m.Content[i+1]
		if name.Value != path[0] {
			continue
		}
		if i+2 < len(m.Content) {
			end = d.above(m.Content[i+2].Line)
			if m.Style&yaml.FlowStyle != 0 {
				end = d.offset(m.Content[i+2])
			}
		}
		if len(path) > 1 && at.Kind == yaml.MappingNode && len(at.Content) > 0 {
			return d.set(at, end, path[1:], value)
		}
		return d.replace(name, end, nested(path[1:], value))
	}
	return d.insert(m, end, path, value)
}

// nested is a value below the rest of its path, on one line.
func nested(path []string, value string) string {
	for i := len(path) - 1; i >= 0; i-- {
		value = "{" + path[i] + ": " + value + "}"
	}
	return value
}

// replace puts a value in the place of a key's: of what stands behind the colon, the
// least after which the text says what it must.
func (d *document) replace(name *yaml.Node, end int, value string) ([]byte, error) {
	colon := bytes.IndexByte(d.text[d.offset(name)+len(name.Value):end], ':')
	if colon < 0 {
		return nil, errUnusual
	}
	start := d.offset(name) + len(name.Value) + colon + 1
	for at := start; at <= end; at++ {
		if at < end && !bytes.ContainsRune([]byte(" \t\r\n,}"), rune(d.text[at])) {
			continue
		}
		text := bytes.Join([][]byte{d.text[:start], []byte(" " + value), d.text[at:]}, nil)
		if at == end && end < len(d.text) && d.text[end-1] == '\n' {
			text = bytes.Join([][]byte{d.text[:start], []byte(" " + value + "\n"), d.text[at:]}, nil)
		}
		if d.holds(text) {
			return text, nil
		}
	}
	return nil, errUnusual
}

// insert adds a key to a map that does not have it.
func (d *document) insert(m *yaml.Node, end int, path []string, value string) ([]byte, error) {
	line := path[0] + ": " + nested(path[1:], value)
	if m.Style&yaml.FlowStyle != 0 {
		at := d.offset(m) + 1
		if len(m.Content) > 0 {
			line += ", "
		}
		if text := bytes.Join([][]byte{d.text[:at], []byte(line), d.text[at:]}, nil); d.holds(text) {
			return text, nil
		}
		return nil, errUnusual
	}
	if m.Column == 1 && len(path) == 2 { // of the file
		line = "\n" + path[0] + ":\n  " + path[1] + ": " + value
	} else if len(path) == 2 {
		line = path[0] + ":\n" + strings.Repeat(" ", m.Column+1) + path[1] + ": " + value
	}
	line = strings.Repeat(" ", m.Column-1) + line + "\n"
	if end > 0 && d.text[end-1] != '\n' {
		line = "\n" + line
	}
	if bytes.Contains(d.text, []byte("\r\n")) {
		line = strings.ReplaceAll(line, "\n", "\r\n")
	}
	if text := bytes.Join([][]byte{d.text[:end], []byte(line), d.text[end:]}, nil); d.holds(text) {
		return text, nil
	}
	return nil, errUnusual
}

// offset is where a node begins. Its column counts characters.
func (d *document) offset(n *yaml.Node) int {
	at := d.line(n.Line)
	if n.Line == 1 && bytes.HasPrefix(d.text, []byte("\ufeff")) {
		at += len("\ufeff")
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.text[at:])
		at += size
	}
	return at
}

// line is where a line begins, from 1.
func (d *document) line(n int) int {
	at := 0
	for ; n > 1; n-- {
		next := bytes.IndexByte(d.text[at:], '\n')
		if next < 0 {
			return len(d.text)
		}
		at += next + 1
	}
	return at
}

// above is where a line begins, or the comments and empty lines above it.
func (d *document) above(n int) int {
	for ; n > 1; n-- {
		over := bytes.TrimSpace(d.text[d.line(n-1):d.line(n)])
		if len(over) > 0 && over[0] != '#' {
			break
		}
	}
	return d.line(n)
}
