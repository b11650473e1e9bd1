package disk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestReplaceIsWholeAtEachMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	texts := [][]byte{bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<10)}
	if err := Replace(path, texts[0], 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i, write := range []func(string, []byte, fs.FileMode) error{Replace, ReplaceUnsynced} {
		writers.Go(func() {
			for range 50 {
				if err := write(path, texts[i], 0o600); err != nil && runtime.GOOS != "windows" { // there a reader may be in the way
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) {
			t.Fatalf("read %d bytes, want %d or %d of one kind", len(got), len(texts[0]), len(texts[1]))
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("it left %v behind", left)
	}
}

func TestReplaceSetsTheModeAndNamesThePath(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if err := Replace(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want 0644", info.Mode(), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"gone/state": fs.ErrNotExist, "folder": nil} {
		at := filepath.Join(dir, name)
		err := Replace(at, nil, 0o600)
		var named *fs.PathError
		switch {
		case !errors.As(err, &named):
			t.Errorf("%s: got %v, want an error with that path", name, err)
		case named.Path != at:
			t.Errorf("%v: named.Path: got %v, want %v", name, named.Path, at)
		case want != nil && !errors.Is(err, want):
			t.Errorf("%s: got %v, want an error with that path", name, err)
		}
	}
}
