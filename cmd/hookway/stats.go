package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/visible"
)

func statsCommand(a *app) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show how often each hook ran, blocked and failed, and how long it took",
		Example: `  hookway stats
  hookway stats --since 1d --event PreToolUse`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			if err := o.complete(a, time.Now()); err != nil {
				return err
			}
			return showStats(cmd.Context(), a, o)
		},
	}
	o.addFilter(cmd)
	return cmd
}

func showStats(ctx context.Context, a *app, o logOptions) error {
	dir, err := a.home.AuditDir()
	if err != nil {
		return err
	}
	hooks, err := audit.Summarize(dir, o.Filter)
	if err != nil {
		if hooks == nil {
			return err
		}
		tellLeftOut(a, err)
	}
	limits, err := config.KeepOf(a.getenv)
	if err != nil {
		a.warn("%v", err)
	}
	kept, err := audit.LookAtKept(ctx, dir, limits.NoEvents, limits.EventsAge, limits.EventsSize, time.Now())
	if err != nil {
		a.warn("%v", err)
	}
	if a.json {
		return a.print(map[string]any{"hooks": hooks, "kept": kept})
	}
	if len(hooks) == 0 {
		if !hasLog(dir) {
			sayNoLog(a, dir, false)
			return nil
		}
		fmt.Fprintln(a.out, "No hook ran in what the log has of that.")
	} else if err := audit.WriteStats(visible.Writer{To: a.out}, hooks); err != nil {
		return err
	}
	_, err = fmt.Fprintf(visible.Writer{To: a.out}, "\nOf all events: %s.\n", kept.Holds())
	for _, line := range kept.Lacks() {
		a.warn("%s", line)
	}
	return err
}

// tellLeftOut tells of each damaged line.
func tellLeftOut(a *app, err error) {
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) {
		a.warn("%v", err)
		return
	}
	for _, one := range all.Unwrap() {
		if other := tellDamage(a, one); other != nil {
			a.warn("%v", other)
		}
	}
}
