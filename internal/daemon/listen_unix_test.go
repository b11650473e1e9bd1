//go:build unix

package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// A daemon that was killed may have lost its socket and not yet its lock.
func TestALockThatIsAboutToGoIsWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := call.MakeDir(dir); err != nil {
		t.Fatal(err)
	}
	lock, err := call.TryLock(filepath.Join(dir, "daemon.lock"))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { lock.Close() })
	l, err := listen(call.Places{Dir: dir, Socket: filepath.Join(dir, "s"), Lock: filepath.Join(dir, "start.lock")})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
