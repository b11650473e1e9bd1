//go:build unix

package config

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestTheRuleInTheDocsKeepsAgentsOffHookway runs the rule as it stands in
// docs/config.md, where users copy it from.
func TestTheRuleInTheDocsKeepsAgentsOffHookway(t *testing.T) {
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### An agent that turns on its guards")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	rule, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the rule is not where it was in docs/config.md")
	}
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), rule)
	s := w.load()
	w.want(s, "hands-off-hookway active")
	e := fill(t, s)
	for command, blocked := range map[string]bool{
		"hookway trust":                                  true,
		"/usr/local/bin/hookway untrust":                 true,
		`cd x && "hookway" -C /p uninstall claude --yes`: true,
		"hookway stop":                                   true,
		"pkill -9 -f 'hookway serve'":                    true,
		"kill -9 $(pgrep hookway)":                       true,
		"rm ~/.local/state/hookway/trust.json":           true,
		`rm -rf "$XDG_STATE_HOME"/hookway`:               true,
		"rm -rf ${XDG_CONFIG_HOME}/hookway":              true,
		"sed -i s/block/allow/ hookway.yaml":             true,
		"echo x > .hookway/hooks/guard":                  true,
		"HOOKWAY_TRUST=1 claude":                         true,
		"hookway list":                                   false,
		"hookway test && npm install":                    false,
		"hookway log -f | grep stop":                     false,
		"git clone https://example.com/hookway/hookway":  false,
		"go test ./config":                               false,
	} {
		if out := bash(t, e, w.ws, command); (out.Action == hook.ActionBlock) != blocked {
			t.Errorf("%s: %v, blocked should be %v", command, out.Action, blocked)
		}
	}
	for path, blocked := range map[string]bool{
		w.work("hookway.yaml"):         true,
		"sub/hookway.yml":              true,
		".hookway/hooks/guard":         true,
		"/h/.config/hookway/hooks/x":   true,
		"/h/.local/state/hookway/any":  true,
		w.work("main.go"):              false,
		"/h/.config/other/hookway.txt": false,
	} {
		for _, tool := range []string{"Write", "Edit", "Read"} {
			use := hook.ToolUse{ToolName: tool, ToolInput: map[string]any{"file_path": path}}
			out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{Session: "s", CWD: w.ws}, use)
			if want := blocked && tool != "Read"; err != nil || (out.Action == hook.ActionBlock) != want {
				t.Errorf("%s of %s: %v, blocked should be %v (%v)", tool, path, out.Action, want, err)
			}
		}
	}
}
