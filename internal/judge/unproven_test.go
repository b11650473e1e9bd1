package judge

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// printTo has a guest of the name Bob printed a message.
func printTo(j *Judge, session, id, text string) {
	g := &guest{p: relay.Presence{Name: "Bob", Program: "claude", Session: session}}
	h := &hearing{Judge: j, guest: g, began: time.Now(), ev: hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{})}
	h.handing = []handout{{Message: relay.Message{ID: id}, text: text}}
	h.printed(g)
}

func kept(j *Judge) []unproven {
	return readUnproven(j.unprovenOf(&guest{p: relay.Presence{Name: "Bob"}}))
}

// TestSessionsOfOneNameForgetNothingOfEachOther: what each was told is in one file.
func TestSessionsOfOneNameForgetNothingOfEachOther(t *testing.T) {
	j := &Judge{Relay: Relay{Dir: t.TempDir()}, Log: func(line string) { t.Error(line) }}
	const each = 20
	var working sync.WaitGroup
	for s := range 2 {
		working.Go(func() {
			for i := range each {
				printTo(j, fmt.Sprint("session-", s), fmt.Sprint(s, "-", i), "x")
			}
		})
	}
	working.Wait()
	if n := len(kept(j)); n != 2*each {
		t.Errorf("%d of %d are kept", n, 2*each)
	}
}

// TestOfMuchThatWasToldTheLastIsKept: a file that is too long would not be read.
func TestOfMuchThatWasToldTheLastIsKept(t *testing.T) {
	j := &Judge{Relay: Relay{Dir: t.TempDir()}, Log: func(line string) { t.Error(line) }}
	long := strings.Repeat("<", mostUnproven/20) // six bytes each, as JSON
	for i := range 9 {
		printTo(j, "session", fmt.Sprint("message-", i), long)
	}
	if all := kept(j); len(all) < 2 || all[len(all)-1].ID != "message-8" {
		t.Errorf("%d are kept", len(all))
	}
}
