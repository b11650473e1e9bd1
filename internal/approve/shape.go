package approve

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/hookway/hookway/hook"
)

// The shape of a call is what it would do, and not how that is written: a rule over
// facts. Calls of one shape are of the same agent, workspace and tool, and the same rule
// asks about them.

// written are the members of inputs that facts speak for, and words for people. All
// others are the same in calls of one shape: one may say that there is to be no sandbox.
var written = []string{"command", "cmd", "script", "content", "contents", "new_string", "old_string", "file_text", "description", "timeout"}

// assigns finds variables that a command line sets: facts do not speak for them.
var assigns = regexp.MustCompile(`(^|[\s;&|(` + "`" + `])[A-Za-z_][A-Za-z0-9_]*\+?=|\$env:|(?i)\b(set|export|declare|env)\s`)

// shape is the same for calls of one shape; "" is a call that has none: what it would do
// is not known for sure.
func (c *Call) shape() (string, error) {
	facts := shapely(c.Facts)
	if len(facts) == 0 {
		return "", nil
	}
	rest := maps.Clone(c.Input)
	for _, name := range written {
		text, _ := rest[name].(string)
		if assigns.MatchString(text) && slices.Index(written, name) < 3 {
			return "", nil
		}
		delete(rest, name)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return "", err
	}
	return sum([]byte("shape"), []byte(c.Agent), []byte(c.folder()), []byte(c.Tool), []byte(c.Hook), []byte(c.Rule), []byte(c.kind()), canonical(rest), text), nil
}

// shapely gives facts as they are in every call of the same shape, or nil.
func shapely(all []hook.Fact) []hook.Fact {
	told := map[string]bool{} // the programs of which is known what they do
	for i := range all {
		f := &all[i]
		if !f.Sure || f.Does == "unknown" || f.Does == "execute" {
			return nil
		}
		if f.Does != "run" {
			told[f.By] = true
		}
	}
	facts := slices.Clone(all)
	for i := range facts {
		facts[i].At = hook.Span{}
		if facts[i].Does == "run" && told[facts[i].Program] {
			facts[i].Args = nil
		}
	}
	slices.SortStableFunc(facts, func(a, b hook.Fact) int {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Compare(x, y)
	})
	return facts
}
