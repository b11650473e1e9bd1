package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // what OpenCode's record is made with

	"github.com/hookway/hookway/internal/bench/model"
	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/terminal"
	"github.com/hookway/hookway/internal/transcript"
)

// author writes a text into a record as an agent does.
type author func(t testing.TB, s transcript.Source, id string, at time.Time, text string)

// authors are of all agents. Each writes a text as its agent may at the worst: twice,
// in parts, or again with something added.
var authors = map[string]author{
	"claude": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		line := func(uuid string, block any) string {
			return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","version":"2.1.0","timestamp":%s,"message":{"id":%q,"content":[%s]}}`, uuid, stamp(at), id, quoted(block))
		}
		said := line("u"+id, map[string]any{"type": "text", "text": text})
		add(t, s.Path, said, line("v"+id, map[string]any{"type": "tool_use", "id": "t" + id, "name": "Bash", "input": map[string]any{"command": "@deploy:no x"}}), said)
	},
	"codex": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		if _, err := os.Stat(s.Path); err != nil {
			add(t, s.Path, `{"type":"session_meta","payload":{"id":"s","cli_version":"0.169.0"}}`)
		}
		add(t, s.Path,
			fmt.Sprintf(`{"timestamp":%s,"type":"event_msg","payload":{"type":"task_started","started_at":%d}}`, stamp(at), at.Unix()),
			fmt.Sprintf(`{"timestamp":%s,"type":"event_msg","payload":{"type":"agent_message","message":%s}}`, stamp(at), quoted(text)),
			fmt.Sprintf(`{"timestamp":%s,"type":"response_item","payload":{"type":"message","id":%q,"role":"assistant","content":[{"type":"output_text","text":%s}]}}`, stamp(at), id, quoted(text)))
	},
	"gemini": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		if _, err := os.Stat(s.Path); err != nil {
			add(t, s.Path, `{"sessionId":"s","kind":"main"}`)
		}
		said := fmt.Sprintf(`{"id":%q,"timestamp":%s,"type":"gemini","content":%s`, id, stamp(at), quoted(text))
		add(t, s.Path, said+"}", `{"$set":{"lastUpdated":"now"}}`, said+`,"toolCalls":[{"id":"t`+id+`","name":"run","args":{}}]}`)
	},
	"qwen": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		add(t, s.Path,
			fmt.Sprintf(`{"uuid":"t%s","sessionId":"s","timestamp":%s,"type":"system","version":"0.24.4","systemPayload":{"response_text":%s}}`, id, stamp(at), quoted(text)),
			fmt.Sprintf(`{"uuid":%q,"sessionId":"s","timestamp":%s,"type":"assistant","version":"0.24.4","message":{"parts":[{"text":"@deploy:no thought","thought":true},{"text":%s}]}}`, id, stamp(at), quoted(text)))
	},
	"copilot": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		add(t, s.Path, fmt.Sprintf(`{"type":"assistant.message","id":"e%s","timestamp":%s,"data":{"messageId":%q,"content":%s}}`, id, stamp(at), id, quoted(text)),
			fmt.Sprintf(`{"type":"assistant.turn_end","timestamp":%s,"data":{"content":%s}}`, stamp(at), quoted(text)))
	},
	"opencode": func(t testing.TB, s transcript.Source, id string, at time.Time, text string) {
		db, err := sql.Open("sqlite", s.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		do := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatal(err)
			}
		}
		do(`PRAGMA journal_mode(WAL); CREATE TABLE IF NOT EXISTS session (id, directory, version, parent_id, time_updated);
			CREATE TABLE IF NOT EXISTS message (id, data); CREATE TABLE IF NOT EXISTS part (id PRIMARY KEY, message_id, session_id, time_created, time_updated, data)`)
		do(`INSERT INTO session SELECT ?, '', '1.18.33', NULL, 0 WHERE NOT EXISTS (SELECT 1 FROM session)`, s.Session)
		do(`INSERT INTO message VALUES (?, '{"role":"assistant"}')`, id)
		part := func(text, end string) {
			do(`INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)`, "p"+id, id, s.Session, at.UnixMilli(), at.UnixMilli(), `{"type":"text","text":`+quoted(text)+end+`}`)
		}
		part(text[:len(text)/2], "")
		part(text, `,"time":{"start":1,"end":2}`)
	},
}

func stamp(at time.Time) string { return quoted(at.UTC().Format("2006-01-02T15:04:05.000Z")) }

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func add(t testing.TB, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
}

// reading is a follow without a program, of a session that begins now.
func reading(t testing.TB) *follow {
	t.Helper()
	s := &session{began: time.Now(), calls: newCalls(), warnings: newWarnings(nil), program: new(terminal.Program)}
	return &follow{session: s, held: map[transcript.Source][]*wrote{}, texts: map[textID][]*wrote{}}
}

// reads takes what is new in a record.
func (f *follow) reads(t testing.TB, r *transcript.Reader) {
	t.Helper()
	for more := true; more; {
		entries, again, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			f.note(r.Source(), e)
		}
		more = again
	}
}

