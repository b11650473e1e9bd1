package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, to, at string) string {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	return at
}

func TestReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a"), "hello")
	if got, err := Read(path, 5); err != nil || string(got) != "hello" {
		t.Fatalf(`got %q, %v, want err == nil and string(got) == "hello"`, got, err)
	}
	before := Count()
	if _, err := Read(path, 4); !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), "make it smaller") {
		t.Errorf("of a file that is too big: %v", err)
	}
	large := write(t, filepath.Join(dir, "large"), "")
	if err := os.Truncate(large, 3<<30); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	if _, err := Read(large, 1<<20); !errors.Is(err, ErrTooBig) {
		t.Errorf("of 3 GiB: %v", err)
	}
	if n := Count() - before; n != 0 {
		t.Errorf("%d bytes were read of files that are too big", n)
	}
	if _, err := Read(dir, 10); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "a folder") {
		t.Errorf("of a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestRootKeepsLinksInside(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, filepath.Join(root, "a"), "inside")
	secret := write(t, filepath.Join(dir, "secret"), "outside")
	link(t, "a", filepath.Join(root, "near"))
	link(t, secret, filepath.Join(root, "far"))
	link(t, "..", filepath.Join(root, "up"))
	for _, path := range []string{"a", "near", filepath.Join(root, "near")} {
		if got, err := Root(root).Read(path, 100); err != nil || string(got) != "inside" {
			t.Errorf(`%s: got %q, %v, want err == nil and string(got) == "inside"`, path, got, err)
		}
	}
	for _, path := range []string{"far", filepath.Join("up", "secret"), filepath.Join("..", "secret"), secret} {
		if got, err := Root(root).Read(path, 100); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: got %q, %v, want errors.Is(err, ErrOutside)", path, got, err)
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c", "a", "b"} {
		write(t, filepath.Join(dir, name), "")
	}
	if got, err := Names(dir, 3); err != nil || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf(`got %q, %v, want err == nil and slices.Equal(got, []string{"a", "b", "c"})`, got, err)
	}
	if got, err := Names(dir, 2); !errors.Is(err, ErrTooMany) || len(got) != 2 {
		t.Errorf("got %q, %v, want errors.Is(err, ErrTooMany) and len(got) == 2", got, err)
	}
	if _, err := Names(filepath.Join(dir, "a"), 2); !errors.Is(err, ErrNotFolder) {
		t.Errorf("got %v, want errors.Is(err, ErrNotFolder)", err)
	}
}

// visited lists what a walk finds, by paths from its root.
func visited(t *testing.T, root string, most Limits) ([]string, error) {
	t.Helper()
	var got []string
	err := Walk(context.Background(), root, most, func(e Entry) error {
		rel, err := filepath.Rel(root, e.Path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case e.Err != nil:
			rel += " broken"
		case e.Out:
			rel += " out"
		case e.Loop:
			rel += " loop"
		}
		got = append(got, rel)
		return nil
	})
	return got, err
}

var ample = Limits{Files: 100, Bytes: 1 << 20, Depth: 8, Time: time.Hour}

func TestWalkFollowsNoLinkOut(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, filepath.Join(root, "sub", "a"), "1")
	write(t, filepath.Join(dir, "far", "b"), "2")
	link(t, "/", filepath.Join(root, "disk"))
	link(t, filepath.Join("..", "far", "b"), filepath.Join(root, "far"))
	link(t, "..", filepath.Join(root, "sub", "again"))
	link(t, "nothing", filepath.Join(root, "torn"))
	link(t, filepath.Join("..", "far"), filepath.Join(root, "wide"))
	want := []string{"disk out", "far out", "sub", "sub/a", "sub/again loop", "torn broken", "wide out"}
	if got, err := visited(t, root, ample); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	most := ample
	most.Within = dir
	want = []string{"disk out", "far", "sub", "sub/a", "sub/again loop", "torn broken", "wide", "wide/b"}
	if got, err := visited(t, root, most); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := visited(t, filepath.Join(root, "disk"), most); !errors.Is(err, ErrOutside) {
		t.Errorf("a root that leads out: %v", err)
	}
	if _, err := visited(t, filepath.Join(root, "none"), most); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no root: %v", err)
	}
}

func TestWalkIsBounded(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "1", "2", "3", "a"), strings.Repeat("x", 100))
	write(t, filepath.Join(root, "b"), strings.Repeat("x", 100))
	for want, change := range map[error]func(*Limits){
		ErrTooMany: func(l *Limits) { l.Files = 4 },
		ErrTooBig:  func(l *Limits) { l.Bytes = 199 },
		ErrTooDeep: func(l *Limits) { l.Depth = 2 },
	} {
		most := ample
		change(&most)
		if got, err := visited(t, root, most); !errors.Is(err, want) {
			t.Errorf("want %v, got %v with %q", want, err, got)
		}
	}
	if got, err := visited(t, root, Limits{Files: 5, Bytes: 200, Depth: 3, Time: time.Hour}); err != nil || len(got) != 5 {
		t.Errorf("at the limits: %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Walk(ctx, root, ample, func(Entry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	most := ample
	most.Time = time.Nanosecond
	slow := func(Entry) error { time.Sleep(50 * time.Millisecond); return nil } // longer than a step of any clock
	if err := Walk(context.Background(), root, most, slow); !errors.Is(err, ErrTooMany) {
		t.Errorf("out of time: %v", err)
	}
}
