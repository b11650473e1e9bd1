package transcript_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // what OpenCode's database is made with

	"github.com/hookway/hookway/internal/transcript"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recording is the record of a real session, as a file of a test.
func recording(t testing.TB, agent string) transcript.Source {
	t.Helper()
	if agent != "opencode" {
		return transcript.Source{Agent: agent, Path: filepath.Join("testdata", agent+".jsonl")}
	}
	dump, err := os.ReadFile(filepath.Join("testdata", "opencode.sql"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA journal_mode(WAL);" + string(dump)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return transcript.Source{Agent: agent, Path: path, Session: "ses_dfcd3acd1ffeZW0QpWfbIqUk2D"}
}

func open(t testing.TB, source transcript.Source) *transcript.Reader {
	t.Helper()
	r, err := transcript.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// all is what a reader has, up to now.
func all(t testing.TB, r *transcript.Reader) (entries []transcript.Entry) {
	t.Helper()
	for {
		found, more, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, found...)
		if !more {
			return entries
		}
	}
}

// TestRealSessions reads a session of each agent, in which it was asked twice, ran a
// command, and said the same directive three times.
func TestRealSessions(t *testing.T) {
	for _, agent := range transcript.Agents() {
		t.Run(agent, func(t *testing.T) {
			entries := all(t, open(t, recording(t, agent)))
			got, err := json.MarshalIndent(entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", agent+".golden.json")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(want)) {
				t.Errorf("read was\n%s\nwant what %s holds; -update writes it", got, golden)
			}
			check(t, agent, entries)
		})
	}
}

// check looks at what every agent's session has in common.
func check(t *testing.T, agent string, entries []transcript.Entry) {
	t.Helper()
	first := "I begin.\n\n- one\n- @deploy:list in a list\n\n```\n@deploy:no in a fence\n```\n\n> @deploy:quote in a quote\n\n" +
		"Wide 日本語 and e\u0301 and \U0001F469\u200d\U0001F4BB.\n\n@deploy:staging Release v1.2.3\n\nThe end of it."
	if agent == "gemini" { // it leaves the joiner out
		first = strings.ReplaceAll(first, "\u200d", "")
	}
	want := []string{
		"user: Please begin.", "agent: " + first, "call", "result", "agent: The tool has run.\n\n@deploy:staging Release v1.2.3",
		"user: And again.", "agent: Second turn.\n\n@deploy:staging Release v1.2.3\n\nGood bye.",
	}
	var got []string
	var call string
	var tokens transcript.Tokens
	model := ""
	for _, e := range entries {
		line := ""
		switch e.Kind {
		case transcript.User:
			line = "user: " + e.Text
		case transcript.Agent:
			line = "agent: " + e.Text
		case transcript.Call:
			line, call = "call", e.ID
			if !strings.Contains(string(e.Input), "echo of the tool") {
				t.Errorf("the input of the call: got %s", e.Input)
			}
		case transcript.Result:
			line = "result"
			if e.ID != call || e.Failed || !strings.Contains(e.Text, "of the tool") {
				t.Errorf("the result: got %+v, want one of call %q", e, call)
			}
		case transcript.Usage:
			tokens.Input, tokens.Output = tokens.Input+e.Tokens.Input, tokens.Output+e.Tokens.Output
		}
		if model = cmp.Or(model, e.Model); line != "" && !e.Hidden && !e.Sub && !slices.Contains(got, line) { // some are given again as they grow
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if model == "" || tokens.Output == 0 || tokens.Input == 0 {
		t.Errorf("got model %q and tokens %+v, want some", model, tokens)
	}
}

// TestARecordThatGrowsByteByByte gives the same as the whole one, each thing once.
func TestARecordThatGrowsByteByByte(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "copilot", "gemini", "qwen"} {
		t.Run(agent, func(t *testing.T) {
			source := recording(t, agent)
			want := all(t, open(t, source))
			data, err := os.ReadFile(source.Path)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "record.jsonl")
			r := open(t, transcript.Source{Agent: agent, Path: path})
			if got := all(t, r); len(got) != 0 {
				t.Errorf("of a file that is not there: %+v", got)
			}
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var got []transcript.Entry
			for part := range slices.Chunk(data, 97) {
				if _, err := f.Write(part); err != nil {
					t.Fatal(err)
				}
				got = append(got, all(t, r)...)
			}
			same(t, got, want)
		})
	}
}

func same(t *testing.T, got, want []transcript.Entry) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// claudeSays is a line as Claude Code writes it.
func claudeSays(message, line, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s","version":"2.1.0","timestamp":"2026-11-22T12:00:00.000Z","message":{"id":%q,"content":[{"type":"text","text":%s}]}}`+"\n",
		line, message, quoted)
}

func texts(entries []transcript.Entry) (all []string) {
	for _, e := range entries {
		if e.Kind == transcript.Agent {
			all = append(all, fmt.Sprint(e.Message, "/", e.Block, " ", e.Text))
		}
	}
	return all
}

// TestARecordThatIsReplaced is read anew, and what it has still is not given again.
func TestARecordThatIsReplaced(t *testing.T) {
	one, two, three := claudeSays("m1", "a", "one"), claudeSays("m1", "b", "two"), claudeSays("m2", "c", "three")
	for name, change := range map[string]func(t *testing.T, path string){
		"cut": func(t *testing.T, path string) { write(t, path, two+three) },
		"cut and grown": func(t *testing.T, path string) {
			write(t, path, claudeSays("m0", "z", strings.Repeat("long ", 99))+one+two+three)
		},
		"another file": func(t *testing.T, path string) { write(t, path+".new", one+two+three); rename(t, path) },
		"gone and come back": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, one+two+three)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, one+two)
			r := open(t, transcript.Source{Agent: "claude", Path: path})
			if got := texts(all(t, r)); !slices.Equal(got, []string{"m1/0 one", "m1/1 two"}) {
				t.Fatalf("first %q", got)
			}
			change(t, path)
			got := texts(all(t, r))
			if !slices.Contains(got, "m2/0 three") {
				t.Errorf("then %q", got)
			}
			if name != "cut" && (slices.Contains(got, "m1/0 one") || slices.Contains(got, "m1/1 two")) {
				t.Errorf("said again: %q", got)
			}
		})
	}
}

