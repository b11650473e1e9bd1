package server

import (
	"context"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
)

// recordsAPI answers questions about the record over HTTP.
type recordsAPI struct {
	*index.Index
	home  *Home
	judge *judge.Judge
}

// One gives the record of a number, also of a decision that has just been made.
func (r recordsAPI) One(ctx context.Context, seq int64) (*index.One, error) {
	settle(ctx, r.judge)
	return r.Index.One(ctx, seq)
}

// settle waits until the events of what is on record can be read.
func settle(ctx context.Context, j *judge.Judge) {
	if j.Settle != nil {
		j.Settle(ctx)
	}
}

// recordsAPI gives what answers questions about the record, until it is closed; nil if the
// record has no folder.
func (h *Home) recordsAPI(j *judge.Judge) (records api.Records, closed func()) {
	dir, err := h.AuditDir()
	if err != nil {
		h.Log.Warn("nothing can be asked about the audit record", logline.Err, err)
		return nil, func() {}
	}
	x := index.Open(dir, h.Log)
	return recordsAPI{x, h, j}, func() {
		if err := x.Close(); err != nil {
			h.Log.Warn(err.Error())
		}
	}
}

// Where gives the workspace that a folder is in, or the folder if it is in none.
func (r recordsAPI) Where(folder string) (workspace, alone string, err error) {
	folder = disk.Real(folder) // one that is gone has records all the same
	if workspace, err = config.WorkspaceOf(r.home.Getenv, folder); workspace == "" {
		alone = folder
	}
	return workspace, alone, err
}
