package guards

import (
	"context"
	"os"
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
