package doctor

import (
	"fmt"
	"strings"

	"github.com/hookway/hookway/internal/adapter"
)

// Capability is what an agent does at one of its events when a hook wants it.
type Capability struct {
	Agent string `json:"agent"` // the codec
	Event string `json:"event"` // native name
	Ours  string `json:"hookway_event,omitempty"`
	Can   string `json:"can"`
	Waits string `json:"waits,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Capabilities is the table of what agents enforce. No agents means all.
func Capabilities(agents []string) []Capability {
	var table []Capability
	for _, codec := range adapter.All() {
		a := codec.About()
		if !wanted(a, agents) {
			continue
		}
		for _, e := range a.Events {
			c := Capability{Agent: a.Name, Event: e.Name, Can: can(e), Note: e.Note}
			if e.Kind != nil {
				c.Ours = e.Kind.Name
			}
			if e.Wait > 0 {
				c.Waits = e.Wait.String()
				if minutes, ok := strings.CutSuffix(c.Waits, "m0s"); ok {
					c.Waits = minutes + "m"
				}
			}
			table = append(table, c)
		}
	}
	return table
}

func wanted(a *adapter.About, agents []string) bool {
	for _, name := range agents {
		if name == a.Name || name == a.Agent {
			return true
		}
	}
	return len(agents) == 0
}

// can lists what the agent enforces, and what it does so for some tools only.
func can(e adapter.Event) string {
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
