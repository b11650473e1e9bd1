package transcript_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/transcript"
)

// user is somebody with a home and a project.
type user struct {
	t             *testing.T
	home, project string
	began         time.Time
}

func newUser(t *testing.T) *user {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "my.project"), began: time.Now().Add(-time.Hour)}
	u.put("", u.project, ".keep")
	return u
}

// put writes a file.
func (u *user) put(text string, path ...string) string {
	u.t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		u.t.Fatal(err)
	}
	write(u.t, file, text)
	return file
}

// follow follows a program of the agent, which is this process.
func (u *user) follow(agent string) *transcript.Follower {
	u.t.Helper()
	f, err := transcript.Follow(agent, transcript.Where{
		Getenv: func(name string) string { return map[string]string{"HOME": u.home}[name] },
		Dir:    u.project, Began: u.began, PID: os.Getpid(),
	})
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if err := f.Close(); err != nil {
			u.t.Error(err)
		}
	})
	return f
}

// dashes is the project as Claude Code and Qwen Code name a folder after it.
func (u *user) dashes() string {
	return strings.NewReplacer("/", "-", ".", "-", "_", "-", `\`, "-", ":", "-").Replace(u.project)
}

func said(batches []transcript.Batch) (all []string) {
	for _, b := range batches {
		for _, e := range b.Entries {
			if e.Kind == transcript.Agent {
				all = append(all, e.Text)
			}
		}
	}
	return all
}

// TestTheProcessDecides which of several records is the session's.
func TestTheProcessDecides(t *testing.T) {
	for agent, put := range map[string]func(u *user, id string, pid int){
		"claude": func(u *user, id string, pid int) {
			u.put(claudeSays("m", id, id), u.home, ".claude", "projects", u.dashes(), id+".jsonl")
			u.put(fmt.Sprintf(`{"pid":%d,"sessionId":%q}`, pid, id), u.home, ".claude", "sessions", fmt.Sprint(pid, ".json"))
		},
		"qwen": func(u *user, id string, pid int) {
			line := `{"uuid":"u","sessionId":"s","type":"assistant","message":{"parts":[{"text":"` + id + `"}]}}`
			u.put(line+"\n", u.home, ".qwen", "projects", u.dashes(), "chats", id+".jsonl")
			u.put(fmt.Sprintf(`{"pid":%d}`, pid), u.home, ".qwen", "projects", u.dashes(), "chats", id+".runtime.json")
		},
		"copilot": func(u *user, id string, pid int) {
			line := `{"type":"session.start","data":{"version":1,"context":{"cwd":"` + u.project + `"}}}` + "\n" + `{"type":"assistant.message","data":{"messageId":"m","content":"` + id + `"}}`
			u.put(line+"\n", u.home, ".copilot", "session-state", id, "events.jsonl")
			u.put("", u.home, ".copilot", "session-state", id, fmt.Sprint("inuse.", pid, ".lock"))
		},
	} {
		t.Run(agent, func(t *testing.T) {
			u := newUser(t)
			put(u, "other", 1)
			put(u, "mine", os.Getpid())
			batches, standing := u.follow(agent).Poll(context.Background(), true, false)
			if got := said(batches); !slices.Equal(got, []string{"mine"}) || len(standing.Sure) != 1 || len(standing.Possible) != 0 {
				t.Errorf("said %q, standing %+v", got, standing)
			}
		})
	}
}

// TestOfTwoPossibleRecordsNoneIsSure, and of one that is.
func TestOfTwoPossibleRecordsNoneIsSure(t *testing.T) {
	u := newUser(t)
	chat := func(name, project string) string {
		u.put(project+"\n", u.home, ".gemini", "tmp", name, ".project_root")
		return u.put(`{"sessionId":"s","kind":"main"}`+"\n"+`{"id":"m","type":"gemini","content":"`+name+`"}`+"\n",
			u.home, ".gemini", "tmp", name, "chats", "session-1.jsonl")
	}
	old := chat("old", u.project)
	if err := os.Chtimes(old, time.Time{}, u.began.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	chat("elsewhere", filepath.Dir(u.project))
	f := u.follow("gemini")
	batches, standing := f.Poll(context.Background(), true, false)
	if len(batches) != 0 || len(standing.Sure)+len(standing.Possible) != 0 || !standing.Ever {
		t.Fatalf("without a record: %+v, %+v", batches, standing)
	}
	chat("one", u.project)
	batches, standing = f.Poll(context.Background(), true, true)
	if got := said(batches); !slices.Equal(got, []string{"one"}) || len(standing.Sure) != 1 {
		t.Errorf("with one record: %q, %+v", got, standing)
	}
	chat("two", u.project)
	batches, standing = f.Poll(context.Background(), true, true)
	if got := said(batches); !slices.Equal(got, []string{"two"}) || len(standing.Sure) != 0 || len(standing.Possible) != 2 {
		t.Errorf("with two records: %q, %+v", got, standing)
	}
	f.Told(filepath.Join(u.home, ".gemini", "tmp", "two", "chats", "session-1.jsonl"))
	if _, standing = f.Poll(context.Background(), true, true); len(standing.Sure) != 1 || !strings.Contains(standing.Sure[0].Path, "two") || len(standing.Possible) != 0 {
		t.Errorf("when the agent has named it: %+v", standing)
	}
}

// TestARefusedRecordIsNoRecord: its follower gets the reason.
func TestARefusedRecordIsNoRecord(t *testing.T) {
	u := newUser(t)
	f := u.follow("claude")
	f.Told(u.put(`{"type":"user","version":"3.0.0","message":{"content":"hi"}}`+"\n", u.home, "record.jsonl"))
	_, standing := f.Poll(context.Background(), true, false)
	if len(standing.Sure) != 0 || standing.Refused == nil {
		t.Errorf("standing %+v", standing)
	}
}

func TestPlainNames(t *testing.T) {
	for name, want := range map[string]string{
		"copilot-linux-x64": "copilot", "copilot-darwin-arm64": "copilot", "codex-linux": "codex", "qwen-code": "qwen-code",
		"copilot-linuxmusl-x64": "copilot", "-linux": "-linux", "my-linuxed": "my-linuxed", "gemini": "gemini",
	} {
		if got := transcript.Plain(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
