package scaffold

import (
	"bytes"
	"strings"
	"testing"

	wattext "github.com/hookway/hookway/handler/wasm/testdata/wat"
)

// The module of init that was made before is that of its source.
func TestTheModuleOfInitIsMadeOfItsSource(t *testing.T) {
	source, err := templates.ReadFile("template/wasm/hook.wat")
	if err != nil {
		t.Fatal(err)
	}
	module, err := templates.ReadFile("template/wasm/hook.wasm")
	if err != nil {
		t.Fatal(err)
	}
	made, err := wattext.Assemble(string(source))
	if err != nil || !bytes.Equal(made, module) {
		t.Errorf("%v; run: go run ./handler/wasm/testdata/assemble internal/scaffold/template/wasm/hook.wat internal/scaffold/template/wasm/hook.wasm", err)
	}
}

// A YAML file is added to as text; what it said stays, and comments do.
func TestEntriesAreAppendedToLists(t *testing.T) {
	const entry = "  - id: new\n    on: Stop\n    block: |\n      no\n\n      way\n"
	for name, tt := range map[string]struct{ text, want string }{
		"an empty file":             {"", "hooks:\n" + entry},
		"only comments":             {"# mine\n", "# mine\n\nhooks:\n" + entry},
		"no such list":              {"version: 1", "version: 1\n\nhooks:\n" + entry},
		"an empty list":             {"hooks: # none yet\n", "hooks: # none yet\n" + entry},
		"an empty list in brackets": {"hooks: [] # none yet\nversion: 1\n", "hooks: # none yet\n" + entry + "\nversion: 1\n"},
		"brackets alone":            {"\ufeff\"hooks\": []", "\ufeff\"hooks\":\n" + entry},
		"an empty list above":       {"hooks:\nversion: 1\n", "hooks:\n" + entry + "\nversion: 1\n"},
		"at the end": {"hooks:\n  - {id: a} # first\n# the end\n",
			"hooks:\n  - {id: a} # first\n# the end\n\n" + entry},
		"without a line's end": {"hooks:\n  - id: a", "hooks:\n  - id: a\n\n" + entry},
		"not indented": {"hooks:\n- id: a\n",
			"hooks:\n- id: a\n\n" + strings.ReplaceAll(strings.ReplaceAll("\n"+entry, "\n  ", "\n"), "\n\n    way", "\n\n    way")[1:]},
		"indented deeper": {"hooks:\n    - id: a\n",
			"hooks:\n    - id: a\n\n" + "    - id: new\n      on: Stop\n      block: |\n        no\n\n        way\n"},
		"another key behind": {"hooks:\n  - id: a\n\n# of the log\nredact: x # y\n",
			"hooks:\n  - id: a\n\n" + entry + "\n\n# of the log\nredact: x # y\n"},
		"a text at the end": {"hooks:\n  - inject: |\n      # no comment\n", "hooks:\n  - inject: |\n      # no comment\n\n" + entry},
		"Windows' lines":    {"hooks:\r\n  - id: a\r\n", strings.ReplaceAll("hooks:\n  - id: a\n\n"+entry, "\n", "\r\n")},
		"a mark of order":   {"\ufeffhooks:\n  - id: a\n", "\ufeffhooks:\n  - id: a\n\n" + entry},
		"quotes":            {"\"hooks\":\n  - id: a\n", "\"hooks\":\n  - id: a\n\n" + entry},
		"anchors": {"hooks:\n  - &a {id: a}\n  - {<<: *a, id: b}\n",
			"hooks:\n  - &a {id: a}\n  - {<<: *a, id: b}\n\n" + entry},
	} {
		got, err := appended([]byte(tt.text), "hooks", entry)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, got, tt.want)
		}
	}
	for name, text := range map[string]string{
		"a list on one line":      "hooks: [{id: a}]\n",
		"all on one line":         "{hooks: [{id: a}]}\n",
		"no list":                 "hooks: none\n",
		"a list only":             "- id: a\n",
		"no YAML":                 "hooks: [\n",
		"a mark at the end":       "hooks:\n  - id: a\n...\n",
		"a text that keeps lines": "hooks:\n  - inject: |+\n      x\n\n",
		"a list elsewhere":        "x: &l\n  - id: a\nhooks: *l\n",
		"no text":                 "\xff\xfe",
	} {
		if got, err := appended([]byte(text), "hooks", entry); err == nil {
			t.Errorf("%s became\n%s", name, got)
		}
	}
}

func FuzzAppended(f *testing.F) {
	f.Add("hooks:\n  - id: a\n# x\nversion: 1\n")
	f.Add("\ufeffhooks:\r\n- {id: a}\r\n...\r\n")
	f.Add("version: 1\nhooks: [] # none\n")
	f.Add("a: &x [1]\nhooks: \n? *x\n: |+\n  y\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		grown, err := appended([]byte(text), "hooks", "  - id: new\n    on: Stop\n")
		if err != nil {
			return
		}
		there := holdsAround(text, string(grown))
		for i := range text { // but for the brackets of a list that was empty
			if behind, ok := strings.CutPrefix(text[i:], " []"); ok {
				there = there || holdsAround(text[:i]+behind, string(grown))
			}
		}
		if !there {
			t.Errorf("%q became %q", text, grown)
		}
	})
}

// holdsAround reports whether what was there is there, around what was added.
func holdsAround(text, grown string) bool {
	rest := grown
	for i := 0; i < len(text) && len(rest) > 0 && text[i] == rest[0]; i++ {
		rest = rest[1:]
	}
	return strings.HasSuffix(rest, text[len(grown)-len(rest):])
}
