package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/trust"
)

// views are what people look at, as programs have it that speak HTTP with the daemon.
type views struct {
	home  *Home
	judge *judge.Judge

	records api.Records // nil: there are none

	replaying chan struct{} // one for who fires events again

	examining sync.Mutex // one looks, and the others have what it found
	examined  examined
}

var _ api.Views = (*views)(nil)

// newViews makes them for a daemon.
func newViews(h *Home, j *judge.Judge, records api.Records) *views {
	return &views{home: h, judge: j, records: records, replaying: make(chan struct{}, 1)}
}

// Again fires one event of the record at the hooks of today. One is fired at a time.
func (v *views) Again(ctx context.Context, seq int64) (*replay.Again, error) {
	log, err := v.home.AuditDir()
	if err != nil {
		return nil, err
	}
	select {
	case v.replaying <- struct{}{}:
		defer func() { <-v.replaying }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	settle(ctx, v.judge)
	options := v.home.Options()
	options.Dir = nowhere // what belongs to no workspace is fired at the user's own hooks
	return replay.Rerun{Options: options, Environ: v.home.environ()}.Again(ctx, log, seq)
}

// nowhere is a folder that has no hooks of its own, in place of the one that the daemon
// was started in.
const nowhere = string(filepath.Separator)

// Explain explains a call. A folder that is gone has the user's own configuration.
func (v *views) Explain(ctx context.Context, c explain.Call) (guards.Explanation, error) {
	list, err := v.judge.Hooks(ctx, folderThere(c.Dir))
	if err != nil {
		return guards.Explanation{}, err
	}
	return c.Under(ctx, list.Set, v.home.environ(), true), nil
}

// Decision explains a decision on record.
func (v *views) Decision(ctx context.Context, seq int64) (explain.Decision, error) {
	log, err := v.home.AuditDir()
	if err != nil {
		return explain.Decision{}, err
	}
	one, err := audit.One(log, seq)
	if err != nil {
		return explain.Decision{}, err
	}
	r := &one.Record
	if r.Tool == "" {
		return explain.Of(r, nil), nil
	}
	e, err := v.Explain(ctx, explain.Record(r, ""))
	if err != nil {
		return explain.Decision{}, err
	}
	return explain.Of(r, &e), nil
}

// mostFolders bounds how many folders are listed, and mostLooked the records that are
// looked at for them.
const (
	mostFolders = 500
	mostLooked  = index.MostLimit
)

// Folders gives those that the user trusted once, and those of the last records.
func (v *views) Folders(ctx context.Context) ([]api.Folder, error) {
	_, state, err := config.Places(v.home.Getenv)
	if err != nil {
		return nil, err
	}
	known := map[string]*api.Folder{}
	at := func(path string) *api.Folder {
		if known[path] == nil {
			known[path] = &api.Folder{Path: path}
		}
		return known[path]
	}
	trusted, err := trust.Store{Dir: state}.Read()
	if err != nil {
		return nil, err
	}
	for path, entry := range trusted.Workspaces {
		one := at(path)
		one.Trusted, one.Last = true, entry.Since
	}
	if v.records != nil {
		page, err := v.records.Page(ctx, index.Query{Limit: mostLooked})
		if err != nil {
			return nil, err
		}
		for i := range page.Records {
			r := &page.Records[i]
			path := r.Workspace
			if path == "" {
				path = r.CWD
			}
			if one := at(path); path != "" && r.Time.After(one.Last) {
				one.Last = r.Time
			}
		}
	}
	delete(known, "")
	list := make([]api.Folder, 0, len(known))
	for _, one := range known {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b api.Folder) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list[:min(len(list), mostFolders)], nil
}

// Describe adds to a list of hooks what is known of them besides their files.
func (v *views) Describe(ctx context.Context, cwd string, list judge.Listing, to *judge.Document) {
	asked := doctor.Asked(v.home.Getenv, cwd, list.Set.Hooks)
	did := map[string]*judge.Did{}
	if counted, err := v.stats(ctx, cwd); err == nil {
		for _, h := range counted.Hooks {
			did[h.Hook] = &judge.Did{Days: guardset.Days, Runs: h.Runs, Failures: h.Failures, P50: h.P50, P95: h.P95, Last: h.Last}
		}
	}
	for i := range to.Hooks {
		h := &to.Hooks[i]
		h.Agents, h.Did, h.Circuit = asked[h.ID], did[h.ID], "closed"
		if slices.Contains(list.Open, h.ID) {
			h.Circuit = "open"
		}
	}
}

// examinedTime is how long what doctor found is good.
const examinedTime = 30 * time.Second

// examined is what doctor found in a folder.
type examined struct {
	api.Examined
	folder string
}

// Doctor gives what doctor finds in a folder, or in none. One looks at a time; who comes
// meanwhile waits for it.
func (v *views) Doctor(ctx context.Context, folder string) (api.Examined, error) {
	if folder == "" { // the folder that the daemon was started in says nothing
		folder = nowhere
	}
	type made struct {
		found api.Examined
		err   error
	}
	ended := make(chan made, 1)
	go func() { // each part of it has bounds of its own
		v.examining.Lock()
		defer v.examining.Unlock()
		if v.examined.folder == folder && time.Since(v.examined.At) < examinedTime {
			ended <- made{v.examined.Examined, nil}
			return
		}
		found, err := v.examine(folder)
		if err == nil {
			v.examined = examined{found, folder}
		}
		ended <- made{found, err}
	}()
	select {
	case m := <-ended:
		return m.found, m.err
	case <-ctx.Done():
		return api.Examined{}, context.Cause(ctx)
	}
}

// examineTime bounds a checkup.
const examineTime = time.Minute

// examine looks at everything that costs nothing.
func (v *views) examine(folder string) (found api.Examined, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), examineTime)
	defer cancel()
	c := v.home.Checkup(folder)
	defer c.Close()
	if err := c.Open(ctx); err != nil {
		return found, err
	}
	found = api.Examined{At: time.Now().UTC(), Agents: []api.ExaminedAgent{}, Sections: []api.ExaminedSection{}}
	for _, s := range c.Look(ctx).Sections {
		findings := findingsOf(s.Findings)
		name, ok := strings.CutPrefix(s.Name, "agent:")
		if !ok {
			found.Sections = append(found.Sections, api.ExaminedSection{Name: s.Name, Title: s.Title, Findings: findings})
			continue
		}
		one := api.ExaminedAgent{Agent: name, Title: s.Title, Findings: findings}
		one.Version, one.Installed = c.Installed(name)
		found.Agents = append(found.Agents, one)
	}
	return found, nil
}

