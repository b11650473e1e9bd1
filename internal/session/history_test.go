package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/terminal"
)

func kept(t *testing.T, h *history, lines int) string {
	t.Helper()
	text, size, err := h.read(lines)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	got, err := io.ReadAll(text)
	if err != nil || int64(len(got)) != size {
		t.Fatalf("%d bytes of %d, %v", len(got), size, err)
	}
	return string(got)
}

func testHistory(t *testing.T, dir, id string) *history {
	t.Helper()
	h := newHistory(dir, id, func(err error) { t.Error(err) })
	t.Cleanup(h.close)
	return h
}

func TestHistoryKeepsFinishedLines(t *testing.T) {
	dir := t.TempDir()
	h := testHistory(t, dir, "s")
	if got := kept(t, h, 0); got != "" {
		t.Errorf("before the first line there is %q", got)
	}
	h.add([]terminal.Line{{Text: "one"}, {Text: "typed", Echo: true}, {Text: "half", Partial: true}, {Text: ""}, {Text: "half a line", Seen: 4}})
	for lines, want := range map[int]string{0: "one\n\nhalf a line\n", 1: "half a line\n", 2: "\nhalf a line\n", 3: "one\n\nhalf a line\n", 9: "one\n\nhalf a line\n"} {
		if got := kept(t, h, lines); got != want {
			t.Errorf("%d lines: %q, want %q", lines, got, want)
		}
	}
	h.close()
	again := testHistory(t, dir, "s") // a session that goes on
	again.add([]terminal.Line{{Text: "two"}})
	if got := kept(t, again, 2); got != "half a line\ntwo\n" {
		t.Errorf("afterwards %q", got)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	h := testHistory(t, t.TempDir(), "s")
	line := strings.Repeat("x", 1000)
	const lines = 40_000
	for i := range lines {
		h.add([]terminal.Line{{Text: fmt.Sprint(i, " ", line)}})
		if i%500 == 0 {
			h.drain()
		}
	}
	got := kept(t, h, 0)
	if len(got) > 2*historyHalf || len(got) < historyHalf {
		t.Errorf("%d bytes are kept", len(got))
	}
	all := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	first, last := 0, 0
	if _, err := fmt.Sscan(all[0], &first); err != nil {
		t.Fatalf("the first line is cut: %.50q", all[0])
	}
	if _, err := fmt.Sscan(all[len(all)-1], &last); err != nil || last != lines-1 || last-first+1 != len(all) {
		t.Errorf("lines %d to %d are %d, %v", first, last, len(all), err)
	}
	tail := kept(t, h, 12_000) // more than the newer file has
	if n := strings.Count(tail, "\n"); n != 12_000 || !strings.HasSuffix(got, tail) {
		t.Errorf("12,000 lines are %d", n)
	}
}

func TestHistorySaysWhatItLost(t *testing.T) {
	h := testHistory(t, t.TempDir(), "s")
	h.disk.Lock() // a disk that hangs
	for range 3 {
		h.add([]terminal.Line{{Text: strings.Repeat("x", historyPending/2)}})
	}
	h.add([]terminal.Line{{Text: "end"}})
	h.disk.Unlock()
	if got := kept(t, h, 1); !strings.Contains(got, "lines came too fast") {
		t.Errorf("it says %q", got)
	}
}

func TestHistoryOfADiskThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	warned := make(chan error, 10)
	h := newHistory(dir, "s", func(err error) { warned <- err })
	defer h.close()
	for range 3 {
		h.add([]terminal.Line{{Text: "x"}})
		h.drain()
	}
	if _, _, err := h.read(0); err == nil {
		t.Error("nothing was read without an error")
	}
	if len(warned) != 1 {
		t.Errorf("it was reported %d times", len(warned))
	}
}

func TestOldHistoryGoes(t *testing.T) {
	dir := t.TempDir()
	past := time.Now().Add(-8 * 24 * time.Hour)
	for _, name := range []string{"old.out", "old.out.old", "note.txt", "new.out"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "new.out" {
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	newHistory(dir, "s", func(err error) { t.Error(err) }).close()
	left, err := filepath.Glob(dir + "/*")
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestHistoryFilesStayInTheirFolder(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []string{"a", "A", "../../etc/passwd", "..", "", "a/b", strings.Repeat("x", 300), "a\x00", ".hidden"} {
		path := HistoryFile("/d", id)
		if filepath.Dir(path) != "/d" || strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%q is kept in %s", id, path)
		} else if len(filepath.Base(path)) > 120 || seen[path] {
			t.Errorf("%q is kept in %s", id, path)
		}
		seen[path] = true
	}
}
