package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
)

func TestRecordsComeBackInOrderAsTheyWereWritten(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 50)
	records, damages := read(t, dir, Filter{})
	if len(records) != 50 || len(damages) != 0 {
		t.Fatalf("%d records, damages %v", len(records), damages)
	}
	for i, r := range records {
		want := sample(i)
		switch {
		case r.Seq != int64(i+1):
			t.Errorf("record %d came back as %+v", i, r)
		case r.EventID != want.EventID:
			t.Errorf("%v: %v: r.EventID: got %v, want %v", i, r, r.EventID, want.EventID)
		case r.What != want.What:
			t.Errorf("%v: %v: r.What: got %v, want %v", i, r, r.What, want.What)
		case r.Steps[0] != want.Steps[0]:
			t.Errorf("%v: %v: r.Steps[0]: got %v, want %v", i, r, r.Steps[0], want.Steps[0])
		case r.Time.IsZero():
			t.Errorf("record %d came back as %+v", i, r)
		}
		if i > 0 && r.Prev != records[i-1].Hash {
			t.Errorf("record %d does not follow the one before it", r.Seq)
		}
	}
	report := sound(t, dir)
	switch {
	case report.Records != 50:
		t.Errorf("report.Records: got %v, want %v", report.Records, 50)
	case report.First != 1:
		t.Errorf("report.First: got %v, want %v", report.First, 1)
	case report.Last != 50:
		t.Errorf("report.Last: got %v, want %v", report.Last, 50)
	case report.Hash != records[49].Hash:
		t.Errorf("report.Hash: got %v, want %v", report.Hash, records[49].Hash)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes: the folder's access list decides")
	}
	dir := filepath.Join(t.TempDir(), "state", "audit")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fill(t, Config{Dir: dir}, 1)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestManyAppendersAndProcessesMakeOneChain(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for p := range 3 { // flock is held by open files, so that three logs are as three processes
		l := open(t, Config{Dir: dir, MaxSize: 16 << 10})
		for a := range 4 {
			wait.Go(func() {
				for i := range 25 {
					r := sample(i)
					r.EventID = fmt.Sprintf("%d/%d/%d", p, a, i)
					if err := l.Append(context.Background(), r); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wait.Wait()
	if report := sound(t, dir); report.Records != 300 || report.Files < 5 {
		t.Errorf("report %+v", report)
	}
	seen, last := map[string]bool{}, map[string]int{}
	records, _ := read(t, dir, Filter{})
	for _, r := range records {
		seen[r.EventID] = true
		who, n, _ := cutLast(r.EventID)
		if before, ok := last[who]; ok && n != before+1 {
			t.Errorf("appender %s: %d stands after %d", who, n, before)
		}
		last[who] = n
	}
	if len(seen) != 300 {
		t.Errorf("%d different records, want 300", len(seen))
	}
}

func cutLast(id string) (who string, n int, err error) {
	at := strings.LastIndexByte(id, '/')
	_, err = fmt.Sscan(id[at+1:], &n)
	return id[:at], n, err
}

func TestALogGoesOnWhereItWasClosed(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		fill(t, Config{Dir: dir}, 5)
	}
	if report := sound(t, dir); report.Records != 15 || report.Files != 1 {
		t.Errorf("report %+v", report)
	}
}

func TestAppendAfterCloseSaysSo(t *testing.T) {
	l := open(t, Config{Dir: t.TempDir()})
	add(t, l, sample(0))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(context.Background(), sample(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// held takes the lock of a log as another process would that hangs.
func held(t *testing.T, dir string) (release func()) {
	t.Helper()
	other := lock{dir: dir}
	if err := other.acquire(); err != nil {
		t.Fatal(err)
	}
	return other.close
}

func TestAHangingWriterHoldsNobodyLongerThanTheContext(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	release := held(t, dir)
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, maxQueue+maxBatch+1)
	for i := range cap(done) { // more than the queue and the writer's hands hold
		go func() { done <- l.Append(ctx, sample(i)) }()
	}
	cancel()
	for range cap(done) {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
}

func TestAHangingWriterHoldsNobodyLongerThanItsPatience(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(Config{Dir: dir, Patience: 20 * time.Millisecond, lockPatience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	release := held(t, dir)
	if err := l.Append(context.Background(), sample(0)); err == nil || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("Append: %v", err)
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("Close: %v", err)
	}
	release()
	<-l.ended
	if report := sound(t, dir); report.Records != 1 { // it was on its way
		t.Errorf("report %+v", report)
	}
}

// TestAfterAFullDiskTheNextRecordSaysHowManyWereLost writes to a folder in
// which no file can be made: a folder stands where the file should be.
func TestAfterAFullDiskTheNextRecordSaysHowManyWereLost(t *testing.T) {
	dir := t.TempDir()
	obstacle := filepath.Join(dir, fileName(1))
	if err := os.Mkdir(obstacle, 0o700); err != nil {
		t.Fatal(err)
	}
	l := open(t, Config{Dir: dir})
	for range 3 {
		if err := l.Append(context.Background(), sample(0)); err == nil {
			t.Fatal("a record was written where none can be")
		}
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	add(t, l, sample(1))
	add(t, l, sample(2))
	records, _ := read(t, dir, Filter{})
	if len(records) != 2 || records[0].Lost != 3 || records[1].Lost != 0 {
		t.Errorf("got %+v", records)
	}
	sound(t, dir)
}

func TestAPartlyWrittenBatchIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 2)
	s := newStore(Config{Dir: dir}.complete())
	release, err := s.enter(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.file.Close()
	s.file, err = os.OpenFile(s.path, os.O_RDONLY, 0) // a write to it fails
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, s.path)
	if err := s.write([]byte("{}\n"), position{3, "x"}, time.Now()); err == nil {
		t.Fatal("the write did not fail")
	}
	release()
	if string(contents(t, s.path)) != string(before) || s.known {
		t.Error("the file changed, or its end is taken for known")
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	fill(t, Config{Dir: dir}, 1)
	sound(t, dir)
}

func TestFilesRotateBySizeAndTheChainGoesOn(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir, MaxSize: 4 << 10}, 40)
	paths := files(t, dir)
	if len(paths) < 4 {
		t.Fatalf("%d files", len(paths))
	}
	for _, path := range paths {
		if first, err := readFirst(path); err != nil || filepath.Base(path) != fileName(first.Seq) {
			t.Errorf("%s begins with record %d, %v", path, first.Seq, err)
		}
	}
	if report := sound(t, dir); report.Records != 40 || report.Files != len(paths) {
		t.Errorf("report %+v", report)
	}
	if records, _ := read(t, dir, Filter{}); len(records) != 40 {
		t.Errorf("%d records", len(records))
	}
}

func TestFilesRotateByAge(t *testing.T) {
	dir := t.TempDir()
	s := newStore(Config{Dir: dir}.complete())
	fill(t, Config{Dir: dir}, 1)
	for i, later := range []time.Duration{6 * 24 * time.Hour, 8 * 24 * time.Hour} {
		release, err := s.enter(time.Now().Add(later))
		if err != nil {
			t.Fatal(err)
		}
		release()
		if got := len(files(t, dir)); got != i+1 {
			t.Errorf("after %v: %d files, want %d", later, got, i+1)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
}

func TestOldFilesAreRemovedAndTheRestVerifies(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir, MaxSize: 4 << 10, KeepSize: 16 << 10}, 200)
	paths := files(t, dir)
	total := 0
	for _, path := range paths {
		total += len(contents(t, path))
	}
	if len(paths) < 2 || total > 24<<10 {
		t.Errorf("%d files with %d bytes are left", len(paths), total)
	}
	report := sound(t, dir)
	if report.First == 1 || report.Last != 200 {
		t.Errorf("report %+v", report)
	}
	fill(t, Config{Dir: dir}, 5)
	sound(t, dir)
}

func TestFilesNotWrittenForLongAreRemoved(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir, MaxSize: 4 << 10}, 40)
	paths := files(t, dir)
	long := time.Now().Add(-100 * 24 * time.Hour)
	for _, path := range paths[:2] {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	fill(t, Config{Dir: dir, MaxSize: 4 << 10}, 20) // rotates once
	for _, path := range paths[:2] {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", path)
		}
	}
	sound(t, dir)
}

func TestALogThatIsRemovedWhileItIsWrittenBeginsAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := open(t, Config{Dir: dir})
	add(t, l, sample(0))
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove files that are open")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	add(t, l, sample(1))
	records, _ := read(t, dir, Filter{})
	if len(records) != 1 || records[0].Seq != 1 || len(records[0].Warnings) != 1 {
		t.Errorf("got %+v", records)
	}
	sound(t, dir)
}

func TestWhatIsWrittenIsForcedToTheDiskWithinASecond(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	add(t, l, sample(0))
	eventually.True(t, "the head learns of the record", func() bool { // it follows the disk
		head, err := readHead(dir)
		return err == nil && head.Seq == 1
	})
	add(t, l, sample(1))
	sound(t, dir)
}

func TestARecordThatCannotBeReadCostsItsDetailsOnly(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	r := sample(0)
	r.ToolInput = map[string]any{"a": make(chan int), "b": func() {}, "c": explosive{}, "nan": nan(), "deep": deep(100), "reader": io.Discard}
	add(t, l, r)
	records, _ := read(t, dir, Filter{})
	if len(records) != 1 || records[0].Event != "PreToolUse" || len(records[0].ToolInput) != 6 {
		t.Errorf("got %+v", records)
	}
	sound(t, dir)
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("boom") }

func nan() float64 { zero := 0.0; return zero / zero }

func deep(n int) any {
	var v any = "bottom"
	for range n {
		v = []any{v}
	}
	return v
}
