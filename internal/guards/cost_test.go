package guards

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// BenchmarkGuard is what a call costs in the daemon: this machine is looked at, the
// facts are found, and all packs judge them.
func BenchmarkGuard(b *testing.B) {
	var rows []Row
	all, err := Corpora()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range all {
		for _, r := range c.Rows {
			if r.Tool == "" && r.Shell == "" {
				rows = append(rows, r)
			}
		}
	}
	env := os.Environ()
	e := &hook.Engine{Analyse: Analyser(func(context.Context) []string { return env }, nil)}
	if err := e.Add(hook.New(ID, &Guard{Policy: Everything()}, hook.For("PreToolUse"), hook.As(hook.Guard))); err != nil {
		b.Fatal(err)
	}
	head := &hook.Envelope{Agent: "claude", Session: "s", CWD: b.TempDir()}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": rows[i%len(rows)].Command}}
		if _, err := hook.Fire(b.Context(), e, hook.PreToolUse, head, use); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLargeWrite is what a Write of 1 MiB costs in the daemon with all packs.
func BenchmarkLargeWrite(b *testing.B) {
	e := &hook.Engine{Analyse: Analyser(func(context.Context) []string { return nil }, nil)}
	if err := e.Add(hook.New(ID, &Guard{Policy: Everything()}, hook.For("PreToolUse"), hook.As(hook.Guard))); err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	head := &hook.Envelope{Agent: "claude", Session: "s", CWD: dir}
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and then it rests.\n", 1<<14)
	for b.Loop() {
		use := hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"file_path": dir + "/notes.md", "content": text}}
		if _, err := hook.Fire(b.Context(), e, hook.PreToolUse, head, use); err != nil {
			b.Fatal(err)
		}
	}
}
