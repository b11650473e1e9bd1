package index_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
)

// sameAsLog holds a few queries against the log, and gives the problems that were told.
func sameAsLog(t *testing.T, x *index.Index, dir string) (problems []string) {
	t.Helper()
	all, err := recorded(dir)
	if damage := (*audit.Damage)(nil); err != nil && !errors.As(err, &damage) {
		t.Fatal(err)
	}
	for _, q := range []index.Query{{}, {Text: "köln"}, {Rule: "git/force-push"}, {Filter: audit.Filter{Session: "s-1", Action: "block"}, Oldest: true}} {
		var got []int64
		for more := true; more; more = q.After != "" {
			page, err := x.Page(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Records {
				got = append(got, r.Seq)
			}
			problems, q.After = append(problems, page.Problems...), page.Next
		}
		if err != nil { // the log is damaged: some are missing
			continue
		}
		q.After = ""
		if want := wanted(t, all, q); !equal(got, want) {
			t.Errorf("%+v gives %d records, the log has %d", q, len(got), len(want))
		}
	}
	return problems
}

func equal(a, b []int64) bool {
	return len(a) == len(b) && (len(a) == 0 || bytes.Equal(asText(a), asText(b)))
}

func asText(list []int64) (text []byte) {
	for _, n := range list {
		text = append(text, byte(n), byte(n>>8), byte(n>>16))
	}
	return text
}

// TestASpoiltIndexIsBuiltAnew: whatever is in the index's file, the answers are the log's.
func TestASpoiltIndexIsBuiltAnew(t *testing.T) {
	in := func(t *testing.T, path, statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.Exec(statement)
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"no database":     func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("no database ", 1000))) },
		"empty":           func(t *testing.T, path string) { write(t, path, nil) },
		"another form":    func(t *testing.T, path string) { in(t, path, "UPDATE form SET version = 'of tomorrow'") },
		"a later hookway": func(t *testing.T, path string) { in(t, path, "PRAGMA user_version(17)") },
		"no table":        func(t *testing.T, path string) { in(t, path, "DROP TABLE said") },
		"rows changed":    func(t *testing.T, path string) { in(t, path, "UPDATE records SET body = zeroblob(100)") },
		"rows gone":       func(t *testing.T, path string) { in(t, path, "DELETE FROM records") },
		"steps changed":   func(t *testing.T, path string) { in(t, path, "UPDATE steps SET body = x'00'") },
		"heads changed":   func(t *testing.T, path string) { in(t, path, "UPDATE blocks SET head = x'0102'") },
		"signatures":      func(t *testing.T, path string) { in(t, path, "UPDATE said SET body = x'ffffffffffffff'") },
		"a gap":           func(t *testing.T, path string) { in(t, path, "DELETE FROM blocks WHERE id = 1") },
		"cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, 20<<10); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newLog(t, 300, 24<<10)
			x := whole(t, open(t, dir))
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(dir, index.FileName))
			x = open(t, dir)
			sameAsLog(t, x, dir)
			whole(t, x)
			sameAsLog(t, x, dir)
			private(t, dir)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if problems := sameAsLog(t, open(t, dir), dir); len(problems) > 0 {
				t.Errorf("it still says %q", problems)
			}
		})
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// private sees that nobody else may read the index.
func private(t *testing.T, dir string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, index.FileName+"*"))
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got %v %v, want err == nil and info.Mode().Perm() & 0o077 == 0", name, info.Mode(), err)
		}
	}
	if len(names) == 0 {
		t.Error("there is no index")
	}
}

