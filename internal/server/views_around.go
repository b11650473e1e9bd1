package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/trust"
)

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
