package adapter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/golden"
)

// intro begins the page about agents. The rest is made of the codecs' tables.
const intro = `# Agents

What hookway hears from each agent, what its hooks can really make that agent do,
and what it does unseen. This page is made from the tables that hookway works by;
` + "`hookway doctor`" + ` shows the same for the agents on your machine.

How to read the tables:

- *Native* is the agent's own name of the event, *here* the name under which hooks are
  registered. Events without a row in hookway's own table keep their native name, and
  hooks get their whole payload. A name in brackets is hookway's own, for events that the
  agent reports under another event's name.
- *Can* is what the agent was seen, or is documented, to obey. **block** stops what is
  about to happen, or flags what has. **ask** has the user confirm, **allow** goes on without
  asking. **change input** and **change output** put another tool input, prompt or result
  in place. **inject** gives the model text, **go on** makes it work on instead of
  stopping. **answer** takes a result in place of running something; *observe* is none of these.
- What a hook wants and the agent cannot do is replaced by rule, never dropped in
  silence. An ask or a change that cannot be had becomes a block where the event gates
  something; injected text is given at the next event that takes it. The audit record
  says so. No opinion is never written as an approval, but for the one agent that takes it
  for a refusal (Antigravity CLI).
- *Waits* is how long the agent waits for a hook if its configuration says nothing. *No* is an
  event that comes often and can only tell something: hookway install has the agent not wait for it.

## How long an agent waits for a person

A hook may wait while somebody is asked elsewhere. This is what each agent was seen to do then,
with hooks that took up to 33 min before a tool and at its permission request. *By itself*
is how long it waits if its settings say nothing, *the most* what they take. *Held* says
whether hookway lets a call wait for a person there: if not, the call is refused, and passes
when it is made again after a yes.

`

// writeWaits writes what is known of agents that were watched.
func writeWaits(page *strings.Builder) {
	page.WriteString("| agent | by itself | the most | when the time is over | other calls of the turn | its own question | held |\n|---|---|---|---|---|---|---|\n")
	for _, c := range adapter.All() {
		a := c.About()
		if a.Waits.Version == "" || a.Name == "copilot-pascal" {
			continue
		}
		held := "no"
		if a.Waits.Hold > 0 {
			held = "yes"
		}
		itself := ""
		for _, e := range a.Events {
			if e.Kind == hook.PreToolUse.Info() {
				itself = inWords(e.Wait)
			}
		}
		if a.Name == "opencode" {
			itself = "no bound"
		}
		fmt.Fprintf(page, "| %s %s | %s | %s | %s | %s | %s | %s |\n", a.Title, a.Waits.Version, itself, a.Waits.Most, a.Waits.Late, a.Waits.Calls, a.Waits.Question, held)
	}
	page.WriteString("\n")
}

// TestAgentsPage holds docs/agents.md to the tables.
func TestAgentsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(intro)
	writeWaits(&page)
	for _, c := range adapter.All() {
		writeAgent(&page, c.About())
	}
	golden.Compare(t, "../../docs/agents.md", strings.TrimSuffix(page.String(), "\n"))
}

func writeAgent(page *strings.Builder, a *adapter.About) {
	fmt.Fprintf(page, "## %s\n\nOn command lines: `%s`.\n\n", a.Title, a.Name)
	page.WriteString("| native | here | can | waits | note |\n|---|---|---|---|---|\n")
	for _, e := range a.Events {
		writeEvent(page, e, e.Name)
	}
	for _, e := range a.Derived {
		writeEvent(page, e, "("+e.Name+")")
	}
	if len(a.Tools) > 0 {
		page.WriteString("\nTools under other names here:\n\n| native | here | arguments |\n|---|---|---|\n")
		for _, tool := range a.Tools {
			var names []string
			for theirs, ours := range tool.Input {
				names = append(names, theirs+" → "+ours)
			}
			slices.Sort(names)
			fmt.Fprintf(page, "| %s | %s | %s |\n", tool.Native, tool.Name, strings.Join(names, ", "))
		}
	}
	if len(a.Blind) > 0 {
		page.WriteString("\nWhat to know:\n\n")
		for _, sentence := range a.Blind {
			page.WriteString(listItem(sentence))
		}
	}
	page.WriteString("\n")
}

// listItem is an item of a Markdown list, wrapped at 100.
func listItem(text string) string {
	var item strings.Builder
	line := "-"
	for _, word := range strings.Fields(text) {
		if len([]rune(line))+1+len([]rune(word)) > 100 {
			item.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	return item.String() + line + "\n"
}

func writeEvent(page *strings.Builder, e adapter.Event, name string) {
	here := "as it is"
	if e.Kind != nil {
		here = e.Kind.Name
	}
	fmt.Fprintf(page, "| %s | %s | %s | %s | %s |\n", name, here, abilities(e), waits(e), cell(e.Note))
}

// abilities lists what the agent enforces, and what it does so for some tools only.
func abilities(e adapter.Event) string {
	text := e.Can.String()
	if e.More == nil {
		return text
	}
	for _, tool := range []string{"Bash", "mcp__server__tool"} {
		if more := e.More(tool) &^ e.Can; more != 0 {
			text += fmt.Sprintf("; for %s also %s", tool, more)
		}
	}
	return text
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// inWords writes a duration as people do.
func inWords(d time.Duration) string {
	switch {
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	default:
		return fmt.Sprintf("%v s", d.Seconds())
	}
}

// waits is how long the agent waits at an event.
func waits(e adapter.Event) string {
	if e.Aside {
		return "no"
	}
	return inWords(e.Wait)
}
