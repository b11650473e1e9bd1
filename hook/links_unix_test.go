//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hook"
)

// tree makes a folder with a workspace and a secret outside of it, and links.
func tree(t *testing.T) (root string) {
	t.Helper()
	top := t.TempDir()
	root = filepath.Join(top, "w")
	for _, dir := range []string{"w/src", "w/secrets/deep", "outside/in"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "secrets/key"), []byte("k"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"w/src/link":       filepath.Join(root, "secrets"),
		"w/src/file":       "../secrets/key",
		"w/src/dangling":   "../secrets/not-there-yet",
		"w/src/far":        "../../outside/in",
		"w/src/chain":      "link",
		"w/src/loop":       "loop",
		"outside/in/back":  "../../w/secrets/new", // dangles, and is relative to a folder that links lead to
		"w/src/innocent":   "file",
		"alias":            root,
		"w/secrets/public": filepath.Join(root, "src"),
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A guard sees where symbolic links lead, so that none is a way around it.
func TestGuardsFollowLinks(t *testing.T) {
	root := tree(t)
	for _, c := range []struct {
		name, file string
		want       bool
	}{
		{"the file itself", "secrets/key", true},
		{"a linked file", "src/file", true},
		{"a link to a link", "src/innocent", true},
		{"in a linked folder", "src/link/key", true},
		{"through two links", "src/chain/key", true},
		{"a new file in a linked folder", "src/link/new", true},
		{"new folders in a linked folder", "src/link/a/b/c", true},
		{"a dangling link", "src/dangling", true},
		{"a dangling link behind another link", "src/far/back", true},
		{"dots behind a link go up where it leads", "src/link/deep/../key", true},
		{"dots right behind a link", "src/far/../../w/secrets/key", true},
		{"absolute", filepath.Join(root, "src/file"), true},
		{"through a link above the root", filepath.Join(root, "../alias/secrets/key"), true},
		{"an ordinary file", "src/a.go", false},
		{"a link that leads away", "src/far/x", false},
		{"a loop", "src/loop", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := map[string]any{"file_path": c.file}
			m := hook.Match{Path: []string{"secrets/**"}}
			if got := pathMatches(t, hook.Guard, m, "", root, input); got != c.want {
				t.Errorf("relative pattern: got %v", got)
			}
			real, err := filepath.EvalSymlinks(root)
			if err != nil {
				t.Fatal(err)
			}
			m = hook.Match{Path: []string{real + "/secrets/**"}}
			if got := pathMatches(t, hook.Guard, m, "", root, input); got != c.want {
				t.Errorf("absolute pattern: got %v", got)
			}
		})
	}
}

// Under not, a guard lets a file pass only if every way to see it is listed.
func TestGuardsAllowListCannotBeLeftByALink(t *testing.T) {
	root := tree(t)
	onlySrc := hook.Match{Not: &hook.Match{Path: []string{"src/**"}}}
	for file, want := range map[string]bool{"src/a.go": false, "secrets/key": true, "src/file": true, "src/link/key": true, "src/dangling": true, "src/far/x": true} {
		if got := pathMatches(t, hook.Guard, onlySrc, "", root, map[string]any{"path": file}); got != want {
			t.Errorf("%s: the guard is asked: %v, want %v", file, got, want)
		}
	}
	back := hook.Match{Not: &onlySrc} // twice not is as without
	for file, want := range map[string]bool{"src/a.go": true, "secrets/key": false, "secrets/public/a.go": true} {
		if got := pathMatches(t, hook.Guard, back, "", root, map[string]any{"path": file}); got != want {
			t.Errorf("not not, %s: %v, want %v", file, got, want)
		}
	}
}

func TestTransformHooksSeeThePathAsGiven(t *testing.T) {
	root := tree(t)
	for file, want := range map[string]bool{"secrets/key": true, "src/file": false, "src/link/key": false} {
		if got := pathMatches(t, hook.Transform, hook.Match{Path: []string{"secrets/**"}}, "", root, map[string]any{"path": file}); got != want {
			t.Errorf("%s: got %v", file, got)
		}
	}
}

// The guard's root may itself be reached through a link.
func TestRootBehindALink(t *testing.T) {
	root := tree(t)
	alias := filepath.Join(filepath.Dir(root), "alias")
	for _, c := range []struct{ root, cwd, file string }{
		{alias, alias, "secrets/key"},
		{alias, alias, "src/file"},
		{alias, root, "secrets/key"},
		{root, alias, "secrets/key"},
		{root, alias, "src/file"},
	} {
		if !pathMatches(t, hook.Guard, hook.Match{Path: []string{"secrets/**"}}, c.root, c.cwd, map[string]any{"path": c.file}) {
			t.Errorf("root %s, cwd %s, %s: no match", filepath.Base(c.root), filepath.Base(c.cwd), c.file)
		}
	}
	onlySrc := hook.Match{Not: &hook.Match{Path: []string{"src/**"}}}
	for _, c := range []struct{ root, cwd string }{{alias, alias}, {alias, root}, {root, alias}} {
		if pathMatches(t, hook.Guard, onlySrc, c.root, c.cwd, map[string]any{"path": "src/a.go"}) {
			t.Errorf("root %s, cwd %s: a listed file is refused because the root has two names", filepath.Base(c.root), filepath.Base(c.cwd))
		}
	}
}
