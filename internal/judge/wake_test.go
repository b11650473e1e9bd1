//go:build unix

package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/wire/call"
)

// codexEvent is an event of Codex other than the call.
func (w *world) codexEvent(name string, fields ...string) *call.Request {
	w.calls++
	r := w.native(name, append([]string{"session_id", "s", "tool_use_id", fmt.Sprint("call ", w.calls), "turn_id", fmt.Sprint(w.calls)}, fields...)...)
	r.Agent = "codex"
	return r
}

// TestAnAgentIsToldOfAnAnswer once, at its next event that takes text.
func TestAnAgentIsToldOfAnAnswer(t *testing.T) {
	for _, test := range []struct {
		name, event string
		yes         bool
		want        string
	}{
		{"a yes, after a tool", "PostToolUse", true, " was approved. If you have not made that call since, try it again"},
		{"a yes, at a prompt", "UserPromptSubmit", true, " was approved. "},
		{"a yes, at a stop", "Stop", true, " was approved. "},
		{"a no", "PostToolUse", false, " was refused: do not try that call again"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, s := asking(t, asksAll, "")
			w.want(w.ask(w.codex("ls")), "Waiting for approval")
			w.want(w.printed(w.codexEvent("PostToolUse")), "!approv")
			r := only(t, s)
			says(t, s, r, test.yes, "")
			w.want(w.printed(w.codexEvent(test.event)), r.Code+test.want, "Bash: command: ls", "They say: mind the gap.")
			for _, event := range []string{"PostToolUse", "UserPromptSubmit", "PostToolUse"} {
				w.want(w.printed(w.codexEvent(event)), "!"+r.Code)
			}
		})
	}
}

// TestAnAgentThatHasMadeTheCallIsToldNothing: nor another session.
func TestAnAgentThatHasMadeTheCallIsToldNothing(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("ls"))
	r := only(t, s)
	says(t, s, r, true, "")
	w.want(w.printed(w.codexEvent("PostToolUse", "session_id", "another")), "!"+r.Code)
	w.want(w.ask(w.codex("ls")), "!deny")
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
}

// TestARefusalThatIsTriedAgainIsToldOnce, by its own answer.
func TestARefusalThatIsTriedAgainIsToldOnce(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("ls"))
	r := only(t, s)
	says(t, s, r, false, "")
	got := w.ask(w.codex("ls"))
	w.want(got, `"deny"`, "anna refused this call ("+r.Code+")")
	if n := strings.Count(got, r.Code); n != 1 {
		t.Errorf("%s is told %d times: %s", r.Code, n, got)
	}
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
}

// answeredMeanwhile is a world whose judge has ended before its refused call was answered.
func answeredMeanwhile(t *testing.T) (*world, approve.Request) {
	t.Helper()
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("ls"))
	r := only(t, s)
	w.ends()
	says(t, s, r, true, "")
	return w, r
}

// ends has another judge in place of the one that is there.
func (w *world) ends() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.Judge = &judge.Judge{Approvals: w.Approvals, Record: w.Record, Log: w.Log}
}

// TestAnotherProcessTellsOfAnAnswer: the one that refused the call has ended.
func TestAnotherProcessTellsOfAnAnswer(t *testing.T) {
	w, r := answeredMeanwhile(t)
	w.want(w.printed(w.codexEvent("PostToolUse")), r.Code+" was approved")
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
}

// An answer that the agent did not take is told again, and by nobody else meanwhile.
func TestAnAnswerThatIsNotTakenIsToldAgain(t *testing.T) {
	w, s := asking(t, asksAll, "")
	w.ask(w.codex("ls"))
	r := only(t, s)
	says(t, s, r, true, "")
	reply := w.Answer(t.Context(), judge.Caller{}, w.codexEvent("PostToolUse"))
	w.want(string(reply.Stdout), r.Code+" was approved")
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code) // the first answer is on its way
	reply.Pass(errors.New("the agent was killed"))
	w.want(w.printed(w.codexEvent("PostToolUse")), r.Code+" was approved")
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
}

