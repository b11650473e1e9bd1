package spool

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/webhook"
)

// TestProcessesSendEachMessageOnce: one that carries, and others that have messages for it, share
// a file.
func TestProcessesSendEachMessageOnce(t *testing.T) {
	w, there := newWorld(t), &server{}
	daemon := w.spool()
	stop := w.carry(daemon, target("ci", there))
	const processes, each = 4, 100
	var all sync.WaitGroup
	for p := range processes {
		all.Go(func() {
			s := w.spool()
			r := s.Receiver(Webhook{place, "ci"}, Policy{}, there)
			for i := range each {
				w.tell(r, fmt.Sprintf("%d-%d", p, i))
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for deadline := time.Now().Add(time.Minute); w.status(daemon, "ci").Waiting > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	ids := there.received()
	slices.Sort(ids)
	if n := len(slices.Compact(slices.Clone(ids))); n != processes*each || len(ids) != n {
		t.Errorf("%d messages came, %d of them for the first time; want %d\n%s", len(ids), n, processes*each, w.log())
	}
}

// kill leaves a spool as a process does that is killed while it sends: what it had
// taken stays taken, and its locks are given back.
func (w *world) kill(s *Spool) {
	w.Helper()
	file, err := sqlite.Open(context.Background(), s.path(), form)
	w.must(err)
	defer file.Close()
	s.mu.Lock()
	owner := s.owner
	if s.carries {
		owner = carrier
	}
	s.mu.Unlock()
	w.must(file.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE message SET owner = ?, until = ?", owner, micros(time.Now().Add(startTime+shortTime+settleTime)))
		return err
	}))
}

func TestWhatAKilledProcessHadTakenIsSentByAnother(t *testing.T) {
	for _, carried := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, there := newWorld(t), &server{answer: down}
			s := w.spool()
			stop := func() { w.must(s.Close()) }
			if carried {
				stop = w.carry(s, target("ci", there))
			}
			r := s.Receiver(Webhook{place, "ci"}, Policy{}, there)
			w.tell(r, "1", "2", "3")
			time.Sleep(3 * time.Second)
			w.must(r.Close())
			stop()
			w.kill(s)
			there.answers(nil)
			before := len(there.received())
			began := time.Now()
			next := w.spool()
			stop = w.carry(next, target("ci", there))
			time.Sleep(time.Minute)
			stop()
			ids := there.received()[before:]
			slices.Sort(ids)
			if strings.Join(ids, " ") != "1 2 3" {
				t.Errorf("carried %v: then came %v", carried, ids)
			}
			lease := startTime + shortTime + settleTime
			from, to := lease, lease+lookEvery
			if carried {
				from, to = 0, 0
			}
			if after := there.at(before).Sub(began); after < from || after > to {
				t.Errorf("carried %v: they came after %v, want %v to %v", carried, after, from, to)
			}
		})
	}
}

// TestATellerTriesOnce: a process that does not carry tries its own messages at once,
// does not wait, and leaves the rest alone.
func TestATellerTriesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, away := newWorld(t), &server{answer: down}
		for i := range 3 {
			s, began := w.spool(), time.Now()
			r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
			w.tell(r, fmt.Sprint(i))
			w.must(r.Close())
			w.must(s.Close())
			if took := time.Since(began); took > 100*time.Millisecond {
				t.Errorf("process %d took %v", i, took)
			}
		}
		if ids := away.received(); strings.Join(ids, " ") != "0" { // who comes next knows that it is down
			t.Errorf("tried: %v", ids)
		}
		away.answers(nil)
		time.Sleep(time.Minute)
		s := w.spool()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
		w.tell(r, "mine")
		w.must(r.Close())
		w.must(s.Close())
		if ids := away.received(); strings.Join(ids, " ") != "0 mine" {
			t.Errorf("tried: %v", ids)
		}
	})
}

func TestAServerThatHangsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		release := make(chan struct{})
		hangs := &server{answer: func(int, webhook.Message) error {
			<-release
			return webhook.ErrClosed // as a handler says that is closed
		}}
		s, began := w.spool(), time.Now()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, closing{hangs, release})
		w.tell(r, "1")
		w.must(r.Close())
		w.must(s.Close())
		if took := time.Since(began); took < firstTime || took > firstTime+100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		there := &server{}
		next := w.spool()
		stop := w.carry(next, target("ci", there))
		synctest.Wait()
		stop()
		if ids := there.received(); strings.Join(ids, " ") != "1" {
			t.Errorf("the next process sends %v at once", ids)
		}
	})
}

