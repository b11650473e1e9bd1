//go:build linux || darwin

package session_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/session"
)

// ownHooks are an agent's own hooks that do what a test wants.
type ownHooks struct {
	fate   delivery.Fate // of every text
	ended  bool          // the agent has reported its end
	offers log[string]
	said   []string      // by the agent, as it wrote it
	fates  chan struct{} // gets a token for each text whose fate is known; nil: it is known at once

	still chan func() time.Duration // gets what Await is given; may be nil

	mu       sync.Mutex
	takes    bool // texts, beside that of the begin
	once     bool // it takes one, and no other
	activity delivery.Activity
}

func (o *ownHooks) Activity() delivery.Activity {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.activity
}

// reports has the agent tell of an event.
func (o *ownHooks) reports(change func(*delivery.Activity)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.activity.Events++
	o.activity.Last = time.Now()
	change(&o.activity)
}

func (o *ownHooks) Begin(text string) delivery.Offer {
	o.offers.add("begin " + text)
	if text == "" {
		return nil
	}
	return o
}

func (o *ownHooks) Offer(text string, _ delivery.Offer, _ time.Duration, first func() bool) delivery.Offer {
	o.mu.Lock()
	takes := o.takes
	o.mu.Unlock()
	if !takes || !first() {
		return nil
	}
	o.take(!o.once)
	o.offers.add(text)
	return o
}

func (o *ownHooks) At() time.Time { return time.Now() }

func (o *ownHooks) take(texts bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.takes = texts
}

func (o *ownHooks) Written() []string { return o.said }

func (o *ownHooks) End(ctx context.Context, fire func(context.Context)) {
	if !o.ended {
		fire(ctx)
	}
}

func (o *ownHooks) Await(ctx context.Context, still func() time.Duration) delivery.Fate {
	if o.still != nil {
		o.still <- still
	}
	if o.fates == nil {
		return o.fate
	}
	select {
	case <-o.fates:
		return o.fate
	case <-ctx.Done():
		return delivery.Returned
	}
}

// offered waits until so many texts were offered.
func (o *ownHooks) offered(t *testing.T, n int) []string {
	return o.offers.await(t, fmt.Sprint(n, " offers"), func(all []string) bool { return len(all) >= n })
}

func TestWhatTheBeginInjectsGoesToTheAgentsOwnHooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fate  delivery.Fate
		shown string
	}{
		"taken":       {delivery.Delivered, ""},
		"returned":    {delivery.Returned, "got: remember this\r\n"},
		"unconfirmed": {delivery.Unconfirmed, "got: remember this (may be a repeat)\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, own := newWrapped(t), &ownHooks{fate: test.fate}
			w.hook("SessionStart", injects("remember this"))
			in, keys := keyboard(t)
			w.agent("hello", session.Config{AgentHooks: own, Native: true, Stdin: in})
			if test.shown != "" {
				w.screen.await(t, test.shown)
			}
			write(t, keys, "bye\n")
			w.clean()
			if n := strings.Count(w.screen.String(), "got:"); n != strings.Count(test.shown, "got:") {
				t.Errorf("the program got something else: %q", w.screen.String())
			}
			if offers := own.offers.list(); len(offers) != 1 || offers[0] != "begin remember this" {
				t.Errorf("the agent was offered %q", offers)
			}
		})
	}
}

func TestTheEndThatTheAgentHasToldIsNotFired(t *testing.T) {
	t.Parallel()
	for _, reported := range []bool{false, true} {
		w := newWrapped(t)
		w.hook("SessionStart", nil)
		w.hook("SessionEnd", nil)
		var recorded log[string]
		w.run(session.Config{
			Command: sh("true"), AgentHooks: &ownHooks{ended: reported}, Native: true,
			Record: func(_ context.Context, ev hook.AnyEvent, _ hook.Outcome[any], _ time.Duration, _ error) {
				recorded.add(ev.Info().Name)
			},
		})
		w.clean()
		want := "SessionStart SessionEnd"
		if reported {
			want = "SessionStart"
		}
		if got := strings.Join(names(w.events.list()), " "); got != want {
			t.Errorf("reported %v: fired were %s", reported, got)
		}
		if got := strings.Join(recorded.list(), " "); got != want {
			t.Errorf("reported %v: on record are %s", reported, got)
		}
	}
}