// A sub-agent is told of its own calls, and the agent itself when that one has ended.
func TestASubagentIsToldOfItsOwnCalls(t *testing.T) {
	inside := []string{"agent_id", "a-1", "agent_type", "maker"}
	for _, test := range []struct {
		name  string
		ended bool
		event func(w *world) *call.Request
		told  bool
	}{
		{"the sub-agent", false, func(w *world) *call.Request { return w.codexEvent("PostToolUse", inside...) }, true},
		{"another one", false, func(w *world) *call.Request { return w.codexEvent("PostToolUse", "agent_id", "a-2") }, false},
		{"the agent, meanwhile", false, func(w *world) *call.Request { return w.codexEvent("PostToolUse") }, false},
		{"the sub-agent, as it stops", false, func(w *world) *call.Request { return w.codexEvent("SubagentStop", inside...) }, true},
		{"the agent, after its end", true, func(w *world) *call.Request { return w.codexEvent("PostToolUse") }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, s := asking(t, asksAll, "")
			w.want(w.ask(w.codexEvent("PreToolUse", inside...)), "Waiting for approval")
			r := only(t, s)
			if r.Subagent != "a-1" {
				t.Errorf("asked by %q", r.Subagent)
			}
			if test.ended {
				w.printed(w.codexEvent("SubagentStop", inside...))
			}
			says(t, s, r, true, "")
			want := "!" + r.Code
			if test.told {
				want = r.Code + " was approved"
			}
			w.want(w.printed(test.event(w)), want)
		})
	}
}

// TestAWrappedAgentGetsAMessage, for it may rest; its events then do not tell it too.
func TestAWrappedAgentGetsAMessage(t *testing.T) {
	w, s := asking(t, asksAll, "")
	m := &mailWorld{world: w}
	m.Relay = m.relay()
	w.wrap("codex")
	inbox, err := m.open().Join(t.Context(), relay.Presence{Name: "Alice", Session: "run-1"})
	if err != nil {
		t.Fatal(err)
	}
	w.ask(w.codex("ls"))
	r := only(t, s)
	says(t, s, r, true, "")
	eventually.True(t, "a message", func() bool {
		got, err := inbox.Take(t.Context(), 1)
		return err == nil && len(got) == 1 && strings.HasPrefix(got[0].Message.Content, r.Code+" was approved")
	})
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
}

// A message that cannot be sent takes no other answer with it.
func TestAnswersThatCannotBeSentAreToldAtTheNextEvent(t *testing.T) {
	w, s := asking(t, asksAll, "")
	m := &mailWorld{world: w}
	m.Relay = m.relay()
	m.Relay.Open = func(context.Context) (*relay.Store, func(), error) { return nil, nil, errors.New("the disk is full") }
	w.wrap("codex")
	w.ask(w.codex("ls"))
	w.ask(w.codex("make"))
	all, err := s.List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v, want err == nil and len(all) == 2", all, err)
	}
	if _, err := s.AnswerAll(t.Context(), all, approve.Answer{Yes: true, By: "anna", From: "tty3"}); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the failure is logged", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(strings.Join(w.lines, ""), "cannot be sent to its agent") || strings.Contains(strings.Join(w.lines, ""), "the disk is full")
	})
	w.want(w.printed(w.codexEvent("PostToolUse")), all[0].Code+" was approved", all[1].Code+" was approved")
}

// A file that fails once is looked at again: an earlier process may have refused calls.
func TestAFileThatFailsOnceIsLookedAtAgain(t *testing.T) {
	w, r := answeredMeanwhile(t)
	opens := w.Approvals
	w.Approvals = func(context.Context, bool) (*approve.Store, error) { return nil, errors.New("the disk is full") }
	w.want(w.printed(w.codexEvent("PostToolUse")), "!"+r.Code)
	w.Approvals = opens
	w.want(w.printed(w.codexEvent("PostToolUse")), r.Code+" was approved")
}
