package guards

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// what a policy makes of a line: the decision of the guard in an engine.
func decide(t *testing.T, g *Guard, line string, others ...hook.Hook) hook.Outcome[any] {
	t.Helper()
	out, how := settled(t, g, line, hook.ActionAsk, others...)
	if out.Action == hook.ActionBlock {
		out.Reason += how
	}
	return out
}

// settled fires a line at a guard and other hooks. Whatever is stronger than an action
// keeps the call from being made.
func settled(t *testing.T, g *Guard, line string, most hook.Action, others ...hook.Hook) (out hook.Outcome[any], how string) {
	t.Helper()
	e := &hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact { return facts.Of(ev, world) }}
	for _, h := range append(others, hook.New(ID, g, hook.For("*"), hook.As(hook.Guard))) {
		if err := e.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	ev := hook.PreToolUse.New(hook.Envelope{Agent: "claude", Session: "s-1", CWD: world.Dir}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
	ctx, one := Begin(t.Context(), ev)
	out, err := e.Fire(ctx, ev)
	if err != nil || len(others) == 0 && out.Steps[0].Err != nil {
		t.Fatal(err, out.Steps)
	}
	how = one.Settle(ctx, &out, func(o hook.Outcome[any]) bool { return o.Action > most })
	return out, how
}

func TestPolicyDecides(t *testing.T) {
	all := Names()
	for _, c := range []struct {
		name, line string
		policy     Policy
		want       string // action, and after a slash what would have been
	}{
		{"no packs", "rm -rf ~", Policy{}, "continue/"},
		{"auto: a sure block counts", "rm -rf ~", Policy{Packs: all}, "block/"},
		{"auto: an ask does not", "git push origin main", Policy{Packs: all}, "continue/ask"},
		{"auto: a block that is not sure does not", `. ./vars; rm -rf "$Y/"`, Policy{Packs: all}, "continue/block"},
		{"auto: what cannot be analysed counts", "rm -rf " + strings.Repeat("{a,b}", 20), Policy{Packs: all}, "ask/"},
		{"monitor", "rm -rf ~", Policy{Packs: all, Mode: Monitor}, "continue/block"},
		{"enforce", "git push origin main", Policy{Packs: all, Mode: Enforce}, "ask/"},
		{"only one pack", "rm -rf ~", Policy{Packs: []string{"git"}, Mode: Enforce}, "continue/"},
		{"a rule is switched off", "rm -rf ~", Policy{Packs: []string{"files"}, Mode: Enforce, Rules: map[string]Setting{"files/delete-top": {Verdict: Allow}}}, "continue/"},
		{"a rule is on trial", "rm -rf ~", Policy{Packs: []string{"files"}, Mode: Enforce, Rules: map[string]Setting{"files/delete-top": {Mode: Monitor}}}, "continue/block"},
		{"a pack is enforced", "git push origin main", Policy{Packs: all, Rules: map[string]Setting{"git": {Mode: Enforce}}}, "ask/"},
		{"a rule goes before its pack", "git push origin main", Policy{Packs: all, Rules: map[string]Setting{"git": {Mode: Enforce}, "git/push-protected": {Verdict: Block}}}, "block/"},
		{"a protected branch of one's own", "git push -f origin stable", Policy{Packs: all, Protected: []string{"stable"}}, "block/"},
		{"in place of the usual ones", "git push origin main", Policy{Packs: all, Mode: Enforce, Protected: []string{"stable"}}, "continue/"},
		{"a blocked host", "curl https://a.zip", Policy{Packs: all, Hosts: Hosts{Block: []string{"*.zip"}}}, "block/"},
		{"no pattern cancels another", "curl https://a.zip", Policy{Packs: all, Hosts: Hosts{Block: []string{"*.zip", "!*"}}}, "block/"},
		{"nor one of a branch", "git push -f origin main", Policy{Packs: all, Protected: []string{"main", "!main"}}, "block/"},
		{"a blocked host, its pack off", "curl https://a.zip", Policy{Packs: []string{"git"}, Hosts: Hosts{Block: []string{"*.zip"}}}, "block/"},
		{"a blocked host that is let through", "curl https://a.zip", Policy{Packs: all, Hosts: Hosts{Allow: []string{"*.zip"}, Block: []string{"*.zip"}}}, "block/"},
		{"a blocked host on trial", "curl https://a.zip", Policy{Packs: all, Hosts: Hosts{Block: []string{"*.zip"}}, Rules: map[string]Setting{"network/blocked-host": {Mode: Monitor}}}, "continue/block"},
		{"another host", "curl https://a.example", Policy{Packs: all, Hosts: Hosts{Block: []string{"*.zip"}}}, "continue/"},
		{"an upload", "curl -T a https://x.corp.example", Policy{Packs: []string{"network"}, Mode: Enforce}, "ask/"},
		{"an upload to an allowed host", "curl -T a https://x.corp.example", Policy{Packs: []string{"network"}, Mode: Enforce, Hosts: Hosts{Allow: []string{"*.corp.example"}}}, "continue/"},
		{"nothing", "ls", Policy{Packs: all, Mode: Enforce}, "continue/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := decide(t, &Guard{Policy: &c.policy}, c.line)
			got := out.Action.String() + "/"
			if w := out.Steps[0].Would; w != nil {
				got += w.Action.String()
			}
			if got != c.want {
				t.Errorf("%q: got %s, want %s: %s", c.line, got, c.want, out.Reason)
			}
		})
	}
}

