package server

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/replay"
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
