package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/timeline"
)

// at is a time of these tests, in seconds.
func at(seconds int) time.Time {
	return time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

// home is a folder in which agents keep what they did, beside an audit log.
type home struct {
	t    *testing.T
	root string
	log  string
}

func newHome(t *testing.T) *home {
	root := t.TempDir()
	return &home{t: t, root: root, log: filepath.Join(root, "audit")}
}

// claude writes a transcript of Claude Code.
func (h *home) claude(path string, lines ...string) {
	h.t.Helper()
	path = filepath.Join(h.root, ".claude", "projects", "-src-app", path)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// line is one of a transcript: what stands for who says it.
func line(session string, seconds int, who, message string) string {
	return fmt.Sprintf(`{"type":%q,"uuid":"u%s%d","sessionId":%q,"cwd":"/src/app","timestamp":%q,"version":"2.0.1","message":%s}`, who, session, seconds, session, at(seconds).Format(time.RFC3339), message)
}

func prompt(session string, seconds int, text string) string {
	return line(session, seconds, "user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

func call(session string, seconds int, id, command string) string {
	return line(session, seconds, "assistant", fmt.Sprintf(`{"id":"m%d","model":"opus","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}],"usage":{"input_tokens":10,"output_tokens":5}}`, seconds, id, command))
}

func result(session string, seconds int, id, text string) string {
	return line(session, seconds, "user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, id, text))
}

// record puts records into the log.
func (h *home) record(list ...audit.Record) {
	h.t.Helper()
	log, err := audit.Open(audit.Config{Dir: h.log})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range list {
		if err := log.Append(h.t.Context(), r); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		h.t.Fatal(err)
	}
}

// recorded is what an index has.
type recorded struct{ *index.Index }

func (r recorded) Sessions(ctx context.Context) (list []timeline.Recorded, behind int64, err error) {
	all, behind, err := r.Index.Sessions(ctx)
	for _, s := range all {
		list = append(list, timeline.Recorded{
			ID: s.ID, Agent: s.Agent, Folder: s.Folder, First: s.First, Last: s.Last, Events: s.Events, Calls: s.Calls, Blocks: s.Blocks, Asks: s.Asks, Would: s.Would,
			Prompt: func(ctx context.Context) string { return r.Prompt(ctx, &s) },
		})
	}
	return list, behind, err
}

func (h *home) open(fields ...string) *timeline.Timeline {
	x := index.Open(h.log, nil)
	t := timeline.New(timeline.Options{
		Records: recorded{x}, Hide: func(string) *audit.Hider { return audit.NewHider(fields) },
		Getenv: func(name string) string { return map[string]string{"HOME": h.root}[name] },
	})
	h.t.Cleanup(func() {
		t.Close()
		if err := x.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return t
}

// items are those of a session, in short.
func items(t *testing.T, of *timeline.Timeline, id string) (list []string, page *timeline.Page) {
	t.Helper()
	page, err := of.One(t.Context(), "", id, "", timeline.MostItems)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range page.Items {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s%s %s %d", i.Lane, i.Kind, i.Title, i.Text, i.Action, i.Record)))
	}
	return list, page
}

// TestASessionIsOfTheRecordAndTheTranscript: calls are joined by their ids, sub-agents are
// lanes, and what only one of both knows is told, too.
func TestASessionIsOfTheRecordAndTheTranscript(t *testing.T) {
	h := newHome(t)
	h.claude("s1.jsonl", prompt("s1", 0, "tidy up"), call("s1", 1, "c1", "ls"), result("s1", 2, "c1", "a b"), call("s1", 5, "c2", "rm -rf /"), result("s1", 6, "c2", "blocked"))
	h.claude("s1/subagents/agent-x.jsonl", prompt("s1", 3, "look around"), call("s1", 4, "c3", "pwd"))
	of := func(seconds int, event, id, what, action string) audit.Record {
		return audit.Record{Time: at(seconds), Event: event, Session: "s1", Agent: "claude", Workspace: "/src/app", Tool: "Bash", ToolUseID: id, What: what, Action: action, By: "guards"}
	}
	h.record(
		of(0, "AgentStart", "", "tidy up", "continue"), of(1, "PreToolUse", "c1", "ls", "continue"), of(2, "PostToolUse", "c1", "ls", "continue"),
		of(4, "PreToolUse", "c3", "pwd", "continue"), of(5, "PreToolUse", "c2", "rm -rf /", "block"),
		of(7, "PreToolUse", "c9", "make", "ask"), of(8, "MessageReceived", "", "hello", "continue"), of(9, audit.Approval, "", "make", "allow"),
	)
	got, page := items(t, h.open(), "s1")
	want := []string{
		"main prompt tidy up  0", "main call lsa b continue 2", "main usage   0", "agent-x prompt look around  0", "agent-x call pwd continue 4", "agent-x usage   0",
		"main call rm -rf /blocked block 5", "main usage   0", "main call make ask 6", "main message hello continue 7", "main approval make allow 8",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(page.Lanes) != 2 || page.Lanes[1].Parent != "main" || page.Lanes[1].Name != "look around" {
		t.Errorf("got the lanes %+v, want look around below main", page.Lanes)
	}
	if got := page.Counts["block"]; got != 1 {
		t.Errorf("got %d blocks, want 1", got)
	}
	if s := page.Session; s.Title != "tidy up" || s.Calls != 4 || s.Tokens.Output != 15 {
		t.Errorf(`got %+v, want s.Title == "tidy up" and s.Calls == 4 and s.Tokens.Output == 15`, s)
	}
}

// TestSubAgentsStandInTheirOrder: as they began, whatever their files are called, and each
// by what it was told, without secrets.
func TestSubAgentsStandInTheirOrder(t *testing.T) {
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	h := newHome(t)
	h.claude("s1.jsonl", prompt("s1", 0, "tidy up"), call("s1", 9, "c1", "ls"))
	h.claude("s1/subagents/agent-12.jsonl", prompt("s1", 5, "second"+strings.Repeat(" and more", 30)), call("s1", 6, "c2", "pwd"))
	h.claude("s1/subagents/agent-4.jsonl", prompt("s1", 2, "first, with "+token+"\nand more"), call("s1", 7, "c3", "pwd"))
	h.claude("s1/subagents/agent-7.jsonl", call("s1", 8, "c4", "pwd"))
	_, page := items(t, h.open(), "s1")
	var got []string
	for _, l := range page.Lanes {
		got = append(got, l.Name)
	}
	if len(got) != 4 || got[3] != "sub-agent" {
		t.Fatalf("the lanes are %q, want those of agent-4, agent-12 and agent-7", got)
	}
	if !strings.HasPrefix(got[1], "first, with ") || !strings.HasPrefix(got[2], "second and more") || len(got[2]) > 100 {
		t.Errorf("the lanes are %q, want what agent-4 and agent-12 were told, shortened", got)
	}
	if all := strings.Join(got, " "); strings.Contains(all, token[8:]) || strings.Contains(all, "\n") {
		t.Errorf("the lanes are %q; want no secret and one line", got)
	}
}

// TestASessionFromBeforeTheRecord is told of its transcript alone, and one without a
// transcript of its record.
func TestASessionFromBeforeTheRecord(t *testing.T) {
	h := newHome(t)
	h.claude("old.jsonl", prompt("old", 0, "first"), call("old", 1, "c1", "ls"))
	h.record(audit.Record{Time: at(100), Event: "AgentStart", Session: "new", Agent: "gemini", Workspace: "/src/other", What: "second", Action: "continue"})
	of := h.open()
	list, err := of.List(t.Context(), timeline.Query{})
	if err != nil || len(list.Sessions) != 2 {
		t.Fatalf("got %+v %v, want err == nil and len(list.Sessions) == 2", list, err)
	}
	var got []string
	for _, s := range list.Sessions {
		got = append(got, fmt.Sprint(s.ID, " ", s.Agent, " ", s.Title, " ", s.Folder, " ", s.From))
	}
	if want := []string{"new gemini second /src/other [record]", "old claude first /src/app [transcript]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for query, want := range map[*timeline.Query]string{
		{Agent: "claude"}: "old", {Folder: "/src/other"}: "new", {Workspace: "/src/app"}: "old", {Since: at(50)}: "new", {Text: "FIRST app"}: "old",
	} {
		list, err := of.List(t.Context(), *query)
		if err != nil || len(list.Sessions) != 1 || list.Sessions[0].ID != want {
			t.Errorf("got %+v: %+v %v, want err == nil and len(list.Sessions) == 1 and list.Sessions[0].ID == want", query, list, err)
		}
	}
	if _, err := of.One(t.Context(), "", "nobody", "", 0); !errors.Is(err, timeline.ErrNone) {
		t.Errorf("got %v, want errors.Is(err, timeline.ErrNone)", err)
	}
}

// TestSecretsOfTranscriptsAreNotTold: they are hidden as the record hides them.
func TestSecretsOfTranscriptsAreNotTold(t *testing.T) {
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	h := newHome(t)
	h.claude("s1.jsonl", prompt("s1", 0, "use "+token), call("s1", 1, "c1", "curl -H 'Authorization: Bearer "+token+"' x"), result("s1", 2, "c1", "password="+token),
		line("s1", 3, "assistant", `{"id":"m","content":[{"type":"tool_use","id":"c2","name":"Login","input":{"password":"hunter2hunter2","path":"`+strings.Repeat("x", 20_000)+`"}}]}`))
	for _, fields := range [][]string{nil, {"prompt", "tool_input"}} {
		of := h.open(fields...)
		list, err := of.List(t.Context(), timeline.Query{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := items(t, of, "s1")
		told := fmt.Sprint(list.Sessions, got)
		if strings.Contains(told, token) || strings.Contains(told, "hunter2") {
			t.Errorf("with %q hidden: %s", fields, told)
		}
		if fields != nil && strings.Contains(told, "curl") {
			t.Errorf("what %q hides is told: %s", fields, told)
		}
	}
}

// TestALongSessionIsPaged: all of it, each once.
func TestALongSessionIsPaged(t *testing.T) {
	h := newHome(t)
	var text []string
	for i := range 3000 {
		id := fmt.Sprint("c", i)
		text = append(text, call("s1", 2*i, id, "echo "+id), result("s1", 2*i+1, id, "ok"))
	}
	h.claude("s1.jsonl", text...)
	of, after, seen := h.open(), "", map[string]bool{}
	for {
		page, err := of.One(t.Context(), "claude", "s1", after, 700)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			seen[i.ID] = true
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if len(seen) != 6000 {
		t.Errorf("%d of 6000 items", len(seen))
	}
	for _, after := range []string{"6000", fmt.Sprint(math.MaxInt)} {
		if page, err := of.One(t.Context(), "claude", "s1", after, 700); err != nil || len(page.Items) > 0 || page.Next != "" {
			t.Errorf("after %s: %d items, then %q (%v)", after, len(page.Items), page.Next, err)
		}
	}
	for _, after := range []string{"-1", "x", "99999999999999999999"} {
		if _, err := of.One(t.Context(), "claude", "s1", after, 700); !errors.Is(err, timeline.ErrQuery) {
			t.Errorf("after %s: %v", after, err)
		}
	}
}

// TestASessionThatIsNotWhatItWas: its next page goes on where the one before ended, or it
// is said that this cannot be.
func TestASessionThatIsNotWhatItWas(t *testing.T) {
	lines := func(from, to int, more ...string) (text []string) {
		for i := from; i < to; i++ {
			text = append(text, prompt("s1", 10*i, fmt.Sprint("prompt ", i)))
		}
		return append(text, more...)
	}
	for _, c := range []struct {
		name string
		now  []string
		want string // the first prompt of the next page
	}{
		{"it goes on", lines(0, 20), "prompt 5"},
		{"a record came between", nil, "prompt 5"},
		{"its beginning was removed", lines(3, 20), ""},
		{"another one", lines(100, 120), ""},
		{"cut", lines(0, 2), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.claude("s1.jsonl", lines(0, 10)...)
			before, err := h.open().One(t.Context(), "claude", "s1", "", 5)
			if err != nil || len(before.Items) != 5 {
				t.Fatalf("got %+v, %v, want err == nil and len(before.Items) == 5", before, err)
			}
			if c.now != nil {
				h.claude("s1.jsonl", c.now...)
			} else {
				h.record(audit.Record{Time: at(21), Event: "AgentStart", Session: "s1", Agent: "claude", Workspace: "/src/app", Action: "continue"})
			}
			page, err := h.open().One(t.Context(), "claude", "s1", before.Next, 5)
			switch {
			case c.want == "":
				if !errors.Is(err, timeline.ErrOther) {
					t.Errorf("%+v, %v; want that it is another one", page, err)
				}
			case err != nil:
				t.Error(err)
			case page.Items[0].Text != c.want && page.Items[0].Title != c.want:
				t.Errorf("it goes on with %+v, want %s", page.Items[0], c.want)
			}
		})
	}
}
