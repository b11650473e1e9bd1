package guards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// told is an event of a call, and its facts.
func told(session, tool string, input map[string]any) (hook.AnyEvent, []hook.Fact) {
	env := hook.Envelope{Session: session, Agent: "claude", CWD: world.Dir, Mark: &hook.Mark{ID: hook.ID{1}, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	return hook.PreToolUse.New(env, hook.ToolUse{ToolName: tool, ToolInput: input}), facts.Call(tool, input, world)
}

func line(s string) map[string]any { return map[string]any{"command": s} }

// refuses has a rule stop a call, and the state keep it.
func refuses(st *State, session, command string) {
	ev, fs := told(session, "Bash", line(command))
	st.Before(ev, fs, Budget{})
	st.Decided(ev, fs, Everything().Judge(fs), true)
}

// evaded reports whether a call is what was refused.
func evaded(st *State, session, tool string, input map[string]any) bool {
	defer st.Close() // nothing is written when the test is over
	ev, fs := told(session, tool, input)
	for _, f := range st.Before(ev, fs, Budget{}) {
		if f.Does == "sequence" && f.What == "refused" {
			return true
		}
	}
	return false
}

var byTool = map[string]any{"path": "/home/u/work/a.txt"}

func TestStateSurvivesARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "guards")
	st := &State{Dir: dir}
	refuses(st, "s-1", "rm ~/work/a.txt")
	again := &State{Dir: dir} // as after a kill: nobody closed the first
	if !evaded(again, "s-1", "mcp__fs__delete_file", byTool) {
		t.Error("a refusal is forgotten by a restart")
	}
	if evaded(again, "s-2", "mcp__fs__delete_file", byTool) {
		t.Error("a refusal of one session counts in another")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	info, err := os.Stat(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("others may read the file: %v", info.Mode())
	}
}

// A process that judges one event and ends knows what the ones before it kept, and what
// a daemon keeps reaches it, in both directions.
func TestStateOfProcessesThatJudgeAlone(t *testing.T) {
	dir := t.TempDir()
	refuses(&State{Dir: dir, Alone: true}, "s", "rm ~/work/a.txt")
	if !evaded(&State{Dir: dir, Alone: true}, "s", "mcp__fs__delete_file", byTool) {
		t.Error("the next process knows nothing")
	}
	daemon := &State{Dir: dir}
	if !evaded(daemon, "s", "mcp__fs__delete_file", byTool) {
		t.Error("the daemon knows nothing of it")
	}
	if err := daemon.Close(); err != nil {
		t.Fatal(err)
	}
	ev, _ := told("s", "Bash", nil)
	prompt := hook.AgentStart.New(*ev.Head(), hook.AgentRun{Prompt: "delete it"})
	(&State{Dir: dir, Alone: true}).After(prompt, Seen{})
	if evaded(daemon, "s", "mcp__fs__delete_file", byTool) {
		t.Error("the daemon does not see that a person said something")
	}
}

func TestStateCountsEachCallOfManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			ev, fs := told("s", "Bash", line("make"))
			(&State{Dir: dir, Alone: true, patience: time.Minute}).Before(ev, fs, Budget{})
		})
	}
	wg.Wait()
	got := 0
	(&State{Dir: dir, Alone: true}).use("s", func(s *session) bool { got = s.Calls; return false })
	if got != 12 {
		t.Errorf("%d calls are counted, want 12", got)
	}
}

