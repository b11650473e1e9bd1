package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// docs/commands.md has every command that --help shows, and only what there is.
func TestEveryCommandIsInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var collect func(*cobra.Command)
	collect = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
				names = append(names, strings.TrimPrefix(sub.CommandPath(), "hookway "))
			}
			if sub.Name() != "completion" { // its shells are said once
				collect(sub)
			}
		}
	}
	collect(newApp().root(all()...))
	for _, name := range names {
		words := strings.Fields(name)
		last := words[len(words)-1]
		for _, want := range []string{words[0], last} {
			if !strings.Contains(string(text), " "+want) && !strings.Contains(string(text), "`"+want) {
				t.Errorf("hookway %s is not in docs/commands.md", name)
				break
			}
		}
	}
	for row := range strings.Lines(string(text)) {
		for _, cell := range strings.Split(row, "`hookway ")[1:] {
			name, _, _ := strings.Cut(cell, "`")
			if c, _, err := newApp().root(all()...).Find(strings.Fields(name)); name != "COMMAND --help" && (err != nil || !c.HasParent()) {
				t.Errorf("docs/commands.md names hookway %s, which is not there", name)
			}
		}
	}
}