func rename(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsNoLine says nothing, and hides nothing.
func TestWhatIsNoLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, "\n\x00\xff garbage\n[1]\n{\"type\":\n{}\n\"text\"\n"+claudeSays("m1", "a", "one")+`{"type":"assistant","message":{"content":{"text":7}}}`+"\n"+claudeSays("m1", "b", "two")+"{\"type\"")
	if got := texts(all(t, open(t, transcript.Source{Agent: "claude", Path: path}))); !slices.Equal(got, []string{"m1/0 one", "m1/1 two"}) {
		t.Errorf("got %q", got)
	}
}

// TestARecordThatHasLostItsHead: a Gemini CLI that starts removes records of others
// that are empty so far.
func TestARecordThatHasLostItsHead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, `{"id":"u","type":"user","content":[{"text":"hi"}]}`+"\n"+`{"id":"m","type":"gemini","content":"hello"}`+"\n")
	if got := texts(all(t, open(t, transcript.Source{Agent: "gemini", Path: path}))); !slices.Equal(got, []string{"m/0 hello"}) {
		t.Errorf("got %q", got)
	}
}

// TestUnknownVersionsAreRefused with a word that says which.
func TestUnknownVersionsAreRefused(t *testing.T) {
	for agent, line := range map[string]string{
		"claude":  `{"type":"assistant","uuid":"a","version":"9.0.1","message":{"id":"m","content":"hi"}}`,
		"codex":   `{"type":"session_meta","payload":{"id":"s","cli_version":"7.0.0"}}`,
		"copilot": `{"type":"session.start","data":{"version":2}}`,
		"gemini":  `{"messages":[]}`,
		"qwen":    `{"role":"user"}`,
	} {
		t.Run(agent, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			write(t, path, line+"\n")
			r := open(t, transcript.Source{Agent: agent, Path: path})
			for range 2 {
				if _, _, err := r.Next(context.Background()); !errors.Is(err, transcript.ErrVersion) || !strings.Contains(err.Error(), path) {
					t.Errorf("the error is %v", err)
				}
			}
		})
	}
}

// TestTheDatabaseThatIsWritten: a part that is streamed is given when it is whole.
func TestTheDatabaseThatIsWritten(t *testing.T) {
	source := recording(t, "opencode")
	r := open(t, source)
	all(t, r)
	db, err := sql.Open("sqlite", source.Path)
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
	const message = "msg_2032c8977001ASr1drzcPd8cas"
	do(`INSERT INTO part VALUES ('prt_9', ?, ?, 1795349590000, 1795349590000, '{"type":"text","text":"Half"}')`, message, source.Session)
	if got := all(t, r); len(got) != 0 {
		t.Errorf("of a part without an end: %+v", got)
	}
	do(`UPDATE part SET time_updated = 1795349590001, data = '{"type":"text","text":"Half of it.","time":{"start":1,"end":2}}' WHERE id = 'prt_9'`)
	do(`UPDATE session SET title = 'another'`)
	if got := texts(all(t, r)); !slices.Equal(got, []string{message + "/prt_9/0 Half of it."}) {
		t.Errorf("of the whole part: %q", got)
	}
	do(`UPDATE part SET time_updated = 1795349590002 WHERE id = 'prt_9'`)
	if got := all(t, r); len(got) != 0 {
		t.Errorf("of a part that is as it was: %+v", got)
	}
}
