package install

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// errElsewhere means that approvals stand in config.toml in a form that cannot be
// edited line by line.
var errElsewhere = errors.New("the approvals in config.toml are not in the form that Codex writes")

// parseTOML reads a TOML file; the error has line and column.
func parseTOML(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	if err := toml.Unmarshal(text, &doc); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			line, column := where.Position()
			return nil, fmt.Errorf("%d:%d: it is not valid TOML: %w", line, column, err)
		}
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	return doc, nil
}

// table goes down tables by their names; what is not there is empty.
func table(doc map[string]any, names ...string) map[string]any {
	for _, name := range names {
		doc, _ = doc[name].(map[string]any)
	}
	return doc
}

// approve writes approvals into a config.toml: those that are there are changed
// in their place, the rest comes at the end. What the file says otherwise is
// compared before and after, so that nothing is broken by a form we do not know.
func approve(text []byte, doc map[string]any, wanted []approval) ([]byte, error) {
	out := text
	for _, a := range wanted {
		entry := table(doc, "hooks", "state", a.key)
		if entry["trusted_hash"] == a.hash {
			continue
		}
		if entry != nil {
			at, ok := block(out, a.key)
			if !ok {
				return nil, errElsewhere
			}
			out = withHash(out, at, a.hash)
			continue
		}
		out = appendBlock(out, a)
	}
	if bytes.Equal(out, text) {
		return text, nil
	}
	want := copyTable(doc)
	state := makeTable(makeTable(want, "hooks"), "state")
	for _, a := range wanted {
		makeTable(state, a.key)["trusted_hash"] = a.hash
	}
	got, err := parseTOML(out)
	if err != nil || !reflect.DeepEqual(got, want) {
		return nil, errElsewhere
	}
	return out, nil
}

// disapprove takes approvals out of a config.toml.
func disapprove(text []byte, gone []approval) ([]byte, error) {
	doc, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	out := text
	for _, a := range gone {
		if table(doc, "hooks", "state", a.key)["trusted_hash"] != a.hash {
			continue
		}
		at, ok := block(out, a.key)
		if !ok {
			return nil, fmt.Errorf("%w; take out those of hookway-hook by hand", errElsewhere)
		}
		out = append(bytes.Clone(out[:at.start]), out[at.end:]...)
		delete(table(doc, "hooks", "state"), a.key)
	}
	got, err := parseTOML(out)
	if err != nil || !reflect.DeepEqual(pruned(got), pruned(doc)) {
		return nil, fmt.Errorf("%w; take out those of hookway-hook by hand", errElsewhere)
	}
	return out, nil
}

// pruned is a document without the tables of approvals that are empty: they exist
// only while something is in them.
func pruned(doc map[string]any) map[string]any {
	hooks := table(doc, "hooks")
	if state, ok := hooks["state"].(map[string]any); ok && len(state) == 0 {
		delete(hooks, "state")
	}
	if hooks != nil && len(hooks) == 0 {
		delete(doc, "hooks")
	}
	return doc
}

// copyTable copies a table and the tables in it.
func copyTable(t map[string]any) map[string]any {
	out := make(map[string]any, len(t))
	for k, v := range t {
		if inner, ok := v.(map[string]any); ok {
			v = copyTable(inner)
		}
		out[k] = v
	}
	return out
}

func makeTable(in map[string]any, name string) map[string]any {
	t, ok := in[name].(map[string]any)
	if !ok {
		t = map[string]any{}
		in[name] = t
	}
	return t
}

// newlineOf is how the lines of a text end.
func newlineOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// appendBlock writes an approval at the end, as Codex does, after an empty line.
func appendBlock(text []byte, a approval) []byte {
	nl := newlineOf(text)
	out := bytes.Clone(text)
	if len(out) > 0 {
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, nl...)
		}
		out = append(out, nl...)
	}
	return append(out, "[hooks.state."+quoteTOML(a.key)+"]"+nl+"trusted_hash = "+quoteTOML(a.hash)+nl...)
}

// block finds the lines of an approval: its header, as we or Codex write it, and
// its values, with one empty line before it. Of several the last is meant: an
// earlier one can only be text in a string.
func block(text []byte, key string) (span, bool) {
	at := span{-1, -1}
	open := false          // the lines are those of the approval
	offset, blank := 0, -1 // blank: where the empty line before this one begins
	for line := range bytes.Lines(text) {
		trimmed := strings.TrimSpace(string(line))
		next := offset + len(line)
		switch {
		case strings.HasPrefix(trimmed, "["):
			if open = headerKey(trimmed) == key; open {
				at = span{offset, next}
				if blank >= 0 {
					at.start = blank
				}
			}
		case open && trimmed != "" && trimmed[0] != '#':
			at.end = next
		}
		if blank = -1; trimmed == "" {
			blank = offset
		}
		offset = next
	}
	return at, at.start >= 0
}

// headerKey is the key of the approval that a header begins, "" if it begins
// something else.
func headerKey(header string) string {
	name, ok := strings.CutPrefix(header, "[hooks.state.")
	if !ok {
		return ""
	}
	if name, ok = strings.CutSuffix(name, "]"); !ok {
		return ""
	}
	return unquoteTOML(name)
}

// withHash changes the hash in a block.
func withHash(text []byte, at span, hash string) []byte {
	offset := at.start
	for line := range bytes.Lines(text[at.start:at.end]) {
		if name, _, ok := strings.Cut(string(line), "="); ok && strings.TrimSpace(name) == "trusted_hash" {
			ending := line[len(bytes.TrimRight(line, "\r\n")):]
			return replaced(text, span{offset, offset + len(line)}, "trusted_hash = "+quoteTOML(hash)+string(ending))
		}
		offset += len(line)
	}
	return text
}

// quoteTOML writes a string as TOML: on Windows, paths are full of backslashes.
func quoteTOML(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, "\\u%04X", r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// unquoteTOML reads a quoted key.
func unquoteTOML(s string) string {
	var v struct{ S string }
	if err := toml.Unmarshal([]byte("S = "+s), &v); err != nil {
		return ""
	}
	return v.S
}
