package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// FuzzWindow: what is shown of a call is short, and has no credential that was in it.
func FuzzWindow(f *testing.F) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	f.Add("curl -H 'Authorization: Bearer "+key+"' https://example.com", uint16(5), uint16(40))
	f.Add(strings.Repeat("x ", 300)+key+" rm -rf /home/me", uint16(600), uint16(650))
	f.Add("\xff\xfe /home/me/home/me2 \x1b[31m", uint16(0), uint16(9))
	f.Fuzz(func(t *testing.T, text string, from, to uint16) {
		shown := window(text, hook.Span{From: int(from), To: int(to)}, "/home/me")
		if len(shown) > mostShown || !utf8.ValidString(shown) {
			t.Errorf("%d bytes are shown: %q", len(shown), shown)
		}
		whole := strings.ToValidUTF8(text[:min(len(text), mostSearched)], "\uFFFD")
		for _, c := range facts.Credentials(whole) {
			if value := whole[c.At.From:c.At.To]; len(value) > longID && strings.Count(whole, value) == 1 && strings.Contains(shown, value) {
				t.Errorf("%q is shown: %q", value, shown)
			}
		}
	})
}

// FuzzPreview judges what is not a record: it ends, and its report can be written.
func FuzzPreview(f *testing.F) {
	places := map[string]string{
		"claude.jsonl": ".claude/projects/p/s.jsonl", "codex.jsonl": ".codex/sessions/rollout-1.jsonl", "copilot.jsonl": ".copilot/session-state/s/events.jsonl",
		"gemini.jsonl": ".gemini/tmp/p/chats/session-1.jsonl", "qwen.jsonl": ".qwen/projects/p/chats/s.jsonl",
	}
	for name := range places {
		data, err := os.ReadFile(filepath.Join("..", "transcript", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 8000)])
	}
	f.Add([]byte(`{"type":"assistant","uuid":"u","sessionId":"s","cwd":"/p","version":"2.1","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":"[1]"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		home := t.TempDir()
		for _, place := range places {
			path := filepath.Join(home, filepath.FromSlash(place))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(home, ".gemini/tmp/p/.project_root"), []byte("/p"), 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Preview(t.Context(), Plan{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Environ: []string{"HOME=" + home}})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := report.WriteText(&text); err != nil {
			t.Error(err)
		}
		if err := report.WriteHTML(filepath.Join(home, "page.html")); err != nil {
			t.Error(err)
		}
		if report.Judged() < report.Enforce.All() || report.Enforce.All() < report.Auto.All() {
			t.Errorf("%d judged, enforce %+v, auto %+v", report.Judged(), report.Enforce, report.Auto)
		}
	})
}

// TestFar: what may be on another machine is not a place of calls.
func TestFar(t *testing.T) {
	if _, ok := newWorlds(nil).of("//server/share"); ok {
		t.Error("a share is a place of calls")
	}
	world, ok := newWorlds([]string{"HOME=/home/me", "CLAUDE_PROJECT_DIR=/elsewhere"}).of(t.TempDir())
	if !ok || world.Project == "/elsewhere" {
		t.Errorf("the project is %q", world.Project)
	}
	if _, err := world.ReadFile("/net/host/etc/passwd", 10); !os.IsNotExist(err) {
		t.Errorf("a file of another machine: %v", err)
	}
}

// TestTheHomeIsATilde where it is a path or the beginning of one.
func TestTheHomeIsATilde(t *testing.T) {
	for text, want := range map[string]string{
		"rm -rf /home/me": "rm -rf ~", "/home/me/x:/home/me/y": "~/x:~/y", "/home/me2/x": "/home/me2/x", "/mnt/home/me/x": "/mnt/home/me/x", "a/home/mea": "a/home/mea",
	} {
		if got := tilde(text, "/home/me"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// FuzzFromFile reads what is not a file of events: each line is an event, or is told.
func FuzzFromFile(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}` + "\n{\n"))
	f.Add([]byte(`{"seq":2,"time":"2026-01-02T03:04:05Z","event":"PreToolUse","tool":"Bash","tool_input":{"command":"x"},"action":"block","steps":[{"hook":"h","action":"block"}]}`))
	f.Add([]byte(`{"event_type":"pre_tool_use","payload":{"tool_name":"Bash"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		lines, given := strings.Count(string(data), "\n")+1, 0
		for m, err := range FromFile(path) {
			given++
			if err == nil && m.Lacks == "" {
				_, _ = m.event(new(hook.Engine), "")
			}
		}
		if given > lines {
			t.Errorf("%d moments of %d lines", given, lines)
		}
	})
}
