package replay_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/transcript"
)

// replay fires what agents have on record of the machine at hookway's own rules.
func (m *machine) replay(words string, t replay.Transcripts) *replay.Comparison {
	m.t.Helper()
	t.Getenv = only(map[string]string{"HOME": m.home, "USERPROFILE": m.home, "HOOKWAY_HOME": filepath.Join(m.home, "hw"), "HOOKWAY_TRUST": "1"})
	plan := replay.Rerun{
		Moments: t.Moments(m.t.Context()), Options: config.Options{Getenv: t.Getenv}, Guards: strings.Fields(words),
		Environ: []string{"HOME=" + m.home, "PATH=/usr/bin:/bin"},
	}
	report, err := plan.Compare(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return report
}

func told(r *replay.Comparison) string {
	var text strings.Builder
	_ = r.WriteText(&text)
	return text.String()
}

// TestEachCallOfTheTranscriptsIsFired: of the recorded sessions of all agents none is lost.
func TestEachCallOfTheTranscriptsIsFired(t *testing.T) {
	m := newMachine(t)
	for agent, ids := range m.recordings() {
		r := m.replay("default enforce", replay.Transcripts{Agents: []string{agent}})
		if r.Then.All() != len(ids) || len(ids) == 0 {
			t.Errorf("%s: of %d calls %d were fired:\n%s", agent, len(ids), r.Then.All(), told(r))
		}
		if len(r.Problems) > 0 || r.NotReplayable > 0 {
			t.Errorf("%s: not all could be read:\n%s", agent, told(r))
		}
	}
}

// TestWhatHappenedIsCompared: what ran is newly blocked or asked about; what a person
// refused is not a change; of what has no result nothing is said.
func TestWhatHappenedIsCompared(t *testing.T) {
	m := newMachine(t)
	m.claude("s1",
		"user: go on", "$ go test ./...", "> ok", "$ rm -rf /srv/data", "> ",
		"$ git push --force origin main", "! The user doesn't want to proceed with this tool use. The tool use was rejected",
		"$ git status", "! The user doesn't want to proceed with this tool use. The tool use was rejected",
		"$ git reset --hard HEAD~1", "> done",
		"$ rm -rf /srv/more", "! PreToolUse:Bash hook error: not here", "$ git log", "! Permission to use Bash has been denied.",
		"$ cat ~/.ssh/id_rsa")
	m.put(".claude/projects/-home-user-project/s1/subagents/agent-1.jsonl", strings.ReplaceAll(lines("s1", "$ rm -rf /srv/sub", "> "), "toolu_", "sub_"))
	r := m.replay("default enforce", replay.Transcripts{})
	if want := (replay.Past{Ran: 4, Refused: 2, Held: 1, Stopped: 2, NotKnown: 1}); r.Then != want {
		t.Errorf("then: %+v, want %+v", r.Then, want)
	}
	got, want := [5]int{r.Blocked, r.Asked, r.Passed, r.Incomparable, r.Undecided}, [5]int{2, 1, 0, 2, 0}
	if got != want {
		t.Errorf("blocked, asked, passed, not comparable, undecided: %v, want %v:\n%s", got, want, told(r))
	}
	text := told(r)
	for _, want := range []string{
		"passed then: it ran; now: hookway", "a person refused or stopped 2, of which hooks hold 1 now", "4 calls ran and passed", "of 1 it is not known",
		"1 event: the agent's record does not say what became of the call (first: s1, call toolu_8)", "the agent's record does not say which",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told:\n%s", want, text)
		}
	}
	if none := m.replay("default enforce", replay.Transcripts{Wanted: replay.Wanted{Session: "s2"}}); none.Events != 0 {
		t.Errorf("of another session there are %d events", none.Events)
	}
	if one := m.replay("default enforce", replay.Transcripts{Wanted: replay.Wanted{Session: "s1"}}); one.Events != r.Events {
		t.Errorf("of the session there are %d events, not %d", one.Events, r.Events)
	}
}

// TestAgentsToolsHaveOurNames: a hook for one agent's tools holds for those of all.
func TestAgentsToolsHaveOurNames(t *testing.T) {
	m := newMachine(t)
	m.recordings()
	hooks := filepath.Join(m.home, "hookway.yaml")
	m.put("hookway.yaml", "hooks:\n  - {id: shell, on: PreToolUse, lane: guard, match: {tool: Bash, command: '.*'}, block: no shell}\n")
	getenv := only(map[string]string{"HOME": m.home, "USERPROFILE": m.home, "HOOKWAY_HOME": filepath.Join(m.home, "hw")})
	r, err := replay.Rerun{Moments: replay.Transcripts{Getenv: getenv}.Moments(t.Context()), Options: config.Options{Getenv: getenv}, Config: hooks}.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agents := map[string]bool{}
	for _, s := range r.Sources {
		for _, one := range s.Samples {
			agents[one.Agent] = true
		}
	}
	if r.Blocked < len(transcript.Agents()) || r.Then.Ran < r.Blocked {
		t.Errorf("got %v; %s, want r.Blocked >= len(transcript.Agents()) and r.Then.Ran >= r.Blocked", agents, told(r))
	}
}

