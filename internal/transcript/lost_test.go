package transcript_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/transcript"
)

// whole reads a record to its end, with what it says of what was lost.
func whole(t *testing.T, source transcript.Source) (entries []transcript.Entry, lost []string) {
	t.Helper()
	r, err := transcript.OpenWhole(source, transcript.Ample, func(err error) {
		if !errors.Is(err, transcript.ErrLine) {
			t.Errorf("%v is not ErrLine", err)
		}
		lost = append(lost, err.Error())
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		found, more, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, found...)
		if !more {
			return entries, lost
		}
	}
}

func calls(entries []transcript.Entry) (ids []string) {
	for _, e := range entries {
		if e.Kind == transcript.Call {
			ids = append(ids, e.ID+" "+string(e.Input))
		}
	}
	return ids
}

// database is OpenCode's, with a session of its own.
func database(t *testing.T) (do func(query string, args ...any), source transcript.Source) {
	t.Helper()
	source = recording(t, "opencode")
	db, err := sql.Open("sqlite", source.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	do = func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	do(`DELETE FROM part`)
	do(`DELETE FROM message`)
	do(`INSERT INTO message VALUES ('m', ?, 1, 1, '{"role":"assistant","modelID":"x"}')`, source.Session)
	return do, source
}

const opencodeCall = `{"type":"tool","tool":"bash","callID":"%s","state":{"status":"completed","input":{"n":1},"output":"ok"}}`

// TestManyPartsOfOneMoment: as of a session that was imported; none is lost, and of those
// that come in the same moment later none either.
func TestManyPartsOfOneMoment(t *testing.T) {
	const most = 2000
	do, source := database(t)
	do(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
		INSERT INTO part SELECT printf('prt_%06d', i), 'm', ?, 5, 5, printf(?, 'call_' || i) FROM n`, most, source.Session, opencodeCall)
	entries, lost := whole(t, source)
	if got := calls(entries); len(got) != most || len(lost) > 0 {
		t.Errorf("%d calls of %d, lost %q", len(got), most, lost)
	}
	r := open(t, source)
	if got := calls(all(t, r)); len(got) != most {
		t.Errorf("%d calls of %d are followed", len(got), most)
	}
	do(`INSERT INTO part VALUES ('prt_000000', 'm', ?, 5, 5, ?)`, source.Session, fmt.Sprintf(opencodeCall, "later"))
	if got := calls(all(t, r)); !slices.Equal(got, []string{`later {"n":1}`}) {
		t.Errorf("of one that came in the same moment later: %q", got)
	}
}

// TestTornRowsTakeNothingElseAway: each is a line that says what is lost, and where.
func TestTornRowsTakeNothingElseAway(t *testing.T) {
	do, source := database(t)
	do(`INSERT INTO message VALUES ('torn', ?, 1, 1, '{"role":"assist')`, source.Session)
	for i, p := range []struct{ message, data string }{
		{"m", fmt.Sprintf(opencodeCall, "one")},
		{"m", `{"type":"tool","tool":"bash","callID":"half","state":{"sta`},
		{"torn", fmt.Sprintf(opencodeCall, "two")},
		{"torn", `{"type":"text","text":"whose?","time":{"end":2}}`},
		{"gone", fmt.Sprintf(opencodeCall, "three")},
		{"m", `{"type":"tool","tool":"bash","callID":"four","title":1,"time":{"end":"soon"},"state":{"status":"running","input":{"n":1}}}`},
		{"m", `{"type":"text","text":"The end.","time":{"end":9}}`},
	} {
		do(`INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)`, fmt.Sprint("prt_", i), p.message, source.Session, i, i, p.data)
	}
	entries, lost := whole(t, source)
	if got := calls(entries); !slices.Equal(got, []string{`one {"n":1}`, `two {"n":1}`, `three {"n":1}`, `four {"n":1}`}) {
		t.Errorf("the calls are %q", got)
	}
	if got := texts(entries); !slices.Equal(got, []string{"m/prt_6/0 The end."}) {
		t.Errorf("the texts are %q", got)
	}
	want := []string{"part prt_1 of session " + source.Session, "message torn", "message gone", "part prt_5"}
	if len(lost) != len(want) {
		t.Fatalf("lost %q", lost)
	}
	for i := range want {
		if !strings.Contains(lost[i], want[i]) || !strings.HasPrefix(lost[i], source.Path) {
			t.Errorf("%q does not say %q, and where", lost[i], want[i])
		}
	}
}

// TestAnOddMemberTakesNoCallAway: of a line that has a member of another kind than its
// agent writes, what can be read is read, and what cannot is told.
func TestAnOddMemberTakesNoCallAway(t *testing.T) {
	for name, c := range map[string]struct {
		agent, line string
		want        string // the call
		lost        string // "" is nothing
	}{
		"claude, tokens": {"claude", `{"type":"assistant","uuid":"a","version":"2.1.0","message":{"id":"m","usage":{"input_tokens":1.5},"content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"n":1}}]}}`, `c1 {"n":1}`, "message.usage.input_tokens is a number 1.5"},
		"claude, a part": {"claude", `{"type":"assistant","uuid":"a","version":"2.1.0","message":{"id":"m","content":[{"type":"text","text":5},{"type":"tool_use","id":"c1","text":{},"name":"Bash","input":{"n":1}}]}}`, `c1 {"n":1}`, "text is a "},
		"claude, others": {"claude", `{"type":"progress","uuid":7,"message":"x"}` + "\n" + `{"type":"assistant","uuid":"a","version":"2.1.0","message":{"id":"m","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"n":1}}]}}`, `c1 {"n":1}`, ""},
		"codex, id":      {"codex", codexHead + `{"type":"response_item","payload":{"type":"function_call","id":5,"name":"x","call_id":"c1","arguments":"{\"n\":1}"}}`, `c1 {"n":1}`, "id is a number"},
		"codex, object":  {"codex", codexHead + `{"type":"response_item","payload":{"type":"tool_search_call","call_id":"c0","arguments":{"n":1}}}` + "\n" + `{"type":"response_item","payload":{"type":"function_call","name":"x","call_id":"c1","arguments":{"n":1}}}`, `c1 {"n":1}`, ""},
		"codex, torn":    {"codex", codexHead + `{"type":"response_item","payload":{"type":"function_call","name":"x","call_id":"c1","arguments":"{\"n\":"}}`, `c1 `, "no JSON"},
		"codex, others":  {"codex", codexHead + `{"type":"event_msg","payload":{"type":"exec_command_end","usage":"much","cwd":5}}` + "\n" + `{"type":"response_item","payload":{"type":"function_call","name":"x","call_id":"c1","arguments":"{\"n\":1}"}}`, `c1 {"n":1}`, ""},
		"gemini":         {"gemini", `{"sessionId":"s","projectHash":"p"}` + "\n" + `{"id":"m","type":"gemini","tokens":{"input":"5"},"toolCalls":["odd",{"id":"c1","name":"x","args":{"n":1}}]}`, `c1 {"n":1}`, " is a string"},
		"copilot":        {"copilot", `{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"bash","model":5,"arguments":{"n":1}}}`, `c1 {"n":1}`, "data.model is a number"},
		"qwen":           {"qwen", `{"uuid":"u","sessionId":"s","type":"assistant","usageMetadata":[],"message":{"parts":[{"functionCall":{"id":"c1","name":"x","args":{"n":1}}}]}}`, `c1 {"n":1}`, "usageMetadata is a"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, c.line+"\n")
			entries, lost := whole(t, transcript.Source{Agent: c.agent, Path: path})
			if got := calls(entries); !slices.Contains(got, c.want) {
				t.Errorf("the calls are %q", got)
			}
			if c.lost == "" && len(lost) > 0 {
				t.Errorf("lost %q", lost)
			}
			if c.lost != "" {
				told(t, lost, path+":", c.lost)
			}
		})
	}
}

// told checks what is said of the only loss, and where it was.
func told(t *testing.T, lost []string, where, why string) {
	t.Helper()
	if len(lost) != 1 {
		t.Fatalf("lost %q, want one", lost)
	}
	if !strings.HasPrefix(lost[0], where) || !strings.Contains(lost[0], why) {
		t.Errorf("lost %q, want one at %s: %s", lost, where, why)
	}
}

const codexHead = `{"type":"session_meta","payload":{"id":"s","cli_version":"0.50.0"}}` + "\n"

// TestCallsWithoutIDsAreEachTheirOwn: two of one message are two.
func TestCallsWithoutIDsAreEachTheirOwn(t *testing.T) {
	for agent, lines := range map[string]string{
		"claude": `{"type":"assistant","uuid":"a","version":"2.1.0","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"n":1}}]}}` + "\n" +
			`{"type":"assistant","uuid":"b","version":"2.1.0","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"n":2}},{"type":"tool_use","name":"Bash","input":{"n":2}}]}}`,
		"gemini":  `{"sessionId":"s"}` + "\n" + `{"id":"m","type":"gemini","toolCalls":[{"name":"x","args":{"n":1}},{"name":"x","args":{"n":2}},{"name":"x","args":{"n":2}}]}`,
		"copilot": strings.Repeat(`{"type":"tool.execution_start","id":"%d","data":{"messageId":"m","toolName":"bash"}}`+"\n", 3),
		"qwen":    `{"uuid":"u","sessionId":"s","type":"assistant","message":{"parts":[{"functionCall":{"name":"x"}},{"functionCall":{"name":"x"}},{"functionCall":{"name":"x"}}]}}`,
	} {
		if agent == "copilot" {
			lines = fmt.Sprintf(lines, 1, 2, 3)
		}
		path := filepath.Join(t.TempDir(), "s.jsonl")
		write(t, path, lines+"\n")
		if entries, _ := whole(t, transcript.Source{Agent: agent, Path: path}); len(calls(entries)) != 3 {
			t.Errorf("%s: the calls are %q", agent, calls(entries))
		}
	}
}