// fillState has a session do as much as is kept of one, with names that end in a text.
func fillState(st *State, session string, times int, long string) {
	ev, _ := told(session, "Bash", nil)
	asks := &Rule{ID: "loops/equal-calls"}
	for i := range times {
		call := hook.PreToolUse.New(*ev.Head(), hook.ToolUse{ToolName: "Bash", ToolInput: line(fmt.Sprint(i)), ToolUseID: long + fmt.Sprint(i)})
		fs := []hook.Fact{{Does: "read", Secret: long, Path: long + fmt.Sprint(i)}, {Does: "connect", Host: long, Receives: []string{fmt.Sprint("/", i, long)}}}
		var judged []Judged
		for k := range maxTargets + 1 {
			name := fmt.Sprint("/", i, "/", k, "/", long[:min(len(long), 150/6)])
			fs = append(fs, hook.Fact{Does: "write", Path: name})
			judged = append(judged, Judged{Rule: asks, Verdict: Ask, Counts: true, Fact: hook.Fact{Does: "delete", Path: name}},
				Judged{Rule: asks, Verdict: Ask, Counts: true, Fact: hook.Fact{Does: "sequence", What: "downloaded", Path: name}})
		}
		st.Before(call, fs[:1], Budget{})
		st.Decided(call, fs, judged, i%2 == 0)
		if i%4 == 1 {
			st.After(hook.PostToolUse.New(*ev.Head(), hook.ToolResult{ToolUse: *bodyOf(call)}), Seen{Orders: long, Secrets: []string{fmt.Sprint(i, long)}})
		}
	}
}

func bodyOf(ev hook.AnyEvent) *hook.ToolUse { use := ev.Body().(hook.ToolUse); return &use }

