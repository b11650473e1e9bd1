package suggest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/guards"
)

// inputs are the members of the tool's input in the calls of a shape, and their values.
// Facts do not say all that a command line does: a variable before it, a function or an
// alias of the same name make another program of it. So a rule lists the values that were
// seen, the command's text too.
type inputs struct {
	tool  string
	n     int // calls
	by    map[string]*seen
	words *words
	lines map[string]bool // commands, and addresses of tools that fetch
}

// seen are the values of one member.
type seen struct {
	n    int            // calls that have it
	by   map[string]any // by their JSON
	many bool           // more than are kept
}

func newInputs(tool string, w *words) *inputs {
	return &inputs{tool: tool, by: map[string]*seen{}, words: w, lines: map[string]bool{}}
}

func (in *inputs) take(input map[string]any) {
	in.n++
	if line := cmp.Or(guards.CommandOf(input), addressOf(input)); line != "" && len(in.lines) < mostCalls {
		in.lines[line] = true
	}
	for key, value := range input {
		s := in.by[key]
		if s == nil {
			s = &seen{by: map[string]any{}}
			in.by[key] = s
		}
		s.n++
		if in.open(key) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil || len(s.by) >= mostCalls { // it came from JSON
			s.many = true
			continue
		}
		s.by[string(text)] = value
	}
}

// fileTools are the tools whose files facts tell, and with them what is done to these.
var fileTools = []string{"read", "readfile", "view", "viewfile", "notebookread", "write", "writefile", "create", "createfile", "edit", "editfile", "multiedit", "notebookedit", "replace", "writetofile", "delete", "deletefile"}

// told are the members of these tools that say which file, which part of it, and what is
// written there.
var told = []string{"file_path", "filePath", "path", "absolute_path", "notebook_path", "TargetFile", "offset", "limit",
	"content", "contents", "file_text", "old_string", "oldString", "new_string", "newString", "old_str", "new_str", "edits", "new_source"}

// different is how many different commands, or addresses, the calls had.
func (in *inputs) different() int { return len(in.lines) }

// addressOf is what a tool that fetches is to fetch.
func addressOf(input map[string]any) string {
	url, _ := input["url"].(string)
	return url
}

// open reports whether a member may have any value: it does nothing, or facts tell of it.
func (in *inputs) open(key string) bool {
	if strings.Contains(in.tool, "__") { // of a server: what its members do is not known
		return false
	}
	name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(in.tool))
	if name == "webfetch" && key == "prompt" { // what is asked of the page that it fetched
		return true
	}
	return key == "description" || slices.Contains(fileTools, name) && slices.Contains(told, key)
}

// condition is that the input has the members that were seen, with the values that were
// seen. false: there are too many of these.
func (in *inputs) condition() (string, bool) {
	names := maps.Clone(in.by)
	if in.open("description") {
		names["description"] = nil
	}
	parts := []string{"all(keys(input), # in " + listOf(slices.Sorted(maps.Keys(names))) + ")"}
	for _, key := range slices.Sorted(maps.Keys(in.by)) {
		if in.open(key) {
			continue
		}
		text, ok := in.valuesOf(memberOf(key), in.by[key])
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and "), true
}

var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// memberOf is a member of the input as an expression writes it.
func memberOf(key string) string {
	if identifier().MatchString(key) {
		return "input." + key
	}
	return "input[" + quote(key) + "]"
}

// valuesOf lists the values of a member.
func (in *inputs) valuesOf(member string, s *seen) (string, bool) {
	if s.many {
		return "", false
	}
	var each []string
	for _, key := range slices.Sorted(maps.Keys(s.by)) {
		text, ok := in.valueIs(member, s.by[key])
		if !ok {
			return "", false
		}
		if !slices.Contains(each, text) {
			each = append(each, text)
		}
		if len(each) > mostWords {
			return "", false
		}
	}
	if s.n < in.n {
		each = append([]string{member + " == nil"}, each...)
	}
	if len(each) == 1 {
		return each[0], true
	}
	return "(" + strings.Join(each, " or ") + ")", true
}

// valueIs is that a member has a value, or one like it: of a command, other words may stand
// for those that are open. false for values that no expression compares.
func (in *inputs) valueIs(member string, value any) (string, bool) {
	if text, ok := value.(string); ok && in.lines[text] {
		if pattern, open := in.words.line(text); open {
			return member + " matches " + quote(pattern), true
		}
	}
	switch v := value.(type) {
	case nil:
		return member + " == nil", true
	case string:
		return member + " == " + quote(v), true
	case bool:
		return fmt.Sprintf("%s == %t", member, v), true
	case json.Number: // as it is written: an expression's own numbers lose digits
		return "string(" + member + ") == " + quote(v.String()), true
	case []any:
		var words []string
		for _, e := range v {
			word, ok := e.(string)
			if !ok {
				return "", false
			}
			words = append(words, word)
		}
		return "(" + wordsOf(member, words) + ")", true
	}
	return "", false
}
