//go:build unix

package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire/call"
)

// patient bounds every wait of these tests; none comes near it.
const patient = 2 * time.Minute

// world is a user with a trusted workspace, and a judge.
type world struct {
	*judge.Judge
	t     testing.TB
	dir   string // the workspace
	home  string
	env   []string
	calls int

	mu      sync.Mutex
	records []audit.Record
	lines   []string
}

// newWorld makes a workspace with this hookway.yaml.
func newWorld(t testing.TB, yaml string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(root, "project"), home: filepath.Join(root, "home"), Judge: &judge.Judge{}}
	w.env = []string{"HOOKWAY_HOME=" + w.home, "HOME=" + root, "PATH=" + os.Getenv("PATH")}
	for _, dir := range []string{w.dir, w.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write("hookway.yaml", yaml)
	w.trust()
	w.Record = func(_ context.Context, r audit.Record) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.records = append(w.records, r)
		return nil
	}
	w.Log = logline.New(func(line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.lines = append(w.lines, line)
	})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) trust() {
	w.t.Helper()
	_, err := config.Trust(config.Options{Dir: w.dir, Getenv: w.getenv})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) getenv(name string) string {
	for _, kv := range w.env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// bash is Claude Code's PreToolUse of a shell command.
func (w *world) bash(session, id, command string) *call.Request {
	return w.event(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": session, "tool_name": "Bash", "tool_use_id": id,
		"tool_input": map[string]any{"command": command},
	})
}

// event is an event of Claude Code.
func (w *world) event(fields map[string]any) *call.Request {
	w.t.Helper()
	fields["cwd"] = w.dir
	text, err := json.Marshal(fields)
	if err != nil {
		w.t.Fatal(err)
	}
	return &call.Request{Kind: call.KindHook, Agent: "claude", Dir: w.dir, Env: w.env, Timeout: patient, Stdin: text}
}

// ask gives what the agent reads.
func (w *world) ask(r *call.Request) string {
	w.t.Helper()
	reply := w.Answer(w.t.Context(), judge.Caller{}, r)
	if reply.Err != "" {
		w.t.Errorf("the judge gave no answer: %s", reply.Err)
	}
	text := strings.TrimSpace(string(reply.Stdout))
	if reply.ExitCode != 0 {
		text += fmt.Sprintf(" exit %d: %s", reply.ExitCode, strings.TrimSpace(string(reply.Stderr)))
	}
	return text
}

// recorded lists what is on record as "event action".
func (w *world) recorded() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, r := range w.records {
		all = append(all, r.Event+" "+r.Action)
	}
	return strings.Join(all, ", ")
}

func (w *world) want(got string, parts ...string) {
	w.t.Helper()
	for _, part := range parts {
		if without, not := strings.CutPrefix(part, "!"); not == strings.Contains(got, strings.TrimPrefix(part, "!")) {
			w.t.Errorf("got %s\nwant it with %q (without: %v)", got, without, not)
		}
	}
}

// read gives a file of the workspace.
func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