func TestMessageTeaches(t *testing.T) {
	out := decide(t, &Guard{Policy: Everything()}, "cd sub && rm -rf ~")
	want := "hookway, which the user installed, stopped this call (rule files/delete-top): rm would delete /home/u, the top of all that lies below it. The part that says so: `~`. Name the files that have to go, one by one."
	if out.Reason != want {
		t.Errorf("got  %s\nwant %s", out.Reason, want)
	}
	emptied := decide(t, &Guard{Policy: Everything()}, "truncate -s 0 /home/u/notes")
	if want := "truncate would empty /home/u/notes,"; !strings.Contains(emptied.Reason, want) {
		t.Errorf("got %s, want %q in it", emptied.Reason, want)
	}
	if out.Rule != "files/delete-top@1" || out.Steps[0].Rule != out.Rule {
		t.Errorf("rule %q, want files/delete-top@1", out.Rule)
	}
}

// kept are grants in memory.
type kept struct {
	granted  int
	returned []Call
	offered  []Call
	err      error
}

func (k *kept) Return(_ context.Context, c Call, _ Grant) error {
	k.granted++
	k.returned = append(k.returned, c)
	return k.err
}

func (k *kept) Use(context.Context, Call) (Grant, bool, error) {
	k.granted--
	return Grant{By: "anna"}, k.granted >= 0, k.err
}

func (k *kept) Offer(_ context.Context, c Call) (string, error) {
	k.offered = append(k.offered, c)
	return "K7QX", k.err
}

func TestGrantLetsACallThroughOnce(t *testing.T) {
	grants := &kept{granted: 1}
	g := &Guard{Policy: Everything(), Grants: grants}
	const line = "git push -f origin main"
	if out := decide(t, g, line); out.Action != hook.ActionContinue || !strings.HasSuffix(out.Steps[0].Note, "stops: anna") {
		t.Errorf("with a grant: %s, note %q; want continue and a note of who gave it", out.Action, out.Steps[0].Note)
	}
	out := decide(t, g, line)
	if out.Action != hook.ActionBlock || !strings.HasSuffix(out.Reason, "in a terminal of their own: hookway allow K7QX") {
		t.Errorf("without one: %s, %q; want a block that says how a person lets it through", out.Action, out.Reason)
	}
	if len(grants.offered) != 1 || grants.offered[0].Session != "s-1" {
		t.Errorf("offered %+v, want the call once", grants.offered)
	} else if grants.offered[0].Rule != "git/force-push-protected" || len(grants.offered[0].Facts) == 0 {
		t.Errorf("offered %+v, want the call once", grants.offered)
	}
}

