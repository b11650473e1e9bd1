package guards

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// linkTree writes what git keeps of a work tree of a repository.
func linkTree(t *testing.T, repo, name, tree string) {
	t.Helper()
	admin := filepath.Join(repo, ".git", "worktrees", name)
	for _, dir := range []string{admin, tree} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		filepath.Join(admin, "gitdir"):    filepath.Join(tree, ".git") + "\n",
		filepath.Join(admin, "commondir"): "../..\n",
		filepath.Join(tree, ".git"):       "gitdir: " + admin + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorktreesOfARepository(t *testing.T) {
	top := t.TempDir()
	repo, one, two := filepath.Join(top, "repo"), filepath.Join(top, "one"), filepath.Join(top, "repo", "trees", "two")
	linkTree(t, repo, "one", one)
	linkTree(t, repo, "two", two)
	for _, test := range []struct {
		project string
		want    []string
	}{
		{repo, []string{one, two}},
		{one, []string{repo, two}},
		{two, []string{repo, one}},
		{top, nil},
	} {
		var want []string
		for _, w := range test.want {
			want = append(want, filepath.ToSlash(w))
		}
		if got := worktrees(test.project); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.project, got, want)
		}
	}
}

func TestAWorktreeMustSayThatItIsOne(t *testing.T) {
	top := t.TempDir()
	repo, tree, home := filepath.Join(top, "repo"), filepath.Join(top, "tree"), filepath.Join(top, "home")
	linkTree(t, repo, "tree", tree)
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	// A file that names a folder makes no work tree of it, and a folder that names a
	// repository is none of its trees.
	if err := os.WriteFile(filepath.Join(repo, ".git", "worktrees", "tree", "gitdir"), []byte(filepath.Join(home, ".git")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{repo, tree} {
		if got := worktrees(project); got != nil {
			t.Errorf("%s: got %q, want none", project, got)
		}
	}
}