// levels are doctor's as programs have them.
var levels = map[doctor.Level]string{doctor.OK: "ok", doctor.Note: "note", doctor.Warning: "warn", doctor.Failure: "fail"}

func findingsOf(list []doctor.Finding) []api.Finding {
	out := make([]api.Finding, len(list))
	for i, f := range list {
		out[i] = api.Finding{Level: levels[f.Level], Text: f.Text, Mend: f.Mend, Command: f.Command()}
	}
	return out
}

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

// Memories gives a page of what is remembered.
func (v *views) Memories(ctx context.Context, q api.MemoryQuery) (p api.MemoryPage, err error) {
	held, err := v.home.Memories().At(ctx, cmp.Or(q.CWD, nowhere))
	if err != nil {
		return p, err
	}
	defer held.Done()
	view := memory.View{All: q.CWD == "", Workspace: held.Workspace, Scope: q.Scope}
	var all []memory.Memory
	n := q.Offset + q.Limit + 1
	if q.Text == "" {
		all, err = held.List(ctx, n, view)
	} else {
		all, err = held.Search(ctx, q.Text, n, view)
	}
	if err != nil && !errors.Is(err, memory.ErrPart) {
		return p, err
	}
	all = all[min(q.Offset, len(all)):]
	if len(all) > q.Limit {
		all, p.Next = all[:q.Limit], strconv.Itoa(q.Offset+q.Limit)
	}
	p.Memories = all
	return p, nil
}

// Remember saves a memory.
func (v *views) Remember(ctx context.Context, m memory.Memory) (memory.Memory, error) {
	held, err := v.home.Memories().At(ctx, cmp.Or(m.Workspace, nowhere))
	if err != nil {
		return m, err
	}
	defer held.Done()
	if m.Scope != memory.ScopeUser {
		m.Workspace = held.Workspace
	}
	saved, err := held.Save(ctx, m)
	if err != nil && ctx.Err() == nil {
		err = &api.UnchangedError{Err: err}
	}
	return saved, err
}

// Forget deletes a memory, whatever workspace or agent it is of. That is on record, and so
// is who may not.
func (v *views) Forget(ctx context.Context, id string, who api.Asker) error {
	by, err := v.home.owner(ctx, who, false)
	if err == nil {
		var held *HeldMemory
		if held, err = v.home.Memories().At(ctx, nowhere); err == nil {
			err = held.Forget(ctx, id, memory.View{All: true})
			held.Done()
		}
	}
	v.home.ownersWord(ctx, who, by, fmt.Sprintf("forget memory %.80q", id), "forgotten", "", err)
	return err
}

// previewWorkers is how many sessions a preview plays at a time: decisions go before.
const previewWorkers = 1

// Preview tells what hookway's own rules would have done to the calls of the past.
func (v *views) Preview(ctx context.Context, plan replay.Plan) (*replay.Report, error) {
	plan.Getenv, plan.Environ, plan.Workers, plan.Beside = v.home.Getenv, v.home.environ(), previewWorkers, true
	return replay.Preview(ctx, plan)
}
