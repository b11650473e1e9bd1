package server

import (
	"context"
	"os"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/judge"
)

// views are what people look at, as programs have it that speak HTTP with the daemon.
type views struct {
	home  *Home
	judge *judge.Judge

	records api.Records // nil: there are none
}

var _ api.Explainer = views{}

// Explain explains a call. A folder that is gone has the user's own configuration.
func (v views) Explain(ctx context.Context, c explain.Call) (guards.Explanation, error) {
	list, err := v.judge.Hooks(ctx, folderThere(c.Dir))
	if err != nil {
		return guards.Explanation{}, err
	}
	return c.Under(ctx, list.Set, v.environ(), true), nil
}

// Decision explains a decision on record.
func (v views) Decision(ctx context.Context, seq int64) (explain.Decision, error) {
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

// environ is what calls find, KEY=VALUE, as far as this process knows.
func (v views) environ() []string {
	if v.home.Environ == nil {
		return os.Environ()
	}
	return v.home.Environ()
}

// folderThere is a folder, or "" if it is not there, or on another machine.
func folderThere(dir string) string {
	if dir == "" || guards.Far(dir) {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
