package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

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
	if required, err = a.home.RequiresPIN(ctx); err != nil {
		return false, err
	}
	err = a.home.WithPIN(ctx, func(store *pin.Store) error {
		asked, err := terminal.Asks(ctx)
		if err != nil {
			return err
		}
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
			err = a.home.CheckPIN(ctx, store, before)
		}
		if err != nil {
			return "", err
		}
	}
	text, err := keys.Line(ctx, fmt.Sprintf("A new PIN, of %d characters or more: ", pin.MinLength), true)
	if err == nil {
		err = pin.Usable(text)
	}
	if err != nil {
		return "", err
	}
	again, err := keys.Line(ctx, "The same once more: ", true)
	if err == nil && again != text {
		err = errors.New("the two differ")
	}
	return text, err
}
