package hook_test

import (
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Whether a tool strips space and knows "~/" is not known here: a guard must
// hold in either case.
func TestPathsAreMatchedWithoutSpaceAroundThemAndWithTheHomeFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	secret := filepath.Join(home, ".ssh", "id")
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"~/.ssh/**", secret, true},
		{"~/.ssh/**", "~/.ssh/id", true},
		{"~/.ssh/**", "~/x/../.ssh/id", true},
		{"~/.ssh/**", " " + secret, true},
		{"~/.ssh/**", "\t~/.ssh/id\n", true},
		{".env", ".env ", true},
		{".env ", ".env ", true}, // as it was given, too
		{"src/*.go", " src/a.go", true},
		{"~/.ssh/**", "x~/.ssh/id", false},
		{"~/.ssh/**", "~other/.ssh/id", false},
		{"~/.ssh/**", " ", false},
	} {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			var e hook.Engine
			add(t, &e, "h", says(hook.Block("no")), hook.As(lane), hook.MatchPath(c.pattern))
			ev := hook.PreToolUse.New(hook.Envelope{CWD: t.TempDir()}, hook.ToolUse{ToolName: "Read", ToolInput: map[string]any{"file_path": c.file}})
			out, err := e.Fire(t.Context(), ev)
			if err != nil || (out.Action == hook.ActionBlock) != c.want {
				t.Errorf("%v: %q on %q: %v, %v; want a match: %v", lane, c.pattern, c.file, out.Action, err, c.want)
			}
		}
	}
}
