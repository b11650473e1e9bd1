package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func listCommand(a *app) *cobra.Command {
	var events bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show the hooks of this workspace: what would run, from which file",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if events {
				return listEvents(a, cmd)
			}
			return listHooks(a, cmd)
		},
	}
	cmd.Flags().BoolVar(&events, "events", false, "show the events, their aliases, and what hooks may decide")
	return cmd
}

// shownHandler is what a hook runs, with what a script may do.
func shownHandler(h config.Hook) string {
	shown := cmp.Or(h.Command, h.Kind)
	if len(h.Grants) > 0 {
		shown += " (may " + strings.Join(judge.Grants(h), ", ") + ")"
	}
	return shown
}

// shownState says whether a hook runs, and whether anything comes of it.
func shownState(h config.Hook) string {
	if h.State == config.Active && h.Monitor {
		return "monitored"
	}
	return string(h.State)
}

func listHooks(a *app, cmd *cobra.Command) error {
	w, err := a.home.Look(cmd.Context(), a.home.Options())
	if err != nil {
		return err
	}
	defer w.Close()
	a.home.ShowWarnings(w)
	if err := printHooks(a, w); err != nil {
		return err
	}
	if len(w.Set.Problems) > 0 { // they were printed when the files were read
		return &exit{code: exitFailure}
	}
	return nil
}

func printHooks(a *app, w *server.Workspace) error {
	notes := hookNotes(a, w.Set)
	never := doctor.Never(a.getenv, server.Cwd(), w.Set.Hooks)
	if a.json {
		all := judge.Listing{Set: w.Set}.Document()
		for i, h := range all.Hooks {
			all.Hooks[i].Note, all.Hooks[i].Never = notes[h.ID], never[h.ID]
		}
		return a.print(all)
	}
	if len(w.Set.Hooks) == 0 && len(w.Set.Problems)+len(w.Set.Warnings) > 0 {
		return nil // there are some, and it was printed why they are not used
	}
	if len(w.Set.Hooks) == 0 && w.Set.Workspace != "" {
		fmt.Fprintf(visible.Writer{To: a.out}, "No hooks: what is in %s names none. hookway init --lang LANGUAGE adds one.\n", w.Set.Workspace)
		return nil
	}
	if len(w.Set.Hooks) == 0 {
		fmt.Fprintf(a.out, "No hooks. hookway init writes a %s to begin with.\n", "hookway.yaml")
		return nil
	}
	table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tEVENTS\tLANE\tPRIORITY\tHANDLER\tSTATE\tFROM")
	for _, h := range w.Set.Hooks {
		events, lane, priority := shownEvents(h.Events), h.Lane.String(), strconv.Itoa(h.Priority)
		if h.Unasked {
			events, lane, priority = "?", "?", "?"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", h.ID, events, lane, priority,
			hook.LogLine(shownHandler(h)), shownState(h), relative(h.Origin))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	showWrapped(a, w.Set)
	for _, h := range w.Set.Hooks {
		if note := notes[h.ID]; note != "" {
			fmt.Fprintln(a.out, field(h.ID, 80)+": "+field(note, 300))
		}
		if names := never[h.ID]; len(names) > 0 {
			fmt.Fprintln(a.out, field(h.ID, 80)+": its events never come from "+strings.Join(names, ", "))
		}
	}
	return nil
}

// mostEvents is how many events of a hook the table names, if it has more than two; --json
// has all of them.
const mostEvents = 1

// shownEvents are events in few words, since a hook of many would make each line too long.
func shownEvents(events []string) string {
	if more := len(events) - mostEvents; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(events[:mostEvents], ","), more)
	}
	return strings.Join(events, ",")
}

// noted is how many records are looked at for notes on hooks.
const noted = 1000

// byNode is what is said of a script that Node runs.
const byNode = "run by Node: no grants are enforced"

// hookNotes gives, by id, what the user should know of hooks: which of them nothing
// holds back, and what the record says of those whose answers were odd.
func hookNotes(a *app, set *config.Set) map[string]string {
	notes := map[string]string{}
	if dir, err := a.home.AuditDir(); err == nil {
		notes = audit.Notes(dir, set.Workspace, audit.Filter{Last: noted})
	}
	for _, h := range set.Hooks {
		if h.ByNode {
			notes[h.ID] = strings.TrimSuffix(byNode+"; "+notes[h.ID], "; ")
		}
	}
	return notes
}

// relative shortens a place below the working directory.
func relative(place string) string {
	if rel, err := filepath.Rel(server.Cwd(), place); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return place
}

func listEvents(a *app, cmd *cobra.Command) error {
	w, err := a.home.Look(cmd.Context(), a.home.Options())
	if err != nil {
		return err
	}
	defer w.Close()
	type event struct {
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
		May     string   `json:"may"`
	}
	var all []event
	for _, info := range append(w.Engine.Events(), hook.Changes()...) {
		all = append(all, event{info.Name, append([]string{}, info.Aliases...), info.May.String()})
	}
	if a.json {
		return a.print(all)
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EVENT\tA HOOK MAY\tALIASES")
	for _, e := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Name, e.May, strings.Join(e.Aliases, ", "))
	}
	return table.Flush()
}

// showWrapped says what hookway run runs when it is given nothing.
func showWrapped(a *app, set *config.Set) {
	if command := set.Wrapped.Command(); len(command) > 0 {
		fmt.Fprintf(visible.Writer{To: a.out}, "hookway run without a program runs %s (%s)\n", visible.Line(strings.Join(command, " ")), relative(set.Wrapped.File))
	}
}
