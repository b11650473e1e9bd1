package guards

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/facts"
)

// Far reports whether to look at a path may ask another machine: a share, or a folder
// where the system mounts what is named.
func Far(path string) bool {
	path = filepath.ToSlash(path)
	return strings.HasPrefix(path, "//") || strings.HasPrefix(path, "/net/") || strings.HasPrefix(path, "/afs/") || strings.HasPrefix(path, "/misc/")
}

// UnlessFar looks at a path that is on this machine.
func UnlessFar[T any](path string, look func(string) (T, error)) (nothing T, err error) {
	if Far(path) {
		return nothing, fs.ErrNotExist
	}
	return look(path)
}

// NearWorld is a [World] for calls of the past: what they name is not waited for, so that
// nothing on another machine is looked at. What in the environment names a folder is of
// the process that asks, and not of the calls.
func NearWorld(dir string, environ []string) facts.World {
	environ = slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		return strings.HasPrefix(e, "HOOKWAY_PROJECT_DIR=") || strings.HasPrefix(e, "CLAUDE_PROJECT_DIR=") || strings.HasPrefix(e, "PWD=") || strings.HasPrefix(e, "OLDPWD=")
	})
	there := dir
	if Far(dir) {
		there = string(filepath.Separator)
	}
	w := World(there, environ)
	if w.Dir = dir; there != dir {
		w.Project, w.Worktrees = dir, nil
	}
	lstat, readlink, readDir, readFile := w.Lstat, w.Readlink, w.ReadDir, w.ReadFile
	w.Lstat = func(path string) (fs.FileInfo, error) { return UnlessFar(path, lstat) }
	w.Readlink = func(path string) (string, error) { return UnlessFar(path, readlink) }
	w.ReadDir = func(path string) ([]string, error) { return UnlessFar(path, readDir) }
	w.ReadFile = func(path string, n int) ([]byte, error) {
		return UnlessFar(path, func(path string) ([]byte, error) { return readFile(path, n) })
	}
	return w
}
