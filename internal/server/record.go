package server

import (
	"context"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
)

// recordTime bounds how long a command waits for a record to be written.
const recordTime = time.Second

// openAudit opens the audit log. A record is never a reason to give no answer:
// without a log, what goes wrong is logged and nil given. done writes what waits.
func (h *Home) openAudit(tell func(string)) (log *audit.Log, done func()) {
	dir, err := h.AuditDir()
	if err == nil {
		keep, unread := config.KeepOf(h.Getenv)
		if unread != nil {
			tell(unread.Error())
		}
		log, err = audit.Open(audit.Config{Dir: dir, KeepAge: keep.Age, KeepSize: keep.Size, Log: tell})
	}
	if err != nil {
		tell("there will be no audit record: " + err.Error())
		return nil, func() {}
	}
	return log, func() {
		if err := log.Close(); err != nil {
			tell(err.Error())
		}
	}
}

// RecordTo has a judge's outcomes put on record.
func (h *Home) RecordTo(j *judge.Judge) (done func()) {
	log, done := h.openAudit(j.Log)
	if log != nil {
		j.Record = log.Append
		j.AuditDir, _ = h.AuditDir()
	}
	return done
}

// Recorder puts on record what came of an event: the very one that the hooks saw.
// The error is why the chain was not finished.
type Recorder func(ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error)

// Unrecorded is the recorder of what did not really happen.
func Unrecorded(hook.AnyEvent, hook.Outcome[any], time.Duration, error) {}

// Recorder gives one for the outcomes of a workspace that this process fires.
func (h *Home) Recorder(w *Workspace, tell func(string)) (record Recorder, done func()) {
	log, done := h.openAudit(tell)
	if log == nil {
		return Unrecorded, done
	}
	return func(ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error) {
		r := judge.RecordOf(w.Set, ev, &out, took, failure)
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		if err := log.Append(ctx, r); err != nil {
			tell(fmt.Sprintf("%s is not on record: %v", r.Event, err))
		}
	}, done
}

// AuditDir is the folder of the audit log.
func (h *Home) AuditDir() (string, error) {
	return h.folder("audit")
}
