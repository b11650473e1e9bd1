package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/command"
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
	plan   *Rerun
	hooks  string // the folder whose hooks decide so
	folder string // of their configuration
	away   bool   // it happened elsewhere, so that a case beside them cannot be it
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
	name = fmt.Sprintf("%s, %s", visible.ClipBytes(cmp.Or(name, ev.Info().Name), mostName), cmp.Or(inWords[kind], c.out.Action.String()))
	p := &picked{New: cases.New{Name: strings.Join(strings.Fields(visible.Line(name)), " "), Event: ev, Action: c.out.Action.String(), By: c.out.By}}
	p.plan, p.hooks, p.folder = c.t.plan, c.t.plan.hooks(m), c.t.set.Workspace
	if file := c.t.plan.Config; file != "" {
		p.folder = filepath.Dir(file)
	}
	if p.folder == "" {
		return nil
	}
	p.away = !cases.Within(p.folder, ev.Head().CWD)
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
	d := json.NewDecoder(bytes.NewReader(encoded.Bytes()))
	d.UseNumber() // digit for digit
	if err := d.Decode(&fields); err != nil {
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
		return redact.Text(v)
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
	File    string   `json:"file"`
	Added   []string `json:"added"`
	Taken   []string `json:"taken"`     // names that cases of the file have already
	Failing []string `json:"failing"`   // names of those that would be decided otherwise alone
	Away    int      `json:"elsewhere"` // events that happened in other folders
}

// testFile is where cases are put, beside the hookway.yaml that decides so.
const testFile = "hooks_test.yaml"

// SaveTests puts the events that were picked behind the cases of hooks_test.yaml. Each is
// fired once as it is written, as hookway test does, and left out if it does not pass.
func (c *Comparison) SaveTests(ctx context.Context) (saved []Saved, err error) {
	byFolder, folders := map[string][]*picked{}, []string(nil)
	for i := range c.Sources {
		for j := range c.Sources[i].Samples {
			if p := c.Sources[i].Samples[j].picked; p != nil {
				if byFolder[p.folder] == nil {
					folders = append(folders, p.folder)
				}
				byFolder[p.folder] = append(byFolder[p.folder], p)
			}
		}
	}
	for _, folder := range folders {
		one, err := saveTests(ctx, folder, byFolder[folder])
		if err != nil {
			return saved, err
		}
		saved = append(saved, one)
	}
	return saved, nil
}

// saveTests puts events behind the cases of one file.
func saveTests(ctx context.Context, folder string, all []*picked) (one Saved, err error) {
	one.File = filepath.Join(folder, testFile)
	var list []cases.New
	for _, p := range all {
		if p.away {
			one.Away++
			continue
		}
		list = append(list, p.New)
	}
	a, err := all[0].plan.alone(ctx, all[0].hooks)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, a.set.Close()) }()
	dir, err := filepath.Abs(folder)
	if err != nil {
		return one, err
	}
	options := cases.Options{Lookup: a.engine.Lookup, Envelope: hook.Envelope{Source: "test", CWD: dir}}
	done, err := cases.Append(command.WithEnviron(ctx, a.plan.Environ), one.File, options, list, a.fire)
	one.Added, one.Taken, one.Failing = notNil(done.Added), notNil(done.Taken), notNil(done.Failing)
	return one, err
}

// alone opens the hooks of a folder for events that have no past and no user: what
// hookway test asks.
func (p *Rerun) alone(ctx context.Context, folder string) (*target, error) {
	t := &target{plan: p, engine: new(hook.Engine), acts: map[string]string{}, tries: map[string]int{}}
	var err error
	if t.set, err = config.Load(ctx, p.options(folder)); err != nil {
		return nil, err
	}
	hooks := slices.DeleteFunc(slices.Clone(t.set.Hooks), func(h config.Hook) bool {
		return h.Layer != config.LayerWorkspace || h.ID == guards.ID
	})
	if h, ok := t.set.GuardsOf(config.LayerWorkspace); ok {
		hooks = append([]config.Hook{h}, hooks...)
	}
	for i := range hooks { // without the user's there is no other hook of its id
		hooks[i].ID = strings.TrimPrefix(hooks[i].ID, config.LayerWorkspace+"/")
	}
	t.set.Hooks = hooks
	t.weigh()
	if err := t.fill(); err != nil { // it knows the events
		return nil, errors.Join(err, t.set.Close())
	}
	return t, nil
}

// fire fires one case: none leaves anything to the next.
func (t *target) fire(ctx context.Context, ev hook.AnyEvent) (out hook.Outcome[any], err error) {
	one := &target{plan: t.plan, set: t.set, engine: new(hook.Engine), acts: t.acts, tries: t.tries}
	one.engine.Wrap(one.layer)
	if err := one.fill(); err != nil {
		return out, err
	}
	if out, err = one.engine.Fire(ctx, ev); err != nil {
		return out, err
	}
	return out, one.engine.Close(ctx)
}
