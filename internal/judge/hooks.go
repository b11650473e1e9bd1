package judge

import (
	"context"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
)

// Listing is what would run in a folder.
type Listing struct {
	Set        *config.Set // it must not be edited, filled or closed
	Registered []hook.Hook // those that were added from outside
	Open       []string    // ids of those whose circuit is open
}

// Hooks lists the hooks that an event from a folder would meet; "" is for the
// user's own.
func (j *Judge) Hooks(ctx context.Context, cwd string) (Listing, error) {
	at, err := j.placeOf(cwd, nil)
	if err != nil {
		return Listing{}, err
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return Listing{}, err
	}
	defer w.leave()
	l := Listing{Set: w.set, Registered: w.registered()}
	for _, h := range w.Engine.All() {
		if w.Engine.CircuitOpen(h.ID) {
			l.Open = append(l.Open, h.ID)
		}
	}
	return l, nil
}

// Document is what hookway list --json prints.
type Document struct {
	Workspace string          `json:"workspace"`
	Trust     trust.State     `json:"trust"`
	Files     []string        `json:"files"`
	Hooks     []Listed        `json:"hooks"`
	Problems  config.Problems `json:"problems"`
	Warnings  config.Problems `json:"warnings"`
	Wraps     []string        `json:"wraps,omitempty"`
}

// Listed is a hook as hookway list --json prints it. What only its file could say, which
// may not run, is null.
type Listed struct {
	ID          string   `json:"id"`
	Events      []string `json:"events"`
	Lane        *string  `json:"lane"`
	Priority    *int     `json:"priority"`
	TimeoutMS   *int64   `json:"timeout_ms"`
	OnFailure   *string  `json:"on_failure"`
	Profile     string   `json:"profile,omitempty"`
	Kind        string   `json:"kind"`
	Command     string   `json:"command,omitempty"`
	Grants      []string `json:"grants,omitempty"` // what a script may do
	Description string   `json:"description,omitempty"`
	Note        string   `json:"note,omitempty"`  // what was odd about its newest answer
	Never       []string `json:"never,omitempty"` // the installed agents from which none of its events comes
	State       string   `json:"state"`
	Mode        string   `json:"mode,omitempty"` // "monitor": nothing comes of what it decides
	Layer       string   `json:"layer"`
	Origin      string   `json:"origin"`

	// What the daemon knows besides; a listing of files has none of it.
	Agents  []string `json:"agents,omitempty"`  // installed ones under which it may be asked
	Circuit string   `json:"circuit,omitempty"` // open: it is not asked, for it has cost time in vain; or closed
	Did     *Did     `json:"did,omitempty"`
}

// Did is what a hook did lately.
type Did struct {
	Days     int       `json:"days"`
	Runs     int64     `json:"runs"`
	Failures int64     `json:"failures"`
	P50      float64   `json:"p50_ms"`
	P95      float64   `json:"p95_ms"`
	Last     time.Time `json:"last,omitzero"`
}

func listed(h config.Hook) Listed {
	l := Listed{
		ID: h.ID, Profile: h.Profile.Name, Kind: h.Kind, Command: h.Command, Grants: Grants(h), Description: h.Description,
		State: string(h.State), Layer: h.Layer, Origin: h.Origin,
	}
	if h.Unasked {
		return l
	}
	if h.Monitor {
		l.Mode = "monitor"
	}
	failure := "continue"
	if h.Closed() {
		failure = "block"
	}
	l.Events, l.Lane, l.Priority, l.TimeoutMS, l.OnFailure = h.Events, new(h.Lane.String()), new(h.Priority), new(h.Timeout.Milliseconds()), &failure
	return l
}

// Grants are what a script may do, as texts.
func Grants(h config.Hook) []string {
	var out []string
	for _, g := range h.Grants {
		out = append(out, string(g))
	}
	return out
}

// Document lists the hooks with what else their files say.
func (l Listing) Document() Document {
	d := Document{
		Workspace: l.Set.Workspace, Trust: l.Set.Trust.State, Files: append([]string{}, l.Set.Files...), Hooks: []Listed{},
		Problems: append(config.Problems{}, l.Set.Problems...), Warnings: append(config.Problems{}, l.Set.Warnings...),
		Wraps: l.Set.Wrapped.Command(),
	}
	for _, h := range l.Set.Hooks {
		d.Hooks = append(d.Hooks, listed(h))
	}
	for _, h := range l.Registered {
		d.Hooks = append(d.Hooks, listed(config.Hook{Hook: h, Kind: "registered", State: config.Active, Layer: "registered"}))
	}
	return d
}
