package transcript_test

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

	"github.com/hookway/hookway/internal/transcript"
)

// list gives the records of a user's machine as "agent group path", with its problems.
func (u *user) list(since time.Time, agents ...string) (found, problems []string) {
	u.t.Helper()
	getenv := func(name string) string { return map[string]string{"HOME": u.home}[name] }
	records, errs := transcript.List(context.Background(), getenv, agents, since)
	for _, r := range records {
		rel, err := filepath.Rel(u.home, r.Path)
		if err != nil {
			u.t.Fatal(err)
		}
		line := fmt.Sprintf("%s %s", r.Group, filepath.ToSlash(rel))
		if r.Sub {
			line += " sub"
		}
		if r.Dir != "" {
			line += " in " + r.Dir
		}
		found = append(found, line)
	}
	for _, err := range errs {
		problems = append(problems, strings.ReplaceAll(err.Error(), u.home, "HOME"))
	}
	return found, problems
}

// TestList finds the records of sessions and of their sub-agents, and puts them together.
func TestList(t *testing.T) {
	u := newUser(t)
	const rollout = `{"type":"session_meta","payload":{"session_id":%q,"id":%q,"cwd":"/p"}}` + "\n"
	for path, text := range map[string]string{
		".claude/projects/-p/s1.jsonl":                              "{}\n",
		".claude/projects/-p/s1/subagents/agent-a.jsonl":            "{}\n",
		".claude/projects/-p/s1/subagents/agent-a.meta.json":        "{}\n",
		".claude/projects/-q/s2.jsonl":                              "{}\n",
		".codex/sessions/2026/11/22/rollout-1-r.jsonl":              fmt.Sprintf(rollout, "r", "r"),
		".codex/sessions/2026/11/22/rollout-2-c.jsonl":              fmt.Sprintf(rollout, "r", "c"),
		".codex/archived_sessions/rollout-0-a.jsonl":                fmt.Sprintf(rollout, "", "a"),
		".codex/sessions/2025/01/01/rollout-old.json":               "{}",
		".gemini/tmp/p/.project_root":                               "/p\n",
		".gemini/tmp/p/chats/session-1-g.jsonl":                     `{"sessionId":"g-long"}` + "\n",
		".gemini/tmp/p/chats/g-long/sub.jsonl":                      `{"sessionId":"x"}` + "\n",
		".gemini/tmp/p/chats/session-0.json":                        "{}",
		".qwen/projects/-p/chats/w.jsonl":                           "{}\n",
		".qwen/projects/-p/chats/w.runtime.json":                    "{}\n",
		".qwen/projects/-p/subagents/w/agent-1.jsonl":               "{}\n",
		".copilot/session-state/c1/events.jsonl":                    "{}\n",
		".copilot/session-state/c2/workspace.yaml":                  "x",
		".local/share/opencode/log/some.log":                        "x",
		".claude/projects/-p/memory/notes.md":                       "x",
		".claude/sessions/12.json":                                  "{}",
		".copilot/session-state/c1/files/events.jsonl/not-a-record": "x",
	} {
		u.put(text, append([]string{u.home}, strings.Split(path, "/")...)...)
	}
	found, problems := u.list(time.Time{}, transcript.Agents()...)
	want := []string{
		"claude/-p/s1 .claude/projects/-p/s1.jsonl",
		"claude/-p/s1 .claude/projects/-p/s1/subagents/agent-a.jsonl sub",
		"claude/-q/s2 .claude/projects/-q/s2.jsonl",
		"codex/a .codex/archived_sessions/rollout-0-a.jsonl",
		"codex/r .codex/sessions/2026/11/22/rollout-1-r.jsonl",
		"codex/r .codex/sessions/2026/11/22/rollout-2-c.jsonl sub",
		"copilot/c1 .copilot/session-state/c1/events.jsonl",
		"gemini/g-long .gemini/tmp/p/chats/g-long/sub.jsonl sub in /p",
		"gemini/g-long .gemini/tmp/p/chats/session-1-g.jsonl in /p",
		"qwen/-p/w .qwen/projects/-p/chats/w.jsonl",
		"qwen/-p/w .qwen/projects/-p/subagents/w/agent-1.jsonl sub",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	if got := strings.Join(problems, "\n"); len(problems) != 2 || !strings.Contains(got, "rollout-old.json: "+transcript.ErrVersion.Error()) || !strings.Contains(got, "session-0.json: ") {
		t.Errorf("problems %q", problems)
	}
	if found, problems := u.list(time.Now().Add(time.Hour), transcript.Agents()...); len(found)+len(problems) != 0 {
		t.Errorf("of the future: %q, problems %q", found, problems)
	}
	if _, problems := u.list(time.Time{}, "clod"); len(problems) != 1 || !strings.Contains(problems[0], "clod: unknown agent") {
		t.Errorf("of an unknown agent: %q", problems)
	}
}

// TestListOfADatabase: OpenCode's sessions lie in one file, which may be something else.
func TestListOfADatabase(t *testing.T) {
	source := recording(t, "opencode")
	getenv := func(name string) string { return map[string]string{"OPENCODE_DB": source.Path}[name] }
	records, problems := transcript.List(t.Context(), getenv, []string{"opencode"}, time.Time{})
	if len(problems) != 0 || len(records) != 1 {
		t.Fatalf("got %+v, problems %v", records, problems)
	}
	want := transcript.Record{Source: source, Group: "opencode/" + source.Session, Dir: "/home/user/project", Changed: records[0].Changed}
	if records[0] != want {
		t.Errorf("got %+v, want %+v", records[0], want)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	write(t, path, "this is no database, and long enough to be looked at as if it were one")
	getenv = func(name string) string { return map[string]string{"OPENCODE_DB": path}[name] }
	if records, problems := transcript.List(t.Context(), getenv, []string{"opencode"}, time.Time{}); len(records) != 0 || len(problems) != 1 {
		t.Errorf("of no database: %+v, problems %v", records, problems)
	}
}

// TestAWholeRecord: of each line that cannot be read is told where it stands, and a last
// line without an end is read.
func TestAWholeRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, claudeSays("m1", "a", "one")+`{"type":"assis`+"\n"+"[1]\n\n"+`{"type":"summary"}`+"\n"+strings.TrimSuffix(claudeSays("m2", "b", "two"), "\n"))
	var torn []string
	r, err := transcript.OpenWhole(transcript.Source{Agent: "claude", Path: path}, transcript.Ample, func(err error) { torn = append(torn, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if got := texts(all(t, r)); !slices.Equal(got, []string{"m1/0 one", "m2/0 two"}) {
		t.Errorf("got %q", got)
	}
	if want := []string{path + ":2: the line cannot be read: it is not a whole JSON object", path + ":3: the line cannot be read: it is not a whole JSON object"}; !slices.Equal(torn, want) {
		t.Errorf("torn %q, want %q", torn, want)
	}
	if r.Bytes() == 0 {
		t.Error("no bytes were read")
	}
	write(t, path, claudeSays("m1", "a", "one")+`{"type":"assis`)
	torn = nil
	if r, err = transcript.OpenWhole(transcript.Source{Agent: "claude", Path: path}, transcript.Ample, func(err error) { torn = append(torn, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if all(t, r); len(torn) != 1 || !strings.Contains(torn[0], ":2: ") {
		t.Errorf("of half a last line %q", torn)
	}
}

// TestCallsOfCodex: a call's input is its arguments, its text or its action, and only the
// output says that a command has failed.
func TestCallsOfCodex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-1.jsonl")
	item := func(payload string) string { return `{"type":"response_item","payload":` + payload + "}\n" }
	write(t, path, `{"type":"session_meta","payload":{"id":"s","cwd":"/p"}}`+"\n"+
		item(`{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["rm","x"]}}`)+
		item(`{"type":"function_call_output","call_id":"c1","output":"Exit code: 1\nWall time: 0 seconds\nOutput:\nno"}`)+
		`{"type":"turn_context","payload":{"cwd":"/q","model":"m"}}`+"\n"+
		item(`{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin Patch"}`)+
		item(`{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"\",\"metadata\":{\"exit_code\":0}}"}`)+
		item(`{"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}}`))
	var got []string
	for _, e := range all(t, open(t, transcript.Source{Agent: "codex", Path: path})) {
		if e.Kind == transcript.Call || e.Kind == transcript.Result {
			got = append(got, fmt.Sprint(e.Kind, " ", e.Tool, " ", e.Dir, " ", string(e.Input), " ", e.Failed))
		}
	}
	want := []string{
		`call local_shell /p {"type":"exec","command":["rm","x"]} false`, "result  /p  true",
		`call apply_patch /q "*** Begin Patch" false`, "result  /q  false",
		`call web_search /q {"type":"search","query":"q"} false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAListedRecordCanBeOpened, or is refused by its version.
func TestAListedRecordCanBeOpened(t *testing.T) {
	u := newUser(t)
	u.put(`{"type":"user","version":"9.0","message":{"content":"hi"}}`+"\n", u.home, ".claude", "projects", "p", "s.jsonl")
	getenv := func(name string) string { return map[string]string{"HOME": u.home}[name] }
	records, _ := transcript.List(t.Context(), getenv, []string{"claude"}, time.Time{})
	if len(records) != 1 {
		t.Fatalf("got %+v", records)
	}
	r, err := transcript.OpenWhole(records[0].Source, transcript.Ample, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if _, _, err := r.Next(t.Context()); !errors.Is(err, transcript.ErrVersion) {
		text, _ := json.Marshal(records[0])
		t.Errorf("of %s: %v", text, err)
	}
}

// TestAProjectThatIsALinkIsListed: agents follow it. What it cannot be is told.
func TestAProjectThatIsALinkIsListed(t *testing.T) {
	u := newUser(t)
	elsewhere := filepath.Join(filepath.Dir(u.home), "disk")
	u.put("{}\n", elsewhere, "p", "s1.jsonl")
	u.put("{}\n", elsewhere, "p", "s1", "subagents", "agent-a.jsonl")
	u.put("{}\n", elsewhere, "s2.jsonl")
	u.put("{}\n", u.home, ".claude", "projects", "-q", "s3.jsonl")
	for link, to := range map[string]string{"-p": filepath.Join(elsewhere, "p"), "-q/s2.jsonl": filepath.Join(elsewhere, "s2.jsonl"), "-up": filepath.Dir(u.home), "-gone": filepath.Join(elsewhere, "gone")} {
		if err := os.Symlink(to, filepath.Join(u.home, ".claude", "projects", filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	found, problems := u.list(time.Time{}, "claude")
	var got []string
	for _, line := range found {
		got = append(got, strings.Fields(line)[0])
	}
	if want := []string{"claude/-p/s1", "claude/-p/s1", "claude/-q/s2", "claude/-q/s3"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if told := strings.Join(problems, "\n"); len(problems) != 2 || !strings.Contains(told, "-gone") || !strings.Contains(told, "which it lies in") {
		t.Errorf("the problems are %q", problems)
	}
}
