package guards

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/internal/disk"
)

// maxNames bounds the names of one folder that are looked at for a pattern.
const maxNames = 4096

// World is this machine as a call in a folder would find it. Of files it reads only
// regular ones, bounded, and never waits for them.
func World(dir string, getenv func(string) string) facts.World {
	w := facts.World{
		Dir: dir, Home: getenv("HOME"), Project: project(dir), Env: map[string]string{},
		Lstat: func(name string) (fs.FileInfo, error) { return os.Lstat(name) },
		Readlink: func(name string) (string, error) {
			to, err := os.Readlink(name)
			return filepath.ToSlash(to), err
		},
		ReadDir:  func(name string) ([]string, error) { return disk.Names(name, maxNames) },
		ReadFile: func(name string, n int) ([]byte, error) { return disk.Read(name, int64(n)) },
	}
	if w.Home == "" {
		w.Home, _ = os.UserHomeDir()
	}
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "USER", "SHELL", "LANG"} {
		if v := getenv(name); v != "" {
			w.Env[name] = v
		}
	}
	return w
}

// project is the top of the project that a folder belongs to: the nearest folder
// above it with a .git, or the folder itself.
func project(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if disk.Exists(filepath.Join(d, ".git")) {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}
