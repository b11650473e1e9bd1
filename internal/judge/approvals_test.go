//go:build unix

package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

const asksAll = "hooks:\n- {id: careful, on: PreToolUse, lane: guard, match: {tool: Bash}, ask: really?}\n"

// asking is a world whose asks can be answered from elsewhere.
func asking(t testing.TB, hooks, settings string) (*world, *approve.Store) {
	t.Helper()
	w := newWorld(t, hooks)
	if settings != "" {
		w.configure(settings)
	}
	dir := filepath.Join(w.home, "approvals")
	open := func(ctx context.Context, fresh bool) (*approve.Store, error) {
		return approve.Open(ctx, dir, approve.Options{})
	}
	w.Approvals = open
	s, err := open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, s
}

// codex is Codex's PreToolUse of a shell command, which it cannot ask about.
func (w *world) codex(command string) *call.Request {
	w.calls++
	r := w.bash("s", fmt.Sprint("call ", w.calls), command)
	r.Agent = "codex"
	return r
}

// only is the one request that there is.
func only(t *testing.T, s *approve.Store) approve.Request {
	t.Helper()
	all, err := s.List(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("got %+v, %v, want err == nil and len(all) == 1", all, err)
	}
	return all[0]
}

// opened waits until a request is open.
func opened(t testing.TB, s *approve.Store, holds func(approve.Request) bool) (found approve.Request) {
	t.Helper()
	eventually.True(t, "a request is open", func() bool {
		all, err := s.List(t.Context())
		i := slices.IndexFunc(all, func(r approve.Request) bool { return r.State == approve.Waiting && holds(r) })
		if err != nil || i < 0 {
			return false
		}
		found = all[i]
		return true
	})
	return found
}

func anyone(approve.Request) bool { return true }

func says(t testing.TB, s *approve.Store, r approve.Request, yes bool, scope approve.Scope) {
	t.Helper()
	if _, err := s.Answer(t.Context(), r, approve.Answer{Yes: yes, Scope: scope, Note: "mind the gap", By: "anna", From: "tty3"}); err != nil {
		t.Fatal(err)
	}
}

// later has an agent's event answered, which may take its time.
func (w *world) later(r *call.Request) <-chan string {
	done := make(chan string, 1)
	go func() { done <- w.ask(r) }()
	return done
}

// approvalOf is what the last record says of its request.
func (w *world) approvalOf() string {
	text, _ := json.Marshal(w.last().Metadata["approval"])
	return string(text)
}

func TestARefusedCallPassesOnceWhenAPersonSaidYes(t *testing.T) {
	w, s := asking(t, asksAll, "")
	first := w.ask(w.codex("ls"))
	r := only(t, s)
	w.want(first, `"deny"`, "really?", "the user cannot be asked here", "Waiting for approval "+r.Code+": do something else, or run `hookway approvals wait "+r.Code+"`")
	if r.Kind != approve.KindAsk || r.Route != approve.RouteRetry || r.Hook != "careful" {
		t.Errorf(`got %+v, want r.Kind == approve.KindAsk and r.Route == approve.RouteRetry and r.Hook == "careful"`, r)
	}
	w.want(w.approvalOf(), r.Code, `"route":"retry"`, `"state":"open"`)
	twice := w.codex("ls")
	for range 2 { // also if it is reported twice
		w.want(w.ask(twice), `"deny"`, "Waiting for approval "+r.Code)
	}
	says(t, s, r, true, "")
	w.want(w.ask(w.codex("ls -l")), `"deny"`, "!"+r.Code) // another call
	w.want(w.ask(w.codex("ls")), "!deny")
	w.want(w.approvalOf(), r.Code, `"by":"anna"`, `"from":"tty3"`, `"after_s":`, `"state":"allowed"`)
	w.want(w.ask(w.codex("ls")), `"deny"`, "Waiting for approval", "!"+r.Code)
}

func TestANoIsTold(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("ls"))
	says(t, s, only(t, s), false, "")
	w.want(w.ask(w.codex("ls")), `"deny"`, "anna refused this call", "mind the gap", "They were asked because: really?", "!Waiting for")
	w.want(w.approvalOf(), `"state":"denied"`)
}

// Where the agent asks, an answer from elsewhere reaches its permission request.
func TestAnAnswerFromElsewhereBesideTheDialog(t *testing.T) {
	for _, yes := range []bool{true, false} {
		w, s := asking(t, asksAll, "")
		w.want(w.ask(w.bash("s", "1", "ls")), `"ask"`, "really?", "!Waiting for")
		r := only(t, s)
		if r.Route != approve.RouteDialog {
			t.Errorf("got %+v, want r.Route == approve.RouteDialog", r)
		}
		permission := w.claude("PermissionRequest", "1", w.dir)
		done := w.later(permission)
		says(t, s, r, yes, "")
		if yes {
			w.want(<-done, `"behavior":"allow"`)
		} else {
			w.want(<-done, `"behavior":"deny"`, "anna refused this call")
		}
	}
}

