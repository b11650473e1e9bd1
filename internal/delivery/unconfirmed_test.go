package delivery

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
)

// printTo has a subscriber of the name Bob printed a message.
func printTo(n *Native, session, id, text string) {
	s := &subscriber{p: relay.Presence{Name: "Bob", Program: "claude", Session: session}}
	a := &Answer{native: n, sub: s, event: Event{AnyEvent: hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{}), Began: time.Now()}}
	a.printed([]Item{{Message: relay.Message{ID: id}, shown: text}})
}

func kept(n *Native) []unconfirmed {
	return readUnconfirmed(n.unconfirmedFile(&subscriber{p: relay.Presence{Name: "Bob"}}))
}

// TestSessionsOfOneNameForgetNothingOfEachOther: what each was given is in one file.
func TestSessionsOfOneNameForgetNothingOfEachOther(t *testing.T) {
	n := &Native{Relay: Relay{Dir: t.TempDir()}, Log: logline.New(func(line string) { t.Error(line) })}
	const each = 20
	var working sync.WaitGroup
	for s := range 2 {
		working.Go(func() {
			for i := range each {
				printTo(n, fmt.Sprint("session-", s), fmt.Sprint(s, "-", i), "x")
			}
		})
	}
	working.Wait()
	if got := len(kept(n)); got != 2*each {
		t.Errorf("got %d kept, want %d", got, 2*each)
	}
}

// TestOfMuchThatWasGivenTheLastIsKept: a file that is too long would not be read.
func TestOfMuchThatWasGivenTheLastIsKept(t *testing.T) {
	n := &Native{Relay: Relay{Dir: t.TempDir()}, Log: logline.New(func(line string) { t.Error(line) })}
	long := strings.Repeat("<", mostUnconfirmed/20) // six bytes each, as JSON
	for i := range 9 {
		printTo(n, "session", fmt.Sprint("message-", i), long)
	}
	if all := kept(n); len(all) < 2 || all[len(all)-1].ID != "message-8" {
		t.Errorf("%d are kept", len(all))
	}
}
