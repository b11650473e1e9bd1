package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/visible"
)

func sessionsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "sessions",
		Short: "List the programs that hookway run has in a terminal now",
		Long: `List the programs that hookway run has in a terminal now, the oldest first. What
stands under NAME is what hold, release, inject, send and output take; the
session's id does as well, and so do its first four characters or more.
hookway agents lists those that do not run now, too.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return showSessions(cmd.Context(), a) },
	}
}

func showSessions(ctx context.Context, a *app) error {
	dir, err := a.home.RosterDir()
	if err != nil {
		return err
	}
	all, err := roster.List(ctx, dir)
	if err != nil {
		return err
	}
	if a.json {
		members := []roster.Member{} // not null
		for _, r := range all {
			members = append(members, r.Member)
		}
		return a.print(members)
	}
	if len(all) == 0 {
		fmt.Fprintln(a.out, "No session runs; hookway run -n NAME -- claude starts one")
		return nil
	}
	table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tPROGRAM\tPID\tSINCE\tSTATE\tSESSION\tFOLDER")
	for _, r := range all {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", field(r.Name, 40), field(r.Program, 30), r.PID,
			since(r.Started), sessionState(r), field(r.Session, 40), field(r.CWD, 200))
	}
	return table.Flush()
}

func since(start time.Time) string {
	if d := time.Since(start); d < 24*time.Hour {
		return max(d, 0).Truncate(time.Second).String()
	}
	return start.Local().Format("2006-01-02 15:04")
}

func sessionState(r *roster.Remote) string {
	switch {
	case r.Mute:
		return "mute"
	case r.Held:
		return "held"
	}
	return "runs"
}

// find finds the session that somebody names.
func (a *app) find(ctx context.Context, name string) (*roster.Remote, error) {
	dir, err := a.home.RosterDir()
	if err != nil {
		return nil, err
	}
	return roster.Find(ctx, dir, name)
}

// completeSession offers the names of sessions to the user's shell, for the first
// argument.
func (a *app) completeSession(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if dir, err := a.home.RosterDir(); err == nil && len(args) == 0 {
		all, _ := roster.All(dir)
		for _, r := range all {
			names = append(names, r.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
