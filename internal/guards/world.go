package guards

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// maxNames bounds the names of one folder that are looked at for a pattern.
const maxNames = 4096

// World is this machine as a call in a folder would find it, with an environment of
// KEY=VALUE. Of files it reads only regular ones, bounded, and never waits for them.
func World(dir string, environ []string) facts.World {
	w := facts.World{
		Dir: dir, Env: make(map[string]string, len(environ)),
		Lstat: func(name string) (fs.FileInfo, error) { return os.Lstat(name) },
		Readlink: func(name string) (string, error) {
			to, err := os.Readlink(name)
			return filepath.ToSlash(to), err
		},
		ReadDir:  func(name string) ([]string, error) { return disk.Names(name, maxNames) },
		ReadFile: func(name string, n int) ([]byte, error) { return disk.Read(name, int64(n)) },
	}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			w.Env[name] = value
		}
	}
	if w.Home = w.Env["HOME"]; w.Home == "" {
		w.Home, _ = os.UserHomeDir()
	}
	w.Project = project(cmp.Or(w.Env["HOOKWAY_PROJECT_DIR"], w.Env["CLAUDE_PROJECT_DIR"], dir))
	w.Worktrees = func() []string { return worktrees(w.Project) }
	return w
}

// Analyser finds what a tool call would do on this machine: in the folder of its
// event, with the environment of its context. scratch gives more places that may be
// emptied; nil gives none. An event that is fired again is of the day when it was kept.
func Analyser(environ func(context.Context) []string, scratch func() []string) hook.Analyser {
	return func(ctx context.Context, ev hook.AnyEvent) []hook.Fact {
		var places []string
		if scratch != nil {
			places = scratch()
		}
		if past := pastOf(ctx); past != nil {
			return past.Facts(ev, places)
		}
		w := World(ev.Head().CWD, environ(ctx))
		w.Scratch = places
		return keeperOf(ctx).Analyse(ev, w)
	}
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
