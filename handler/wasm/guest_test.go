package wasm

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// sees asks the example in Go what it can reach.
func sees(t *testing.T, c Config, what string) string {
	t.Helper()
	m, cache := goGuest(t)
	c.Cache = cache
	c.Env = append(c.Env, `HOOKWAY_EXAM={"kind":"obeys"}`)
	h := New(m, c)
	defer h.Close()
	d, err := h.Handle(t.Context(), tool(map[string]any{"do": "see", "see": what}))
	if err != nil {
		t.Fatal(err)
	}
	return d.Inject
}

func tool(input map[string]any) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: input})
}

func TestAGuestReachesNothingThatItWasNotGranted(t *testing.T) {
	t.Setenv("HOOKWAY_SECRET", "of the process")
	served := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { served++; _, _ = w.Write([]byte("served")) }))
	defer server.Close()
	root, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{root + "/in.txt": "inside", outside + "/out.txt": "outside"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "out.txt"), filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, what string
		config     Config
		want, not  string
	}{
		{"no environment", "env", Config{}, "[HOOKWAY_EXAM", "SECRET"},
		{"its environment", "env", Config{Env: []string{"A=b=c"}}, "A=b=c", "SECRET"},
		{"no file", "file /in.txt", Config{Root: root}, "", "inside"},
		{"no file of the host", "file /etc/passwd", Config{}, "", "root"},
		{"a file", "file /in.txt", Config{Root: root, Read: true}, "inside<nil>", ""},
		{"no file outside", "file /../" + filepath.Base(outside) + "/out.txt", Config{Root: root, Read: true}, "", "outside<nil>"},
		{"no file behind a link", "file /link.txt", Config{Root: root, Read: true}, "", "outside<nil>"},
		{"no writing", "write /new.txt", Config{Root: root, Read: true}, "", "<nil>"},
		{"writing", "write /new.txt", Config{Root: root, Write: true}, "<nil>", ""},
		{"no network", "get " + server.URL, Config{}, "fetch needs the grant net", "served"},
		{"the network", "get " + server.URL, Config{Net: true}, `"body":"served"`, ""},
		{"no such server", "get http://127.0.0.1:1/", Config{Net: true}, `"error":`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sees(t, c.config, c.what)
			if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("it saw %q, want %q and not %q", got, c.want, c.not)
			}
		})
	}
	if served != 1 {
		t.Errorf("the server was asked %d times", served)
	}
}

func TestWhatAGuestPrintsIsLogged(t *testing.T) {
	var log hooktest.Log
	sees(t, Config{Log: log.Logger()}, "print")
	if got := log.String(); got != "exam.wasm: to stdout\nexam.wasm: to stderr" {
		t.Errorf("the log has %q", got)
	}
}

func TestAGuestThatPanicsSaysWhy(t *testing.T) {
	m, cache := goGuest(t)
	h := New(m, Config{Cache: cache, Env: []string{`HOOKWAY_EXAM={"kind":"obeys"}`}})
	defer h.Close()
	for what, want := range map[string]string{
		"crash": ": panic: crash in the middle",
		"eat":   "out of memory",
	} {
		_, err := h.Handle(t.Context(), tool(map[string]any{"do": what}))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gave %v, want %q", what, err, want)
		}
	}
	if d, err := h.Handle(t.Context(), tool(map[string]any{"text": "again"})); err != nil || d.Inject != "again" {
		t.Errorf("the next event: %+v, %v", d, err)
	}
}

func TestManyEventsAtOnce(t *testing.T) {
	h := open(t, guard, Config{})
	const events = 1000
	failed := make(chan error, events)
	for i := range events {
		go func() {
			command, want := "ls", hook.ActionContinue
			if i%2 == 0 {
				command, want = "rm -rf /", hook.ActionBlock
			}
			d, err := h.Handle(t.Context(), bash(command))
			if err == nil && d.Action != want {
				text, _ := json.Marshal(d)
				t.Errorf("event %d: %s", i, text)
			}
			failed <- err
		}()
	}
	for range events {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if n := len(h.idle); n > maxInstances {
		t.Errorf("there are %d instances; the bound is %d", n, maxInstances)
	}
}

// TestManyEventsAtOnceTakeTheMemoryOfAFew: each takes 16 MiB, and none of that is
// kept.
func TestManyEventsAtOnceTakeTheMemoryOfAFew(t *testing.T) {
	h := open(t, assemble(t, module("i32.const 256 memory.grow i32.const -1 i32.eq if unreachable end\n"+allows)), Config{})
	decide(t, h, "ls")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const events = 100
	failed := make(chan error, events)
	for range events {
		go func() { _, err := h.Handle(t.Context(), bash("ls")); failed <- err }()
	}
	for range events {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := (int64(after.HeapSys) - int64(before.HeapSys)) >> 20; grown > 1200 { // of 1600 and more, if all were there
		t.Errorf("%d events took %d MiB", events, grown)
	}
}

// TestAGuestDoesNotWaitForANamedPipe: opening one waits for its other end, which
// the guest's time does not stop.
func TestAGuestDoesNotWaitForANamedPipe(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.Command("mkfifo", filepath.Join(root, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("no named pipe can be made here: %v: %s", err, out)
	}
	for _, c := range []Config{{Root: root, Read: true}, {Root: root, Write: true}} {
		if got := sees(t, c, "file /pipe"); !strings.Contains(strings.ToLower(got), "permi") {
			t.Errorf("it saw %q", got)
		}
	}
}

// A link would lead a guest that may write out of its folder.
func TestAGuestMakesNoLinks(t *testing.T) {
	const linking = `(module
  (import "wasi_snapshot_preview1" "path_symlink" (func $symlink (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "../.out")
  (func (export "hookway_alloc") (param $size i32) (result i32) i32.const 1024)
  (func (export "hookway_handle") (param $at i32) (param $size i32) (result i64)
    i32.const 0 i32.const 4 i32.const 3 i32.const 4 i32.const 3 call $symlink drop i64.const 0))`
	root := t.TempDir()
	h := open(t, assemble(t, linking), Config{Root: root, Write: true})
	if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(root, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it made a link to %s (%v)", to, err)
	}
}
