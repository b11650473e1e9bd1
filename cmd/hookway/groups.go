package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// groups are the headings of hookway --help, and the commands below each. What is in none
// stands last.
var groups = []struct {
	title    string
	commands []string
}{
	{"Write hooks:", []string{"init", "list", "test", "fire", "trust", "untrust", "schema", "types", "node"}},
	{"Bring them to agents:", []string{"install", "uninstall", "doctor", "run", "attach", "hook", "mcp"}},
	{"What agents may do:", []string{"guards", "explain", "approvals", "allow"}},
	{"What they did:", []string{"ui", "log", "stats", "replay", "suggest"}},
	{"Sessions, messages and memory:", []string{"sessions", "inject", "hold", "release", "output", "messages",
		"agents", "send", "inbox", "receipts", "channels", "memory"}},
	{"The daemon, and hookway itself:", []string{"status", "serve", "stop", "bench", "version", "completion", "help"}},
}

// group puts the commands below their headings.
func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(g.commands, c.Name()) {
				c.GroupID = g.title
			}
		}
	}
	last := groups[len(groups)-1].title
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
}