// fires is what waits for its hooks.
func (f *follow) fires() (all []model.Directive) {
	for {
		select {
		case c := <-f.calls.waiting:
			all = append(all, model.Directive{Target: c.directive.Target, Body: c.directive.Body})
		default:
			return all
		}
	}
}

// TestEveryShapeInEveryRecord: what the agent wrote is fired, once, and nothing else.
// Half of each record was there before the session.
func TestEveryShapeInEveryRecord(t *testing.T) {
	for agent, write := range authors {
		t.Run(agent, func(t *testing.T) {
			f := reading(t)
			source := transcript.Source{Agent: agent, Path: filepath.Join(t.TempDir(), "record"), Session: "s"}
			r, err := transcript.Open(source)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for i, shape := range model.Shapes() {
				write(t, source, fmt.Sprint("old", i), f.began.Add(-time.Hour), shape.Text)
				write(t, source, fmt.Sprint("m", i), f.began.Add(time.Second), shape.Text)
				f.reads(t, r)
				f.obey(t.Context(), []transcript.Source{source})
				if got := f.fires(); !slices.Equal(got, shape.Want) {
					t.Errorf("%s: fired %q, want %q", shape.Name, got, shape.Want)
				}
			}
		})
	}
}

// TestATextThatIsWrittenAgain fires what is new in it.
func TestATextThatIsWrittenAgain(t *testing.T) {
	f := reading(t)
	source := transcript.Source{Agent: "gemini", Path: filepath.Join(t.TempDir(), "record")}
	r, err := transcript.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, step := range []struct {
		text string
		want []model.Directive
	}{
		{"@deploy:a x", []model.Directive{{Target: "a", Body: "x"}}},
		{"@deploy:a x\n", nil},
		{"@deploy:a x\n\n@deploy:a x\n\n@deploy:b y", []model.Directive{{Target: "a", Body: "x"}, {Target: "b", Body: "y"}}},
		{"@deploy:b y", nil},
	} {
		authors["gemini"](t, source, "m", f.began.Add(time.Second), step.text)
		f.reads(t, r)
		f.obey(t.Context(), []transcript.Source{source})
		if got := f.fires(); !slices.Equal(got, step.want) {
			t.Errorf("%q: fired %q, want %q", step.text, got, step.want)
		}
	}
}

// TestTheScreenSaysWhichOfSeveralRecords: one that may be the session's is obeyed as
// far as the screen shows it, as it was written, once; what none has is not.
func TestTheScreenSaysWhichOfSeveralRecords(t *testing.T) {
	f := reading(t)
	dir := t.TempDir()
	var possible []transcript.Source
	for i, text := range []string{"- @deploy:a in a list\n\n```\n@deploy:no x\n```", "@deploy:other y"} {
		source := transcript.Source{Agent: "gemini", Path: filepath.Join(dir, fmt.Sprint(i))}
		authors["gemini"](t, source, "m", f.began.Add(time.Second), text)
		r, err := transcript.Open(source)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		f.reads(t, r)
		possible = append(possible, source)
	}
	shows := func(target, body string) []model.Directive {
		f.busy.Add(1)
		f.shows = append(f.shows, sighting{Directive: directive.Directive{Namespace: "deploy", Target: target, Body: body}, painted: true, at: time.Now()})
		f.compare(t.Context(), transcript.Standing{Possible: possible, Ever: true}, false)
		return f.fires()
	}
	if got, want := shows("a", "in a list    LSP"), []model.Directive{{Target: "a", Body: "in a list"}}; !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
	if got := append(shows("a", "in a list"), shows("no", "x")...); len(got) != 0 {
		t.Errorf("fired %q", got)
	}
	f.compare(t.Context(), transcript.Standing{Possible: possible, Ever: true}, true)
	if got := f.fires(); len(got) != 0 || f.busy.Load() != 1 || len(f.shows) != 0 { // busy is with the one that waits for its hook
		t.Errorf("at the end: fired %q, %d busy", got, f.busy.Load())
	}
}

// TestWhatTheScreenHasFiredIsNotFiredByARecordThatComesLater, but what is said again
// is.
func TestWhatTheScreenHasFiredIsNotFiredByARecordThatComesLater(t *testing.T) {
	f := reading(t)
	source := transcript.Source{Agent: "claude", Path: filepath.Join(t.TempDir(), "record")}
	f.busy.Add(1)
	f.shows = []sighting{{Directive: directive.Directive{Namespace: "deploy", Target: "a", Body: "go"}, at: time.Now()}}
	f.compare(t.Context(), transcript.Standing{}, false)
	if got, want := f.fires(), []model.Directive{{Target: "a", Body: "go"}}; !slices.Equal(got, want) {
		t.Fatalf("without a record: fired %q, want %q", got, want)
	}
	r, err := transcript.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	authors["claude"](t, source, "m1", f.began, "@deploy:a go `now`")
	authors["claude"](t, source, "m2", time.Now().Add(time.Hour), "@deploy:a go `now`")
	f.reads(t, r)
	f.obey(t.Context(), []transcript.Source{source})
	if got, want := f.fires(), []model.Directive{{Target: "a", Body: "go `now`"}}; !slices.Equal(got, want) {
		t.Errorf("with the record: fired %q, want %q", got, want)
	}
}
