package facts

import (
	"io/fs"
	"testing"
)

// A reference that no repository has yet is created; of one that cannot be told it is not
// said.
func TestUpdateRefCreatesWhatIsNotThere(t *testing.T) {
	const zeros = "0000000000000000000000000000000000000000"
	files := map[string]string{
		"/home/u/project/.git/config":                   "[core]\n\tbare = false\n",
		"/home/u/project/.git/HEAD":                     "ref: refs/heads/main\n",
		"/home/u/project/.git/refs/heads/main":          "1111\n",
		"/home/u/project/.git/refs/heads/loose":         "1111\n",
		"/home/u/project/.git/packed-refs":              "# pack-refs with: peeled\n2222 refs/heads/packed\n^3333\n2222 refs/tags/v1\n",
		"/home/u/tree/.git":                             "gitdir: /home/u/project/.git/worktrees/tree\n",
		"/home/u/project/.git/worktrees/tree/commondir": "../..\n",
		"/home/u/tables/.git/config":                    "[extensions]\n\trefStorage = reftable\n",
	}
	w := World{Dir: "/home/u/project", Home: "/home/u", Env: map[string]string{"HOME": "/home/u"}}
	w.ReadFile = func(name string, n int) ([]byte, error) {
		s, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(s[:min(n, len(s))]), nil
	}
	w.Lstat = func(name string) (fs.FileInfo, error) {
		if _, ok := files[name]; !ok {
			return nil, fs.ErrNotExist
		}
		return nil, nil
	}
	for line, want := range map[string]bool{
		"git update-ref refs/heads/backup HEAD":                              true,
		"git update-ref -m 'before a rebase' refs/backup/one HEAD":           true,
		"git update-ref --create-reflog refs/heads/backup HEAD " + zeros:     true,
		"git update-ref refs/heads/loose HEAD " + zeros:                      true, // git refuses
		"git -C /home/u/tree update-ref refs/heads/backup HEAD":              true,
		"cd src && git update-ref refs/tags/before HEAD":                     true,
		"git update-ref refs/heads/loose HEAD":                               false,
		"git update-ref refs/heads/main HEAD~1":                              false,
		"git update-ref refs/heads/loose HEAD 1111":                          false,
		"git update-ref refs/heads/packed HEAD":                              false,
		"git update-ref refs/heads/PACKED HEAD":                              false,
		"git update-ref refs/tags/v1 HEAD":                                   false,
		"git -C /home/u/tree update-ref refs/heads/packed HEAD":              false,
		"git -C /home/u/tables update-ref refs/heads/backup HEAD":            false,
		"git -C /home/u/elsewhere update-ref refs/heads/backup HEAD":         false,
		"git update-ref HEAD HEAD~1":                                         false,
		"git update-ref refs/heads/x/../main HEAD~1":                         false,
		"git update-ref -d refs/heads/backup":                                false,
		"git update-ref -d refs/heads/backup " + zeros:                       false,
		`git update-ref "refs/heads/$WHICH" HEAD`:                            false,
		"git update-ref --stdin < list":                                      false,
		"echo 'delete refs/heads/loose' | git update-ref --stdin --no-deref": false,
	} {
		found := false
		for _, f := range Shell(line, w) {
			if f.Does == "git" && f.Verb == "update-ref" {
				if found = true; f.Creates != want {
					t.Errorf("%s: creates is %v, want %v", line, f.Creates, want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no fact of update-ref", line)
		}
	}
}
