package audit

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// A disk that hangs while an event is made ready holds no decision up for long: the record
// is written and says that its event is not kept, which is counted.
func TestADiskThatHangsHoldsNoDecision(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(Config{Dir: dir, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.events.store.Ready(); err != nil { // what is slow to open is another matter
		t.Fatal(err)
	}
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s", CWD: "/p"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}})
	stuck := &Draft{ev: ev, done: make(chan struct{})} // nothing ends it
	r := outcomeOf(ev, hook.ActionContinue)
	r.Drafted(stuck)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	e := l.events.entry(gone, &r, time.Minute)
	if e != nil || r.Kept != "" || r.Unkept != notReady {
		t.Errorf("kept %q, not kept because %q", r.Kept, r.Unkept)
	}
	if r.whole != nil || l.events.store.Lost() != 1 {
		t.Errorf("%d events count as lost", l.events.store.Lost())
	}
	if l.events.await(t.Context(), stuck, 20*time.Millisecond) == "" {
		t.Error("it was waited for what never comes")
	}
	whole := outcomeOf(ev, hook.ActionContinue)
	add(t, l, r)
	add(t, l, whole) // the next one is kept
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "1 events could not be kept") {
		t.Errorf("the loss is not told: %v", err)
	}
	records, _ := read(t, dir, Filter{})
	if len(records) != 2 || records[0].Unkept != notReady || records[1].Kept == "" {
		t.Errorf("on record: %+v", records)
	}
}
