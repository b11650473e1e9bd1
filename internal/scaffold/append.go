package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/hookway/hookway/internal/strict"
)

// appended adds entries, which are written with two blanks before the dash, to
// the list under a key of a YAML file. Everything else stays as it is written,
// comments too. It is read back: an error says why it cannot be done so.
func appended(text []byte, key, entries string) ([]byte, error) {
	root, fault := strict.Load(bytes.TrimPrefix(text, []byte("\ufeff")))
	if fault != nil {
		return nil, errors.New("it cannot be read as YAML")
	}
	if shorter := withoutBrackets(text, root, key); shorter != nil { // it says the same
		return appended(shorter, key, entries)
	}
	at, indent, gap, err := endOfList(text, root, key)
	if err != nil {
		return nil, err
	}
	var add strings.Builder
	if gap == "" {
		if len(text) > 0 {
			add.WriteString("\n")
		}
		fmt.Fprintf(&add, "%s:\n", key)
	}
	add.WriteString(strings.TrimPrefix(gap, "-"))
	for line := range strings.Lines(entries) {
		if line = strings.TrimPrefix(line, "  "); line != "\n" {
			line = strings.Repeat(" ", indent) + line
		}
		add.WriteString(line)
	}
	more := add.String()
	if at < len(text) {
		more += "\n"
	} else if len(text) > 0 && text[len(text)-1] != '\n' {
		more = "\n" + more
	}
	if bytes.Contains(text, []byte("\r\n")) {
		more = strings.ReplaceAll(more, "\n", "\r\n")
	}
	grown := bytes.Join([][]byte{text[:at], []byte(more), text[at:]}, nil)
	if !grew(root, grown, key, entries) {
		return nil, errors.New("the list is written in a way that cannot be added to")
	}
	return grown, nil
}

// withoutBrackets is a file whose list under a key is written as [], without these: entries
// may stand below the key then. Nil: it is not written so.
func withoutBrackets(text []byte, root *yaml.Node, key string) []byte {
	if root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, list := root.Content[i], root.Content[i+1]
		if name.Value != key || list.Kind != yaml.SequenceNode || len(list.Content) > 0 || list.Anchor != "" || list.Tag != "!!seq" || list.Line != name.Line {
			continue
		}
		line := bytes.SplitAfter(text, []byte("\n"))[list.Line-1]
		begin := len(bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:list.Line-1], nil))
		at := bytes.Index(line, []byte(": []"))
		if at < 0 || at >= list.Column+len("\ufeff") {
			return nil
		}
		return append(bytes.Clone(text[:begin+at+1]), text[begin+at+len(": []"):]...)
	}
	return nil
}

// endOfList is where entries may be added: the offset, how deep they are
// indented, and what stands before them. No gap at all says that the list itself
// is still to be written.
func endOfList(text []byte, root *yaml.Node, key string) (at, indent int, gap string, err error) {
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Value == "" {
		return len(text), 2, "", nil
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return 0, 0, "", errors.New("it is not a map with a key on each line")
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != key {
			continue
		}
		list := root.Content[i+1]
		at = len(text)
		if i+2 < len(root.Content) {
			at = before(text, root.Content[i+2].Line)
		}
		switch {
		case list.Kind == yaml.ScalarNode && list.ShortTag() == "!!null" && list.Value == "":
			return at, 2, "-", nil
		case list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0:
			return 0, 0, "", fmt.Errorf("its %s is not a list with an entry on each line", key)
		}
		return at, list.Column - 1, "-\n", nil
	}
	return len(text), 2, "", nil
}

// before is the offset of a line, or of the comments and empty lines above it.
func before(text []byte, line int) int {
	offsets := []int{0}
	for i, c := range text {
		if c == '\n' {
			offsets = append(offsets, i+1)
		}
	}
	n := min(line-1, len(offsets)-1)
	for n > 0 {
		above := bytes.TrimRight(text[offsets[n-1]:offsets[n]], "\r\n")
		if len(bytes.TrimSpace(above)) > 0 && above[0] != '#' {
			break
		}
		n--
	}
	return offsets[n]
}

// grew reports whether a file says what it said, and has the entries besides, at
// the end of its list.
func grew(root *yaml.Node, grown []byte, key, entries string) bool {
	was, ok := values(root)
	now, fault := strict.Load(bytes.TrimPrefix(grown, []byte("\ufeff")))
	added, alsoFault := strict.Load([]byte(key + ":\n" + entries))
	if !ok || fault != nil || alsoFault != nil {
		return false
	}
	is, ok := values(now)
	more, alsoOK := values(added)
	if !ok || !alsoOK {
		return false
	}
	list, _ := was[key].([]any)
	tail, _ := more[key].([]any)
	was[key] = append(append([]any{}, list...), tail...)
	return reflect.DeepEqual(was, is)
}

// values are what a YAML file says.
func values(root *yaml.Node) (map[string]any, bool) {
	out := map[string]any{}
	if root == nil {
		return out, true
	}
	if err := root.Decode(&out); err != nil {
		return nil, false
	}
	if out == nil {
		out = map[string]any{}
	}
	return out, true
}
