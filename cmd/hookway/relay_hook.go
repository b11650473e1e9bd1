package main

import (
	"context"
	"path/filepath"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// judgesRelay gives a judge that answers one event the messages of this user.
func (a *app) judgesRelay() delivery.Relay {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return delivery.Relay{}
	}
	return delivery.Relay{
		Dir: filepath.Join(state, "relay"),
		Open: func(ctx context.Context) (*relay.Store, func(), error) {
			store, err := a.openRelay(ctx)
			if err != nil {
				return nil, nil, err
			}
			return store, func() {
				if err := store.Close(); err != nil {
					a.warn("%v", err)
				}
			}, nil
		},
		Sent: func(ctx context.Context) {
			if err := a.pokeRelay(ctx); err != nil { // the message is kept, and goes when the daemon runs
				a.warn("%v", err)
			}
		},
	}
}
