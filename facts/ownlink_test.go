package facts

import (
	"io/fs"
	"slices"
	"testing"
)

// ownWorld is a disk whose links of a process lead, as they do for hookway, elsewhere
// than for the process that makes the call.
func ownWorld() World {
	links := map[string]string{
		"/proc/self": "7", "/proc/thread-self": "7/task/7", "/proc/7/cwd": "/srv/hookway", "/proc/7/root": "/", "/dev/fd": "/proc/self/fd",
		"/proc/7/fd/0": "/dev/null", "/proc/7/fd/9": "/srv/hookway/log", "/proc/7/task/7/cwd": "/srv/hookway", "/proc/42/cwd": "/p/keys",
		"/p/here": "/proc/self/cwd", "/p/thread": "/proc/thread-self/cwd/keys", "/p/top": "/proc/self/root", "/p/self": "/proc/self", "/p/loop": "/proc/self/cwd/loop",
	}
	return World{
		Dir: "/p", Home: "/home/u", Project: "/p",
		Readlink: func(name string) (string, error) {
			if to, ok := links[name]; ok {
				return to, nil
			}
			return "", fs.ErrNotExist
		},
		ReadDir: func(dir string) ([]string, error) {
			if dir == "/p/keys" {
				return []string{"a", "b"}, nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

// TestLinksOfTheProcessAreThoseOfTheCall: a file behind /proc/self is the one that the
// agent's process would open, and none that hookway's own would.
func TestLinksOfTheProcessAreThoseOfTheCall(t *testing.T) {
	for _, c := range []struct{ line, read string }{
		{"cat /proc/self/cwd/keys/a", "/p/keys/a"},
		{"cat //proc//self/./cwd/keys/a", "/p/keys/a"},
		{"cat /proc/thread-self/cwd/keys/a", "/p/keys/a"},
		{"cat /proc/self/task/7/cwd/keys/a", "/p/keys/a"},
		{"cat /dev/fd/../cwd/keys/a", "/p/keys/a"},
		{"cat /proc/self/../self/cwd/keys/a", "/p/keys/a"},
		{"cat /proc/thread-self/../../cwd/keys/a", "/p/keys/a"},
		{"cat /proc/self/cwd/x/../keys/a", "/p/keys/a"},
		{"cat < /proc/self/cwd/keys/a", "/p/keys/a"},
		{"cd keys && cat /proc/self/cwd/a", "/p/keys/a"},
		{"(cd keys; cat /proc/self/cwd/a)", "/p/keys/a"},
		{"cd keys && cat ../here/a", "/p/keys/a"},
		{"cd /proc/self/cwd/keys && cat a", "/p/keys/a"},
		{"cat /proc/self/cwd/keys/*", "/p/keys/*"},
		{"cat here/keys/a", "/p/keys/a"},
		{"cat thread/a", "/p/keys/a"},
		{"cat self/cwd/keys/a", "/p/keys/a"},
		{"cat top/p/keys/a", "/p/keys/a"},
		{"cat /proc/self/root/p/keys/a", "/p/keys/a"},
		{"cat /proc/42/cwd/a", "/p/keys/a"},
		{"ln -s /proc/self/cwd q; cat q/keys/a", "/p/keys/a"},
		{"cat loop/a", "/p/loop/a"},
		{"cat /proc/self/fd/9/a", "unknown"},
		{"cat /proc/self/fd/9", "unknown"},
		{"cat /dev/fd/9/../keys/a", "unknown"},
		{"cat /proc/1/root/p/keys/a", "unknown"},
		{"cat /proc/43/cwd/../keys/a", "unknown"},
		{"cat /proc/43/fd/5", "unknown"},
		{"cd /proc/43/cwd && cat a", "unknown"},
		{"cat /proc/43/status", ""},
		{"cat /dev/stdin /dev/fd/0 /proc/self/fd/0", ""},
		{"diff <(ls) <(cat keys/a)", "/p/keys/a"},
		{"cat x > >(tee log) 2> >(cat)", ""},
		{"diff /dev/fd/63 /dev/fd/62", ""},
		{"cat /proc/self/status /proc/cpuinfo", ""},
	} {
		var read []string
		unknown := false
		for _, f := range Shell(c.line, ownWorld()) {
			unknown = unknown || f.Does == "unknown"
			for _, name := range []string{f.Path, f.Real} {
				if f.Does == "read" && name != "" {
					read = append(read, name)
				}
			}
		}
		switch {
		case c.read == "unknown" && !unknown, c.read != "unknown" && unknown, c.read != "unknown" && c.read != "" && !slices.Contains(read, c.read):
			t.Errorf("%s: got %q, unknown %t; want %q", c.line, read, unknown, c.read)
		}
	}
}
