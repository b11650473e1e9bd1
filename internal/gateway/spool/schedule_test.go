package spool

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/webhook"
)

func TestThePausesGrow(t *testing.T) {
	for n, want := range []time.Duration{5 * time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 4 * time.Hour} {
		for range 20 {
			if got := pause(n, 0); got < want-want/5 || got > want {
				t.Errorf("after %d failures %v; want %v and up to a fifth less", n, got, want)
			}
		}
	}
	if got := pause(1, time.Hour); got != time.Hour {
		t.Errorf("a server that asks for an hour is left alone for %v", got)
	}
	if got := pause(1, 48*time.Hour); got != 4*time.Hour {
		t.Errorf("a server that asks for two days is left alone for %v", got)
	}
}

// carried is a webhook, and a daemon that carries its messages.
func carried(t *testing.T, there *server, how Policy) (w *world, s *Spool, r *Receiver, end func()) {
	w = newWorld(t)
	w.slow = true
	s = w.spool()
	to := target("ci", there)
	to.Policy = how
	stop := w.carry(s, to)
	synctest.Wait() // a daemon that starts tries at once what is there
	r = s.Receiver(to.Webhook, how, there)
	return w, s, r, func() {
		w.must(r.Close())
		stop()
	}
}

// TestAWebhookThatIsDownCostsOneProbe: whatever waits, one message is tried at each
// step, for three days.
func TestAWebhookThatIsDownCostsOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &server{answer: down}
		w, s, r, end := carried(t, away, Policy{})
		began := time.Now()
		var all []string
		for i := range 200 {
			all = append(all, fmt.Sprint(i))
		}
		w.tell(r, all...)
		time.Sleep(time.Minute)
		if n := len(away.received()); n > atOnce+2 {
			t.Errorf("%d tries in the first minute", n)
		}
		if st := w.status(s, "ci"); st.Waiting != 200 || st.Since.IsZero() || st.Error != "connection refused" {
			t.Errorf(`got %+v, want st.Waiting == 200 and !st.Since.IsZero() and st.Error == "connection refused"`, st)
		}
		time.Sleep(24*time.Hour - time.Minute)
		if n := len(away.received()); n < 10 || n > atOnce+15 {
			t.Errorf("%d tries in the first day", n)
		}
		time.Sleep(2*24*time.Hour + 5*time.Hour)
		if st := w.status(s, "ci"); st.Waiting != 0 || st.Dropped != 200 {
			t.Errorf("after three days: %+v", st)
		}
		tries := len(away.received())
		if last := away.at(tries - 1).Sub(began); tries > atOnce+30 || last < 2*24*time.Hour {
			t.Errorf("%d tries, the last after %v", tries, last)
		}
		time.Sleep(24 * time.Hour)
		if len(away.received()) != tries {
			t.Errorf("%d tries after the three days", len(away.received())-tries)
		}
		end()
		if lines := strings.Split(w.log(), "\n"); len(lines) > 3 || !strings.Contains(lines[0], "webhook ci: connection refused; its messages are kept") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}

func TestAllComesWhenItAnswersAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &server{answer: down}
		w, s, r, end := carried(t, away, Policy{})
		w.tell(r, "1", "2", "3")
		time.Sleep(10 * time.Hour)
		w.tell(r, "4")
		away.answers(nil)
		time.Sleep(5 * time.Hour) // one step, at most
		ids := away.received()
		last := ids[len(ids)-4:]
		slices.Sort(last)
		if got := strings.Join(last, " "); got != "1 2 3 4" {
			t.Errorf("at last came %s; all: %v", got, ids)
		}
		if st := w.status(s, "ci"); st != (Status{}) {
			t.Errorf("got %+v, want %+v", st, (Status{}))
		}
		end()
		if !strings.Contains(w.log(), "webhook ci answers again, after ") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}

// TestAMessageThatIsRefusedHoldsUpNoOther: it is tried by itself, further and further
// apart, as long as any other is.
func TestAMessageThatIsRefusedHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := &server{answer: func(_ int, m webhook.Message) error {
			if m.ID == "evt_bad" {
				return &webhook.StatusError{Status: 400}
			}
			return nil
		}}
		w, s, r, end := carried(t, there, Policy{})
		w.tell(r, "bad")
		bad := 0
		for i := range 4 * 24 {
			w.tell(r, fmt.Sprint(i))
			time.Sleep(time.Minute)
			ids := there.received()
			if !slices.Contains(ids, fmt.Sprint(i)) {
				t.Fatalf("message %d did not come within a minute: %v", i, ids)
			}
			time.Sleep(time.Hour - time.Minute)
			bad = 0
			for _, id := range ids {
				if id == "bad" {
					bad++
				}
			}
		}
		if bad < 10 || bad > 30 {
			t.Errorf("the bad one was tried %d times", bad)
		}
		if st := w.status(s, "ci"); st.Waiting != 0 || st.Dropped != 1 {
			t.Errorf("got %+v, want st.Waiting == 0 and st.Dropped == 1", st)
		}
		end()
	})
}

func TestTriesAreBoundedAsTheConfigurationSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &server{answer: says(503)}
		w, s, r, end := carried(t, away, Policy{Tries: 3})
		w.tell(r, "1")
		time.Sleep(24 * time.Hour)
		if st := w.status(s, "ci"); len(away.received()) != 3 || st.Dropped != 1 || st.Waiting != 0 {
			t.Errorf("%d tries, %+v", len(away.received()), st)
		}
		end()
		if !strings.Contains(w.log(), "given up after 3 tries: MessageSent of ") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}

func TestAServerThatAsksForTimeGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		busy := &server{answer: func(n int, _ webhook.Message) error {
			if n == 1 {
				return &webhook.StatusError{Status: 429, RetryAfter: 20 * time.Minute}
			}
			return nil
		}}
		s := w.spool()
		stop := w.carry(s, target("ci", busy))
		synctest.Wait() // a daemon that starts tries at once what is there
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, busy)
		w.tell(r, "1")
		time.Sleep(time.Hour)
		if ids := busy.received(); len(ids) != 2 {
			t.Fatalf("received %v", ids)
		}
		if waited := busy.at(1).Sub(busy.at(0)); waited < 20*time.Minute || waited > 21*time.Minute {
			t.Errorf("it was left alone for %v", waited)
		}
		w.must(r.Close())
		stop()
	})
}

func TestAServerThatIsGoneIsToldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &server{answer: down}
		w, s, r, end := carried(t, away, Policy{})
		w.tell(r, "1", "2", "3")
		time.Sleep(time.Second)
		away.answers(says(410))
		time.Sleep(time.Hour)
		if st := w.status(s, "ci"); st.Waiting != 0 || st.Dropped != 3 || len(away.received()) > atOnce+1 {
			t.Errorf("%d tries, %+v", len(away.received()), st)
		}
		end()
		if !strings.Contains(w.log(), "webhook ci answers 410 Gone, so 3 messages were dropped; take it out of the configuration") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}

func TestWhatNoConfigurationHasWaitsADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, away := newWorld(t), &server{answer: down}
		w.slow = true
		s := w.spool()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
		w.tell(r, "1", "2")
		w.must(r.Close())
		has := map[string]Target{}
		stop := w.carryAll(s, func() Loaded { return Loaded{Place: place, Targets: has} })
		time.Sleep(23 * time.Hour)
		if st := w.status(s, "ci"); st.Waiting != 2 {
			t.Fatalf("after 23 hours: %+v", st)
		}
		if s.Waiting() != 0 {
			t.Error("it keeps the daemon up")
		}
		time.Sleep(6 * time.Hour)
		if st := w.status(s, "ci"); st.Waiting != 0 {
			t.Errorf("after 29 hours: %+v", st)
		}
		stop()
		if !strings.Contains(w.log(), "webhook ci is in /config no more since a day, so 2 messages were dropped") {
			t.Errorf("logged:\n%s", w.log())
		}
	})
}

// TestAConfigurationThatIsBrokenLosesNothing: its webhooks may be there again.
func TestAConfigurationThatIsBrokenLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, away := newWorld(t), &server{answer: down}
		w.slow = true
		s := w.spool()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, away)
		w.tell(r, "1")
		w.must(r.Close())
		broken := time.Now()
		stop := w.carryAll(s, func() Loaded {
			if time.Since(broken) < 48*time.Hour {
				return Loaded{Place: place, Broken: true}
			}
			return Loaded{Place: place, Targets: map[string]Target{"ci": target("ci", away)}}
		})
		away.answers(nil)
		time.Sleep(52 * time.Hour)
		if ids := away.received(); len(ids) != 2 || ids[1] != "1" {
			t.Errorf("received %v", ids)
		}
		stop()
	})
}

func TestWhatIsMissingForARequestIsNoFailureOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		there := &server{answer: func(int, webhook.Message) error { return webhook.ErrUnset }}
		s := w.spool()
		stop := w.carry(s, target("ci", there))
		synctest.Wait() // a daemon that starts tries at once what is there
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, there)
		w.tell(r, "1")
		time.Sleep(time.Hour)
		if st := w.status(s, "ci"); st.Waiting != 1 || !st.Since.IsZero() || st.Error != webhook.ErrUnset.Error() {
			t.Errorf("got %+v, want st.Waiting == 1 and st.Since.IsZero() and st.Error == webhook.ErrUnset.Error()", st)
		}
		tries := len(there.received())
		if tries > 70 {
			t.Errorf("%d tries in an hour", tries)
		}
		there.answers(nil)
		w.tell(r, "2") // it may bring what was missing
		synctest.Wait()
		time.Sleep(time.Second)
		ids := there.received()[tries:]
		slices.Sort(ids)
		if strings.Join(ids, " ") != "1 2" {
			t.Errorf("received %v", ids)
		}
		w.must(r.Close())
		stop()
	})
}

// TestWhatAnEventLacksTheDaemonMayHave: a webhook whose variable is only in the
// environment of hookway serve gets at once what came from elsewhere.
func TestWhatAnEventLacksTheDaemonMayHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, there := newWorld(t), &server{}
		lacking := &server{answer: func(int, webhook.Message) error { return webhook.ErrUnset }}
		s := w.spool()
		stop := w.carry(s, target("ci", there))
		synctest.Wait()
		r := s.Receiver(Webhook{place, "ci"}, Policy{}, lacking)
		for n, id := range []string{"1", "2", "3"} {
			w.tell(r, id)
			time.Sleep(3 * time.Second)
			if ids := there.received(); len(ids) != n+1 || ids[n] != id {
				t.Fatalf("received %v", ids)
			}
		}
		if n := len(lacking.received()); n > 6 {
			t.Errorf("%d tries without what is missing", n)
		}
		if st := w.status(s, "ci"); st != (Status{}) {
			t.Errorf("got %+v, want %+v", st, (Status{}))
		}
		w.must(r.Close())
		stop()
	})
}
