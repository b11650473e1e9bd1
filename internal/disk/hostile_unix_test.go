//go:build unix

package disk

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// hostile makes a file of each kind that must not be read.
func hostile(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"a device": "/dev/zero", "a link to a device": link(t, "/dev/zero", filepath.Join(dir, "zero"))}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	all["a pipe"], all["a link to a pipe"] = pipe, link(t, pipe, filepath.Join(dir, "to-pipe"))
	if short, err := os.MkdirTemp("", "s"); err == nil { // the names of sockets are short
		t.Cleanup(func() { os.RemoveAll(short) })
		if l, err := net.Listen("unix", filepath.Join(short, "s")); err == nil {
			t.Cleanup(func() { l.Close() })
			all["a socket"] = filepath.Join(short, "s")
		}
	}
	all["a folder"] = link(t, "/", filepath.Join(dir, "root"))
	if _, err := os.Stat("/proc/self/maps"); runtime.GOOS == "linux" && err == nil {
		all["a file of the kernel"] = "/proc/self/maps"
		all["a link to one"] = link(t, "/proc/self/maps", filepath.Join(dir, "maps"))
	}
	return all
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	for kind, path := range hostile(t) {
		before := Count()
		if _, err := Read(path, 1<<20); !errors.Is(err, ErrNotRegular) {
			t.Errorf("got %s, %s: %v, want errors.Is(err, ErrNotRegular)", kind, path, err)
		}
		if _, err := Root(filepath.Dir(path)).Read(path, 1<<20); !errors.Is(err, ErrNotRegular) && !errors.Is(err, ErrOutside) {
			t.Errorf("%s, %s, in its folder: %v", kind, path, err)
		}
		if kind != "a folder" {
			if _, err := Names(path, 10); !errors.Is(err, ErrNotFolder) {
				t.Errorf("the names in %s, %s: %v", kind, path, err)
			}
		}
		if n := Count() - before; n != 0 {
			t.Errorf("%s: %d bytes were read", kind, n)
		}
	}
}

// What becomes a pipe between the look and the opening is refused after it.
func TestWhatIsSwappedIsRefused(t *testing.T) {
	dir := t.TempDir()
	before, err := Stat(write(t, filepath.Join(dir, "a"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(pipe, before); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := open(write(t, filepath.Join(dir, "b"), "2"), before); !errors.Is(err, ErrChanged) {
		t.Errorf("another file: %v", err)
	}
}

func TestFoldersOfTheKernelAreNotListed(t *testing.T) {
	if _, err := os.Stat("/proc/self/maps"); runtime.GOOS != "linux" || err != nil {
		t.Skip("no /proc here")
	}
	if names, err := Names("/proc", 1<<20); !errors.Is(err, ErrNotFolder) {
		t.Errorf("%d names, %v", len(names), err)
	}
}
