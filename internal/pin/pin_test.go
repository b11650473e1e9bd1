package pin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/pin"
)

// cheap is for tests that do not care what a guess costs.
var cheap = pin.Cost{Passes: 1, Memory: 64, Threads: 1}

type clock struct{ now atomic.Int64 }

func (c *clock) Now() time.Time       { return time.UnixMicro(c.now.Load()) }
func (c *clock) pass(d time.Duration) { c.now.Add(d.Microseconds()) }
func newClock() (c *clock)            { c = &clock{}; c.now.Store(1e15); return c }
func (c *clock) options() pin.Options { return pin.Options{Cost: cheap, Now: c.Now} }
func (c *clock) open(t *testing.T, dir string) *pin.Store {
	t.Helper()
	s, err := pin.Open(t.Context(), dir, c.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAPINIsCheckedAndReplaced(t *testing.T) {
	dir := t.TempDir()
	if pin.Exists(dir) {
		t.Error("a folder without a file has a PIN")
	}
	s := newClock().open(t, dir)
	if set, err := s.IsSet(t.Context()); set || err != nil {
		t.Errorf("%v %v, want none", set, err)
	}
	if err := s.Check(t.Context(), "271828"); !errors.Is(err, pin.ErrNone) {
		t.Errorf("%v, want ErrNone", err)
	}
	for _, one := range []string{"271828", "grün-⌘-Tür", strings.Repeat("ab", 64)} {
		if err := errors.Join(s.Set(t.Context(), one), s.Check(t.Context(), one)); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
	var wrong *pin.WrongError
	if err := s.Check(t.Context(), "271828"); !errors.As(err, &wrong) || wrong.Left != pin.FreeTries-1 {
		t.Errorf("the PIN of before: %v", err)
	}
	if set, err := s.IsSet(t.Context()); !set || err != nil {
		t.Errorf("%v %v, want that it is set", set, err)
	}
}

func TestWeakPINsAreRefused(t *testing.T) {
	s := newClock().open(t, t.TempDir())
	for text, why := range map[string]string{
		"": "has 0 characters; take at least 6", "12345": "has 5 characters", strings.Repeat("ab", 65): "has 130 characters; take at most 128",
		"000000": "a row like", "123456": "a row like", "987654": "a row like", "abcdefgh": "a row like", "12\x1b456": "can be seen", "\xff271828": "can be seen",
	} {
		if err := s.Set(t.Context(), text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
}

func TestTheFileIsItsUsersAndHasNoPINInIt(t *testing.T) {
	dir := t.TempDir()
	s := newClock().open(t, dir)
	if err := s.Set(t.Context(), "271828"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v, want err == nil and len(files) != 0", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: others may %v", file, info.Mode())
		}
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "271828") {
			t.Errorf("%s holds the PIN: %v", file, err)
		}
	}
}

// After five wrong tries each has to wait, twice as long each time, in whatever process
// and after whatever restart; the right one begins anew.
func TestWrongTriesHaveToWait(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	stores := []*pin.Store{c.open(t, dir), c.open(t, dir)}
	if err := stores[0].Set(t.Context(), "271828"); err != nil {
		t.Fatal(err)
	}
	check := func(text string) error {
		stores[0], stores[1] = stores[1], stores[0]
		return stores[0].Check(t.Context(), text)
	}
	for left := pin.FreeTries - 1; left > 0; left-- {
		var wrong *pin.WrongError
		if err := check("314159"); !errors.As(err, &wrong) || wrong.Left != left || wrong.Wait != 0 {
			t.Fatalf("%v, want %d tries left", err, left)
		}
	}
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
		var wrong *pin.WrongError
		if err := check("314159"); !errors.As(err, &wrong) || wrong.Wait != want {
			t.Fatalf("%v, want a wait of %v", err, want)
		}
		var wait *pin.WaitError
		if err := check("271828"); !errors.As(err, &wait) || wait.Wait != want {
			t.Fatalf("the right one meanwhile: %v, want a wait of %v", err, want)
		}
		c.pass(want)
	}
	if err := check("271828"); err != nil {
		t.Fatal(err)
	}
	var wrong *pin.WrongError
	if err := check("314159"); !errors.As(err, &wrong) || wrong.Left != pin.FreeTries-1 {
		t.Errorf("after the right one: %v", err)
	}
}

func TestAClockThatIsSetBackShutsNobodyOut(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := c.open(t, dir)
	if err := s.Set(t.Context(), "271828"); err != nil {
		t.Fatal(err)
	}
	for range pin.FreeTries {
		if err := s.Check(t.Context(), "314159"); err == nil {
			t.Fatal("a wrong one passes")
		}
	}
	c.pass(-1000 * time.Hour)
	var wait *pin.WaitError
	if err := s.Check(t.Context(), "271828"); !errors.As(err, &wait) || wait.Wait > time.Hour {
		t.Errorf("%v, want a wait of an hour at most", err)
	}
	c.pass(wait.Wait)
	if err := s.Check(t.Context(), "271828"); err != nil {
		t.Errorf("after that wait: %v", err)
	}
}

// Of many that try at once, no more are looked at than may be.
func TestTriesAtOnceAreCounted(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	if err := c.open(t, dir).Set(t.Context(), "271828"); err != nil {
		t.Fatal(err)
	}
	var looked atomic.Int32
	var all sync.WaitGroup
	for range 4 { // as processes do, each with a file of its own
		s := c.open(t, dir)
		all.Go(func() {
			for range 5 {
				var wrong *pin.WrongError
				var wait *pin.WaitError
				switch err := s.Check(context.Background(), "314159"); {
				case errors.As(err, &wrong):
					looked.Add(1)
				case !errors.As(err, &wait):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := looked.Load(); n != pin.FreeTries {
		t.Errorf("%d tries were looked at, want %d", n, pin.FreeTries)
	}
}

func TestTheUsualCost(t *testing.T) {
	dir := t.TempDir()
	s, err := pin.Open(t.Context(), dir, pin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := errors.Join(s.Set(t.Context(), "271828"), s.Check(t.Context(), "271828")); err != nil {
		t.Error(err)
	}
}
