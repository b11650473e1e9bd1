//go:build !windows

package config

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestAFileOfGraphQLsRelayIsPassedOver(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ours bool
	}{
		"commonjs":     {"// See https://relay.dev\nmodule.exports = {\n  src: './src',\n  language: 'typescript',\n  schema: './schema.graphql',\n  exclude: ['**/node_modules/**'],\n};\n", false},
		"typed":        {"import type { RelayConfig } from 'relay-compiler';\nconst config: RelayConfig = { projects: {}, sources: { web: 'web' } };\nexport default config;\n", false},
		"throws":       {"throw new Error('only the compiler runs this'); export default { artifactDirectory: 'x', schema: 'y' };", false},
		"a comment":    {"/* generated hooks: off, see patterns: */\nexport default { schema: 'a.graphql', eagerEsModules: true };\n", false},
		"import":       {"import { Relay } from 'agent-relay';\nexport default new Relay({ name: 'x' });\n", true},
		"shape":        {"export default { hooks: { onIdle: async () => {} } };\n", true},
		"both":         {"export default { schema: 'x', hooks: { onIdle: () => {} } };\n", true},
		"not known":    {"export { default } from './shared';\n", true},
		"quoted shape": {"export default { \"patterns\": { deploy: async () => {} }, schema: 1 };\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.work(relayScript), c.text)
			if got, _ := WorkspaceOf(func(name string) string { return w.env[name] }, w.ws); (got != "") != c.ours {
				t.Errorf("the workspace is %q", got)
			}
			if c.ours {
				return
			}
			set := w.load()
			if len(set.Problems) > 0 || set.Unread {
				t.Errorf("problems %s, warnings %s", set.Problems, set.Warnings)
			} else if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Message, "passed over") {
				t.Errorf("problems %s, warnings %s", set.Problems, set.Warnings)
			}
			w.write(w.work("hookway.yaml"), "hooks: [{id: mine, on: PreToolUse, match: {tool: Write}, block: no}]\n")
			w.trust()
			set = w.load()
			w.want(set, "mine active")
			if out := fireFrom(t, fill(t, set), "codex", shellCall("ls")); out.Action != hook.ActionContinue {
				t.Errorf("ls: %s %s", out.Action, out.Reason)
			}
		})
	}
}
