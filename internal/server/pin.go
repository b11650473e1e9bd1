package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/pin"
)

// errPIN is a yes over a channel, or of a credential, that was minted without the PIN.
var errPIN = approve.NewRefused("a yes takes the PIN here, and this way to answer was minted without it; its owner mints it again: hookway approvals mint")

// wantsPIN reports whether a yes takes the PIN. Where that is not known, it does.
func (h *Home) wantsPIN(ctx context.Context) bool {
	wants, err := h.RequiresPIN(ctx)
	return wants || err != nil
}

// mayAllow reports whether a yes over a channel counts.
func (h *Home) mayAllow(ctx context.Context, c config.ApprovalChannel) bool {
	if !h.wantsPIN(ctx) {
		return true
	}
	minted, err := h.Minted()
	return err == nil && minted.Proven(c)
}

// RequiresPIN reports whether the user's configuration, or the administrator's, wants a PIN
// of who allows something. Where that is not known, a PIN that is set is asked for, and
// that is logged.
func (h *Home) RequiresPIN(ctx context.Context) (bool, error) {
	options := h.Options()
	options.TrustedOnly, options.Still = true, true
	set, err := config.Load(ctx, options)
	if err != nil {
		return false, err
	}
	said := set.Approvals
	if err := set.Close(); err != nil || said.PIN || said.Unread == "" {
		return said.PIN, err
	}
	dir, err := h.ApprovalsDir()
	if err != nil || !pin.Exists(dir) {
		return false, err
	}
	err = h.WithPIN(ctx, func(store *pin.Store) (err error) {
		said.PIN, err = store.IsSet(ctx)
		return err
	})
	if said.PIN {
		h.Log.Warn(fmt.Sprintf("%s does not count as it stands, and may require the PIN; so it is asked for", said.Unread))
	}
	return said.PIN, err
}

// WithPIN opens what is kept of the PIN.
func (h *Home) WithPIN(ctx context.Context, do func(*pin.Store) error) error {
	dir, err := h.ApprovalsDir()
	if err != nil {
		return err
	}
	store, err := pin.Open(ctx, dir, pin.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// CheckPIN checks a PIN, and says what to do about one that was forgotten.
func (h *Home) CheckPIN(ctx context.Context, store *pin.Store, text string) error {
	err := store.Check(ctx, text)
	var wait *pin.WaitError
	var wrong *pin.WrongError
	if errors.As(err, &wait) || errors.As(err, &wrong) && wrong.Wait > 0 {
		dir, _ := h.ApprovalsDir()
		return fmt.Errorf("%w; if you forgot it, remove %s and set a new one: hookway approvals pin", err, pin.File(dir))
	}
	return err
}

// OwnersPIN checks what an owner in the page does against the PIN, where the configuration
// wants one. What is wrong with it is a *api.PINError. Tries are counted with those in
// terminals.
func (h *Home) OwnersPIN(ctx context.Context, who api.Owner) error {
	required, err := h.RequiresPIN(ctx)
	if err != nil || !required {
		return err
	}
	if who.PIN == "" {
		return &api.PINError{Text: "this takes the PIN, as approvals: {require: pin} says"}
	}
	err = h.WithPIN(ctx, func(store *pin.Store) error { return h.CheckPIN(ctx, store, who.PIN) })
	var wait *pin.WaitError
	var wrong *pin.WrongError
	switch {
	case errors.As(err, &wait):
		return &api.PINError{Text: err.Error(), Wait: wait.Wait}
	case errors.As(err, &wrong):
		return &api.PINError{Text: err.Error(), Wait: wrong.Wait}
	case errors.Is(err, pin.ErrNone):
		return &api.PINError{Text: err.Error()}
	}
	return err
}
