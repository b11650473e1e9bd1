package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
)

// recordTime bounds how long a command waits for a record to be written.
const recordTime = time.Second

// openAudit opens the audit log. A record is never a reason to give no answer:
// without a log, what goes wrong is told and nil given. done writes what waits.
func (a *app) openAudit(tell func(string)) (log *audit.Log, done func()) {
	dir, err := a.auditDir()
	if err == nil {
		keep, unread := config.KeepOf(a.getenv)
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

// recordTo has a judge's outcomes put on record.
func (a *app) recordTo(j *judge.Judge) (done func()) {
	log, done := a.openAudit(j.Log)
	if log != nil {
		j.Record = log.Append
		j.AuditDir, _ = a.auditDir()
	}
	return done
}

// recorder puts on record what came of an event: the very one that the hooks saw.
// The error is why the chain was not finished.
type recorder func(ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error)

// nowhere is the recorder of what did not really happen.
func nowhere(hook.AnyEvent, hook.Outcome[any], time.Duration, error) {}

// recorder gives one for the outcomes of a workspace that this process fires.
func (a *app) recorder(w *workspace, tell func(string)) (record recorder, done func()) {
	log, done := a.openAudit(tell)
	if log == nil {
		return nowhere, done
	}
	return func(ev hook.AnyEvent, out hook.Outcome[any], took time.Duration, failure error) {
		r := audit.FromOutcome(ev, &out, took)
		if failure != nil {
			r.Failure = hook.LogLine("hookway could not decide: " + failure.Error())
		}
		r.Workspace, r.Hide = w.set.Workspace, w.set.Settings.Redact
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		if err := log.Append(ctx, r); err != nil {
			tell(fmt.Sprintf("%s is not on record: %v", r.Event, err))
		}
	}, done
}

// auditDir is the folder of the audit log.
func (a *app) auditDir() (string, error) {
	_, state, err := config.Places(a.getenv)
	return filepath.Join(state, "audit"), err
}
