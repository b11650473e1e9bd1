package main

import (
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/unknown"
)

// unknownNamespaces is where an agent's directives that no hook takes are noted
// for doctor. noted writes the last of them.
func (a *app) unknownNamespaces(agent string, warn func(string)) (notes session.Unknown, noted func()) {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		warn(err.Error())
		return nil, func() {}
	}
	book := &unknown.Book{Path: unknown.Path(state), Dir: a.cwd(), Agent: agent}
	return book, func() {
		if err := book.Close(); err != nil {
			warn(err.Error())
		}
	}
}
