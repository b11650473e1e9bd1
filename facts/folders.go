package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// folderKeys are the arguments by which the shell tools of agents take a folder, by the
// source of their events.
var folderKeys = map[string][]string{
	"codex":       {"workdir"},
	"gemini":      {"dir_path", "directory"},
	"qwen":        {"directory"},
	"cursor":      {"working_directory"},
	"opencode":    {"workdir"},
	"antigravity": {"Cwd"},
}

// folderKeysOf are the same by the agents' own names of tools, without signs.
var folderKeysOf = map[string][]string{
	"execcommand":     {"workdir"},
	"unifiedexec":     {"workdir"},
	"localshell":      {"workdir"},
	"shellcommand":    {"workdir"},
	"containerexec":   {"workdir"},
	"runshellcommand": {"dir_path", "directory"},
	"runterminalcmd":  {"working_directory"},
}

// readings are the facts of a call in each folder in which it may run. known are the
// arguments for a folder that the agent's shell tool is known to have.
//
// An agent that does not know an argument ignores it: a model could name a harmless
// folder for the hooks to see. So the event's folder counts beside it, and no reading
// takes away that another is sure.
func readings(tool string, input map[string]any, w World, known []string) []hook.Fact {
	input, ok := asJSON(input)
	if !ok {
		return []hook.Fact{{Does: "unknown", By: tool, Many: true, Because: "the tool's arguments cannot be read"}}
	}
	dirs := folders(tool, input, known)
	if w.Worktrees != nil {
		w.Worktrees = sync.OnceValue(w.Worktrees)
	}
	var out []hook.Fact
	told := map[string]bool{}
	for i, dir := range dirs {
		world := w
		sh := newShell(&world)
		sh.by = tool
		t := toolCall{shell: sh, name: tool, input: input}
		if dir != "" {
			t.chdir(field{value: value{text: dir}})
		}
		if i == maxDirs {
			t.unread(hook.Span{}, "the call names too many folders")
			out = append(out, sh.out...)
			break
		}
		t.read()
		if len(dirs) == 1 {
			out = sh.out
			break
		}
		for _, f := range sh.out {
			if key := fmt.Sprintf("%+v", f); !told[key] {
				told[key] = true
				out = append(out, f)
			}
		}
	}
	return out[:min(len(out), maxFacts+1)]
}

// folders are where a call may run; "" is the event's folder.
func folders(tool string, input map[string]any, known []string) []string {
	shell := hook.IsShellTool(tool)
	keys := []string{"cwd", "workdir", "working_directory", "workingdirectory"}
	if shell {
		keys = append(keys, "directory", "dir_path")
		known = append(slices.Clip(known), folderKeysOf[plainName(tool)]...)
	}
	var sure, other []string
	for _, k := range slices.Sorted(maps.Keys(input)) {
		dir, _ := input[k].(string)
		switch {
		case dir == "":
		case shell && slices.Contains(known, k):
			sure = append(sure, clean(dir))
		case slices.Contains(keys, strings.ToLower(k)):
			other = append(other, clean(dir))
		}
	}
	if len(sure) != 1 { // none, or nobody knows which of them it takes
		sure = append([]string{""}, sure...)
	}
	return append(sure, other...)
}
