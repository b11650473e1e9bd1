package index_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
)

// TestALogThatIsReplacedWhileItIsRead: the page after one of another log is refused, with
// an index and without; of a log that goes on, it begins where the one before ended.
func TestALogThatIsReplacedWhileItIsRead(t *testing.T) {
	remove := func(t *testing.T, files []audit.File) {
		for _, f := range files {
			if err := os.Remove(f.Path); err != nil {
				t.Fatal(err)
			}
		}
	}
	anew := func(t *testing.T, dir string, files []audit.File) {
		remove(t, files)
		if err := os.Remove(filepath.Join(dir, "head")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string, files []audit.File)
		other  bool
	}{
		{"it grows", func(t *testing.T, dir string, _ []audit.File) { grow(t, dir, 300, 200, 24<<10) }, false},
		{"its oldest file is removed", func(t *testing.T, _ string, files []audit.File) { remove(t, files[:1]) }, false},
		{"removed", anew, true},
		{"begun anew", func(t *testing.T, dir string, files []audit.File) {
			anew(t, dir, files)
			grow(t, dir, 5000, 300, 24<<10)
		}, true},
		{"a later file cut", func(t *testing.T, _ string, files []audit.File) {
			for _, f := range files[1:] {
				edit(t, f.Path, func(text []byte) []byte { return text[:100] })
			}
		}, true},
	} {
		for _, oldest := range []bool{false, true} {
			for _, indexed := range []bool{false, true} {
				t.Run(c.name, func(t *testing.T) {
					dir := newLog(t, 300, 24<<10)
					x := open(t, dir)
					if indexed {
						whole(t, x)
					} else if err := os.Mkdir(filepath.Join(dir, index.FileName), 0o700); err != nil {
						t.Fatal(err)
					}
					q := index.Query{Limit: 150, Oldest: oldest}
					before, err := x.Page(t.Context(), q)
					if err != nil || len(before.Records) != q.Limit || before.Next == "" {
						t.Fatalf("%d records, then %q; %v", len(before.Records), before.Next, err)
					}
					files, err := audit.Files(dir)
					if err != nil || len(files) < 4 {
						t.Fatalf("got %v, %v, want err == nil and len(files) >= 4", files, err)
					}
					c.change(t, dir, files)
					q.After = before.Next
					page, err := x.Page(t.Context(), q)
					if c.other {
						if !errors.Is(err, index.ErrOther) {
							t.Errorf("%+v, %v; want that it is another log", page, err)
						}
						return
					}
					step := int64(-1)
					if oldest {
						step = 1
					}
					if err != nil || page.Records[0].Seq != before.Records[q.Limit-1].Seq+step {
						t.Errorf("after record %d comes %+v, %v", before.Records[q.Limit-1].Seq, page, err)
					}
				})
			}
		}
	}
}
