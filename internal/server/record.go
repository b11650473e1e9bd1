package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/logline"
)

// recordTime bounds how long a command waits for a record to be written.
const recordTime = time.Second

// openAudit opens the audit log. A record is never a reason to give no answer:
// without a log, what goes wrong is logged and nil given. done writes what waits.
func (h *Home) openAudit(log *slog.Logger) (records *audit.Log, done func()) {
	dir, err := h.AuditDir()
	if err == nil {
		kept, unread := config.KeepOf(h.Getenv)
		if unread != nil {
			log.Warn(unread.Error())
		}
		records, err = audit.Open(audit.Config{Dir: dir, KeepAge: kept.Age, KeepSize: kept.Size, Log: log,
			Events: keep.Config{Off: kept.NoEvents, Age: kept.EventsAge, Size: kept.EventsSize}})
	}
	if err != nil {
		log.Warn("there will be no audit record", logline.Err, err)
		return nil, func() {}
	}
	return records, func() {
		if err := records.Close(); err != nil {
			log.Warn(err.Error())
		}
	}
}

// RecordTo has a judge's outcomes put on record.
func (h *Home) RecordTo(j *judge.Judge) (done func()) {
	records, done := h.openAudit(j.Log)
	if records != nil {
		j.Record, j.Draft, j.Settle = records.Append, records.Draft, records.Settle
		j.AuditDir, _ = h.AuditDir()
	}
	return done
}

// Recorder puts on record what came of an event: the very one that the hooks saw.
// The context has what was noted meanwhile, see [keep.Watching]; the error is why the
// chain was not finished.
type Recorder func(ctx context.Context, ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error)

// Unrecorded is the recorder of what did not really happen.
func Unrecorded(context.Context, hook.AnyEvent, hook.Outcome[any], time.Duration, error) {}

// Recorder gives one for the outcomes of a workspace that this process fires.
func (h *Home) Recorder(w *Workspace, log *slog.Logger) (record Recorder, done func()) {
	records, done := h.openAudit(log)
	if records == nil {
		return Unrecorded, done
	}
	return func(ctx context.Context, ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error) {
		r := judge.RecordOf(w.Set, ev, &out, took, failure)
		r.Watched(keep.WatchOf(ctx))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
		if err := records.Append(ctx, r); err != nil {
			log.Warn(fmt.Sprintf("%s is not on record", r.Event), logline.Err, err)
		}
	}, done
}

// AuditDir is the folder of the audit log.
func (h *Home) AuditDir() (string, error) {
	return h.folder("audit")
}
