//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestToolsByMCP: an agent to which hookway mcp was added by its own command has
// its tools, and under hookway run they know whose they are.
func TestToolsByMCP(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if a != claude && a != codex {
			t.Skipf("%s is not tried with MCP", a.name)
		}
		const text = "The cat is called Biscuit"
		with, server := *a, "mcp__hookway/"
		if a == claude {
			server = "mcp__hookway__"
			with.argv = slices.Clone(a.argv)
			with.argv[slices.Index(with.argv, "--allowedTools")+1] += ",mcp__hookway"
		}
		w := newWorld(t, &with, "version: 1\n",
			model.Turn{Call: model.Call{Tool: server + "save_memory", Input: object{"text": text}}},
			model.Turn{Call: model.Call{Tool: server + "search_memory", Input: object{"query": "the name of the pet"}}},
			model.Turn{Call: model.Call{Tool: server + "list_agents", Input: object{}}})
		if r := w.run(t, os.Getenv(a.program), "mcp", "add", "hookway", "--", "hookway", "mcp"); r.code != 0 {
			t.Fatalf("it was not added: %s%s", r.stdout, r.stderr)
		}
		if a == codex { // which gives a server few variables of its own accord
			file := filepath.Join(w.home, ".codex", "config.toml")
			config, err := os.ReadFile(file)
			check(t, err)
			const table = "[mcp_servers.hookway]\n"
			w.write(t, file, strings.Replace(string(config), table, table+`env_vars = ["HOOKWAY_AGENT", "HOOKWAY_SESSION", "HOOKWAY_HOME"]`+"\n", 1))
		}
		w.runAgent(t, w.bin("hookway"), "run", "-n", "Alice", "--")
		var results []string
		for _, q := range w.model.Requests() {
			results = q.Results
		}
		for i, want := range []string{`"scope":"workspace"`, `"text":"` + text + `"`, `"you":true`} {
			if i >= len(results) || !strings.Contains(results[i], want) {
				t.Fatalf("the model reads %q; want %s in the one with the number %d", results, want, i+1)
			}
		}
		if found := `"agent":"Alice"`; !strings.Contains(results[1], found) {
			t.Errorf("the model reads %q, without %s", results[1], found)
		}
	})
}