// Whatever happens in a session, what is kept of it is bounded.
func TestStateIsBounded(t *testing.T) {
	dir := t.TempDir()
	st := &State{}
	fillState(st, "s", 300, strings.Repeat("<", 1000))
	for _, name := range []string{strings.Repeat("\x01", maxName), strings.Repeat("é", maxName/2), strings.Repeat("\xff", maxName), strings.Repeat("y", maxName)} {
		if got := encoded(short(name)); got > maxText || encoded(keep(name)) > maxName {
			t.Errorf("%.9q is kept as %q, shown in %d bytes", name, keep(name), got)
		}
	}
	refuses(st, "s", "rm ~/work/a.txt")
	all, _ := json.Marshal(st.open[fileOf("s")].s)
	if len(all) > maxStateFile || len(all) < maxStateFile/2 {
		t.Errorf("a session takes %d bytes, want at most %d, and in this test half of that", len(all), maxStateFile)
	}
	st.Dir = dir
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if again := (&State{Dir: dir}); !evaded(again, "s", "mcp__fs__delete_file", byTool) {
		t.Error("what was refused last is forgotten")
	}
	for i := range 3 * maxOpen {
		ev, fs := told(fmt.Sprint("session ", i), "Bash", line("ls"))
		st.Before(ev, fs, Budget{})
	}
	if len(st.open) > maxOpen {
		t.Errorf("%d sessions are in memory, want at most %d", len(st.open), maxOpen)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestStateRemovesOldFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range maxKept + 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(dir, "0.json")
	if err := os.Chtimes(old, time.Now().Add(-2*maxAge), time.Now().Add(-2*maxAge)); err != nil {
		t.Fatal(err)
	}
	refuses(&State{Dir: dir}, "s", "rm ~/work/a.txt")
	names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(names) > maxKept+2 {
		t.Errorf("%d files are left, want about %d", len(names), maxKept)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an old file is left")
	}
}

// A file that somebody damaged is begun anew, and no call waits for it.
func TestStateBesideDamage(t *testing.T) {
	for _, text := range []string{"", "{", `{"version":1,"equal":"x"}`, `{"version":99}`, strings.Repeat("[", 1<<16)} {
		dir := t.TempDir()
		st := &State{Dir: dir}
		refuses(st, "s", "rm ~/work/a.txt")
		names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		if err := os.WriteFile(names[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		fresh := &State{Dir: dir}
		if evaded(fresh, "s", "mcp__fs__delete_file", byTool) {
			t.Errorf("%.20q: a refusal was read", text)
		}
		refuses(fresh, "s", "rm ~/work/a.txt")
		if !evaded(fresh, "s", "mcp__fs__delete_file", byTool) {
			t.Errorf("%.20q: nothing is kept any more", text)
		}
	}
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	st := &State{Dir: dir, Log: func(line string) { said = append(said, line) }}
	refuses(st, "s", "rm ~/work/a.txt")
	if !evaded(st, "s", "mcp__fs__delete_file", byTool) || len(said) == 0 {
		t.Errorf("without a folder nothing is kept in memory, or nothing is said: %q", said)
	}
}

func TestStateManyAtOnce(t *testing.T) {
	st := &State{Dir: t.TempDir()}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 40 {
				session := fmt.Sprint("s", (9*i+k)%(maxOpen+8)) // each in use by few at once
				refuses(st, session, "rm ~/work/a.txt")
				ev, fs := told(session, "Bash", line("make"))
				st.Before(ev, fs, Budget{Calls: 3, Per: PerDay})
				st.Tokens(ev, 5)
			}
		})
	}
	wg.Wait()
	calls := 0
	for i := range maxOpen + 8 {
		st.look(fmt.Sprint("s", i), func(s *session) { calls += s.Calls })
	}
	if want := 8 * 40 * 2; calls != want { // refuses counts one, too
		t.Errorf("%d calls are counted, want %d", calls, want)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

// A session that an older hookway kept with long names is not forgotten as a whole.
func TestStateThatGrowsTooLargeDropsTheOldest(t *testing.T) {
	dir := t.TempDir()
	st := &State{Dir: dir}
	st.use("s", func(s *session) bool {
		for i := range 10 * maxFiles {
			s.Files = append(s.Files, file{Path: fmt.Sprint("/", i, strings.Repeat("<", 500))})
		}
		return false
	})
	refuses(st, "s", "rm ~/work/a.txt")
	if !evaded(&State{Dir: dir}, "s", "mcp__fs__delete_file", byTool) {
		t.Error("what was refused last is forgotten")
	}
}

// What is known of a file does not depend on how long its name is, or on the system.
func TestStateOfLongAndForeignNames(t *testing.T) {
	long := "/home/u/" + strings.Repeat("deep/", 200)
	for _, c := range []struct{ to, run string }{
		{"/home/u/x", "/home/u/x"}, {"/home/u/x", "/home/u/x/setup"}, {"C:/Users/u/x.exe", "C:/Users/u/x.exe"}, {`c:\x.exe`, `c:\x.exe`},
		{long + "x", long + "x"}, {long + "x", long + "x/bin/setup"}, {"/home/u/\xff", "/home/u/\xff/setup"},
	} {
		dir := t.TempDir()
		ev, _ := told("s", "Bash", line("get"))
		nothing := func(string, int) ([]byte, error) { return nil, os.ErrNotExist }
		(&State{Dir: dir}).Decided(ev, []hook.Fact{{Does: "connect", Host: "x.example", Receives: []string{c.to}}}, nil, false)
		for run, want := range map[string]string{c.run: "x.example", c.run + "-other": ""} {
			got := ""
			for _, f := range (&State{Dir: dir, Alone: true, ReadFile: nothing}).Before(ev, []hook.Fact{{Does: "execute", Path: run}}, Budget{}) {
				got = f.Host
			}
			if got != want && (want != "" || !strings.HasPrefix(run, c.to+"/")) {
				t.Errorf("to %.20q, run %.20q: from %q, want %q", c.to, run, got, want)
			}
		}
	}
}

func FuzzStateFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"calls":3,"recent":[{"call":"x"}],"refused":[{"call":"a","targets":["gone\u0000/x"]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		st := &State{Dir: dir}
		refuses(st, "s", "rm ~/work/a.txt")
		names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		if err := os.WriteFile(names[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		fresh := &State{Dir: dir}
		evaded(fresh, "s", "Bash", line("rm x"))
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBudgets(t *testing.T) {
	for text, want := range map[string]int64{"500": 500, "20k": 20000, "2M": 2000000, "1.5m": 1500000, " 3 ": 3} {
		if got, err := ParseCount(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "2T", "1e30"} {
		if got, err := ParseCount(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for _, b := range []Budget{{Calls: -1}, {Per: "week"}, {Agents: map[string]Budget{"a": {Per: PerDay}}}} {
		if b.Check() == nil {
			t.Errorf("%+v passes", b)
		}
	}
	st := &State{}
	over := func(session, agent string, b Budget) (what string) {
		ev, fs := told(session, "Bash", line("make "+session))
		ev.Head().Agent = agent
		for _, f := range st.Before(ev, fs, b) {
			if f.Does == "budget" {
				what = f.What
			}
		}
		return what
	}
	day := Budget{Calls: 2, Per: PerDay, Agents: map[string]Budget{"codex": {Calls: 100}}}
	var got []string
	for i := range 4 {
		got = append(got, over(fmt.Sprint("day ", i), "claude", day))
	}
	if fmt.Sprint(got) != "[ near over far over]" {
		t.Errorf("over days: %q", got)
	}
	if got := over("", "claude", day); got != "far over" {
		t.Errorf("an event without a session, after the day's budget, is %q", got)
	}
	finest := Budget{Calls: 500}
	for i := range 501 {
		want := map[int]string{399: "near", 500: "over"}[i]
		if got := over("finest", "claude", finest); got != want {
			t.Errorf("call %d of 500 is %q, want %q", i+1, got, want)
		}
	}
	if got := over("day 9", "codex", day); got != "" {
		t.Errorf("the budget of another agent is %q", got)
	}
	tokens := Budget{Tokens: 1000}
	ev, _ := told("tokens", "Bash", nil)
	st.After(hook.GenerateEnd.New(*ev.Head(), hook.GenerationResult{Usage: &hook.Usage{PromptTokens: 600, CompletionTokens: 500}}), Seen{})
	if got := over("tokens", "claude", tokens); got != "over" {
		t.Errorf("tokens: %q", got)
	}
}

// A person's yes goes a tenth further also where events have no session.
func TestBudgetOfADayWithoutSessions(t *testing.T) {
	g := &Guard{Policy: Everything(), State: &State{}}
	g.Policy.Budget = Budget{Calls: 20, Per: PerDay}
	got := ""
	for i := range 24 {
		ev, _ := told("", "Bash", line(fmt.Sprint("make ", i)))
		d, err := g.Handle(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		got += d.Action.String()[:1]
		if _, err := g.Handle(t.Context(), hook.PostToolUse.New(*ev.Head(), hook.ToolResult{ToolUse: *bodyOf(ev), ToolResponse: hook.ToolResponse{Success: true}})); err != nil {
			t.Fatal(err)
		}
	}
	if want := strings.Repeat("c", 20) + "acca"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What rules asked about, where nobody could be asked, is refused as by a person.
func TestAnAskThatNobodyAnswersIsRemembered(t *testing.T) {
	st := &State{}
	ev, fs := told("s", "Bash", line("rm ~/work/a.txt"))
	ask := Judged{Rule: &Rule{ID: "files/x"}, Verdict: Ask, Counts: true, Fact: fs[len(fs)-1]}
	st.Before(ev, fs, Budget{})
	st.Decided(ev, fs, []Judged{ask}, false)
	if evaded(st, "s", "mcp__fs__delete_file", byTool) {
		t.Error("what may have run counts as refused")
	}
	st.Refused(ev)
	if !evaded(st, "s", "mcp__fs__delete_file", byTool) {
		t.Error("the refusal is forgotten")
	}
	other, _ := told("other", "Bash", line("ls"))
	if st.Refused(other); len(st.open[fileOf("other")].s.Refused) > 0 || st.open[fileOf("other")].dirty {
		t.Error("something is kept of a call that no rule knows")
	}
}

// No file of the agent's is read while a session is locked: others wait for it.
func TestStateReadsNothingWhileItIsLocked(t *testing.T) {
	st, read := &State{}, 0
	st.ReadFile = func(string, int) ([]byte, error) {
		read++
		if k := st.open[fileOf("s")]; !k.mu.TryLock() {
			t.Error("a file is read while the session is locked")
		} else {
			k.mu.Unlock()
		}
		return []byte{0}, nil
	}
	ev, fs := told("s", "Bash", line("curl -o /home/u/x https://x.example/x"))
	st.Decided(ev, fs, nil, false)
	st.After(hook.PostToolUse.New(*ev.Head(), hook.ToolResult{ToolUse: *bodyOf(ev), ToolResponse: hook.ToolResponse{Success: true}}), Seen{})
	run := []hook.Fact{{Does: "execute", Path: "/home/u/x"}}
	if got := st.Before(ev, run, Budget{}); read != 2 || len(got) != 1 || got[0].What != "downloaded" {
		t.Errorf("%d files are read, want 2: one written, one run; facts %+v", read, got)
	}
}

// A session that is in use holds up no other, in this process or in another.
func TestStateWaitsForNoOtherSession(t *testing.T) {
	st := &State{Dir: t.TempDir()}
	used := st.hold("in use")
	for i := range 2 * maxOpen {
		st.use(fmt.Sprint(i), func(*session) bool { return false })
	}
	if st.open[used.name] != used || len(st.open) > maxOpen {
		t.Errorf("%d sessions are open, and the one in use: %t", len(st.open), st.open[used.name] == used)
	}
	used.mu.Unlock()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	said := ""
	one := &State{Dir: st.Dir, Alone: true, patience: time.Millisecond, Log: func(line string) { said += line }}
	defer one.lock(&entry{name: fileOf("a")})()
	if one.use("b", func(*session) bool { return false }); said != "" {
		t.Errorf("another session waited: %s", said)
	}
}

// What is not written at once is written soon, also in a session that is never quiet.
func TestStateIsWrittenWhileEventsCome(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := &State{Dir: dir}
		for range 4 {
			st.use("s", func(s *session) bool { s.Calls++; return false })
			time.Sleep(saveDelay * 2 / 3)
			synctest.Wait()
		}
		if _, err := os.Stat(filepath.Join(dir, fileOf("s")+".json")); err != nil {
			t.Error("nothing is written as long as events come")
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Another process's file is seen even if it is as long and as old as the one before.
func TestStateSeesAFileThatLooksTheSame(t *testing.T) {
	dir := t.TempDir()
	st := &State{Dir: dir}
	st.use("s", func(s *session) bool { s.Calls = 3; return true })
	path := filepath.Join(dir, fileOf("s")+".json")
	b, err1 := os.ReadFile(path)
	was, err2 := os.Stat(path)
	err3 := os.Link(path, filepath.Join(t.TempDir(), "before")) // or the system may use its number again
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Skip(err)
	}
	if err := disk.ReplaceUnsynced(path, bytes.Replace(b, []byte(`"calls":3`), []byte(`"calls":7`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	if st.look("s", func(s *session) {
		if s.Calls != 7 {
			t.Errorf("%d calls, want 7", s.Calls)
		}
	}); st.timer != nil {
		t.Error("looking writes")
	}
}

// The guard asks the state, and tells it what became of the call.
func TestGuardRemembers(t *testing.T) {
	g := &Guard{Policy: Everything(), State: &State{}}
	fire := func(command string) hook.Decision {
		ev, _ := told("s", "Bash", line(command))
		d, err := g.Handle(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for range equalLimit - 1 {
		if d := fire("make"); d.Action != hook.ActionContinue {
			t.Fatalf("got %+v", d)
		}
	}
	if d := fire("make"); d.Action != hook.ActionAsk || d.Rule != "loops/equal-calls@1" || !strings.Contains(d.Reason, "15 times") {
		t.Errorf("got %+v", d)
	}
}

func BenchmarkState(b *testing.B) {
	st := &State{Dir: b.TempDir()}
	defer st.Close()
	ev, fs := told("s", "Bash", line("go test ./... && git status"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		st.Before(ev, fs, Budget{Calls: 1 << 30})
		st.Decided(ev, fs, nil, false)
	}
}
