package suggest

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestTheMembersAreDocumented: what --json prints is in the documentation, each member.
func TestTheMembersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/suggest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## For machines\n")
	for _, of := range []reflect.Type{reflect.TypeOf(Report{}), reflect.TypeOf(Suggestion{})} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("docs/suggest.md does not tell of `%s` below For machines", name)
			}
		}
	}
}
