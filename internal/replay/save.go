package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire"
)

// picked is an event whose decision changed, as a case.
type picked struct {
	cases.New
	folder string // of the configuration that decides so
	lookup func(string) (*hook.EventInfo, error)
}

// mostName bounds the name of a case.
const mostName = 100

// pick makes a case of the event, if its decision can be had from the event alone, and
// from the hooks of the workspace. Nil: it cannot.
func (c *comparison) pick(kind Kind) *picked {
	m := c.s.moment
	if m.Granted != "" || ofSessions(c.now.rule) || ofSessions(c.then.rule) || !c.ofWorkspace(c.out.By) {
		return nil
	}
	ev := c.ev
	if m.Kept == nil { // where it is, placeholders stand for its secrets already
		var err error
		if ev, err = masked(ev); err != nil {
			return nil
		}
	}
	name := about(ev, c.t.worlds.home)
	name = fmt.Sprintf("%s, %s", visible.ClipBytes(cmp.Or(name, ev.Info().Name), mostName), inWords[kind])
	p := &picked{New: cases.New{Name: strings.Join(strings.Fields(visible.Line(name)), " "), Event: ev, Action: c.out.Action.String(), By: c.out.By}}
	p.folder, p.lookup = c.t.set.Workspace, c.t.engine.Lookup
	if file := c.t.plan.Config; file != "" {
		p.folder = filepath.Dir(file)
	}
	if p.folder == "" {
		return nil
	}
	return p
}

// ofWorkspace reports whether a hook belongs to the workspace, and not to the user.
func (c *comparison) ofWorkspace(id string) bool {
	if id == "" {
		return true
	}
	if id == guards.ID || id == guards.ResultsID {
		_, ok := c.t.set.GuardsOf(config.LayerWorkspace)
		return ok
	}
	return slices.ContainsFunc(c.t.set.Hooks, func(h config.Hook) bool { return h.ID == id && h.Layer == config.LayerWorkspace })
}

// masked is an event without the secrets in its texts.
func masked(ev hook.AnyEvent) (hook.AnyEvent, error) {
	encoded, err := wire.Encode(ev)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded.Bytes(), &fields); err != nil {
		return nil, err
	}
	text, err := json.Marshal(without(fields))
	if err != nil {
		return nil, err
	}
	return wire.NewEvent(ev.Info(), text)
}

// without is a value without the secrets in its texts.
func without(v any) any {
	switch v := v.(type) {
	case string:
		return redact()(cut(v, 0))
	case map[string]any:
		for key, inner := range v {
			v[key] = without(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = without(inner)
		}
	}
	return v
}

// Saved says what became of the cases for one file.
type Saved struct {
	File  string   `json:"file"`
	Added []string `json:"added"`
	Taken []string `json:"taken"` // names that cases of the file have already
}

// testFile is where cases are put, beside the hookway.yaml that decides so.
const testFile = "hooks_test.yaml"

// SaveTests puts the events that were picked behind the cases of hooks_test.yaml.
func (c *Comparison) SaveTests() (saved []Saved, err error) {
	var all []*picked
	for i := range c.Sources {
		for j := range c.Sources[i].Samples {
			if p := c.Sources[i].Samples[j].picked; p != nil {
				all = append(all, p)
			}
		}
	}
	var folders []string
	for _, p := range all {
		if !slices.Contains(folders, p.folder) {
			folders = append(folders, p.folder)
		}
	}
	for _, folder := range folders {
		one := Saved{File: filepath.Join(folder, testFile)}
		var list []cases.New
		options := cases.Options{}
		for _, p := range all {
			if p.folder == folder {
				list, options.Lookup = append(list, p.New), p.lookup
			}
		}
		if one.Added, one.Taken, err = cases.Append(one.File, options, list); err != nil {
			return saved, err
		}
		one.Added, one.Taken = notNil(one.Added), notNil(one.Taken)
		saved = append(saved, one)
	}
	return saved, nil
}
