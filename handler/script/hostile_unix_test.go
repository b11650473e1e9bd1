//go:build unix

package script

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/disk"
)

// A bundle is made of regular files, of a bounded size, wherever they stand.
func TestHostileFilesOfABundleAreRefused(t *testing.T) {
	kinds := map[string]func(path string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link to zero":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to the top": func(path string) error { return os.Symlink("/", path) },
		"a large file": func(path string) error {
			f, err := os.Create(path)
			if err == nil {
				err = f.Truncate(3 << 30)
				f.Close()
			}
			return err
		},
	}
	for _, place := range []string{"hook.ts", "lib.ts", "data.txt", "tsconfig.json", "base.json", "package.json", "node_modules/p/package.json", "node_modules/p/index.js"} {
		for kind, put := range kinds {
			dir := files(t, map[string]string{
				"hook.ts":       "import './lib';\nimport './data.txt';\nimport 'p';\nexport default () => ({});\n",
				"tsconfig.json": `{"extends": "./base.json"}`, "base.json": "{}", "lib.ts": "", "data.txt": "", "package.json": "{}",
				"node_modules/p/package.json": `{"main": "index.js"}`, "node_modules/p/index.js": "",
			})
			path := filepath.Join(dir, filepath.FromSlash(place))
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			before := disk.Count()
			_, err := Build(filepath.Join(dir, "hook.ts"), dir)
			if n := disk.Count() - before; n > 1<<20 {
				t.Errorf("%s as %s: %d bytes were read", place, kind, n)
			}
			missing := place == "base.json" && kind == "a link to the top" // a folder extends nothing
			if err == nil && !missing && !strings.HasSuffix(place, "package.json") {
				t.Errorf("%s as %s is taken", place, kind)
			}
			if err != nil && strings.HasSuffix(place, "package.json") {
				t.Errorf("%s as %s: %v", place, kind, err)
			}
		}
	}
}
