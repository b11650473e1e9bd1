package replay

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestTheMembersAreDocumented: what --json prints is in the documentation, each member.
func TestTheMembersAreDocumented(t *testing.T) {
	for file, of := range map[string]any{"preview.md": Report{}, "replay.md": Comparison{}} {
		text, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(text), "\n## For machines\n")
		for name := range members(reflect.TypeOf(of), map[string]bool{}) {
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("docs/%s does not tell of `%s` below For machines", file, name)
			}
		}
	}
}

// members are the names that a value has in JSON, with those of what it holds.
func members(t reflect.Type, found map[string]bool) map[string]bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return members(t.Elem(), found)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous {
				members(f.Type, found)
			} else if name != "" && name != "-" {
				found[name] = true
				members(f.Type, found)
			}
		}
	}
	return found
}
