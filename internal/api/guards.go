package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/hookway/hookway/internal/guards"
)

// Switches shows and changes which of hookway's own rules are on.
type Switches interface {
	// Guards gives the rules as they are in a folder; "" is the user's own configuration.
	Guards(ctx context.Context, cwd string) (GuardsShown, error)

	// SetGuards changes them, for the owner alone: otherwise a *NotMintedError or a
	// *PINError says why not. A *UnchangedError says what is in the way. The answer is what
	// hookway guards enforce --json prints.
	SetGuards(ctx context.Context, c GuardsChange) (any, error)
}

// GuardsShown is which rules are on in a folder.
type GuardsShown struct {
	On       bool          `json:"on"`
	Mode     string        `json:"mode"`
	Where    []GuardsLayer `json:"where"` // what each file alone says
	Packs    []GuardsPack  `json:"packs"`
	Problems []string      `json:"problems"`
}

// GuardsLayer is what one file says.
type GuardsLayer struct {
	Layer string   `json:"layer"` // managed, user or workspace
	Path  string   `json:"path"`
	Mode  string   `json:"mode"`
	Packs []string `json:"packs"`
}

// GuardsPack is one pack of rules.
type GuardsPack struct {
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	Version string       `json:"version"`
	Mode    string       `json:"mode"` // "mixed" if that of its rules differs
	Rules   []GuardsRule `json:"rules"`
}

// GuardsRule is one rule.
type GuardsRule struct {
	Rule    string `json:"rule"`
	Title   string `json:"title"`
	Mode    string `json:"mode"` // off: it says nothing
	Verdict string `json:"verdict"`
	Source  string `json:"source"` // the layer that makes it so
	Hits    int    `json:"hits_7d"`
	Would   int    `json:"would_7d"`
}

// GuardsChange is a change over HTTP.
type GuardsChange struct {
	Asker
	Target string // all, a pack or a rule
	Mode   string
	CWD    string // the project whose file is changed; "" is the user's own
}

// UnchangedError says why something is not changed as it is now.
type UnchangedError struct{ Err error }

func (e *UnchangedError) Error() string { return e.Err.Error() }
func (e *UnchangedError) Unwrap() error { return e.Err }

// everything is the target that is every rule.
const everything = "all"

// guardsRequest is the body of POST /v1/guards.
type guardsRequest struct {
	Target string `json:"target"`
	Mode   string `json:"mode"`
	CWD    string `json:"cwd"`
}

func (r *guardsRequest) fields() map[string]any {
	return map[string]any{"target": &r.Target, "mode": &r.Mode, "cwd": &r.CWD}
}

// decodeGuards reads a body strictly. The error is a *problemDetails.
func decodeGuards(body []byte) (c GuardsChange, err error) {
	var r guardsRequest
	if err := decodeObject(body, r.fields()); err != nil {
		return c, err
	}
	c = GuardsChange{Target: r.Target, Mode: r.Mode, CWD: r.CWD}
	if r.Target == "" || r.Target != everything && !guards.Known(r.Target) {
		return c, problem("bad-request", `there is no pack or rule %q; send "all" or a name that GET /v1/guards has`, clip(r.Target)).at("target")
	}
	switch r.Mode {
	case "enforce", "monitor", "auto", "off":
	case "block", "ask", "allow":
		if r.Target == everything {
			return c, problem("bad-request", "%s is for packs and rules; all of them take enforce, monitor, auto or off", r.Mode).at("mode")
		}
	default:
		return c, problem("bad-request", "mode %q is unknown; it is enforce, monitor, auto, off, block, ask or allow", clip(r.Mode)).at("mode")
	}
	return c, isFolder(r.CWD)
}

// guards answers GET /v1/guards.
func (d *Server) guards(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "cwd")
	if err != nil {
		return 0, err
	}
	cwd := q.Get("cwd")
	if err := isFolder(cwd); err != nil {
		return 0, err
	}
	shown, err := d.Views.Guards(r.Context(), cwd)
	if err != nil {
		return 0, err
	}
	writeJSON(w, "application/json", http.StatusOK, shown)
	return 0, nil
}

// setGuards answers POST /v1/guards.
func (d *Server) setGuards(w http.ResponseWriter, r *http.Request, o origin) (int, error) {
	body, err := d.onlyJSON(w, r)
	if err != nil {
		return 0, err
	}
	c, err := decodeGuards(body)
	if err != nil {
		return len(body), err
	}
	c.Asker = askerOf(r, o)
	done, err := d.Views.SetGuards(r.Context(), c)
	if err != nil {
		return len(body), unset(err)
	}
	writeJSON(w, "application/json", http.StatusOK, done)
	return len(body), nil
}

// unset is the problem of a change that was not made.
func unset(err error) error {
	if who := unowned(err); who != nil {
		return who
	}
	var unchanged *UnchangedError
	if errors.As(err, &unchanged) {
		return problem("not-changed", "%v", err)
	}
	return err
}
