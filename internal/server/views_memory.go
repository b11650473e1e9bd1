package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/replay"
)

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
