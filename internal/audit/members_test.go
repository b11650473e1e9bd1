package audit

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestTheMembersOfStatsAreDocumented: what hookway stats --json prints, each member.
func TestTheMembersOfStatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "`hookway stats --json` prints")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, of := range []any{HookStats{}, Kept{}, Kept{}.Survey, Unkept{}} {
		for i, is := 0, reflect.TypeOf(of); i < is.NumField(); i++ {
			name, _, _ := strings.Cut(is.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("docs/audit.md does not tell of `%s` of hookway stats --json", name)
			}
		}
	}
}