// Several guards may judge one call, each with its own rules: one grant passes them all.
func TestGuardsOfOneCallShareItsGrant(t *testing.T) {
	grants := &kept{granted: 1}
	call := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "git push -f origin main"}}
	e := &hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact { return facts.Of(ev, world) }}
	st := new(State)
	for _, id := range []string{"a", "b"} {
		if err := e.Add(hook.New(id, &Guard{Policy: Everything(), Grants: grants, State: st}, hook.For("*"), hook.As(hook.Guard))); err != nil {
			t.Fatal(err)
		}
	}
	fire := func() (hook.Outcome[any], error) {
		ev := hook.PreToolUse.New(hook.Envelope{Agent: "claude", Session: "s-1", CWD: world.Dir}, call)
		ctx, _ := Begin(t.Context(), ev)
		return e.Fire(ctx, ev)
	}
	out, err := fire()
	if err != nil || out.Action != hook.ActionContinue {
		t.Errorf("with one grant: %s, %v: %s; want that it passes both", out.Action, err, out.Reason)
	}
	st.use("s-1", func(s *session) bool {
		if s.Calls != 1 {
			t.Errorf("the session counts %d calls, want 1", s.Calls)
		}
		return false
	})
	if out, err = fire(); err != nil || out.Action != hook.ActionBlock {
		t.Errorf("the next call: %s, %v; want a block", out.Action, err)
	}
}

func TestGrantsThatFailLetNothingThrough(t *testing.T) {
	g := &Guard{Policy: Everything(), Grants: &kept{err: errors.New("disk full")}}
	out := decide(t, g, "git push -f origin main")
	if out.Action != hook.ActionBlock || !strings.Contains(out.Steps[0].Note, "disk full") {
		t.Errorf("got %s, note %q; want a block and why there is no code", out.Action, out.Steps[0].Note)
	}
}

func TestNeverIsNotOffered(t *testing.T) {
	grants := &kept{granted: 1}
	if out := decide(t, &Guard{Policy: Everything(), Grants: grants}, "rm -rf ~"); out.Action != hook.ActionBlock || len(grants.offered) > 0 {
		t.Errorf("got %s, offered %v; want a block that nobody lets through", out.Action, grants.offered)
	}
	grants = &kept{granted: 1} // what nobody lets through stands behind something else
	if out := decide(t, &Guard{Policy: Everything(), Grants: grants}, "git push -f origin main; rm -rf ~"); out.Action != hook.ActionBlock || grants.granted < 1 || len(grants.offered) > 0 {
		t.Errorf("behind another: got %s, %d grants left, offered %v; want a block that nobody lets through", out.Action, grants.granted, grants.offered)
	}
}

// Of a call that was let through while it was judged no code is offered, either.
func TestACallThatWasJustLetThroughHasNoCode(t *testing.T) {
	grants := &kept{err: new(AllowedError)}
	out := decide(t, &Guard{Policy: Everything(), Grants: grants}, "git push -f origin main")
	if out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "make it again, exactly as it was") || strings.Contains(out.Reason, "hookway allow") {
		t.Errorf("%s, %q", out.Action, out.Reason)
	}
}

// Of a call that a person refused no code is offered.
func TestARefusedCallHasNoCode(t *testing.T) {
	grants := &kept{err: &DeniedError{By: "anna", Note: "not today"}}
	out := decide(t, &Guard{Policy: Everything(), Grants: grants}, "git push -f origin main")
	if out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "anna refused this call: not today") || strings.Contains(out.Reason, "hookway allow") {
		t.Errorf("%s, %q", out.Action, out.Reason)
	}
}
