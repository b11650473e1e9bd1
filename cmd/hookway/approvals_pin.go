package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/pin"
)

func pinCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "pin",
		Short: "Set the PIN without which nothing is allowed in a terminal",
		Long: `Set the PIN without which nothing is allowed in a terminal, where the configuration
says approvals: {require: pin}. To change it takes the one before. Of what is typed
nothing is shown.

A PIN that was forgotten is taken away with its file; hookway names it when a PIN is
wrong too often. Then set a new one.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			required, err := setPIN(ctx, a)
			if err != nil {
				err = fmt.Errorf("no PIN was set: %w", err)
			}
			by, from := personAt(a, "a terminal")
			a.home.Answered(ctx, approvalRecord(a, cmd.CommandPath(), &ownersWord{yes: true, by: by, said: "a PIN was set, in " + from}, err))
			if err != nil {
				return err
			}
			if a.json {
				return a.print(map[string]bool{"set": true, "required": required})
			}
			fmt.Fprintln(a.out, "The PIN is set")
			if !required {
				fmt.Fprintln(a.out, "It is asked for only with --pin, until hookway.yaml in your own configuration has  approvals: {require: pin}")
			}
			return nil
		},
	}
}

// setPIN has the owner type a PIN twice, after the one before.
func setPIN(ctx context.Context, a *app) (required bool, err error) {
	out, ok := a.out.(*os.File)
	if !ok {
		return false, errors.New("this takes a terminal")
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		return false, err
	}
	defer terminal.Close()
	if required, err = a.requiresPIN(ctx); err != nil {
		return false, err
	}
	err = a.withPIN(ctx, func(store *pin.Store) error {
		asked := time.Now()
		keys, err := terminal.Keys()
		if err != nil {
			return err
		}
		text, err := newPIN(ctx, a, store, keys)
		if err = errors.Join(err, keys.Close()); err != nil {
			return err
		}
		if err := terminal.Typed(asked); err != nil {
			return err
		}
		return store.Set(ctx, text)
	})
	return required, err
}

// newPIN asks for the PIN before, if there is one, and for the new one.
func newPIN(ctx context.Context, a *app, store *pin.Store, keys *owner.Keys) (string, error) {
	if err := keys.Discard(); err != nil {
		return "", err
	}
	set, err := store.IsSet(ctx)
	if err != nil {
		return "", err
	}
	if set {
		before, err := keys.Line(ctx, "The PIN of now: ", true)
		if err == nil {
			err = a.checkPIN(ctx, store, before)
		}
		if err != nil {
			return "", err
		}
	}
	text, err := keys.Line(ctx, fmt.Sprintf("A new PIN, of %d characters or more: ", pin.MinLength), true)
	if err != nil {
		return "", err
	}
	again, err := keys.Line(ctx, "The same once more: ", true)
	if err == nil && again != text {
		err = errors.New("the two differ")
	}
	return text, err
}

// withPIN opens what is kept of the PIN.
func (a *app) withPIN(ctx context.Context, do func(*pin.Store) error) error {
	dir, err := a.home.ApprovalsDir()
	if err != nil {
		return err
	}
	store, err := pin.Open(ctx, dir, pin.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// checkPIN checks a PIN, and says what to do about one that was forgotten.
func (a *app) checkPIN(ctx context.Context, store *pin.Store, text string) error {
	err := store.Check(ctx, text)
	var wait *pin.WaitError
	var wrong *pin.WrongError
	if errors.As(err, &wait) || errors.As(err, &wrong) && wrong.Wait > 0 {
		dir, _ := a.home.ApprovalsDir()
		return fmt.Errorf("%w; if you forgot it, remove %s and set a new one: hookway approvals pin", err, pin.File(dir))
	}
	return err
}

// askPIN asks for the PIN, where the configuration requires it or the person wants it.
func (a *app) askPIN(ctx context.Context, terminal *owner.Terminal, wanted bool) error {
	required, err := a.requiresPIN(ctx)
	if err != nil || !required && !wanted {
		return err
	}
	return a.withPIN(ctx, func(store *pin.Store) error {
		switch set, err := store.IsSet(ctx); {
		case err != nil:
			return err
		case !set:
			return pin.ErrNone
		}
		text, err := terminal.Secret(ctx, "PIN: ")
		if err != nil {
			return err
		}
		return a.checkPIN(ctx, store, text)
	})
}

// requiresPIN reports whether the user's configuration, or the administrator's, wants a PIN.
// Where that is not known, a PIN that is set is asked for.
func (a *app) requiresPIN(ctx context.Context) (bool, error) {
	options := a.home.Options()
	options.TrustedOnly, options.Still = true, true
	set, err := config.Load(ctx, options)
	if err != nil {
		return false, err
	}
	said := set.Approvals
	if err := set.Close(); err != nil || said.PIN || said.Unread == "" {
		return said.PIN, err
	}
	dir, err := a.home.ApprovalsDir()
	if err != nil || !pin.Exists(dir) {
		return false, err
	}
	err = a.withPIN(ctx, func(store *pin.Store) (err error) {
		said.PIN, err = store.IsSet(ctx)
		return err
	})
	if said.PIN {
		a.warn("%s does not count as it stands, and may require the PIN; so it is asked for", said.Unread)
	}
	return said.PIN, err
}
