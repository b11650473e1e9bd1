package scaffold

import (
	"strings"
	"testing"
)

func TestSetGuardKeepsEverythingElse(t *testing.T) {
	for _, tt := range []struct {
		name, text, path, value, want string
	}{
		{"an empty file", "", "use", "default", "\nguards:\n  use: default\n"},
		{"no guards", "# mine\nversion: 1\n", "use", "default", "# mine\nversion: 1\n\nguards:\n  use: default\n"},
		{"no end of line", "version: 1", "mode", "auto", "version: 1\n\nguards:\n  mode: auto\n"},
		{"a value", "guards:\n  use: default # all\n  mode: auto\nhooks: []\n", "use", "strict", "guards:\n  use: strict # all\n  mode: auto\nhooks: []\n"},
		{"a value in quotes", "guards: {use: \"default\", mode: 'auto'} # x\n", "mode", "enforce", "guards: {use: \"default\", mode: enforce} # x\n"},
		{"a new key on one line", "guards: {use: default}\n", "mode", "enforce", "guards: {mode: enforce, use: default}\n"},
		{"nothing but the key", "guards:\n# what runs\nhooks:\n", "use", "default", "guards: {use: default}\n# what runs\nhooks:\n"},
		{"an empty map", "guards: {}\nhooks:\n", "use", "default", "guards: {use: default}\nhooks:\n"},
		{"a new key", "guards:\n  use: default\n\n# what runs\nhooks: []\n", "mode", "monitor", "guards:\n  use: default\n  mode: monitor\n\n# what runs\nhooks: []\n"},
		{"a list by lines", "guards:\n  use:\n    - git # one\n    - files\n  mode: auto\n", "use", "default", "guards:\n  use: default\n  mode: auto\n"},
		{"a list in a line", "guards:\n  use: [git, files] # two\n  mode: auto\n", "use", "[git]", "guards:\n  use: [git] # two\n  mode: auto\n"},
		{"a first rule", "guards:\n  use: default\nhooks: []\n", "rules git", "allow", "guards:\n  use: default\n  rules:\n    git: allow\nhooks: []\n"},
		{"one more rule", "guards:\n  rules:\n    git: allow # mine\n  # which hosts\n  hosts: {block: [x]}\n", "rules git/force-push", "block", "guards:\n  rules:\n    git: allow # mine\n    git/force-push: block\n  # which hosts\n  hosts: {block: [x]}\n"},
		{"a rule that is there", "guards: {rules: {git: {verdict: ask}, files: 'monitor'}}\n", "rules git", "block", "guards: {rules: {git: block, files: 'monitor'}}\n"},
		{"a rule of lines", "guards:\n  rules:\n    git:\n      verdict: ask\n    files: ask\n", "rules git", "{verdict: ask, mode: monitor}", "guards:\n  rules:\n    git: {verdict: ask, mode: monitor}\n    files: ask\n"},
		{"other characters", "# ä\nguards: {scratch: ['ä/ö'], mode: auto}\n", "mode", "enforce", "# ä\nguards: {scratch: ['ä/ö'], mode: enforce}\n"},
		{"of Windows", "guards:\r\n  use: default\r\n", "mode", "auto", "guards:\r\n  use: default\r\n  mode: auto\r\n"},
		{"a mark", "\ufeffguards: {mode: auto}\n", "mode", "off", "\ufeffguards: {mode: off}\n"},
	} {
		got, err := setGuard([]byte(tt.text), GuardEdit{strings.Fields(tt.path), tt.value})
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %q, %v\nwant %q", tt.name, got, err, tt.want)
		}
	}
	for _, text := range []string{"[a]\n", "{guards: {}}\n", "guards: &a {use: default}\nother: *a\n", "a: [\n"} {
		if got, err := setGuard([]byte(text), GuardEdit{[]string{"mode"}, "auto"}); err == nil && text != "guards: &a {use: default}\nother: *a\n" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzSetGuard(f *testing.F) {
	f.Add("guards:\n  use: default # all\nhooks: []\n")
	f.Add("guards: {rules: {git: ask}}\n")
	f.Add("# x\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := setGuard([]byte(text), GuardEdit{[]string{"rules", "git"}, "block"})
		if err == nil && !strings.Contains(string(got), "block") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
