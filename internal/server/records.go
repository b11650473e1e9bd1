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

// recordsAPI gives what answers questions about the record; nil if it has no folder.
func (h *Home) recordsAPI() api.Records {
	dir, err := h.AuditDir()
	if err != nil {
		h.Log.Warn("nothing can be asked about the audit record", logline.Err, err)
		return nil
	}
	return recordsAPI{index.Open(dir), h}
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
