package server

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/guardset"
)

// countTime bounds how long is counted what rules and hooks did: what they are is shown
// all the same.
const countTime = 3 * time.Second

// stats are the figures of a folder in the last days; all of them without one.
func (v *views) stats(ctx context.Context, cwd string) (*index.Stats, error) {
	if v.records == nil {
		return &index.Stats{}, nil
	}
	q := index.StatsQuery{}
	q.Since = time.Now().AddDate(0, 0, -guardset.Days)
	if cwd != "" {
		var err error
		if q.Workspace, q.Folder, err = v.records.Where(cwd); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	return v.records.Stats(ctx, q)
}

// Guards gives the rules as they are in a folder.
func (v *views) Guards(ctx context.Context, cwd string) (api.GuardsShown, error) {
	list, err := v.judge.Hooks(ctx, cwd)
	if err != nil {
		return api.GuardsShown{}, err
	}
	did, problems := map[string]guardset.Did{}, []string{}
	counted, err := v.stats(ctx, cwd)
	if ctx.Err() != nil {
		return api.GuardsShown{}, ctx.Err()
	}
	if err != nil {
		problems = append(problems, "what rules did is not counted: "+err.Error())
	} else {
		for _, r := range counted.Rules {
			did[r.Rule] = guardset.Did{Blocks: int(r.Hits), Would: int(r.Would)}
		}
	}
	out := guardsShown(guardset.Show(list.Set, did))
	out.Problems = append(problems, out.Problems...)
	return out, nil
}

// member is a member of a fact in what a rule says.
var member = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })

// titleOf is what a rule says of every call: a gap where it names a part of one.
func titleOf(says string) string {
	return strings.ReplaceAll(member().ReplaceAllString(says, "…"), "….", "…")
}

const isOff = "off"

// guardsShown is what is shown as programs have it.
func guardsShown(s *guardset.Shown) api.GuardsShown {
	out := api.GuardsShown{On: s.On, Mode: string(s.Mode), Where: []api.GuardsLayer{}, Packs: []api.GuardsPack{}, Problems: []string{}}
	if !s.On {
		out.Mode = isOff
	}
	for _, l := range s.Layers {
		out.Where = append(out.Where, api.GuardsLayer{Layer: l.Layer, Path: l.Place, Mode: string(l.Mode), Packs: append([]string{}, l.Packs...)})
	}
	for _, p := range append(s.Mistakes, s.Refused...) {
		out.Problems = append(out.Problems, p.String())
	}
	for _, p := range s.Packs {
		pack := api.GuardsPack{Name: p.Pack, Title: p.About, Version: strconv.Itoa(p.Version), Rules: []api.GuardsRule{}}
		for _, r := range p.Rules {
			rule := api.GuardsRule{Rule: r.ID, Title: titleOf(r.Says), Mode: string(r.Mode), Verdict: string(r.Verdict), Source: r.From, Hits: r.Blocks + r.Asks, Would: r.Would}
			if !r.On {
				rule.Mode = isOff
			}
			switch pack.Mode {
			case "", rule.Mode:
				pack.Mode = rule.Mode
			default:
				pack.Mode = "mixed"
			}
			pack.Rules = append(pack.Rules, rule)
		}
		out.Packs = append(out.Packs, pack)
	}
	return out
}

// SetGuards changes which rules are on. That is on record, and so is who may not.
func (v *views) SetGuards(ctx context.Context, c api.GuardsChange) (any, error) {
	by, err := v.home.owner(ctx, c.Asker, true)
	var done *guardset.Changed
	if err == nil {
		done, err = v.setGuards(ctx, c)
	}
	said := "nothing changed"
	if done != nil && done.Changed {
		said = "changed " + done.File
	}
	v.home.ownersWord(ctx, c.Asker, by, fmt.Sprintf("guards %s %s", c.Mode, c.Target), said, c.CWD, err)
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (v *views) setGuards(ctx context.Context, c api.GuardsChange) (*guardset.Changed, error) {
	options := v.home.Options()
	options.Dir = c.CWD
	if c.CWD == "" { // the folder that the daemon was started in says nothing
		options.Dir = nowhere
	}
	var names []string
	if c.Target != "all" {
		names = []string{c.Target}
	}
	edits := guardset.Say(c.Mode, names...)
	change := guardset.Change{Options: options, Dir: c.CWD, Project: c.CWD != "", Edits: edits, Milder: func(string) error { return nil }}
	done, err := change.Make(ctx)
	if err != nil && ctx.Err() == nil {
		err = &api.UnchangedError{Err: err}
	}
	return done, err
}
