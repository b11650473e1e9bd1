package adapter_test

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/wire/call"
)

// allExams are those of all codecs.
var allExams = append([]exam{claudeExam, codexExam, geminiExam, qwenExam}, flatExams...)

// gatesUnderItsName are events without a name of ours before which something
// waits for a yes, by their codecs.
var gatesUnderItsName = map[string][]string{
	"claude":   {"UserPromptExpansion", "WorktreeCreate"},
	"copilot":  {"preMcpToolCall"},
	"opencode": {"command.execute.before", "permission.ask"},
	"qwen":     {"UserPromptExpansion"},
}

func TestEveryCodecIsExamined(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range allExams {
		seen[x.about().Name] = true
	}
	for _, c := range adapter.All() {
		if !seen[c.About().Name] || !call.Known(c.About().Name) {
			t.Errorf("%s: examined %v, known to the shim %v", c.About().Name, seen[c.About().Name], call.Known(c.About().Name))
		}
	}
	if len(call.Agents()) != len(adapter.All()) {
		t.Errorf("the shim knows %q", call.Agents())
	}
}

// TestTheShimKnowsEveryEvent holds that hookway-hook, when all else failed, says no
// to each event of each codec that a tool, a permission or a prompt waits for, in
// the words of the codec, and lets each other one pass with the codec's own bytes
// of no opinion.
func TestTheShimKnowsEveryEvent(t *testing.T) {
	for _, x := range allExams {
		about := x.about()
		t.Run(about.Name, func(t *testing.T) {
			gating := map[string]bool{}
			for _, name := range gatesUnderItsName[about.Name] {
				gating[name] = true
			}
			for _, row := range about.Events {
				switch row.Kind {
				case hook.PreToolUse.Info(), hook.AgentStart.Info(), hook.PermissionRequest.Info():
					if row.Can&adapter.Block != 0 {
						gating[row.Name] = true
					}
				}
			}
			for _, row := range about.Events {
				for _, stdin := range x.eventsOf(t, row.Name) {
					x.passesWithoutAWord(t, row.Name, stdin, call.NoOpinion(about.Name, row.Name))
					refused := call.Refuse(about.Name, row.Name, stdin, "", "it broke")
					if gates := call.Gates(about.Name, row.Name); gates != gating[row.Name] {
						t.Errorf("%s gates something for the shim: %v", row.Name, gates)
					} else if !gates {
						x.passesWithoutAWord(t, row.Name, stdin, refused)
					} else if row.Can&adapter.Block != 0 {
						x.refusedInItsWords(t, row.Name, stdin, refused)
					}
				}
			}
		})
	}
}

// eventsOf gives the recordings of an event, or one that has but its name if
// there are none.
func (x exam) eventsOf(t *testing.T, name string) (events [][]byte) {
	t.Helper()
	all := x.recorded(t)
	for _, file := range sorted(all) {
		if nativeEvent(file) == name {
			events = append(events, all[file])
		}
	}
	if events == nil {
		events = [][]byte{[]byte(`{"hook_event_name":"` + name + `","session_id":"s-1","cwd":"/home/alice"}`)}
	}
	return events
}

// answered is how the codec writes a verdict on a native event.
func (x exam) answered(t *testing.T, name string, stdin []byte, v hook.Verdict) adapter.Reply {
	t.Helper()
	ev := x.decode(t, name, stdin)
	r, err := x.codec.Encode(ev, hook.Outcome[any]{Verdict: v, Payload: ev.Body()})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func (x exam) passesWithoutAWord(t *testing.T, name string, stdin []byte, got call.Reply) {
	t.Helper()
	want := x.answered(t, name, stdin, hook.Verdict{Action: hook.ActionContinue})
	if asJSON(t, objectOf(t, got.Stdout)) != asJSON(t, objectOf(t, want.Stdout)) || len(got.Stderr) > 0 || got.ExitCode != 0 {
		t.Errorf("%s passes with %+v; the codec's no opinion is %s", name, got, want.Stdout)
	}
}

func (x exam) refusedInItsWords(t *testing.T, name string, stdin []byte, shim call.Reply) {
	t.Helper()
	r := x.answered(t, name, stdin, hook.Verdict{Action: hook.ActionBlock, Reason: "it broke"})
	if len(r.Stdout) == 0 || len(shim.Stdout) == 0 { // it is told by the exit code
		if len(r.Stdout) != len(shim.Stdout) || r.ExitCode != shim.ExitCode {
			t.Errorf("%s: the shim says %+v, the codec %+v", name, shim, r)
		}
		return
	}
	got, want := objectOf(t, shim.Stdout), objectOf(t, r.Stdout)
	if _, nested := want["hookSpecificOutput"]; !nested {
		delete(got, "hookSpecificOutput") // a second dialect, where two are spoken
	}
	if asJSON(t, got) != asJSON(t, want) {
		t.Errorf("%s: the shim says %s, the codec %s", name, shim.Stdout, r.Stdout)
	}
}
