//go:build unix

package e2e

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/bench/client"
	"github.com/hookway/hookway/internal/bench/model"
)

// agent is one published program, and what is known of it.
type agent struct {
	*client.Client
	name    string   // as hookway install knows it
	program string   // the variable that names the program
	destroy string   // a command line that takes the folder victim away
	argv    []string // its command line for one headless turn, without the program
	// kept are the files of the user that hookway must leave as they were.
	kept []string
	// files are calls of the agent's own tools on a file, by our name of the tool.
	files func(file string) map[string]model.Call

	// delegate is a call that has a sub-agent work; awaits is one that waits for it, made of
	// the result of the first, where that comes at once.
	delegate func(work string) model.Call
	awaits   func(result string) model.Call

	// screen is how it is in a terminal; nil: it is not tried there.
	screen *screen

	attaches    bool // hookway run gives it the hooks
	keepsInput  bool // it runs its own input, whatever hooks say: a change is a block
	endsUnasked bool // its turn ends, in place of the call, if hooks cannot judge
	mayStop     bool // its stop cannot be refused
	hasty       bool // it waits too short a time for a person
	goesOn      bool // it runs its tools where hookway-hook is gone
}

// as is what is known of a published program.
func as(c *client.Client, a agent) *agent {
	a.Client, a.name, a.program, a.argv = c, c.Name, c.Variable, append(slices.Clone(c.Argv), prompt)
	return &a
}

// settle writes the settings that the agent needs into the world, and returns
// variables for its environment.
func (a *agent) settle(t *testing.T, w *world) []string {
	s := a.Settle(client.World{Home: w.home, Project: w.project, URL: w.model.URL()})
	for file, text := range s.Files {
		w.write(t, file, text)
	}
	return s.Env
}

// object is a JSON object.
type object = map[string]any

// agents are all that can be run.
var agents = []*agent{claude, codex, gemini, qwen, copilot, opencode}

var claude = as(client.Claude, agent{
	destroy: "rm -rf ./victim",
	screen: &screen{
		ready:  "Claude Code v",
		freely: []string{"--allowedTools", "Bash"}, resume: []string{"--continue"},
		asking: []string{"--permission-mode", "default"}, call: model.Turn{Shell: "touch ./made"}, question: "Do you want to proceed?",
	},
	kept:     []string{"project/.claude/settings.json", "project/.claude/settings.local.json", "home/.claude/settings.json"},
	attaches: true,
	delegate: func(work string) model.Call {
		return model.Call{Tool: "Agent", Input: object{"description": "make files", "prompt": work, "subagent_type": "general-purpose"}}
	},
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "Write", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "Edit", Input: object{"file_path": file, "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "Read", Input: object{"file_path": file}},
		}
	},
})

var codex = as(client.Codex, agent{
	destroy: "rm -r ./victim", // rm -f it refuses by itself where it cannot ask
	screen: &screen{
		argv: []string{"--no-daemon"}, ready: "Ask Codex to do anything",
		asking: []string{"--no-daemon", "--ask-for-approval", "on-request", "--sandbox", "read-only"},
		call: model.Turn{Call: model.Call{Tool: "exec_command", Input: object{
			"cmd": "touch ./made", "sandbox_permissions": "require_escalated", "justification": "A file is needed",
		}}},
		question: "Would you like to run",
	},
	attaches: true,
	goesOn:   true,
	delegate: func(work string) model.Call {
		return model.Call{Tool: "multi_agent_v1/spawn_agent", Input: object{"message": work}}
	},
	awaits: func(result string) model.Call {
		id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(result)
		return model.Call{Tool: "multi_agent_v1/wait_agent", Input: object{"targets": []any{id}, "timeout_ms": 60000}}
	},
	kept: []string{"home/.codex/config.toml", "home/.codex/hooks.json", "project/.codex/hooks.json", "project/.codex/config.toml"},
})

// asked are the agents whose programs are named: the others are not what this run
// is about.
func asked() (some []*agent) {
	for _, a := range agents {
		if os.Getenv(a.program) != "" {
			some = append(some, a)
		}
	}
	return some
}

// eachAgent runs a test with every agent whose program is named, beside other tests:
// an agent mostly waits.
func eachAgent(t *testing.T, test func(*testing.T, *agent)) {
	some := asked()
	if len(some) == 0 {
		t.Skip("no program of an agent is named; make e2e installs some")
	}
	t.Parallel()
	for _, a := range some {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}
