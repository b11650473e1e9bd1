package facts

import (
	"fmt"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestScopes(t *testing.T) {
	w := World{
		Dir: "/home/u/project/sub", Home: "/home/u", Project: "/home/u/project", Env: map[string]string{"TMPDIR": "/run/user/1/tmp"},
		Scratch:   []string{"/mnt/scratch/**", "~/play/**", "artifacts/**", "/srv/*/cache/**"},
		Worktrees: func() []string { return []string{"/home/u/feature", "/home/u/project/.trees/fix/", "/tmp/tree"} },
	}
	for name, want := range map[string]string{
		"/": scopeRoot, "/home/u": scopeRoot, "/home/u/*": scopeRoot, "/home": scopeRoot, "/home/u/project": scopeRoot, "/home/u/project/.git": scopeRoot,
		"/home/u/project/a.go": scopeProject, "/home/u/project/.trees": scopeProject,
		"/home/u/project/.trees/fix": scopeRoot, "/home/u/project/.trees/fix/*": scopeRoot, "/home/u/project/.trees/fix/a.go": scopeWorktree,
		"/home/u/feature": scopeRoot, "/home/u/feature/src": scopeWorktree, "/home/u/features": scopeHome, "/tmp/tree/x": scopeWorktree,
		"/tmp": scopeTemp, "/tmp/x": scopeTemp, "/run/user/1/tmp/x": scopeTemp, "/run/user/1": scopeSystem,
		"/mnt/scratch/x": scopeTemp, "/mnt/scratch/x/y": scopeTemp, "/mnt/scratchy": scopeOther, "/mnt": scopeOther,
		"/home/u/play/x": scopeTemp, "/home/u/project/artifacts/x": scopeTemp, "/srv/a/cache/x": scopeTemp, "/srv/a/data": scopeSystem,
		"/home/u/work": scopeHome, "/etc/hosts": scopeSystem, "/data/x": scopeOther,
	} {
		if got := w.ready().scope(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A home may lie below /tmp, and a folder for temporary files in a home.
func TestScopesOfAHomeAmongTemporaryFiles(t *testing.T) {
	w := World{Dir: "/tmp/h/p", Home: "/tmp/h", Env: map[string]string{"TMPDIR": "/tmp/h/tmp"}}
	for name, want := range map[string]string{
		"/tmp/h": scopeRoot, "/tmp/h/work": scopeHome, "/tmp/x": scopeTemp, "/tmp/h/tmp/x": scopeTemp, "/tmp/h/p/a.go": scopeProject,
	} {
		if got := w.ready().scope(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A project that is a linked work tree may lie in the main one.
func TestScopesOfALinkedWorktree(t *testing.T) {
	w := World{Dir: "/r/.trees/fix", Home: "/home/u", Project: "/r/.trees/fix", Worktrees: func() []string { return []string{"/r", "/r/.trees/b"} }}
	for name, want := range map[string]string{
		"/r/.trees/fix/a.go": scopeProject, "/r/.trees/fix": scopeRoot, "/r": scopeRoot, "/r/a.go": scopeWorktree, "/r/.trees/b/a.go": scopeWorktree,
	} {
		if got := w.ready().scope(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestWorktreesAreAskedAtMostOnce(t *testing.T) {
	asked := 0
	w := World{Dir: "/p", Home: "/home/u", Worktrees: func() []string { asked++; return nil }}
	Shell("echo hello", w)
	if asked != 0 {
		t.Errorf("a call without a path asked %d times", asked)
	}
	Shell("rm a b c; rm -r d", w)
	if asked != 1 {
		t.Errorf("a call with paths asked %d times, want once", asked)
	}
}

// Scratch says what may be emptied; a link that leads out of it is told.
func TestALinkOutOfScratchIsTold(t *testing.T) {
	w := World{Dir: "/p", Home: "/home/u", Scratch: []string{"/mnt/scratch/**"}}
	var got []hook.Fact
	for _, f := range Shell("ln -s /home/u/work /mnt/scratch/w && rm -rf /mnt/scratch/w/ /mnt/scratch/x", w) {
		if f.Does == "delete" {
			got = append(got, f)
		}
	}
	if len(got) != 2 {
		t.Errorf("got %+v", got)
	} else if got, want := fmt.Sprint([]any{got[0].Scope, got[0].Link, got[1].Scope}), fmt.Sprint([]any{scopeHome, "/home/u/work", scopeTemp}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
