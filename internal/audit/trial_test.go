package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// trial writes records of hooks on trial, and gives the folder of the log.
func trial(t *testing.T, hide ...string) string {
	t.Helper()
	dir := t.TempDir()
	w, err := audit.Open(audit.Config{Dir: dir, Fields: hide})
	if err != nil {
		t.Fatal(err)
	}
	step := func(action hook.Action, rule string, would *hook.Would) []hook.Step {
		return []hook.Step{{Hook: "hookway/guards", Lane: hook.Guard, Action: action, Rule: rule, Would: would}}
	}
	for _, v := range []hook.Verdict{
		{Event: "PreToolUse", Steps: step(hook.ActionContinue, "", &hook.Would{Action: hook.ActionBlock, Reason: "it would push", Rule: "git/force-push@1"}),
			Facts: []hook.Fact{{Does: "connect", Host: "h", Args: []string{"--token", "tok-1"}, Sends: []string{"env:token=hunter22"}}}},
		{Event: "PreToolUse", Steps: step(hook.ActionContinue, "", &hook.Would{Action: hook.ActionAsk, Rule: "git/force-push@2"})},
		{Event: "PreToolUse", Action: hook.ActionBlock, By: "hookway/guards", Rule: "files/top@1", Steps: step(hook.ActionBlock, "files/top@1", nil)},
	} {
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s", Agent: "claude"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "curl --token tok-1 h"}})
		if err := w.Append(t.Context(), audit.FromOutcome(ev, &hook.Outcome[any]{Verdict: v, Payload: ev.Body()}, time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRecordSaysWhatWouldHaveBeen(t *testing.T) {
	dir := trial(t)
	var got []audit.Record
	for r, err := range audit.Read(dir, audit.Filter{Would: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if len(got) != 2 || got[0].Would != "block" || got[1].Would != "ask" {
		t.Fatalf("got %+v, want the two records with would", got)
	}
	if got[0].Action != "continue" {
		t.Errorf("action %q, want continue: what is on trial is never an approval", got[0].Action)
	}
	if line := got[0].Describe(false); !strings.Contains(line, "would block by git/force-push@1: it would push") {
		t.Errorf("the line does not say what would have been: %s", line)
	}
	f := got[0].Facts
	if len(f) != 1 || f[0].Does != "connect" {
		t.Errorf("facts %+v, want them without arguments and secrets", f)
	} else if f[0].Args != nil || strings.Contains(f[0].Sends[0], "hunter22") {
		t.Errorf("facts %+v, want them without arguments and secrets", f)
	}
}

func TestHiddenInputHidesFacts(t *testing.T) {
	for r, err := range audit.Read(trial(t, "tool_input.command"), audit.Filter{}) {
		if err != nil || r.Facts != nil {
			t.Errorf("facts %+v, %v; want none", r.Facts, err)
		}
	}
}

func TestStatsOfRules(t *testing.T) {
	dir := trial(t)
	rules, err := audit.Rules(dir, audit.Filter{})
	if err != nil || len(rules) != 2 {
		t.Errorf("got %+v, %v", rules, err)
	} else if rules[0] != (audit.RuleStats{Rule: "files/top", Blocks: 1}) || rules[1] != (audit.RuleStats{Rule: "git/force-push", WouldBlock: 1, WouldAsk: 1}) {
		t.Errorf("got %+v, %v", rules, err)
	}
	hooks, err := audit.Summarize(dir, audit.Filter{})
	if err != nil || len(hooks) != 1 {
		t.Errorf("got %+v, %v; want two that would and one block", hooks, err)
	} else if hooks[0].Would != 2 || hooks[0].Blocks != 1 {
		t.Errorf("got %+v, %v; want two that would and one block", hooks, err)
	}
}

// A change on trial is told as what it is, and counts.
func TestAChangeOnTrialIsNoContinue(t *testing.T) {
	dir := t.TempDir()
	log, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}})
	out := hook.Outcome[any]{Verdict: hook.Verdict{Event: "PreToolUse", Steps: []hook.Step{{Hook: "tidy", Would: &hook.Would{Change: true}}}}}
	if err := log.Append(t.Context(), audit.FromOutcome(ev, &out, 0)); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for r, err := range audit.Read(dir, audit.Filter{Would: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Describe(true); !strings.Contains(text, "  would change it by tidy") || !strings.Contains(text, "continue, would change it") || strings.Contains(text, "would continue") {
			t.Errorf("it is told as %s", text)
		}
	}
	hooks, err := audit.Summarize(dir, audit.Filter{Would: true})
	if err != nil || len(hooks) != 1 || hooks[0].Would != 1 {
		t.Errorf("got %+v, %v; want one that would", hooks, err)
	}
}
