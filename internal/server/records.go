package server

import (
	"path/filepath"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/logline"
)

// recordsAPI answers questions about the record over HTTP.
type recordsAPI struct {
	*index.Index
	home *Home
}

// recordsAPI gives what answers questions about the record, until it is closed; nil if the
// record has no folder.
func (h *Home) recordsAPI() (records api.Records, closed func()) {
	dir, err := h.AuditDir()
	if err != nil {
		h.Log.Warn("nothing can be asked about the audit record", logline.Err, err)
		return nil, func() {}
	}
	x := index.Open(dir, h.Log)
	return recordsAPI{x, h}, func() {
		if err := x.Close(); err != nil {
			h.Log.Warn(err.Error())
		}
	}
}

// Where gives the workspace that a folder is in, or the folder if it is in none.
func (r recordsAPI) Where(folder string) (workspace, alone string, err error) {
	if real, err := filepath.EvalSymlinks(folder); err == nil { // one that is gone has records all the same
		folder = real
	}
	if workspace, err = config.WorkspaceOf(r.home.Getenv, folder); workspace == "" {
		alone = folder
	}
	return workspace, alone, err
}
