package hook_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hookway/hookway/hook"
)

func noop(context.Context, *hook.Event[hook.ToolUse]) (hook.Decision, error) {
	return hook.Decision{}, nil
}

var bashCall = hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "go test ./... -run TestEverything -count=1"}}

var session = hook.Envelope{Session: "s-1", Agent: "claude", Source: "go", CWD: "/work"}

// BenchmarkFire is one event through n typed hooks that have no opinion.
func BenchmarkFire(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("hooks=%d", n), func(b *testing.B) {
			var engine hook.Engine
			for i := range n {
				mustOn(b, &engine, hook.Named(fmt.Sprintf("h%d", i)))
			}
			benchFire(b, &engine)
		})
	}
}

// BenchmarkFireUnrelated is BenchmarkFire/hooks=1 beside n hooks for other
// events and other tools.
func BenchmarkFireUnrelated(b *testing.B) {
	b.Run("hooks=10000", func(b *testing.B) {
		var engine hook.Engine
		mustOn(b, &engine)
		for i := range 5000 {
			mustOn(b, &engine, hook.Named(fmt.Sprintf("tool%d", i)), hook.MatchTool(fmt.Sprintf("Tool%d", i)))
			err := hook.On(&engine, hook.PostToolUse, func(context.Context, *hook.Event[hook.ToolResult]) (hook.Decision, error) {
				return hook.Decision{}, nil
			}, hook.Named(fmt.Sprintf("event%d", i)))
			if err != nil {
				b.Fatal(err)
			}
		}
		benchFire(b, &engine)
	})
}

// BenchmarkMatchCommand is a tool call that none of n command rules concerns.
func BenchmarkMatchCommand(b *testing.B) {
	b.Run("hooks=1000", func(b *testing.B) {
		var engine hook.Engine
		for i := range 1000 {
			pattern := []string{`rm\s+-rf\s+/dir%d`, `(?i)drop\s+table\s+t%d`, `^git\s+push.*--force.*b%d`, `curl[^|]*\|\s*(ba)?sh.*%d`}[i%4]
			mustOn(b, &engine, hook.Named(fmt.Sprintf("h%d", i)), hook.MatchCommand(fmt.Sprintf(pattern, i)))
		}
		benchFire(b, &engine)
	})
}

// BenchmarkMatchPath is a call that none of ten guards of paths concerns.
func BenchmarkMatchPath(b *testing.B) {
	for name, input := range map[string]map[string]any{
		"write":  {"file_path": "src/pkg/a.go", "content": "package pkg"},
		"nested": {"edits": []any{map[string]any{"path": "src/a.go", "text": "x"}, map[string]any{"path": "src/b.go", "text": "y"}}, "path": "src/c.go"},
	} {
		b.Run(name, func(b *testing.B) {
			var engine hook.Engine
			for i := range 10 {
				mustOn(b, &engine, hook.Named(fmt.Sprintf("h%d", i)), hook.As(hook.Guard), hook.MatchPath(fmt.Sprintf("keys%d/**", i)))
			}
			env := hook.Envelope{Session: "s-1", Agent: "claude", CWD: b.TempDir()}
			b.ReportAllocs()
			for b.Loop() {
				out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, &env, hook.ToolUse{ToolName: "Write", ToolInput: input})
				if err != nil || len(out.Steps) > 0 {
					b.Fatalf("got %v, %v, want err == nil and len(out.Steps) == 0", out, err)
				}
			}
		})
	}
}

func mustOn(b *testing.B, e *hook.Engine, options ...hook.Option) {
	b.Helper()
	if err := hook.On(e, hook.PreToolUse, noop, options...); err != nil {
		b.Fatal(err)
	}
}

func benchFire(b *testing.B, e *hook.Engine) {
	ctx := context.Background()
	b.ReportAllocs()
	for range b.N {
		if out, err := hook.Fire(ctx, e, hook.PreToolUse, &session, bashCall); err != nil || out.Action != hook.ActionContinue {
			b.FailNow()
		}
	}
}

// BenchmarkMatchFacts is a call with ten facts before n guards of which each asks for
// paths that no fact has. Finding the facts is not a part of it.
func BenchmarkMatchFacts(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("hooks=%d", n), func(b *testing.B) {
			var list []hook.Fact
			for i := range 10 {
				list = append(list, hook.Fact{Does: "delete", Path: fmt.Sprintf("/work/build/out%d/file", i), Recursive: true})
			}
			engine := told(list...)
			for i := range n {
				err := engine.Add(hook.New(fmt.Sprintf("h%d", i), hook.Static(hook.Block("")), hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchDeletes(fmt.Sprintf("/home/u/work%d/**", i))))
				if err != nil {
					b.Fatal(err)
				}
			}
			benchFire(b, engine)
		})
	}
}
