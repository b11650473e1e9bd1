//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
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
		with, server := withMCP(a)
		w := newWorld(t, with, "version: 1\n",
			model.Turn{Call: model.Call{Tool: server + "save_memory", Input: object{"text": text}}},
			model.Turn{Call: model.Call{Tool: server + "search_memory", Input: object{"query": "the name of the pet"}}},
			model.Turn{Call: model.Call{Tool: server + "list_agents", Input: object{}}})
		w.addMCP(t)
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

// withMCP is an agent that may call the tools of hookway mcp, and what their names begin
// with in its own words.
func withMCP(a *agent) (with *agent, server string) {
	one := *a
	switch a {
	case claude:
		one.argv = slices.Clone(a.argv)
		one.argv[slices.Index(one.argv, "--allowedTools")+1] += ",mcp__hookway"
		return &one, "mcp__hookway__"
	case codex:
		return &one, "mcp__hookway/"
	case gemini:
		return &one, "mcp_hookway_"
	case qwen:
		return &one, "mcp__hookway__"
	case copilot:
		return &one, "hookway-"
	}
	return &one, "hookway_"
}

// addMCP has the agent know hookway mcp, by its own command where it has one.
func (w *world) addMCP(t *testing.T) {
	t.Helper()
	add := []string{"mcp", "add", "hookway", "--", "hookway", "mcp"}
	switch w.agent.name {
	case "gemini", "qwen":
		add = []string{"mcp", "add", "--scope", "user", "hookway", "hookway", "mcp"}
	case "copilot":
		w.write(t, filepath.Join(w.home, ".copilot", "mcp-config.json"), `{"mcpServers": {"hookway": {"type": "local", "command": "hookway", "args": ["mcp"], "tools": ["*"]}}}`)
		return
	case "opencode":
		w.write(t, filepath.Join(w.project, "opencode.json"), `{"mcp": {"hookway": {"type": "local", "command": ["hookway", "mcp"], "enabled": true}}}`)
		return
	}
	if r := w.run(t, append([]string{os.Getenv(w.agent.program)}, add...)...); r.code != 0 {
		t.Fatalf("it was not added: %s%s", r.stdout, r.stderr)
	}
}

// TestACallByMCPIsAskedAbout like any other: after a yes from elsewhere it is made, after a
// no it is not.
func TestACallByMCPIsAskedAbout(t *testing.T) {
	eachPatient(t, func(t *testing.T, a *agent) {
		with, server := withMCP(a)
		save := func(text string) model.Turn {
			return model.Turn{Call: model.Call{Tool: server + "save_memory", Input: object{"text": text}}}
		}
		w := newWorld(t, with, "version: 1\nhooks: [{id: asks, on: PreToolUse, lane: guard, match: {tool: '*save_memory'}, ask: '"+reason+"'}]\n",
			save("E2E-YES"), save("E2E-NO"))
		w.addMCP(t)
		w.approvals(t, "hold: always, timeout: 1m")
		s := w.person(t, about("E2E-YES", "E2E-NO"))
		w.install(t)
		w.runAgent(t)
		w.mustBeTold(t, 2, "e2e refused this call")
		asked := w.model.Requests()
		// Some agents give their model the text, others the object.
		if first := asked[len(asked)-1].Results[0]; !strings.Contains(first, `"scope":"workspace"`) && !strings.Contains(first, "Saved as ") {
			t.Errorf("after the yes the model reads %q; want what the tool gives", first)
		}
		all, err := s.List(t.Context())
		if check(t, err); len(all) != 2 || all[0].State != approve.Denied || all[1].State != approve.Used {
			t.Errorf("asked: %+v", all)
		}
		proves(t, "a call of %s by MCP waits for a person: a yes lets it run, a no does not", a.name)
	})
}
