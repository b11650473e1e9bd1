package facts

import (
	"io/fs"
	"testing"

	"github.com/hookway/hookway/hook"
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
		"/home/u/empty/.git/config":                     "[core]\n",
		"/home/u/project/bare.git/HEAD":                 "ref: refs/heads/main\n",
		"/home/u/project/bare.git/refs/heads/theirs":    "1111\n",
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
		"git update-ref refs/heads/backup HEAD":                                                   true,
		"git update-ref -m 'before a rebase' refs/backup/one HEAD":                                true,
		"git update-ref --create-reflog refs/heads/backup HEAD " + zeros:                          true,
		"git update-ref refs/heads/loose HEAD " + zeros:                                           true, // git refuses
		"git -C /home/u/tree update-ref refs/heads/backup HEAD":                                   true,
		"cd src && git update-ref refs/tags/before HEAD":                                          true,
		"git update-ref refs/heads/loose HEAD":                                                    false,
		"git update-ref refs/heads/main HEAD~1":                                                   false,
		"git update-ref refs/heads/loose HEAD 1111":                                               false,
		"git update-ref refs/heads/packed HEAD":                                                   false,
		"git update-ref refs/heads/PACKED HEAD":                                                   false,
		"git update-ref refs/tags/v1 HEAD":                                                        false,
		"git -C /home/u/tree update-ref refs/heads/packed HEAD":                                   false,
		"git -C /home/u/tables update-ref refs/heads/backup HEAD":                                 false,
		"git -C /home/u/elsewhere update-ref refs/heads/backup HEAD":                              false,
		"git update-ref HEAD HEAD~1":                                                              false,
		"git update-ref refs/heads/x/../main HEAD~1":                                              false,
		"git update-ref -d refs/heads/backup":                                                     false,
		"git update-ref -d refs/heads/backup " + zeros:                                            false,
		`git update-ref "refs/heads/$WHICH" HEAD`:                                                 false,
		"GIT_DIR=/home/u/project/.git git update-ref refs/heads/new HEAD":                         true,
		"git --git-dir=/home/u/project/.git update-ref refs/heads/new HEAD":                       true,
		"GIT_DIR=$X git update-ref refs/heads/new HEAD":                                           false,
		"GIT_DIR=/home/u/gone git update-ref refs/heads/new HEAD":                                 false,
		"GIT_DIR=/home/u/empty/.git; git update-ref refs/heads/loose HEAD":                        false,
		"git --git-dir=$X update-ref refs/heads/new HEAD":                                         false,
		"GIT_COMMON_DIR=/srv/x git update-ref refs/heads/new HEAD":                                false,
		"GIT_NAMESPACE=x git update-ref refs/heads/new HEAD":                                      false,
		"git --namespace=x update-ref refs/heads/new HEAD":                                        false,
		"git --work-tree=/home/u/empty update-ref refs/heads/loose HEAD":                          false,
		"cd /home/u/project/bare.git && git update-ref refs/heads/theirs HEAD":                    false,
		"git update-ref refs/replace/1111111111111111111111111111111111111111 HEAD":               false,
		"git symbolic-ref refs/heads/tmp refs/heads/main && git update-ref refs/heads/tmp HEAD~3": false,
		"git update-ref refs/heads/tmp HEAD~3; git symbolic-ref refs/heads/tmp refs/heads/main":   false,
		"git symbolic-ref HEAD; git update-ref refs/heads/tmp HEAD~3":                             true,
		"git sr refs/heads/tmp refs/heads/main; git update-ref refs/heads/tmp HEAD~3":             false,
		"echo ref: refs/heads/main > .git/refs/heads/tmp; git update-ref refs/heads/tmp HEAD~3":   false,
		"$PROGRAM; git update-ref refs/heads/tmp HEAD~3":                                          false,
		"git update-ref --stdin < list":                                                           false,
		"echo 'delete refs/heads/loose' | git update-ref --stdin --no-deref":                      false,
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

// To make a reference another name for one is an act; to look at it is none.
func TestSymbolicRefs(t *testing.T) {
	for line, want := range map[string]hook.Fact{
		"git symbolic-ref HEAD":                               {},
		"git symbolic-ref -q --short HEAD":                    {},
		"git symbolic-ref HEAD refs/heads/x":                  {Ref: "HEAD"},
		"git symbolic-ref -m why refs/heads/tmp refs/heads/x": {Ref: "tmp", Force: true},
		"git symbolic-ref --delete refs/heads/tmp":            {Ref: "tmp", Force: true, Deletes: true},
	} {
		for _, f := range Shell(line, World{Dir: "/home/u"}) {
			if f.Does != "git" {
				continue
			}
			if got := (hook.Fact{Ref: f.Ref, Force: f.Force, Deletes: f.Deletes}); got.Ref != want.Ref || got.Force != want.Force || got.Deletes != want.Deletes {
				t.Errorf("%s: got %+v, want %+v", line, got, want)
			}
		}
	}
}
