package daemon

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// keepUntil lets a server look what is due, and says whether and when it ends.
func keepUntil(s *server, atMost time.Duration) (after time.Duration, ended bool) {
	began := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keep()
	}()
	select {
	case <-done:
		return time.Since(began), true
	case <-time.After(atMost):
		s.stop("the test is over")
		<-done
		return 0, false
	}
}

func TestIdleDaemonEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{Idle: 30 * time.Minute})
		defer s.cancel(nil)
		if after, ended := keepUntil(s, time.Hour); !ended || after < 30*time.Minute || after > 31*time.Minute {
			t.Errorf("ended %v after %v", ended, after)
		}
	})
}

func TestBusyDaemonStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{Idle: 30 * time.Minute})
		defer s.cancel(nil)
		s.activity.begin()
		time.AfterFunc(3*time.Hour, s.activity.end)
		if after, ended := keepUntil(s, 10*time.Hour); !ended || after < 3*time.Hour+30*time.Minute {
			t.Errorf("ended %v after %v", ended, after)
		}
	})
}

func TestDaemonWithoutALimitStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{})
		defer s.cancel(nil)
		if after, ended := keepUntil(s, 1000*time.Hour); ended {
			t.Errorf("ended after %v", after)
		}
	})
}

func TestDaemonMakesRoomForANewProgram(t *testing.T) {
	for _, how := range []struct {
		name   string
		change func(t *testing.T, path string)
		ends   bool
	}{
		{"the same", func(*testing.T, string) {}, false},
		{"another", func(t *testing.T, path string) {
			write(t, path+".new", "second")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"gone", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(how.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "program")
				write(t, path, "first")
				s := newServer(Config{Executable: path})
				defer s.cancel(nil)
				s.activity.begin()
				how.change(t, path)
				time.AfterFunc(time.Hour, s.activity.end)
				after, ended := keepUntil(s, 2*time.Hour)
				if ended != how.ends {
					t.Errorf("got an end %v, want %v", ended, how.ends)
				}
				if ended && (after < time.Hour || after > time.Hour+time.Minute) {
					t.Errorf("ended after %v, want 1h to 1h1m", after)
				}
			})
		})
	}
}

func TestAProgramThatIsBeingWrittenIsNotYetAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	write(t, path, "first")
	p := newProgram(path)
	for _, text := range []string{"s", "se", "sec"} {
		write(t, path, text)
		if p.look(); p.replaced() {
			t.Errorf("replaced by %q", text)
		}
	}
	if p.look(); !p.replaced() {
		t.Error("not replaced")
	}
	var none *program
	none.look()
	if none.replaced() {
		t.Error("no program is replaced")
	}
}

func TestAShortIdleTimeOnARealSocket(t *testing.T) {
	d := start(t, Config{Idle: 20 * time.Millisecond})
	d.await(t)
	if _, err := os.Lstat(d.Socket); err == nil {
		t.Error("the socket is left behind")
	}
	if _, err := Dial(t.Context(), d.Socket); !errors.Is(err, ErrNone) {
		t.Errorf("dial gives %v", err)
	}
}

