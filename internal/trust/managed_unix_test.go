//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestManagedFilesAreRoots(t *testing.T) {
	check := func(path string) string {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckManaged(path, info); err != nil {
			return err.Error()
		}
		return ""
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	file, linked := filepath.Join(dir, "hookway.yaml"), filepath.Join(dir, "other")
	must(os.WriteFile(file, nil, 0o644))
	must(os.Mkdir(linked, 0o755))
	if os.Geteuid() != 0 {
		if got := check(file); !strings.Contains(got, "belongs to user") {
			t.Errorf("a user's file: %q", got)
		}
		return
	}
	if info, err := os.Stat("/"); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Skip("/ is not root's here")
	}
	if got := check(file); got != "" && strings.Contains(got, dir) {
		t.Errorf("root's file: %q", got)
	} else if got != "" {
		t.Skip("a folder above is not root's: " + got)
	}
	must(os.Chmod(file, 0o664))
	if got := check(file); !strings.Contains(got, "others than root can write "+file+" (mode 0664); run chmod go-w") {
		t.Errorf("a file of mode 0664: %q", got)
	}
	must(os.Chmod(file, 0o644))
	must(os.Chmod(dir, 0o777))
	if got := check(file); !strings.Contains(got, "others than root can write "+dir) {
		t.Errorf("a folder of mode 0777: %q", got)
	}
	must(os.Chmod(dir, 0o755))
	must(os.Chown(file, 1234, -1))
	if got := check(file); !strings.Contains(got, "belongs to user 1234, and not to root") {
		t.Errorf("a file of another: %q", got)
	}
	must(os.Chown(file, 0, -1))
	must(os.WriteFile(filepath.Join(linked, "real.yaml"), nil, 0o644))
	link := filepath.Join(dir, "link.yaml")
	must(os.Symlink("other/real.yaml", link))
	if got := check(link); got != "" {
		t.Errorf("a link to root's file: %q", got)
	}
	must(os.Chown(linked, 1234, -1))
	if got := check(link); !strings.Contains(got, linked+" belongs to user 1234") {
		t.Errorf("a link into another's folder: %q", got)
	}
}
