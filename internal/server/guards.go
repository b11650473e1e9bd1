package server

import (
	"path/filepath"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/logline"
)

// Guard makes the handler of hookway's own rules, with what is remembered of sessions
// and the calls that a person let through.
func (h *Home) Guard(on *config.Guards) hook.Handler {
	return &guards.Guard{Policy: on.Policy, State: h.guardState(), Grants: grants{h}}
}

// guardState is what this process has open of what sessions did.
func (h *Home) guardState() *guards.State {
	h.guarding.Do(func() {
		h.guarded = &guards.State{Alone: !h.Lasting, Log: func(line string) { logline.Or(h.Log).Warn(line) }}
		if dir, err := h.folder("guards"); err == nil {
			h.guarded.Dir = filepath.Join(dir, "sessions")
		}
	})
	return h.guarded
}

// closeGuards writes what waits to be written of sessions.
func (h *Home) closeGuards() error {
	if h.guarded == nil {
		return nil
	}
	return h.guarded.Close()
}
