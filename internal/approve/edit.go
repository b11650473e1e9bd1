package approve

import (
	"fmt"
	"maps"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// replacing are the names under which tools get a text and what is to stand in its place.
var replacing = [][2]string{{"old_string", "new_string"}, {"oldString", "newString"}, {"old_str", "new_str"}}

// change is the argument that stands for what an edit replaces, as a diff.
const change = "change"

// edited is the input of a tool with what it replaces in a file as a diff, which is what a
// person reads: in place of the text before and the text after, and for each of several
// edits. Another input stays as it is.
func edited(input map[string]any) map[string]any {
	if _, taken := input[change]; taken {
		return input
	}
	text, rest := replaced(input)
	if text == "" {
		list, _ := input["edits"].([]any)
		if len(list) == 0 || len(list) > mostArguments {
			return input
		}
		for _, one := range list {
			edit, _ := one.(map[string]any)
			part, more := replaced(edit)
			if part == "" {
				return input
			}
			for name, value := range more {
				text += fmt.Sprintf("%s: %s\n", name, appendValue(nil, value))
			}
			text += part
		}
		rest = maps.Clone(input)
		delete(rest, "edits")
	}
	rest[change] = text
	return rest
}

// replaced is a diff of what one edit replaces, and the rest of its input; "" if it is none.
func replaced(input map[string]any) (text string, rest map[string]any) {
	for _, names := range replacing {
		before, ok := input[names[0]].(string)
		after, too := input[names[1]].(string)
		if !ok || !too || len(before)+len(after) > mostMasked {
			continue
		}
		rest = maps.Clone(input)
		delete(rest, names[0])
		delete(rest, names[1])
		return unified(before, after), rest
	}
	return "", nil
}

// unified is a diff without its head. What looks like a credential is taken out before: in
// a diff its lines would look like something else.
func unified(before, after string) string {
	plain := func(text string) string {
		masked := masks.Text(text)
		if n := len(text) - len(masked); n > mostHidden {
			masked += fmt.Sprintf("\n(%d of its %d bytes are not shown, because they look like a credential)", n, len(text))
		}
		if masked != "" && !strings.HasSuffix(masked, "\n") {
			masked += "\n"
		}
		return masked
	}
	was, is := plain(before), plain(after)
	if was == is {
		return "(nothing that is shown differs)\n"
	}
	_, body, _ := strings.Cut(string(diff.Diff("", []byte(was), "", []byte(is))), "+++ \n")
	return body
}
