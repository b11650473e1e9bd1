package guards

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

const forcedPush = "git push -f origin main"

// says is a hook of somebody else's that decides the same about every call.
func says(lane hook.Lane, d hook.Decision) hook.Hook {
	return hook.New("other", hook.Static(d), hook.For("*"), hook.As(lane))
}

func breaks() hook.Hook {
	h := hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{}, errors.New("it broke")
	})
	return hook.New("other", h, hook.For("*"), hook.As(hook.Guard))
}

// A person's yes is for a call that is made. If something else refuses it, the yes is
// still there, and the record does not say that it passed.
func TestAGrantIsGivenBackIfSomethingElseRefusesTheCall(t *testing.T) {
	ask, block := hook.Decision{Action: hook.ActionAsk, Reason: "sure?"}, hook.Decision{Action: hook.ActionBlock, Reason: "no"}
	for name, c := range map[string]struct {
		other hook.Hook
		most  hook.Action // that lets the call be made
		back  bool
	}{
		"another guard blocks":              {says(hook.Guard, block), hook.ActionAsk, true},
		"one that failed":                   {breaks(), hook.ActionAsk, true},
		"one answers in its place":          {says(hook.Transform, hook.Decision{Action: hook.ActionAnswer, Result: "x"}), hook.ActionAsk, false},
		"another asks, and somebody can be": {says(hook.Guard, ask), hook.ActionAsk, false},
		"another asks, and nobody can be":   {says(hook.Guard, ask), hook.ActionAllow, true},
		"one that asked before":             {says(hook.Transform, ask), hook.ActionAllow, true},
		"another approves":                  {says(hook.Guard, hook.Decision{Action: hook.ActionAllow}), hook.ActionAsk, false},
		"nobody says anything":              {says(hook.Guard, hook.Decision{}), hook.ActionAsk, false},
	} {
		t.Run(name, func(t *testing.T) {
			grants := &kept{granted: 1}
			out, how := settled(t, &Guard{Policy: Everything(), Grants: grants}, forcedPush, c.most, c.other)
			if how != "" || len(grants.offered) > 0 {
				t.Errorf("%q, offered %v; want no code for a call that has a grant", how, grants.offered)
			}
			if got := len(grants.returned) == 1; got != c.back {
				t.Errorf("given back: %v, want %v", got, c.back)
			}
			if passed := LetThrough(&out) != ""; passed == (c.back || out.Action == hook.ActionAnswer) {
				t.Errorf("it was let through: %v: %+v", passed, out.Steps)
			}
			for _, s := range out.Steps {
				if c.back && s.Hook == ID && !strings.HasSuffix(s.Note, "the grant was given back: anna") {
					t.Errorf("the note is %q", s.Note)
				}
			}
		})
	}
}

// A code that could not help is not offered.
func TestACodeIsOfferedOnlyWhereAYesWouldHelp(t *testing.T) {
	ask, block := hook.Decision{Action: hook.ActionAsk, Reason: "sure?"}, hook.Decision{Action: hook.ActionBlock, Reason: "no"}
	for name, c := range map[string]struct {
		line  string
		other hook.Hook
		most  hook.Action
		want  bool
	}{
		"nothing else":                          {forcedPush, says(hook.Guard, hook.Decision{}), hook.ActionAsk, true},
		"another blocks":                        {forcedPush, says(hook.Guard, block), hook.ActionAsk, false},
		"one that failed":                       {forcedPush, breaks(), hook.ActionAsk, false},
		"another asks":                          {forcedPush, says(hook.Guard, ask), hook.ActionAsk, true},
		"another asks, and nobody can be asked": {forcedPush, says(hook.Guard, ask), hook.ActionAllow, false},
		"the rules ask, and nobody can be":      {"git push -f origin mine", says(hook.Guard, hook.Decision{}), hook.ActionAllow, true},
		"the rules ask":                         {"git push -f origin mine", says(hook.Guard, hook.Decision{}), hook.ActionAsk, false},
		"both ask, and nobody can be":           {"git push -f origin mine", says(hook.Guard, ask), hook.ActionAllow, false},
	} {
		t.Run(name, func(t *testing.T) {
			grants := new(kept)
			out, how := settled(t, &Guard{Policy: Everything(), Grants: grants}, c.line, c.most, c.other)
			if got := strings.HasSuffix(how, "hookway allow K7QX"); got != c.want || len(grants.offered) > 0 != c.want {
				t.Errorf("%s by %s: %q, offered %d; want a code: %v", out.Action, out.By, how, len(grants.offered), c.want)
			}
		})
	}
}

func TestACallWithoutAnOutcomeGivesItsGrantBackOnce(t *testing.T) {
	grants := &kept{granted: 1}
	g := &Guard{Policy: Everything(), Grants: grants}
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s-1", CWD: world.Dir}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": forcedPush}})
	e := &hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact { return facts.Of(ev, world) }}
	if err := e.Add(hook.New(ID, g, hook.For("*"), hook.As(hook.Guard))); err != nil {
		t.Fatal(err)
	}
	ctx, one := Begin(t.Context(), ev)
	if out, err := e.Fire(ctx, ev); err != nil || out.Action != hook.ActionContinue || !one.Used() {
		t.Fatalf("%s, %v; want that it passes", out.Action, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if given, err := one.GiveBack(ended); !given || err != nil || one.Used() {
		t.Errorf("%v, %v; want that it is given back", given, err)
	}
	if given, _ := one.GiveBack(ctx); given || len(grants.returned) != 1 {
		t.Errorf("it is given back again: %v", grants.returned)
	}
	late, one := Begin(t.Context(), ev) // a guard that runs out of time may go on
	if given, err := one.GiveBack(late); given || err != nil {
		t.Errorf("%v, %v; want that there is nothing to give back", given, err)
	}
	if out, err := e.Fire(late, ev); err != nil || out.Action != hook.ActionBlock || grants.granted != 1 {
		t.Errorf("%s, %v; %d grants are left", out.Action, err, grants.granted)
	}
	if _, none := Begin(t.Context(), hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})); none.Used() {
		t.Error("an event that is no call has a grant")
	} else if given, err := none.GiveBack(ctx); given || err != nil {
		t.Errorf("%v, %v", given, err)
	}
}
