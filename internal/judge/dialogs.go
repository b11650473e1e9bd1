package judge

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
)

// dialogs are the requests that agents ask about in place, by session and call. Of a call
// that its user refused there the agent may say nothing: it is forgotten with its request.
// The file has them, too, for the process that comes after this one.
type dialogs struct {
	mu     sync.Mutex
	all    map[dialogKey]dialog
	looked bool // what the file has is among them
}

type dialogKey struct{ session, call string }

type dialog struct {
	code string
	at   time.Time
}

func (d *dialogs) put(key dialogKey, code string, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[dialogKey]dialog{}
	}
	maps.DeleteFunc(d.all, func(_ dialogKey, old dialog) bool { return now.Sub(old.at) > approve.KeepTime })
	d.all[key] = dialog{code, now}
}

func (d *dialogs) take(key dialogKey) (code string, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one, known := d.all[key]
	delete(d.all, key)
	return one.code, known
}

// end forgets those of a session.
func (d *dialogs) end(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.all, func(key dialogKey, _ dialog) bool { return key.session == session })
}

// look reads what an earlier process has left, once. A look that fails is done again.
func (d *dialogs) look(ctx context.Context, open Approvals) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looked {
		return nil
	}
	s, err := open(ctx, false)
	if err != nil {
		return err
	}
	if d.looked = s == nil; d.looked {
		return nil
	}
	defer s.Close()
	before, err := s.Dialogs(ctx)
	if d.looked = err == nil; err != nil || len(before) == 0 {
		return err
	}
	if d.all == nil {
		d.all = map[dialogKey]dialog{}
	}
	for _, b := range before {
		if key := (dialogKey{b.Session, b.Call}); d.all[key].code == "" {
			d.all[key] = dialog{b.Code, b.At}
		}
	}
	return nil
}

// answeredInDialog takes note that a call was made which the agent asked about in place.
func (r *request) answeredInDialog(ctx context.Context) {
	session := r.ev.Head().Session
	if r.ev.Info() == hook.SessionEnd.Info() {
		r.approvals.dialogs.end(session)
	}
	if r.Approvals == nil || r.ev.Info() != hook.PostToolUse.Info() && r.ev.Info() != hook.PostToolUseFailure.Info() {
		return
	}
	if err := r.approvals.dialogs.look(ctx, r.Approvals); err != nil {
		r.log(err.Error())
	}
	made, _ := hook.CallOf(r.ev)
	code, known := r.approvals.dialogs.take(dialogKey{session, made.ID})
	if !known {
		return
	}
	s, err := r.Approvals(ctx, false)
	if s == nil || err != nil {
		return
	}
	defer s.Close()
	if err := s.InDialog(ctx, code, true); err != nil {
		r.log(err.Error())
	}
}