// What the agent puts on record, with a hook or without, is there of this side too.
func TestBeginAndEndAreOnRecordWithoutAHook(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	var recorded log[string]
	w.run(session.Config{
		Command: sh("true"), AgentHooks: &ownHooks{}, Native: true,
		Record: func(_ context.Context, ev hook.AnyEvent, _ hook.Outcome[any], _ time.Duration, _ error) {
			recorded.add(ev.Info().Name)
		},
	})
	w.clean()
	if got := strings.Join(recorded.list(), " "); got != "SessionStart SessionEnd" {
		t.Errorf("on record are %s", got)
	}
}

// A text that waits for an event is held like any other, and not lost by that.
func TestATextThatWaitsForAnEventIsTakenBackWhenTextsAreHeld(t *testing.T) {
	t.Parallel()
	w, own := newWrapped(t), &ownHooks{fate: delivery.Delivered, fates: make(chan struct{}, 1), takes: true}
	in, keys := keyboard(t)
	reached := make(chan *session.Control, 1)
	w.agent("hello", session.Config{AgentHooks: own, Native: true, Stdin: in, Reach: func(c *session.Control) func() {
		reached <- c
		return func() {}
	}})
	c := <-reached
	p := c.Put("a text")
	own.offered(t, 2) // the first is the begin
	c.Hold(true)
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, why := p.State(); why == "held" {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("it waits because of %q", why)
		}
	}
	c.Hold(false)
	own.offered(t, 3)
	own.fates <- struct{}{}
	<-p.Done()
	if state, why := p.State(); state != "submitted" {
		t.Errorf("the text is %s, %s", state, why)
	}
	write(t, keys, "bye\n")
	w.clean()
	if strings.Contains(w.screen.String(), "a text") {
		t.Errorf("it was typed too: %q", w.screen.String())
	}
}

// A text that cannot be typed now goes to an agent that begins to work meanwhile.
func TestATextThatWaitsToBeTypedIsOfferedToAnAgentThatBeginsToWork(t *testing.T) {
	t.Parallel()
	w, own := newWrapped(t), &ownHooks{fate: delivery.Delivered}
	in, keys := keyboard(t)
	reached := make(chan *session.Control, 1)
	w.run(session.Config{
		Command: sh(`printf 'Do you want to go on? [y/n] '; read answer`), AgentHooks: own, Native: true, Stdin: in,
		Env: os.Environ(), Reach: func(c *session.Control) func() {
			reached <- c
			return func() {}
		},
	})
	w.screen.await(t, "[y/n]")
	p := (<-reached).Put("a text")
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if state, why := p.State(); state == "waiting" && why != "" {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("it is %s, %s", state, why)
		}
	}
	own.take(true)
	<-p.Done()
	if state, why := p.State(); state != "submitted" {
		t.Errorf("the text is %s, %s", state, why)
	}
	write(t, keys, "y\n")
	w.clean()
	if strings.Contains(w.screen.String(), "a text") {
		t.Errorf("it was typed too: %q", w.screen.String())
	}
}

// An agent that shows no input, since it asks its user or has no use for a screen,
// does not look as if it waited for one.
func TestAnAgentIsStillOnlyAtItsInput(t *testing.T) {
	t.Parallel()
	claude := filepath.Join(t.TempDir(), "claude")
	shell, err := exec.LookPath("sh")
	if err == nil {
		err = os.Symlink(shell, claude)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		prints, shows string
		still         bool
	}{
		"nothing":    {`''`, "", false},
		"a dialog":   {`'\nDo you want to go on?\n 1. Yes\n'`, "Yes", false},
		"its prompt": {`'\n❯ '`, "❯", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, own := newWrapped(t), &ownHooks{fate: delivery.Delivered, fates: make(chan struct{}, 1), still: make(chan func() time.Duration, 1)}
			w.hook("SessionStart", injects("remember this"))
			in, keys := keyboard(t)
			w.run(session.Config{Command: []string{claude, "-c", "printf " + test.prints + "; read x"}, AgentHooks: own, Native: true, Stdin: in})
			still := <-own.still
			if test.still {
				for deadline := time.Now().Add(patience); still() == 0; time.Sleep(time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatal("it is never still")
					}
				}
			} else {
				w.screen.await(t, test.shows)
				for range 20 {
					if d := still(); d != 0 {
						t.Fatalf("it is still since %v", d)
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
			own.fates <- struct{}{}
			write(t, keys, "bye\n")
			w.clean()
		})
	}
}
