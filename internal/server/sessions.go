package server

import (
	"context"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/timeline"
)

// sessionsAPI gives what tells of sessions over HTTP, until it is closed; nil without a
// record.
func (h *Home) sessionsAPI(records api.Records, j *judge.Judge) (sessions api.Sessions, closed func()) {
	of, ok := records.(recordsAPI)
	if !ok {
		return nil, func() {}
	}
	hiders := &hiders{judge: j, of: map[string]*audit.Hider{}}
	t := timeline.New(timeline.Options{Records: recorded{of.Index}, Getenv: h.Getenv, Hide: hiders.in, Log: h.Log})
	return t, t.Close
}

// recorded is what is on record of sessions.
type recorded struct{ *index.Index }

// Sessions gives the sessions that are on record, the latest first.
func (r recorded) Sessions(ctx context.Context) (list []timeline.Recorded, behind int64, err error) {
	all, behind, err := r.Index.Sessions(ctx)
	for _, s := range all {
		list = append(list, timeline.Recorded{
			ID: s.ID, Agent: s.Agent, Folder: s.Folder, First: s.First, Last: s.Last, Events: s.Events, Calls: s.Calls, Blocks: s.Blocks, Asks: s.Asks, Would: s.Would,
			Prompt: func(ctx context.Context) string { return r.Prompt(ctx, &s) },
		})
	}
	return list, behind, err
}

// hiders take secrets out of what happened in folders, as the record does.
type hiders struct {
	judge *judge.Judge

	mu   sync.Mutex
	made time.Time
	of   map[string]*audit.Hider
}

// Bounds of what is remembered of folders.
const (
	hidersAge  = time.Minute
	hidersTime = 5 * time.Second // to read a folder's configuration
	mostHiders = 1000
)

// allTexts are what is hidden of a folder whose configuration cannot be read.
var allTexts = []string{"prompt", "last_message", "tool_input", "tool_response"}

// in gives what takes secrets out of what happened in a folder.
func (h *hiders) in(folder string) *audit.Hider {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.of) >= mostHiders || time.Since(h.made) > hidersAge {
		h.of, h.made = map[string]*audit.Hider{}, time.Now()
	}
	if one := h.of[folder]; one != nil {
		return one
	}
	ctx, cancel := context.WithTimeout(context.Background(), hidersTime)
	defer cancel()
	fields := allTexts
	if list, err := h.judge.Hooks(ctx, folderThere(folder)); err == nil && list.Set != nil {
		fields = list.Set.Settings.Redact
	}
	h.of[folder] = audit.NewHider(fields)
	return h.of[folder]
}
