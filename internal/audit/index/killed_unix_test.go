//go:build unix

package index_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/fulldisk"
)

// buildForEver is a process that builds the index of a log again and again, until it is
// killed.
func buildForEver(dir string) {
	for {
		x := index.Open(dir, nil)
		for behind := int64(1); behind > 0; {
			page, err := x.Page(context.Background(), index.Query{})
			if err != nil {
				panic(err)
			}
			behind = page.Behind
		}
		if err := x.Close(); err != nil {
			panic(err)
		}
		if err := index.Remove(context.Background(), dir); err != nil {
			panic(err)
		}
	}
}

// TestAKilledBuilderLeavesAnIndexThatIsRight: whenever the process is killed, the next one
// answers as the log does.
func TestAKilledBuilderLeavesAnIndexThatIsRight(t *testing.T) {
	dir := newLog(t, 1300, 96<<10)
	for round := range 6 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "INDEX_TEST_BUILD="+dir)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		eventually.True(t, "the index's file", func() bool {
			info, err := os.Stat(filepath.Join(dir, index.FileName+"-wal"))
			return err == nil && info.Size() > int64(round)*4000
		})
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // killed
		x := whole(t, open(t, dir))
		if problems := sameAsLog(t, x, dir); len(problems) > 0 {
			t.Errorf("it tells %q", problems)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fillTheDisk is a process on a full disk that asks.
func fillTheDisk(dir string) string {
	room, err := fulldisk.Begin(16 << 10)
	if err != nil {
		return "no full disk: " + err.Error()
	}
	defer func() { _ = room() }()
	x := index.Open(dir, nil)
	defer x.Close()
	for began := time.Now(); time.Since(began) < time.Minute; {
		page, err := x.Page(context.Background(), index.Query{Filter: audit.Filter{Session: "s-1"}, Limit: 500})
		if err != nil {
			return err.Error()
		}
		if len(page.Records) == 0 {
			return "no records"
		}
		if text := strings.Join(page.Problems, "\n"); strings.Contains(text, "answers come from the log itself") {
			return text
		}
	}
	return "the full disk is not told"
}

// TestAFullDiskIsSaid, and answers come from the log.
func TestAFullDiskIsSaid(t *testing.T) {
	dir := newLog(t, 1300, 96<<10)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "INDEX_TEST_FULL="+dir)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "the disk is full") {
		t.Errorf("%v\n%s", err, out)
	}
	if problems := sameAsLog(t, whole(t, open(t, dir)), dir); len(problems) > 0 {
		t.Errorf("with room again it tells %q", problems)
	}
}
