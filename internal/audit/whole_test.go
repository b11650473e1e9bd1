package audit

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// drafted is a draft of an event that is ready, or none.
func drafted(l *Log, ev hook.AnyEvent, draft bool) *Draft {
	if !draft {
		return nil
	}
	d := l.Draft(ev, nil)
	<-d.done
	return d
}

// keptOf gives what is kept of one event that is analysed in a world.
func keptOf(t *testing.T, ev hook.AnyEvent, w facts.World, draft bool) string {
	t.Helper()
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	d := drafted(l, ev, draft)
	ctx, watch := keep.Watching(t.Context(), ev)
	keep.Analyse(ctx, ev, w)
	r := outcomeOf(ev, hook.ActionContinue)
	r.Watched(watch)
	r.Drafted(d)
	add(t, l, r)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
	text := ""
	for e, err := range keep.Entries(EventsDir(dir), 0) {
		if err != nil {
			t.Fatal(err)
		}
		text += string(e.Text)
	}
	if text == "" {
		t.Fatal("nothing is kept")
	}
	return text
}

// What a command prints is kept without the values of the variables that it names.
func TestWhatACommandPrintsOfTheEnvironmentIsNotKept(t *testing.T) {
	ev := hook.PostToolUse.New(hook.Envelope{Session: "s", CWD: "/p"}, hook.ToolResult{
		ToolUse:      hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "echo $DEPLOY_KEY"}},
		ToolResponse: hook.ToolResponse{Success: true, Output: "correcthorsebattery\n"},
	})
	for _, draft := range []bool{false, true} {
		text := keptOf(t, ev, facts.World{Dir: "/p", Home: "/h", Env: map[string]string{"DEPLOY_KEY": "correcthorsebattery"}}, draft)
		if strings.Contains(text, "correcthorse") {
			t.Errorf("draft %v: %s", draft, text)
		}
	}
}
