package claudehooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/trust"
)

// TestOnlyTheOldestTextGivesRoom: those of sessions that live stay.
func TestOnlyTheOldestTextGivesRoom(t *testing.T) {
	l := Texts{filepath.Join(t.TempDir(), "later")}
	for i := range maxLaterFiles {
		if err := l.Add(fmt.Sprint(i), ForNextEvent, "hello"); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(l.Path(fmt.Sprint(i), ForNextEvent), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, session := range []string{"7", "new"} { // the first has a file already
		if err := l.Add(session, ForNextEvent, "more"); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]string{"0": "", "1": "hello", "7": "hello\n\nmore", "255": "hello", "new": "more"} {
		if got := l.take(session, ForNextEvent); got != want {
			t.Errorf("%s: %q, want %q", session, got, want)
		}
	}
}

// TestNoTextIsLostBetweenTwo: the lock of the files is one that another process has, too.
func TestNoTextIsLostBetweenTwo(t *testing.T) {
	l := Texts{filepath.Join(t.TempDir(), "later")}
	if err := l.Add("s", ForNextEvent, "first"); err != nil {
		t.Fatal(err)
	}
	unlock, err := trust.LockFile(l.Dir + ".lock") // as another process would
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.Path("s", ForNextEvent), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var taken string
	var wait sync.WaitGroup
	wait.Go(func() { taken = l.take("s", ForNextEvent) })
	if _, err := f.WriteString("second\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	unlock()
	wait.Wait()
	if all := taken + l.take("s", ForNextEvent); !strings.Contains(all, "second") {
		t.Errorf("what was added is lost: %q", all)
	}
}