// Qwen Code asks when no hook runs: whoever answers elsewhere is told that its question
// stays, and a yes is used up by the call that its user lets through.
func TestAnAnswerFromElsewhereThatEndsNoDialog(t *testing.T) {
	w, s := asking(t, asksAll, "")
	qwen := func(event string) *call.Request {
		r := w.event(map[string]any{"hook_event_name": event, "session_id": "s", "tool_name": "run_shell_command", "tool_call_id": "1",
			"tool_input": map[string]any{"command": "ls"}, "tool_response": map[string]any{"llmContent": "done"}})
		r.Agent = "qwen"
		return r
	}
	w.want(w.ask(qwen("PreToolUse")), `"ask"`, "really?", "!does not end")
	r := only(t, s)
	w.want(r.Reason, "really?", "Qwen Code asks its user as well. An answer from here does not end that question")
	says(t, s, r, true, "")
	w.ask(qwen("PostToolUse"))
	if r := only(t, s); r.State != approve.Used || r.By != "anna" {
		t.Errorf(`got %+v, want r.State == approve.Used and r.By == "anna"`, r)
	}
}

func TestAnAnswerInTheDialogEndsTheRequest(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.bash("s", "1", "ls"))
	w.ask(w.claude("PostToolUse", "1", w.dir))
	if r := only(t, s); r.State != approve.Used || r.From != "the agent's own dialog" {
		t.Errorf(`got %+v, want r.State == approve.Used and r.From == "the agent's own dialog"`, r)
	}
	w.ask(w.bash("s", "2", "ls"))
	ctx, answered := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Answer(ctx, judge.Caller{}, w.claude("PermissionRequest", "2", w.dir))
	}()
	opened(t, s, func(r approve.Request) bool { return r.Waiters == 1 })
	answered()
	<-done
	eventually.True(t, "it is over", func() bool {
		all, err := s.List(t.Context())
		return err == nil && len(all) == 2 && all[0].State != approve.Waiting && all[1].State != approve.Waiting
	})
	w.want(w.ask(w.claude("PermissionRequest", "9", w.dir)), "!behavior") // one that no hook asks about
}

// The daemon that asked may have ended before the call was made.
func TestAnAnswerInTheDialogOutlastsTheDaemon(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.bash("s", "1", "ls"))
	w.ask(w.bash("s", "2", "rm x"))
	w.ends()
	w.ask(w.claude("PostToolUse", "1", w.dir))
	all, err := s.List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v, want err == nil and len(all) == 2", all, err)
	}
	for _, r := range all {
		want := approve.Waiting
		if r.Input == "command: ls\n" {
			want = approve.Used
		}
		if r.State != want {
			t.Errorf("%s is %s, want %s", r.Input, r.State, want)
		}
	}
}

const held = "approvals: {hold: always, timeout: 20m}\n"

