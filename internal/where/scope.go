package where

import (
	"cmp"
	"path/filepath"
	"reflect"

	"github.com/hookway/hookway/hook"
)

// names are what an expression may name, besides functions.
var names = []string{"facts", "event", "tool", "input", "session", "agent", "cwd", "folder"}

// fact is a hook.Fact whose members have the names of its JSON, which is how
// hookway.yaml writes them.
type fact struct {
	Does        string    `expr:"does"`
	By          string    `expr:"by"`
	At          hook.Span `expr:"-"`
	Sure        bool      `expr:"sure"`
	Program     string    `expr:"program"`
	Args        []string  `expr:"args"`
	Sub         string    `expr:"sub"`
	Elevated    bool      `expr:"elevated"`
	Remote      string    `expr:"remote"`
	Dry         bool      `expr:"dry"`
	Path        string    `expr:"path"`
	Real        string    `expr:"real"`
	Inside      string    `expr:"inside"`
	Scope       string    `expr:"scope"`
	Recursive   bool      `expr:"recursive"`
	Glob        bool      `expr:"glob"`
	Many        bool      `expr:"many"`
	Creates     bool      `expr:"creates"`
	Link        string    `expr:"link"`
	Secret      string    `expr:"secret"`
	Scheme      string    `expr:"scheme"`
	Host        string    `expr:"host"`
	Port        int       `expr:"port"`
	Class       string    `expr:"class"`
	Method      string    `expr:"method"`
	Sends       []string  `expr:"sends"`
	Receives    []string  `expr:"receives"`
	From        string    `expr:"from"`
	Language    string    `expr:"language"`
	Verb        string    `expr:"verb"`
	Ref         string    `expr:"ref"`
	Force       bool      `expr:"force"`
	Deletes     bool      `expr:"deletes"`
	Uncommitted bool      `expr:"uncommitted"`
	Object      string    `expr:"object"`
	Bounded     bool      `expr:"bounded"`
	Where       string    `expr:"where"`
	Dialect     string    `expr:"dialect"`
	System      string    `expr:"system"`
	Bulk        bool      `expr:"bulk"`
	Approved    bool      `expr:"approved"`
	Manager     string    `expr:"manager"`
	Name        string    `expr:"name"`
	Source      string    `expr:"source"`
	Global      bool      `expr:"global"`
	Scripts     bool      `expr:"scripts"`
	What        string    `expr:"what"`
	Kind        string    `expr:"kind"`
	Because     string    `expr:"because"`
}

// environment is what an expression sees of one event.
type environment struct {
	Facts   []*fact        `expr:"facts"`
	Event   string         `expr:"event"`
	Tool    string         `expr:"tool"`
	Input   map[string]any `expr:"input"`
	Session string         `expr:"session"`
	Agent   string         `expr:"agent"`
	CWD     string         `expr:"cwd"`
	Folder  string         `expr:"folder"`
	Steps   *budget        `expr:"steps left"`
}

// Types as an expression has them.
var (
	factType  = reflect.TypeFor[*fact]()
	factsType = reflect.TypeFor[[]*fact]()
)

// factMembers are the names of what a fact has.
func factMembers() (out []string) {
	for f := range factType.Elem().Fields() {
		if name := f.Tag.Get("expr"); name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// environment is what the test sees of an event, and why there may be more facts than
// these.
func (t *Test) environment(ev hook.AnyEvent) (env *environment, more string) {
	head := ev.Head()
	call, _ := hook.CallOf(ev)
	env = &environment{Event: ev.Info().Name, Tool: call.Name, Session: head.Session, Agent: head.Agent, CWD: head.CWD, Folder: t.folder(head.CWD), Steps: &budget{left: maxSteps, cost: 1}}
	if t.input {
		env.Input = call.Input
		env.Steps.cost += textBytes(call.Input, 0) / stepBytes
	}
	if !t.facts {
		return env, ""
	}
	facts := ev.Facts()
	env.Facts = make([]*fact, len(facts))
	for i := range facts {
		f := &facts[i]
		env.Facts[i] = (*fact)(f)
		if f.Does == "unknown" && f.Many {
			more = cmp.Or(f.Because, "more was not looked at")
		}
	}
	return env, more
}

// folder is where a call is made, as seen from the workspace.
func (t *Test) folder(cwd string) string {
	rel, err := filepath.Rel(t.root, cwd)
	if t.root == "" || cwd == "" || err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(cwd)
	}
	return filepath.ToSlash(rel)
}

// textBytes is about how much text a tool's input has.
func textBytes(v any, depth int) (n int) {
	if depth > 32 {
		return 0
	}
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		for _, e := range v {
			n += 8 + textBytes(e, depth+1)
		}
	case map[string]any:
		for key, e := range v {
			n += 8 + len(key) + textBytes(e, depth+1)
		}
	}
	return n
}

// budget is what one run may still look at.
type budget struct{ left, cost int }

// step pays for one look. Expressions call it for each entry of a list, and before
// each text is compared.
func step(params ...any) (any, error) {
	b := params[0].(*budget)
	if b.left -= b.cost; b.left < 0 {
		return nil, errSteps
	}
	return true, nil
}

// Names that no expression can write.
const (
	stepName  = "count a step"
	stepsName = "steps left"
)
