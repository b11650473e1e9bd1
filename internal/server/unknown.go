package server

import (
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/session"
)

// UnknownNamespaces is where an agent's directives that no hook takes are noted
// for doctor. noted writes the last of them.
func (h *Home) UnknownNamespaces(agent string) (notes session.Unknown, noted func()) {
	_, state, err := config.Places(h.Getenv)
	if err != nil {
		h.Log.Warn(err.Error())
		return nil, func() {}
	}
	book := &audit.Namespaces{Path: audit.NamespacesPath(state), Dir: Cwd(), Agent: agent}
	return book, func() {
		if err := book.Close(); err != nil {
			h.Log.Warn(err.Error())
		}
	}
}
