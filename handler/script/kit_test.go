package script

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// ran is a script under test, and what it printed.
type ran struct {
	*Handler
	mu      sync.Mutex
	logs    []string
	printed chan struct{} // has an entry after a line was printed
}

func (r *ran) log(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, strings.TrimPrefix(line, "hook.ts: "))
	select {
	case r.printed <- struct{}{}:
	default:
	}
}

func (r *ran) logged() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.logs, "\n")
}

// files writes files into a folder of the test, and gives it.
func files(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run makes a handler of the text of hook.ts.
func run(t testing.TB, text string, grants ...Grant) *ran {
	t.Helper()
	return runIn(t, files(t, map[string]string{"hook.ts": text}), grants...)
}

func runIn(t testing.TB, dir string, grants ...Grant) *ran {
	t.Helper()
	r := &ran{printed: make(chan struct{}, 1)}
	h, err := New(filepath.Join(dir, "hook.ts"), Config{Allow: grants, Log: logline.New(r.log)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	h.p.loadTime = time.Minute // a slow machine reads a file slowly
	h.p.stopTime = time.Minute
	r.Handler = h
	return r
}

func bash(command string) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "s", Agent: "a"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
}

// says runs the text as the body of an async hook, and gives the reason with which it blocks.
func says(t testing.TB, body string, grants ...Grant) string {
	t.Helper()
	return saysWith(t, "", body, grants...)
}

func saysWith(t testing.TB, head, body string, grants ...Grant) string {
	t.Helper()
	r := run(t, head+"\nexport default async (event: any, ctx: any) => {\nconst block = (v: unknown) => ({ action: 'block', reason: typeof v === 'string' ? v : JSON.stringify(v) });\n"+body+"\n};\n", grants...)
	d, err := r.Handle(context.Background(), bash("ls"))
	if err != nil {
		return "error: " + err.Error()
	}
	return d.Reason
}
