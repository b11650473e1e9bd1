package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// unitFlags ask for the daemon as a service of the user's own.
type unitFlags struct{ install, uninstall, now, dryRun bool }

func (f *unitFlags) wanted() bool { return f.install || f.uninstall }

func (f *unitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.install, "install", false, "make the daemon a service that starts at login")
	flags.BoolVar(&f.uninstall, "uninstall", false, "take the service back")
	flags.BoolVar(&f.now, "now", false, "with --install or --uninstall: start or stop it at once")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --install or --uninstall: show what would be done")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
}

func (a *app) manageUnit(context.Context, unitFlags) error { return errors.New("not yet") }
