package claudehooks

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
)

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "x", "if": "Bash(git *)", "timeout": 1.5}]}]}}`))
	f.Add([]byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "args": ["b"], "once": true}]}]}, "disableAllHooks": false,}`))
	f.Add([]byte("{\"a\": \"\\ud83d\", // x\n\"hooks\": null}"))
	f.Add([]byte("\r0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &Import{Workspace: "/ws", Check: func(string, map[string]string) error { return nil }, Report: &strict.Report{}}
		s := &settings{Reader: strict.Reader{File: "settings.json"}, in: in, events: new(hook.Engine), source: &Source{Dir: "/ws", prefix: "claude"}, numbers: map[string]int{}}
		s.read(data)
		for _, p := range s.Problems.Sorted() {
			if line, column := strict.Inside(data, p.Line, p.Column); line != p.Line || column != p.Column {
				t.Errorf("%s is outside the file", p)
			}
		}
		for _, h := range s.source.Hooks {
			if err := h.Match.Check(); err != nil && len(s.Problems) == 0 {
				t.Errorf("a hook that cannot be registered: %v", err)
			}
		}
	})
}