// TestBadTranscripts: each torn line and each unknown version is a line and counted.
func TestBadTranscripts(t *testing.T) {
	m := newMachine(t)
	m.claude("good", "$ rm -rf /srv/data", "> ")
	m.put(".claude/projects/p/torn.jsonl", lines("torn", "$ ls", "> x")+strings.Repeat("{half\n", 5))
	m.put(".claude/projects/p/new.jsonl", `{"type":"user","version":"9.1.0","message":{"content":"x"}}`+"\n")
	m.put(".gemini/tmp/old/chats/session-1.jsonl", `{"sessionId":"g"}`+"\n"+`{"id":"m","type":"gemini","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"rm -rf /"}}]}`+"\n")
	m.put(".codex/sessions/rollout-1.jsonl", `{"type":"session_meta","payload":{"id":"c","cwd":"/p"}}`+"\n"+
		`{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"x","name":"exec","input":"await tools.exec_command({cmd: 'ls'})"}}`+"\n")
	r := m.replay("default enforce", replay.Transcripts{})
	if r.Torn != 5 || r.Unversed != 1 || len(r.Problems) != 6 {
		t.Errorf("%d torn lines, %d versions, %q", r.Torn, r.Unversed, r.Problems)
	}
	if r.Blocked != 1 || r.NotReplayable != 2 {
		t.Errorf("got %s", told(r))
	}
	for _, want := range []string{"Not read (5 lines, 1 record of an unknown version)", "program of Codex", "in which folder"} {
		if !strings.Contains(told(r), want) {
			t.Errorf("%q is not told:\n%s", want, told(r))
		}
	}
}

// TestManyCallsWaitForOne: what became of a call that takes longer than many others is
// told of it alone, and what waits is bounded.
func TestManyCallsWaitForOne(t *testing.T) {
	m := newMachine(t)
	text := []string{"Task {}"}
	for i := range 3000 {
		text = append(text, fmt.Sprintf("$ echo %d", i), "> ok")
	}
	m.claude("s", text...)
	n, open := 0, 0
	for moment, err := range (replay.Transcripts{Getenv: only(map[string]string{"HOME": m.home})}).Moments(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; moment.Was == replay.NotKnown {
			open++
		}
	}
	if n != 6001 || open != 1 {
		t.Errorf("%d events, %d not known", n, open)
	}
	for range (replay.Transcripts{Getenv: only(map[string]string{"HOME": m.home})}).Moments(t.Context()) {
		break // nobody wants more
	}
}

// TestARecordIsRecognised: a file is fired with its sub-agents, at the hooks of the folder
// that one is in.
func TestARecordIsRecognised(t *testing.T) {
	m := newMachine(t)
	m.claude("s1", "$ rm -rf /srv/data", "> ")
	m.claude("s2", "$ rm -rf /srv/other", "> ")
	m.put(".claude/projects/-home-user-project/s1/subagents/agent-1.jsonl", strings.ReplaceAll(lines("s1", "$ rm -rf /srv/sub", "> "), "toolu_", "sub_"))
	m.put("copy.jsonl", lines("s3", "$ rm -rf /srv/data", "> "))
	for path, want := range map[string]int{".claude/projects/-home-user-project/s1.jsonl": 2, ".claude/projects/-home-user-project/s1/subagents/agent-1.jsonl": 1, "copy.jsonl": 1} {
		records, problems, ok := transcript.Recognise(t.Context(), only(map[string]string{"HOME": m.home}), filepath.Join(m.home, filepath.FromSlash(path)))
		if !ok || len(problems) > 0 {
			t.Errorf("%s is not recognised: %v", path, problems)
			continue
		}
		r := m.replay("default enforce", replay.Transcripts{Records: records})
		if r.Blocked != want || slices.ContainsFunc(r.Sources, func(s replay.Source) bool { return s.ID != "files/delete-outside" }) {
			t.Errorf(`%s: got %s, want r.Blocked == want and !slices.ContainsFunc(r.Sources, func(s replay.Source) bool { return s.ID != "files/delete-outside" })`, path, told(r))
		}
	}
}

// TestRefusedIsNoTextOfACall: what a call prints that succeeded is not a person's word, and
// Codex, which tells no failures, begins with it.
func TestRefusedIsNoTextOfACall(t *testing.T) {
	m := newMachine(t)
	m.claude("said", "$ cat auth.log", "> sshd: session rejected by user", "$ cat log", "> The user doesn't want to proceed with this tool use",
		"$ git push", "! The user doesn't want to proceed with this tool use. The tool use was rejected")
	row := func(kind, id, member, text string) string {
		return `{"type":"response_item","payload":{"type":"` + kind + `","call_id":"` + id + `","name":"shell","` + member + `":` + text + "}}\n"
	}
	m.put(".codex/sessions/rollout-1.jsonl", `{"type":"session_meta","payload":{"id":"c","cwd":"/home/user/project"}}`+"\n"+
		row("function_call", "a", "arguments", `"{\"command\":[\"ls\"]}"`)+row("function_call_output", "a", "output", `"exec command rejected by user"`)+
		row("function_call", "b", "arguments", `"{\"command\":[\"cat\"]}"`)+row("function_call_output", "b", "output", `"1: it was rejected by user"`))
	if r := m.replay("default enforce", replay.Transcripts{}); r.Then.Refused != 2 || r.Then.Ran != 3 {
		t.Errorf("got %+v; want 2 refused and 3 that ran", r.Then)
	}
}

// TestTornLinesAreBounded: of very many torn lines only the number is told.
func TestTornLinesAreBounded(t *testing.T) {
	m := newMachine(t)
	m.put(".claude/projects/p/torn.jsonl", lines("torn", "$ ls", "> x")+strings.Repeat("{\n", 5000))
	n, last := 0, ""
	for _, err := range (replay.Transcripts{Getenv: only(map[string]string{"HOME": m.home})}).Moments(t.Context()) {
		if err != nil {
			n, last = n+1, err.Error()
		}
	}
	if n != 1001 || !strings.HasSuffix(last, ": 4,000 more lines cannot be read") {
		t.Errorf("%d errors, the last is %s; want 1001, and of the last 4000 lines the number", n, last)
	}
	if r := m.replay("default enforce", replay.Transcripts{}); r.Torn != 5000 {
		t.Errorf("%d torn lines, want 5000", r.Torn)
	}
}
