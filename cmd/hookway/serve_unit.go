package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/visible"
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

// manageUnit writes or removes the daemon's service.
func manageUnit(ctx context.Context, a *app, f unitFlags, listen listenFlags) error {
	if _, err := a.home.PlanListeners(listen.addresses, listen.cert, listen.key); err != nil {
		return err
	}
	arguments, err := listen.arguments()
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the path of hookway itself is unknown: %w", err)
	}
	unit, err := daemon.UnitFor(runtime.GOOS, executable, arguments, a.getenv)
	if err != nil {
		return err
	}
	if f.install {
		return installUnit(ctx, a, unit, f)
	}
	return uninstallUnit(ctx, a, unit, f)
}

// unitReport is what --json prints of a service. Commands are those of --now.
type unitReport struct {
	File     string     `json:"file"`
	Text     string     `json:"text,omitempty"` // "": the file is removed
	Changed  bool       `json:"changed"`        // what --dry-run never does
	Commands [][]string `json:"commands"`
}

func installUnit(ctx context.Context, a *app, unit daemon.Unit, f unitFlags) error {
	out := visible.Writer{To: a.out}
	if f.dryRun && a.json {
		return a.print(unitReport{File: unit.Path, Text: unit.Text, Commands: unit.Enable})
	}
	if f.dryRun {
		fmt.Fprintf(out, "Would write %s:\n\n%s", unit.Path, unit.Text)
		sayCommands(a, "\nThen, with --now:", unit.Enable, f.now)
		return nil
	}
	changed, err := unit.Install()
	switch {
	case err != nil:
		return fmt.Errorf("the service cannot be written: %w", err)
	case a.json:
		err = a.print(unitReport{File: unit.Path, Text: unit.Text, Changed: changed, Commands: unit.Enable})
		if f.now {
			err = errors.Join(err, runAll(ctx, unit.Enable))
		}
		return err
	case changed:
		fmt.Fprintf(out, "Wrote %s\n", unit.Path)
	default:
		fmt.Fprintf(out, "%s is as it should be\n", unit.Path)
	}
	if f.now {
		return runAll(ctx, unit.Enable)
	}
	last := unit.Enable[len(unit.Enable)-1:]
	sayCommands(a, "To start it now and at each login:", last, true)
	return nil
}

func uninstallUnit(ctx context.Context, a *app, unit daemon.Unit, f unitFlags) error {
	out := visible.Writer{To: a.out}
	if f.dryRun && a.json {
		return a.print(unitReport{File: unit.Path, Commands: unit.Disable})
	}
	if f.dryRun {
		sayCommands(a, "Would run, with --now:", unit.Disable, f.now)
		fmt.Fprintf(out, "Would remove %s\n", unit.Path)
		return nil
	}
	var failed error
	if f.now { // first, while the service knows its file
		failed = runAll(ctx, unit.Disable)
	}
	changed, err := unit.Uninstall()
	switch {
	case err != nil:
		return errors.Join(failed, fmt.Errorf("the service cannot be removed: %w", err))
	case a.json:
		return errors.Join(failed, a.print(unitReport{File: unit.Path, Changed: changed, Commands: unit.Disable}))
	case !changed:
		fmt.Fprintf(out, "There is no %s\n", unit.Path)
		return nil // whatever there was to stop, it is not ours
	}
	fmt.Fprintf(out, "Removed %s\n", unit.Path)
	if !f.now {
		fmt.Fprintln(out, "A daemon that runs goes on until: hookway stop")
	}
	return failed
}

func sayCommands(a *app, intro string, commands [][]string, wanted bool) {
	if !wanted {
		return
	}
	fmt.Fprintln(a.out, intro)
	for _, c := range commands {
		fmt.Fprintf(visible.Writer{To: a.out}, "  %s\n", strings.Join(c, " "))
	}
}

func runAll(ctx context.Context, commands [][]string) error {
	for _, c := range commands {
		if out, err := exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(c, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