// closing is a server whose requests end when it is closed.
type closing struct {
	*server
	closed chan struct{}
}

func (c closing) Close() error { close(c.closed); return nil }

func TestTheNewestIsRefusedWhenTooMuchWaits(t *testing.T) {
	w, away := newWorld(t), &server{answer: down}
	s := w.spool()
	r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
	for i := range s.most + 100 {
		w.tell(r, fmt.Sprint(i))
	}
	w.tell(r, "7") // which it has: that is not a second one
	other := s.Receiver(Webhook{place, "other"}, Policy{}, away)
	w.tell(other, "1")
	w.must(r.Close())
	w.must(other.Close())
	if st := w.status(s, "ci"); st.Waiting != s.most || st.Refused != 100 {
		t.Errorf("got %+v, want st.Waiting == s.most and st.Refused == 100", st)
	}
	if st := w.status(s, "other"); st.Waiting != 1 || st.Refused != 0 {
		t.Errorf("the other: %+v", st)
	}
	w.must(s.Close())
	if n := strings.Count(w.log(), "too much waits for it"); n != 1 {
		t.Errorf("%d lines about it:\n%s", n, w.log())
	}
}

func TestTheBytesAreBounded(t *testing.T) {
	w, away := newWorld(t), &server{answer: down}
	s := w.spool()
	r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
	large := strings.Repeat("x", 140<<10)
	for i := range 8 {
		w.tell(r, fmt.Sprint(i)+large)
	}
	w.must(r.Close())
	if st := w.status(s, "ci"); st.Waiting != 7 || st.Refused != 1 {
		t.Errorf("got %+v, want st.Waiting == 7 and st.Refused == 1", st)
	}
	w.must(s.Close())
}

func TestADamagedFileIsSetAside(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"no database": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("damaged ", 1000)), 0o600) },
		"pages of zeros": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt(make([]byte, 60_000), 4096)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, there := newWorld(t), &server{answer: down}
			s := w.spool()
			r := s.Receiver(Webhook{place, "ci"}, Policy{}, there)
			w.tell(r, "old")
			w.must(r.Close())
			w.must(s.Close())
			w.must(spoil(s.path()))
			there.answers(nil)
			s = w.spool()
			r = s.Receiver(Webhook{place, "ci"}, Policy{}, there)
			w.tell(r, "new")
			w.must(r.Close())
			w.must(s.Close())
			if ids := there.received(); ids[len(ids)-1] != "new" {
				t.Errorf("received %v", ids)
			}
			if aside, _ := filepath.Glob(s.path() + ".broken-*"); len(aside) != 1 {
				t.Errorf("set aside: %v", aside)
			}
			if n := strings.Count(w.log(), "messages for webhooks that were not sent yet are lost: "); n != 1 || !strings.Contains(w.log(), "is damaged") {
				t.Errorf("logged:\n%s", w.log())
			}
		})
	}
}

// TestWithoutADiskItIsToldFromMemory: the folder cannot be made.
func TestWithoutADiskItIsToldFromMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		there := &server{answer: func(n int, _ webhook.Message) error {
			if n <= 5 {
				return fmt.Errorf("connection refused")
			}
			return nil
		}}
		w.dir = filepath.Join(w.dir, "file", "gateway")
		w.must(os.WriteFile(filepath.Dir(w.dir), nil, 0o600))
		s := w.spool()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, there)
		w.tell(r, "1")
		time.Sleep(unkeptTime)
		if n := len(there.received()); n != 6 {
			t.Errorf("%d tries", n)
		}
		there.answers(down)
		w.tell(r, "2")
		time.Sleep(time.Second)
		began := time.Now()
		w.must(r.Close())
		if took := time.Since(began); took > unkeptLeast+time.Second {
			t.Errorf("its end took %v", took)
		}
		w.must(s.Close())
		if n := strings.Count(w.log(), "messages for webhooks cannot be written to the disk"); n != 1 || !strings.Contains(w.log(), "webhook ci: MessageSent was not delivered: connection refused") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}
