//go:build unix

package e2e

import (
	"github.com/hookway/hookway/internal/bench/client"
	"github.com/hookway/hookway/internal/bench/model"
)

// These agents are run only if they are named: see docs/e2e.md.

var gemini = as(client.Gemini, agent{
	destroy: "rm -rf ./victim",
	screen:  &screen{ready: "Type your message", slow: true},
	delegate: func(work string) model.Call {
		return model.Call{Tool: "invoke_agent", Input: object{"agent_name": "generalist", "prompt": work}}
	},
	kept: []string{"home/.gemini/settings.json", "project/.gemini/settings.json"},
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write_file", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "replace", Input: object{"file_path": file, "instruction": "change it", "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "read_file", Input: object{"file_path": file}},
		}
	},
})

var qwen = as(client.Qwen, agent{
	destroy: "rm -rf ./victim",
	screen:  &screen{argv: []string{"--auth-type", "openai"}, ready: "Type your message"},
	kept:    []string{"home/.qwen/settings.json", "project/.qwen/settings.json"},
	delegate: func(work string) model.Call {
		return model.Call{Tool: "agent", Input: object{"description": "make files", "prompt": work, "subagent_type": "general-purpose"}}
	},
	keepsInput:  true,
	endsUnasked: true,
	hasty:       true,
	goesOn:      true,
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write_file", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"file_path": file, "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "read_file", Input: object{"file_path": file}},
		}
	},
})

var copilot = as(client.Copilot, agent{
	destroy: "rm -rf ./victim",
	screen:  &screen{ready: "? help"},
	delegate: func(work string) model.Call {
		return model.Call{Tool: "task", Input: object{"name": "maker", "description": "make files", "prompt": work, "agent_type": "general-purpose", "mode": "sync"}}
	},
	kept: []string{"home/.copilot/hooks/hookway.json", "project/.github/hooks/hookway.json"},
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "create", Input: object{"path": file, "file_text": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"path": file, "old_str": "old", "new_str": "new"}},
			"Read":  {Tool: "view", Input: object{"path": file}},
		}
	},
})

var opencode = as(client.OpenCode, agent{
	destroy: "rm -rf ./victim",
	screen:  &screen{argv: []string{"--model", "scripted/scripted"}, ready: "Ask anything", once: true},
	kept:    []string{"home/.config/opencode/opencode.json", "home/.config/opencode/plugin/hookway.js", "project/.opencode/plugin/hookway.js"},
	delegate: func(work string) model.Call {
		return model.Call{Tool: "task", Input: object{"description": "make files", "prompt": work, "subagent_type": "general"}}
	},
	mayStop: true,
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write", Input: object{"filePath": file, "content": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"filePath": file, "oldString": "old", "newString": "new"}},
			"Read":  {Tool: "read", Input: object{"filePath": file}},
		}
	},
})
