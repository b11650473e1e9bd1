package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOneHasTheLockUntilItIsGivenBackOrTheFileClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	try := func(f *os.File, want bool) {
		t.Helper()
		if got, err := TryLock(f); err != nil || got != want {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	first, second := open(), open()
	try(first, true)
	try(second, false)
	Unlock(first)
	try(second, true)
	try(first, false)
	second.Close()
	try(first, true)
}

func TestAClosedFileIsAnError(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := TryLock(f); err == nil {
		t.Error("a closed file was locked")
	}
}
