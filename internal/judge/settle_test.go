//go:build unix

package judge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// word is what a person said about calls: so many times yes.
type word struct {
	yes, back int
	offered   []guards.Call
	used      func()
	offers    func()
}

func (p *word) Use(context.Context, guards.Call) (guards.Grant, bool, error) {
	if p.yes == 0 {
		return guards.Grant{}, false, nil
	}
	p.yes--
	if p.used != nil {
		p.used()
	}
	return guards.Grant{By: "anna"}, true, nil
}

func (p *word) Return(context.Context, guards.Call, guards.Grant) error {
	p.yes++
	p.back++
	return nil
}

func (p *word) Offer(_ context.Context, c guards.Call) (string, error) {
	p.offered = append(p.offered, c)
	if p.offers != nil {
		p.offers()
	}
	return "K7QX4", nil
}

// configure writes the user's own configuration.
func (w *world) configure(yaml string) {
	w.t.Helper()
	dir := filepath.Join(w.home, "config")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hookway.yaml"), []byte(yaml), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// guarded is a workspace with hookway's own rules and hooks of its own.
func guarded(t *testing.T, hooks string) (*world, *word) {
	t.Helper()
	w, p := newWorld(t, hooks), new(word)
	w.Guards = func(on *config.Guards) hook.Handler { return &guards.Guard{Policy: on.Policy, Grants: p} }
	w.configure("guards: {use: default, mode: enforce}\n")
	return w, p
}

const (
	forcedPush = "git push -f origin main"
	elsewhere  = "hooks:\n- {id: house, on: PreToolUse, lane: guard, match: {command: 'git push'}, block: not from here}\n"
	careful    = "hooks:\n- {id: house, on: PreToolUse, lane: guard, match: {command: 'git push'}, ask: really?}\n"
)

// What was decided stands when what is said of it fails, for all who report the call.
func TestABlockOutlastsWhatIsSaidOfIt(t *testing.T) {
	w, p := guarded(t, "hooks: []\n")
	p.offers = func() { panic("a bug") }
	for _, native := range []string{"PreToolUse", "PreToolUse"} {
		r := w.bash("s", "1", forcedPush)
		r.Event, r.Policy = native, call.PolicyContinue
		w.want(w.ask(r), `"deny"`, "!could not decide")
	}
}

func TestAGrantIsUsedOnlyByACallThatPasses(t *testing.T) {
	gemini := func(w *world) *call.Request {
		r := w.event(map[string]any{})
		r.Agent, r.Event = "gemini", "BeforeTool"
		r.Stdin = []byte(`{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"` + forcedPush + `"}}`)
		return r
	}
	claude := func(w *world) *call.Request { return w.bash("s", "1", forcedPush) }
	for name, c := range map[string]struct {
		hooks  string
		ask    func(*world) *call.Request
		passes bool
		parts  []string
	}{
		"it passes":                     {"hooks: []\n", claude, true, []string{"!deny"}},
		"another hook refuses it":       {elsewhere, claude, false, []string{`"deny"`, "not from here", "!hookway allow"}},
		"another hook asks":             {careful, claude, true, []string{`"ask"`, "really?"}},
		"another asks, nobody is there": {careful, gemini, false, []string{`"deny"`, "really?", "!hookway allow"}},
		"another root's hook refuses": {"hooks: []\n", func(w *world) *call.Request {
			return w.inRoots("1", forcedPush, w.dir, w.dir, w.root("second", elsewhere))
		}, false, []string{`"deny"`, "not from here"}},
		"a hook changed it before": {"hooks:\n- {id: change, on: PreToolUse, modify: {tool_input: {timeout: 5}}}\n", gemini, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := guarded(t, c.hooks)
			p.yes = 1
			w.want(w.ask(c.ask(w)), c.parts...)
			if used := p.yes == 0; used != c.passes {
				t.Errorf("the grant is used: %v, and given back %d times", used, p.back)
			}
			r := w.last()
			said := fmt.Sprint(r.By, r.Reason, r.Steps)
			if strings.Contains(said, "a person let this call through once, which") != c.passes {
				t.Errorf("the record says %s", said)
			}
			if len(p.offered) > 0 {
				t.Errorf("a code is offered that nobody needs: %+v", p.offered)
			}
		})
	}
}

func TestACodeIsOfferedWhereNothingElseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		hooks string
		code  bool
	}{"alone": {"hooks: []\n", true}, "with a hook that refuses": {elsewhere, false}, "with one that asks": {careful, true}} {
		t.Run(name, func(t *testing.T) {
			w, p := guarded(t, c.hooks)
			first := w.ask(w.bash("s", "1", forcedPush))
			w.want(first, `"deny"`, "git/force-push-protected")
			if got := strings.Contains(first, "hookway allow K7QX4"); got != c.code || len(p.offered) > 0 != c.code {
				t.Errorf("a code: %v, want %v: %s", got, c.code, first)
			}
			if again := w.ask(w.bash("s", "1", forcedPush)); again != first {
				t.Errorf("the second report of the call is answered %s\nand the first %s", again, first)
			}
			out, err := w.Fire(t.Context(), judge.Firing{Event: "PreToolUse", CWD: w.dir, Env: w.env, Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"` + forcedPush + `"}}`)})
			if err != nil || strings.Contains(out.Reason, "hookway allow") != c.code {
				t.Errorf("a program is told %q, %v", out.Reason, err)
			}
		})
	}
}

func TestAProgramsCallUsesAGrantOnlyIfItPasses(t *testing.T) {
	for name, c := range map[string]struct {
		hooks  string
		passes bool
	}{"alone": {"hooks: []\n", true}, "with a hook that refuses": {elsewhere, false}} {
		t.Run(name, func(t *testing.T) {
			w, p := guarded(t, c.hooks)
			p.yes = 1
			out, err := w.Fire(t.Context(), judge.Firing{Event: "PreToolUse", CWD: w.dir, Env: w.env, Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"` + forcedPush + `"}}`)})
			if err != nil || (out.Action == hook.ActionContinue) != c.passes || (p.yes == 0) != c.passes {
				t.Errorf("%s, %v; %d grants are left", out.Action, err, p.yes)
			}
			if said := w.last().Reason; strings.HasPrefix(said, "a person let this call through once, which") != c.passes {
				t.Errorf("the record says %q", said)
			}
		})
	}
}

// Who brings the answer may end before the agent has it. Only where it refused the call
// by itself the grant is there again: else the call may have been made.
func TestAGrantAndAnAnswerThatGetsLost(t *testing.T) {
	for name, c := range map[string]struct {
		sent error
		back bool
		want string
	}{
		"it arrives":           {nil, false, "PreToolUse continue"},
		"the agent is told no": {&call.GaveUpError{Why: "a signal", Policy: call.PolicyBlock}, true, "PreToolUse continue, PreToolUse untaken"},
		"it goes on":           {&call.GaveUpError{Why: "a signal", Policy: call.PolicyContinue}, false, "PreToolUse continue"},
		"nobody knows":         {errors.New("broken pipe"), false, "PreToolUse continue, PreToolUse untaken"},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := guarded(t, "hooks: []\n")
			p.yes = 1
			reply := w.Answer(t.Context(), judge.Caller{}, w.bash("s", "1", forcedPush))
			reply.Pass(c.sent)
			if got := w.recorded(); got != c.want || (p.back == 1) != c.back {
				t.Errorf("on record: %s; given back %d times", got, p.back)
			}
			if last := w.last(); c.back && !strings.HasSuffix(last.Reason, "that was given back") {
				t.Errorf("the record says %q", last.Reason)
			}
		})
	}
}

// A call that hookway cannot decide about is refused, and keeps its grant.
func TestAGrantOutlivesACallWithoutADecision(t *testing.T) {
	w, p := guarded(t, "hooks:\n- {id: slow, on: PreToolUse, lane: guard, command: 'sleep 600', timeout: 600s}\n")
	p.yes = 1
	ctx, cancel := context.WithCancelCause(t.Context())
	p.used = func() { cancel(errors.New("nobody waits")) }
	reply := w.Answer(ctx, judge.Caller{}, w.bash("s", "1", forcedPush))
	if got := string(reply.Stdout) + string(reply.Stderr); !strings.Contains(got, "hookway could not decide") {
		t.Errorf("the answer is %s", got)
	}
	if p.back != 1 || !strings.Contains(w.last().Failure, "that was given back") {
		t.Errorf("given back %d times: %s", p.back, w.last().Failure)
	}
}
