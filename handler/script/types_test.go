package script

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// The types know what a fact has.
func TestEveryMemberOfAFactHasAType(t *testing.T) {
	_, declared, _ := strings.Cut(Types(), "export interface Fact {")
	declared, _, _ = strings.Cut(declared, "\n  }\n")
	fact := reflect.TypeFor[hook.Fact]()
	for i := range fact.NumField() {
		name, _, _ := strings.Cut(fact.Field(i).Tag.Get("json"), ",")
		if !regexp.MustCompile(`(?m)^    ` + name + `\??: `).MatchString(declared) {
			t.Errorf("a fact has %s, of which the types say nothing", name)
		}
	}
}

// exported are the names that a module exports.
var exported = regexp.MustCompile(`(?m)^export (?:const|class|function) (\w+)`)

func TestEveryExportHasAType(t *testing.T) {
	for module, file := range map[string]string{"hookway": "hookway.js", "agent-relay": "relay.js", "@a3s-lab/box": "a3s.js", "openclaw/plugin-sdk": "openclaw-sdk.js"} {
		_, declared, ok := strings.Cut(Types(), `declare module "`+module+`" {`)
		if !ok {
			t.Errorf("%s is not declared", module)
			continue
		}
		declared, _, _ = strings.Cut(declared, "\n}\n")
		text, err := ours.ReadFile("js/" + file)
		if err != nil {
			t.Fatal(err)
		}
		names := exported.FindAllStringSubmatch(string(text), -1)
		if len(names) == 0 {
			t.Errorf("%s exports nothing", file)
		}
		for _, n := range names {
			if !regexp.MustCompile(`export (?:const|class|function) ` + n[1] + `\b`).MatchString(declared) {
				t.Errorf("%s exports %s, of which the types say nothing", module, n[1])
			}
		}
	}
	b, err := Build(files(t, map[string]string{"a.ts": types})+"/a.ts", "")
	if err != nil {
		t.Errorf("the types are not TypeScript: %v", err)
	} else if len(b.Files) != 1 {
		t.Errorf("files: %v", b.Files)
	}
}