// A call that is held keeps no other call of its session waiting.
func TestACallIsHeldUntilItIsAnswered(t *testing.T) {
	w, s := asking(t, asksAll, held)
	yes := w.later(w.bash("s", "1", "ls"))
	no := w.later(w.bash("s", "2", "rm x"))
	asked := map[string]approve.Request{}
	for _, command := range []string{"ls", "rm x"} {
		asked[command] = opened(t, s, func(r approve.Request) bool { return r.Input == "command: "+command+"\n" && r.Waiters == 1 })
	}
	w.want(w.ask(w.event(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Read", "tool_use_id": "3", "tool_input": map[string]any{"file_path": "x"}})), "!deny", "!ask")
	says(t, s, asked["rm x"], false, "")
	w.want(<-no, `"deny"`, "anna refused this call", "mind the gap")
	says(t, s, asked["ls"], true, "")
	w.want(<-yes, `"allow"`, "anna let this call through")
	w.want(w.approvalOf(), `"route":"hold"`)
}

func TestEqualCallsThatAreHeld(t *testing.T) {
	w, s := asking(t, asksAll, held)
	one, two := w.later(w.bash("s", "1", "ls")), w.later(w.bash("s", "2", "ls"))
	r := opened(t, s, func(r approve.Request) bool { return r.Waiters == 2 }) // though who makes them is not known
	says(t, s, r, true, approve.ScopeSession)
	w.want(<-one, `"allow"`)
	w.want(<-two, `"allow"`)
}

func TestNobodyAnswersInTime(t *testing.T) {
	for fallback, want := range map[string]string{"block": `"deny"`, "allow": "!deny"} {
		w, s := asking(t, asksAll, "ask_fallback: "+fallback+"\napprovals: {hold: always, timeout: 50ms}\n")
		got := w.ask(w.bash("s", "1", "ls"))
		w.want(got, want, "!refused")
		if fallback == "block" {
			w.want(got, "timed out: nobody answered "+only(t, s).Code)
		}
		w.want(w.approvalOf(), `"state":"timed out"`)
		w.want(fmt.Sprint(w.last().Steps), "timed out: nobody answered")
	}
}

// Where calls are always held, an agent that waits too short a time for a person does not
// ask its user in place of that: the call comes again after a yes.
func TestWhatCannotBeHeldIsNoQuestionOfTheAgents(t *testing.T) {
	for _, fallback := range []string{"block", "allow"} {
		w, s := asking(t, asksAll, "ask_fallback: "+fallback+"\n"+held)
		qwen := func() *call.Request {
			r := w.codex("ls")
			r.Agent = "qwen"
			return r
		}
		w.want(w.ask(qwen()), `"deny"`, "Waiting for approval "+only(t, s).Code)
		w.want(w.approvalOf(), `"route":"retry"`)
		says(t, s, only(t, s), true, "")
		w.want(w.ask(qwen()), "!deny", "!ask")
	}
}

// Where nobody can be asked in place, an ask that may pass does so at once.
func TestAFallbackThatAllowsAsksNobody(t *testing.T) {
	w, s := asking(t, asksAll, "ask_fallback: allow\n")
	w.want(w.ask(w.codex("ls")), "!deny")
	if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("got %+v, %v, want err == nil and len(all) == 0", all, err)
	}
}

// A call that waits when the daemon ends is judged elsewhere, and joins its request.
func TestAHeldCallOutlivesTheDaemon(t *testing.T) {
	w, s := asking(t, asksAll, held)
	replies := make(chan call.Reply, 1)
	go func() { replies <- w.Answer(t.Context(), judge.Caller{PID: os.Getpid()}, w.bash("s", "1", "ls")) }()
	r := opened(t, s, anyone)
	w.GatewayStop(t.Context(), "replaced")
	if reply := <-replies; !strings.Contains(reply.Err, "waits for approval "+r.Code) {
		t.Errorf(`got %+v, want strings.Contains(reply.Err, "waits for approval "+r.Code)`, reply)
	}
	next := &world{t: t, dir: w.dir, home: w.home, env: w.env, Judge: &judge.Judge{Approvals: w.Approvals}}
	t.Cleanup(func() { _ = next.Close() })
	done := next.later(w.bash("s", "1", "ls"))
	again := opened(t, s, func(r approve.Request) bool { return r.Waiters == 1 })
	if again.Code != r.Code {
		t.Errorf("it waits for %s, and before for %s", again.Code, r.Code)
	}
	says(t, s, again, true, "")
	next.want(<-done, `"allow"`)
}

// A program that fires a call is told the code, and what came of it.
func TestAProgramsCallIsAskedAbout(t *testing.T) {
	w, s := asking(t, asksAll, "")
	fire := func() hook.Outcome[any] {
		t.Helper()
		out, err := w.Fire(t.Context(), judge.Firing{Event: "PreToolUse", CWD: w.dir, Env: w.env, Session: "s", Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"}}`)})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := fire()
	r := only(t, s)
	if out.Action != hook.ActionAsk || !strings.Contains(fmt.Sprint(out.Metadata["approval"]), r.Code) {
		t.Errorf(`got %s, %v, want out.Action == hook.ActionAsk and strings.Contains(fmt.Sprint(out.Metadata["approval"]), r.Code)`, out.Action, out.Metadata)
	}
	says(t, s, r, true, "")
	if out = fire(); out.Action != hook.ActionAllow || !strings.Contains(out.Reason, "anna let this call through") {
		t.Errorf(`got %s, %q, want out.Action == hook.ActionAllow and strings.Contains(out.Reason, "anna let this call through")`, out.Action, out.Reason)
	}
	if out = fire(); out.Action != hook.ActionAsk {
		t.Errorf("got %s, want %s", out.Action, hook.ActionAsk)
	}
}

func TestAnswersForMoreThanOneCall(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("rm -rf build"))
	r := only(t, s)
	if !r.HasShape {
		t.Skip("the call has no shape: nothing analyses it here")
	}
	says(t, s, r, true, approve.ScopeShape)
	for range 2 {
		w.want(w.ask(w.codex("rm -fr ./build")), "!deny")
	}
	w.want(w.ask(w.codex("rm -rf src")), `"deny"`, "Waiting for approval")
}

// Where approvals fail, nothing passes, and that is said.
func TestApprovalsThatFail(t *testing.T) {
	for settings, parts := range map[string][]string{"": {`"deny"`, "No approval can be asked for: the disk is full"}, held: {`"deny"`}, "ask_fallback: allow\n" + held: {`"deny"`}} {
		w, _ := asking(t, asksAll, settings)
		w.Approvals = func(context.Context, bool) (*approve.Store, error) { return nil, errors.New("the disk is full") }
		w.want(w.ask(w.codex("ls")), parts...)
		w.want(w.ask(w.bash("s", "1", "ls")), `"ask"`) // its own dialog
		w.want(fmt.Sprint(w.last().Steps), "no person can be asked from here")
	}
}

// The rules' own asks pass by a person's word, too, and blocks do not by a word about asks.
func TestAnAskOfTheRules(t *testing.T) {
	w, s := asking(t, "hooks: []\n", "guards: {use: default, mode: enforce}\n")
	const push = "git push origin main"
	w.want(w.ask(w.codex(push)), `"deny"`, "Waiting for approval", "!hookway allow")
	r := only(t, s)
	says(t, s, r, true, "")
	w.want(w.ask(w.codex(push)), "!deny")
}

// BenchmarkAnAnswerReachesItsCall is how long a call that is held takes to go on after its answer, which
// another process gives: here one with a file of its own.
func BenchmarkAnAnswerReachesItsCall(b *testing.B) {
	w, s := asking(b, asksAll, held)
	var took time.Duration
	for i := 0; b.Loop(); i++ {
		done := w.later(w.bash("s", fmt.Sprint(i), fmt.Sprint("deploy ", i)))
		r := opened(b, s, anyone)
		began := time.Now()
		says(b, s, r, true, "")
		<-done
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/answer")
}

// A call that is held does not pass when the file fails, whatever hookway-hook would say.
func TestAFileThatFailsWhileACallIsHeld(t *testing.T) {
	for _, settings := range []string{held, "ask_fallback: allow\n" + held} {
		w, s := asking(t, asksAll, settings)
		opens, stores := w.Approvals, make(chan *approve.Store, 1)
		w.Approvals = func(ctx context.Context, fresh bool) (*approve.Store, error) {
			store, err := opens(ctx, fresh)
			select {
			case stores <- store:
			default:
			}
			return store, err
		}
		r := w.codex("ls")
		r.Policy = call.PolicyContinue
		replies := make(chan call.Reply, 1)
		go func() { replies <- w.Answer(t.Context(), judge.Caller{}, r) }()
		opened(t, s, func(r approve.Request) bool { return r.Waiters == 1 })
		if err := (<-stores).Close(); err != nil {
			t.Fatal(err)
		}
		if reply := <-replies; reply.Err != "" || !strings.Contains(string(reply.Stdout), `"deny"`) {
			t.Errorf("got %q, %s, want reply.Err == \"\" and strings.Contains(string(reply.Stdout), `\"deny\"`)", reply.Err, reply.Stdout)
		}
		w.want(fmt.Sprint(w.last().Steps), "no person can be asked from here")
	}
}

// A channel over which no answer can come holds no call: the daemon says when one can.
func TestAChannelThatIsNotThereHoldsNothing(t *testing.T) {
	w, s := asking(t, asksAll, "approvals: {timeout: 50ms, channels: [{ntfy: {url: 'https://ntfy.example.com', topic: abc, token_file: t}}]}\n")
	w.want(w.ask(w.codex("ls")), `"deny"`, "Waiting for approval")
	if r := only(t, s); r.Route != approve.RouteRetry {
		t.Errorf("got %+v, want r.Route == approve.RouteRetry", r)
	}
}

// A yes by which a call was to pass is given back where hookway-hook refused it by itself.
func TestAYesToAnAskIsGivenBack(t *testing.T) {
	for gaveUp, want := range map[string]approve.State{call.PolicyBlock: approve.Allowed, call.PolicyContinue: approve.Used} {
		w, s := asking(t, asksAll, "")
		w.ask(w.codex("ls"))
		says(t, s, only(t, s), true, "")
		reply := w.Answer(t.Context(), judge.Caller{}, w.codex("ls"))
		reply.Pass(&call.GaveUpError{Why: "a signal", Policy: gaveUp})
		if r := only(t, s); r.State != want {
			t.Errorf("%s: got %s, want %s", gaveUp, r.State, want)
		}
		if want == approve.Allowed {
			w.want(w.last().Reason, "that was given back")
			w.want(w.ask(w.codex("ls")), "!deny")
		}
	}
}
