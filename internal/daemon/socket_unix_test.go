//go:build unix

package daemon

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/wire/call"
)

func TestOnlyTheUserCanReachTheSocket(t *testing.T) {
	d := start(t, Config{})
	for path, want := range map[string]os.FileMode{d.Dir: 0o700 | os.ModeDir, d.Socket: 0o600 | os.ModeSocket} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestWhatIsNotTheUsersIsNotUsed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, at call.Places)
		want    string
		root    bool // only root can prepare it
	}{
		{"an open folder", func(t *testing.T, at call.Places) { mkdir(t, at.Dir, 0o777) }, "open to others", false},
		{"a link in place of the folder", func(t *testing.T, at call.Places) {
			mkdir(t, at.Dir+"-else", 0o700)
			if err := os.Symlink(at.Dir+"-else", at.Dir); err != nil {
				t.Fatal(err)
			}
		}, "not a folder", false},
		{"another user's folder", func(t *testing.T, at call.Places) {
			mkdir(t, at.Dir, 0o700)
			give(t, at.Dir)
		}, "another user", true},
		{"another user's socket", func(t *testing.T, at call.Places) {
			mkdir(t, at.Dir, 0o700)
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at.Socket})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			l.Close()
			give(t, at.Socket)
		}, "another user", true},
		{"a file in place of the socket", func(t *testing.T, at call.Places) {
			mkdir(t, at.Dir, 0o700)
			write(t, at.Socket, "precious")
		}, "not a socket", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.root && os.Getuid() != 0 {
				t.Skip("only root can give a file away")
			}
			at := placesIn(folder(t))
			tt.prepare(t, at)
			err := Serve(t.Context(), Config{Places: at, Ready: func() { t.Error("it listens") }})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it gives %v", err)
			}
		})
	}
}

func mkdir(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
}

// give gives a file to somebody else.
func give(t *testing.T, path string) {
	t.Helper()
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
}
