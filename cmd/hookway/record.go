package main

import (
	"path/filepath"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
)

// recordTo has a judge's outcomes put on record. The record is never a reason
// to give no answer: what goes wrong is told and the rest goes on. done writes
// what waits.
func (a *app) recordTo(j *judge.Judge) (done func()) {
	dir, err := a.auditDir()
	var log *audit.Log
	if err == nil {
		keep, unread := config.KeepOf(a.getenv)
		if unread != nil {
			j.Log(unread.Error())
		}
		log, err = audit.Open(audit.Config{Dir: dir, KeepAge: keep.Age, KeepSize: keep.Size, Log: j.Log})
	}
	if err != nil {
		j.Log("there will be no audit record: " + err.Error())
		return func() {}
	}
	j.Record = log.Append
	return func() {
		if err := log.Close(); err != nil {
			j.Log(err.Error())
		}
	}
}

// auditDir is the folder of the audit log.
func (a *app) auditDir() (string, error) {
	_, state, err := config.Places(a.getenv)
	return filepath.Join(state, "audit"), err
}