// TestALogThatIsNotWhatItWas: files are removed for their age, a log begins anew, and
// somebody changes a record, puts lines into a file or cuts it.
func TestALogThatIsNotWhatItWas(t *testing.T) {
	for _, c := range []struct {
		name, tells string
		change      func(t *testing.T, dir string, files []audit.File)
	}{
		{"old files removed", "", func(t *testing.T, _ string, files []audit.File) {
			for _, f := range files[:2] {
				if err := os.Remove(f.Path); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"begun anew", "", func(t *testing.T, dir string, files []audit.File) {
			for _, f := range files {
				if err := os.Remove(f.Path); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Remove(filepath.Join(dir, "head")); err != nil {
				t.Fatal(err)
			}
			grow(t, dir, 5000, 300, 96<<10)
		}},
		{"a record changed", "was changed after it was written", func(t *testing.T, _ string, files []audit.File) {
			edit(t, files[1].Path, func(text []byte) []byte {
				return bytes.Replace(text, []byte(`"lane":"guard"`), []byte(`"lane":"gaurd"`), 1)
			})
		}},
		{"a record removed", "does not follow the one before it", func(t *testing.T, _ string, files []audit.File) {
			edit(t, files[1].Path, func(text []byte) []byte {
				lines := bytes.SplitAfter(text, []byte("\n"))
				return bytes.Join(append(lines[:3:3], lines[4:]...), nil)
			})
		}},
		{"a line put in", "is not a record", func(t *testing.T, _ string, files []audit.File) {
			edit(t, files[1].Path, func(text []byte) []byte { return append([]byte("what is this\n"), text...) })
		}},
		{"a line break at the end missing", "", func(t *testing.T, _ string, files []audit.File) {
			edit(t, files[1].Path, func(text []byte) []byte { return text[:len(text)-1] })
		}},
		{"half a line at the end", "", func(t *testing.T, dir string, files []audit.File) {
			edit(t, files[len(files)-1].Path, func(text []byte) []byte { return append(text, `{"seq":99,"tim`...) })
			grow(t, dir, 6000, 50, 96<<10)
		}},
		{"the last file cut", "", func(t *testing.T, _ string, files []audit.File) {
			edit(t, files[len(files)-1].Path, func(text []byte) []byte {
				return text[:bytes.LastIndexByte(text[:len(text)/2], '\n')+1]
			})
		}},
	} {
		for _, again := range []bool{false, true} {
			name := c.name
			if again {
				name += ", opened again"
			}
			t.Run(name, func(t *testing.T) {
				dir := newLog(t, 300, 24<<10)
				x := whole(t, open(t, dir))
				if again {
					if err := x.Close(); err != nil {
						t.Fatal(err)
					}
				}
				files, err := audit.Files(dir)
				if err != nil || len(files) < 4 {
					t.Fatalf("got %v, %v, want err == nil and len(files) >= 4", files, err)
				}
				c.change(t, dir, files)
				if again {
					x = open(t, dir)
				}
				sameAsLog(t, x, dir)
				whole(t, x)
				problems := strings.Join(sameAsLog(t, x, dir), "\n")
				if !strings.Contains(problems, c.tells) {
					t.Errorf("it tells %q, want %q", problems, c.tells)
				}
				if again && c.tells == "" && problems != "" {
					t.Errorf("it tells %q, and nothing is wrong", problems)
				}
			})
		}
	}
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, change(text))
}

// TestTwoProcessesShareAnIndex: both follow, and one writes what the other has, too.
func TestTwoProcessesShareAnIndex(t *testing.T) {
	dir := newLog(t, 300, 24<<10)
	one, other := open(t, dir), open(t, dir)
	var all sync.WaitGroup
	for _, x := range []*index.Index{one, other} {
		all.Go(func() {
			for range 5 {
				if _, err := x.Page(t.Context(), index.Query{Text: "köln"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	grow(t, dir, 3000, 900, 96<<10)
	all.Wait()
	for _, x := range []*index.Index{one, other} {
		if problems := sameAsLog(t, whole(t, x), dir); len(problems) > 0 {
			t.Errorf("it tells %q", problems)
		}
	}
}

// TestWithoutAnIndex: where the file cannot be made, the log itself is read, and that is
// said.
func TestWithoutAnIndex(t *testing.T) {
	dir := newLog(t, 300, 24<<10)
	if err := os.MkdirAll(filepath.Join(dir, index.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	x := open(t, dir)
	problems := sameAsLog(t, x, dir)
	if len(problems) == 0 || !strings.Contains(problems[0], "answers come from the log itself") {
		t.Errorf("it tells %q", problems)
	}
	one, err := x.One(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if got := [3]int64{one.Older, one.Record.Seq, one.Newer}; got != [3]int64{6, 7, 8} {
		t.Errorf("around record 7 are %v", got)
	}
	if stats, err := x.Stats(t.Context(), index.StatsQuery{}); err != nil || len(stats.Hooks) == 0 {
		t.Errorf("got %+v %v, want err == nil and len(stats.Hooks) != 0", stats, err)
	}
}
