package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// BenchmarkEncode gives one event to a number of hooks, each under its own name:
// what a hook costs must not depend on the payload's size.
func BenchmarkEncode(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100B", 100}, {"1MiB", 1 << 20}} {
		use := hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"file_path": "a.txt", "content": strings.Repeat("x", size.bytes)}}
		for _, hooks := range []int{1, 100} {
			b.Run(fmt.Sprintf("size=%s/hooks=%d", size.name, hooks), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ev := hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, use)
					for range hooks {
						e, err := Encode(ev)
						if err != nil {
							b.Fatal(err)
						}
						for _, part := range e.Named("BeforeTool") {
							_, _ = io.Discard.Write(part)
						}
					}
				}
			})
		}
	}
}

func BenchmarkDecodeEvent(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100B", 100}, {"1MiB", 1 << 20}} {
		ev := hook.PreToolUse.New(envelope(), hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": strings.Repeat("x", size.bytes)}})
		data := mustEncode(b, ev)
		b.Run("size="+size.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := DecodeEvent(data, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeDecision(b *testing.B) {
	ev := pre()
	for name, in := range map[string]string{
		"empty":   `{}`,
		"block":   `{"action":"block","reason":"no"}`,
		"claude":  `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
		"changed": `{"modified":{"tool_input":{"timeout":9}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeDecision(ev, []byte(in), hook.Profile{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPatch changes one argument beside one of 1 MiB, which is not copied.
func BenchmarkPatch(b *testing.B) {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": strings.Repeat("x", 1<<20)}})
	patch := []byte(`{"tool_input":{"file_path":"b.txt"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Patch(ev, patch); err != nil {
			b.Fatal(err)
		}
	}
}
