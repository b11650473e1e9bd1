//go:build linux || darwin

package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/session"
)

// ownMail runs an agent with hooks of its own.
func (c *mailbox) ownMail(w *wrapped, own *ownHooks, cfg session.Config) *session.Control {
	c.t.Helper()
	cfg.AgentHooks, cfg.Native, cfg.Name = own, true, "Alice"
	return c.reached(w, "ready", cfg)
}

func TestAMessageGoesToTheHooksOfAnAgentThatWorks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fate   delivery.Fate
		typed  string
		how    string
		repeat bool
	}{
		"taken":       {delivery.Delivered, "", "hook", false},
		"returned":    {delivery.Returned, "]: how far are you?\r\n", "typed", false},
		"unconfirmed": {delivery.Unconfirmed, "]: how far are you? (may be a repeat)\r\n", "typed", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailbox, w := newMailbox(t), newWrapped(t)
			own := &ownHooks{fate: test.fate, takes: true}
			own.once = test.fate != delivery.Delivered // then it has stopped
			mailbox.ownMail(w, own, session.Config{})
			id := mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: "how far are you?"})
			r := mailbox.becomes(id, relay.StateInjected)
			if r.How != test.how || r.Repeat != test.repeat {
				t.Errorf("the receipt is %+v", r)
			}
			if test.typed != "" {
				w.screen.await(t, test.typed)
			} else if strings.Contains(w.screen.String(), "how far") {
				t.Errorf("it was typed too: %q", w.screen.String())
			}
			offers := own.offered(t, 2)
			if want := "Message from Bob [" + relay.Short(id) + "]: how far are you?"; offers[1] != want {
				t.Errorf("the agent was offered %q", offers)
			}
		})
	}
}

// Nothing expires in a long turn: what waits for an event of the agent waits as long
// as it takes, and keeps its order.
func TestMessagesWaitForTheEndOfALongTurn(t *testing.T) {
	t.Parallel()
	mailbox, w := newMailbox(t), newWrapped(t)
	own := &ownHooks{fate: delivery.Delivered, takes: true, fates: make(chan struct{})}
	c := mailbox.ownMail(w, own, session.Config{})
	c.WaitMost(1) // of a text that is to be typed
	var ids []string
	for _, text := range []string{"one", "two", "three"} {
		ids = append(ids, mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: text}))
	}
	for i, id := range ids {
		own.offered(t, i+2) // the first is the begin
		mailbox.becomes(id, relay.StateAccepted)
		own.fates <- struct{}{}
		mailbox.becomes(id, relay.StateInjected)
	}
	for i, text := range []string{"one", "two", "three"} {
		if offer := own.offers.list()[i+1]; !strings.HasSuffix(offer, "]: "+text) {
			t.Errorf("offer %d is %q", i, offer)
		}
	}
}

// An event takes all messages that wait: each is left to the agent's hooks behind the
// one before, though the first is still waiting.
func TestMessagesWaitForOneEventTogether(t *testing.T) {
	t.Parallel()
	for name, fate := range map[string]delivery.Fate{"taken": delivery.Delivered, "returned": delivery.Returned} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailbox, w := newMailbox(t), newWrapped(t)
			own := &ownHooks{fate: fate, takes: true, fates: make(chan struct{})}
			mailbox.ownMail(w, own, session.Config{})
			var ids []string
			texts := []string{"one", "two", "three", "four"}
			for _, text := range texts {
				ids = append(ids, mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: text}))
			}
			offers := own.offered(t, len(texts)+1) // the first is the begin
			for i, text := range texts {
				if !strings.HasSuffix(offers[i+1], "]: "+text) {
					t.Errorf("the agent was offered %q", offers)
				}
			}
			own.take(false) // it has nothing more to do
			for range ids {
				own.fates <- struct{}{}
			}
			for _, id := range ids {
				want := map[delivery.Fate]string{delivery.Delivered: "hook", delivery.Returned: "typed"}[fate]
				if r := mailbox.becomes(id, relay.StateInjected); r.How != want || r.Repeat {
					t.Errorf("the receipt is %+v", r)
				}
			}
			if fate != delivery.Returned {
				return
			}
			last := -1
			for _, text := range texts {
				w.screen.await(t, "]: "+text+"\r\n")
				at := strings.Index(w.screen.String(), "]: "+text+"\r\n")
				if at < last {
					t.Errorf("%s came too early: %q", text, w.screen.String())
				}
				last = at
			}
		})
	}
}

// What an agent does after it got a message says that it has seen it.
func TestAMessageIsSeenWithTheNextEvent(t *testing.T) {
	t.Parallel()
	mailbox, w := newMailbox(t), newWrapped(t)
	own := &ownHooks{}
	own.reports(func(*delivery.Activity) {})
	mailbox.ownMail(w, own, session.Config{})
	id := mailbox.send(relay.Message{From: "Bob", To: "Alice", Content: "look"})
	mailbox.becomes(id, relay.StateInjected)
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	own.reports(func(h *delivery.Activity) { h.Prompts, h.Prompt, h.Transcript = 1, "Message from Bob", transcript })
	if r := mailbox.becomes(id, relay.StateSeen); r.Seen.Before(r.Injected) {
		t.Errorf("the receipt is %+v", r)
	}
}

// Two agents do not answer each other for ever: a person has to say something, at
// the terminal or otherwise.
func TestAPersonBeginsTheCountAnew(t *testing.T) {
	t.Parallel()
	for name, speak := range map[string]func(t *testing.T, own *ownHooks, keys func(string)){
		"at the terminal": func(_ *testing.T, _ *ownHooks, keys func(string)) { keys("go on\n") },
		"by a prompt": func(_ *testing.T, own *ownHooks, _ func(string)) {
			own.reports(func(h *delivery.Activity) { h.Prompts, h.Prompt = 1, "go on, both of you" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailbox, w, own := newMailbox(t), newWrapped(t), &ownHooks{}
			mailbox.knows("Bob")
			limited, err := relay.Open(t.Context(), mailbox.dir, relay.Options{Machine: "here", Limits: relay.Limits{PingPong: 1, PerMinute: -1}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { limited.Close() })
			in, keys := keyboard(t)
			mailbox.ownMail(w, own, session.Config{Stdin: in})
			w.screen.await(t, "ready")
			say := func(from, to string) error {
				_, err := limited.Send(t.Context(), relay.Message{From: from, To: to, Content: "x", Agent: true})
				return err
			}
			mailbox.until("Alice to be known", func() bool { return say("Bob", "Alice") == nil })
			if err := say("Alice", "Bob"); err == nil {
				t.Fatal("there is no limit")
			}
			speak(t, own, func(text string) { write(t, keys, text) })
			mailbox.until("the count to begin anew", func() bool { return say("Alice", "Bob") == nil })
		})
	}
}

// A directive that is printed while nothing can be written is sent when it can be.
func TestADirectiveWaitsForTheStore(t *testing.T) {
	t.Parallel()
	mailbox, w := newMailbox(t), newWrapped(t)
	mailbox.knows("Bob")
	open := make(chan struct{})
	mail := mailbox.mail()
	inner := mail.Open
	mail.Open = func(ctx context.Context) (*relay.Store, error) {
		select {
		case <-open:
			return inner(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w.hook("MessageSending", nil)
	w.reached("@relay:Bob hi\n", session.Config{Name: "Alice", Mail: mail, Env: []string{"TERM=" + os.Getenv("TERM")}})
	of[hook.Message](w, 1)
	close(open)
	if all := mailbox.sentBy("Alice", 1); len(all) != 1 || all[0].Content != "hi" {
		t.Errorf("sent were %+v", all)
	}
}