func TestADaemonThatCannotBeCalledEnds(t *testing.T) {
	d := start(t, Config{Idle: 4 * time.Hour})
	if err := os.Remove(d.Socket); err != nil {
		t.Fatal(err)
	}
	d.await(t)
	if !d.logged("its socket is gone") {
		t.Error("it does not say why it ended")
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// play starts this test binary as a daemon, on demand.
func play(t *testing.T, at call.Places) (*Client, error) {
	t.Helper()
	environ := append(os.Environ(), playServe+"="+filepath.Dir(at.Dir), "GORACE=atexit_sleep_ms=0")
	return Start(t.Context(), at, os.Args[0], environ)
}

// kill kills a process that this one started, and waits for its end.
func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err == nil {
		err = awaitExit(t.Context(), pid)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAKilledDaemonStopsNoOther(t *testing.T) {
	at := placesIn(folder(t))
	last := 0
	for range 3 {
		c, err := play(t, at)
		if err != nil {
			t.Fatal(err)
		}
		st, err := c.Status(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if st.PID == last || st.PID == os.Getpid() {
			t.Errorf("process %d serves, after %d", st.PID, last)
		}
		last = st.PID
		kill(t, last) // its socket and its lock file stay
		if _, err := Dial(t.Context(), at.Socket); !errors.Is(err, ErrNone) {
			t.Errorf("dial gives %v", err)
		}
		c.Close()
	}
	d := start(t, Config{Places: at})
	if got := ask(t, dial(t, d.Places), "on"); got != "on" {
		t.Errorf("it says %q", got)
	}
}

func TestManyStartOneDaemon(t *testing.T) {
	at := placesIn(folder(t))
	const many = 16
	pids := make(chan int, many)
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			c, err := play(t, at)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			st, err := c.Status(t.Context(), "")
			if err != nil {
				t.Error(err)
			}
			pids <- st.PID
		})
	}
	all.Wait()
	close(pids)
	first := <-pids
	for pid := range pids {
		if pid != first {
			t.Errorf("%d and %d both serve", first, pid)
		}
	}
	c := dial(t, at)
	if st, err := c.Stop(t.Context(), ""); err != nil || st.PID != first || alive(first) {
		t.Errorf("stop: %v; process %d of %d, alive: %v", err, st.PID, first, alive(first))
	}
}

func TestADaemonThatDoesNotComeIsAnError(t *testing.T) {
	at := placesIn(folder(t))
	_, err := Start(t.Context(), at, filepath.Join(at.Dir, "none"), nil)
	if err == nil || !strings.Contains(err.Error(), "can be started") {
		t.Errorf("a missing program gives %v", err)
	}
	if quits, err := exec.LookPath("true"); err == nil {
		at := placesIn(folder(t))
		if _, err := Start(t.Context(), at, quits, nil); !errors.Is(err, call.ErrNotUp) {
			t.Errorf("a program that serves nothing gives %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	lock, err := call.TryLock(at.Lock) // another process is starting one, for ever
	if err != nil || lock == nil {
		t.Fatalf("got %v, want err == nil and lock != nil", err)
	}
	defer lock.Close()
	if _, err := Start(ctx, at, "unused", nil); !errors.Is(err, call.ErrSlowStart) {
		t.Errorf("a start that does not end gives %v", err)
	}
}

func TestBasics(t *testing.T) {
	got := Basics([]string{
		"PATH=/bin", "HOME=/home/alice", "LC_ALL=C", "XDG_RUNTIME_DIR=/run/user/1", "HOOKWAY_HOME=/h", "HOOKWAY_IDLE=1m",
		"HOOKWAY_TRUST=1", "HOOKWAY_SESSION=s-1", "HOOKWAY_DEPTH=2", "HOOKWAY_READY_FD=3", "API_KEY=secret", "LD_PRELOAD=x", "PATHOLOGY=1",
	})
	want := []string{"PATH=/bin", "HOME=/home/alice", "LC_ALL=C", "XDG_RUNTIME_DIR=/run/user/1", "HOOKWAY_HOME=/h", "HOOKWAY_IDLE=1m"}
	if !slices.Equal(got, want) {
		t.Errorf("kept %q", got)
	}
}

func TestLogIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	l, err := OpenLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.limit = 1000
	for range 60 {
		l.Line("a line with two\nin it")
	}
	l.Line("the last line")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	l.Line("after the end") // is lost
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("got %v, %v, want err == nil and len(entries) == 2", entries, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Size() > l.limit {
			t.Errorf("%s has %d bytes, %v", e.Name(), info.Size(), err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "daemon.log")); err != nil || !strings.HasSuffix(string(text), " the last line\n") {
		t.Errorf("the log ends with %q, %v", text[max(0, len(text)-40):], err)
	}
}
