//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/fulldisk"
	"github.com/hookway/hookway/internal/sqlite"
)

// Reading needs a little room, too: where not a byte is left, that is said as for a
// write. A process that may write only small files stands in for the disk.
func TestNoRoomToRead(t *testing.T) {
	if path := os.Getenv("HOOKWAY_TEST_FULL"); path != "" {
		readWithoutRoom(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "notes.db")
	f, err := sqlite.Open(t.Context(), path, notes)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(t.Context(), f, "one"), f.Close()); err != nil {
		t.Fatal(err)
	}
	reader := exec.Command(os.Args[0], "-test.run=^TestNoRoomToRead$", "-test.v")
	reader.Env = append(os.Environ(), "HOOKWAY_TEST_FULL="+path)
	if out, err := reader.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func readWithoutRoom(t *testing.T, path string) {
	if _, err := fulldisk.Begin(1 << 10); err != nil {
		t.Fatal(err)
	}
	f, err := sqlite.Open(t.Context(), path, notes)
	if err == nil {
		_ = f.Close()
	}
	if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), "notes cannot be opened") || !strings.Contains(err.Error(), "the disk is full, nothing was changed; make room and try again") {
		t.Errorf("%v", err)
	}
}
