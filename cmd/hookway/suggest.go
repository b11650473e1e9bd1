package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/suggest"
	"github.com/hookway/hookway/internal/visible"
)

// suggestOptions are the flags of suggest.
type suggestOptions struct {
	since  string
	folder string
	apply  string
}

func suggestCommand(a *app) *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest rules from the record: what to ask no more, what to stop, which hooks to mend",
		Long: `Suggest what to change, from the record of what agents did in this workspace:

  rules that would spare questions   what a person was asked about and always allowed
  rules that would stop              what a person refused, interrupted or undid
  rules that should count            on trial, and never wrong
  hooks to mend                      that fail, are slow, or never matched

Each has its evidence, and the YAML to paste. --apply N writes number N into
hookway.yaml, with a test for it in hooks_test.yaml, and runs that test. Numbers change
with the record and with --since; --apply ID names the hook or the rule instead. What lets
something pass takes a person: a terminal that no agent has a hand in, and a yes.

Nothing is suggested that would let pass what a block rule of hookway's own holds.`,
		Example: `  hookway suggest
  hookway suggest --since 7d --json
  hookway suggest --apply 2
  hookway suggest --apply allow-npm-test`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n, err := strconv.Atoi(o.apply); cmd.Flags().Changed("apply") && (o.apply == "" || err == nil && n < 1) {
				return fmt.Errorf("--apply %q: suggestions are numbered from 1, or named by their id", o.apply)
			}
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			return runSuggest(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "only records since a `TIME`: 7d ago, 10h ago, or 2006-01-02T15:04:05Z; all is every record")
	f.StringVar(&o.folder, "workspace", "", "of the workspace that this `DIR` is in; -C does the same")
	f.StringVar(&o.apply, "apply", "", "write suggestion `N`, or the one of this id, with a test for it")
	return cmd
}

func runSuggest(ctx context.Context, a *app, o suggestOptions) error {
	where := logOptions{folder: o.folder}
	if err := where.inFolder(a); err != nil {
		return err
	}
	plan := suggest.Plan{Root: cmp.Or(where.Workspace, where.Folder), Alone: where.Workspace == "", Now: time.Now(), Environ: a.environ(), AllowAt: allowAt}
	var err error
	if plan.Since, err = parseSince(o.since, plan.Now); err != nil {
		return err
	}
	if plan.Dir, err = a.home.AuditDir(); err != nil {
		return err
	}
	if !hasLog(plan.Dir) {
		if o.apply != "" {
			return errors.New("there is nothing to apply: nothing is on record yet; hookway install AGENT has an agent's calls recorded")
		}
		if !a.json {
			fmt.Fprintf(visible.Writer{To: a.out}, "Nothing is on record in %s, so there is nothing to suggest. hookway install AGENT has an agent's calls recorded.\n", plan.Dir)
			return nil
		}
	}
	set, err := config.Load(ctx, a.suggestOptions(plan.Root))
	if err != nil {
		return err
	}
	plan.Hooks = standingHooks(set)
	if on := set.Settings.Guards; on != nil {
		plan.Policy = on.Policy
	}
	if err := set.Close(); err != nil {
		return err
	}
	report, err := suggest.Read(ctx, plan)
	switch {
	case err != nil:
		return err
	case o.apply != "":
		s, err := report.Find(o.apply)
		if err != nil {
			return err
		}
		a.dir = plan.Root // what is written is written there
		if err := a.enter(); err != nil {
			return err
		}
		return (&applying{app: a, set: set, root: plan.Root, s: s}).run(ctx)
	case a.json:
		return a.print(report)
	case report.Records == 0:
		fmt.Fprintf(visible.Writer{To: a.out}, "Nothing is on record of %s since then, so there is nothing to suggest; --since all, or --workspace DIR, may have more.\n", relative(server.Cwd(), plan.Root))
		return nil
	}
	return report.WriteText(visible.Writer{To: a.out})
}

// suggestOptions are those of the configuration of a folder.
func (a *app) suggestOptions(root string) config.Options {
	options := a.home.Options()
	options.Dir = root
	return options
}

// allowAt is the event at which an agent lets hooks answer for its user. What fires
// events itself takes an allow at once.
func allowAt(source string) string {
	for _, codec := range adapter.All() {
		about := codec.About()
		if about.Agent != source {
			continue
		}
		for _, at := range []*hook.EventInfo{hook.PreToolUse.Info(), hook.PermissionRequest.Info()} {
			if slices.ContainsFunc(about.Events, func(e adapter.Event) bool { return e.Kind == at && e.Can&adapter.Allow != 0 }) {
				return at.Name
			}
		}
		return ""
	}
	return hook.PreToolUse.Info().Name
}

// standingHooks are the hooks of the configuration that run.
func standingHooks(set *config.Set) (out []suggest.Hook) {
	for _, h := range set.Hooks {
		if h.State != config.Active {
			continue
		}
		known := suggest.Hook{Hook: h.Hook, Kind: h.Kind, Where: relative(server.Cwd(), cmp.Or(h.Origin, h.File))}
		for i, name := range known.Events {
			if info, err := hook.Lookup(name); err == nil {
				if i == 0 {
					known.Events = append([]string{}, known.Events...)
				}
				known.Events[i] = info.Name
			}
		}
		if info, err := os.Stat(h.File); err == nil {
			known.Since = info.ModTime()
		}
		out = append(out, known)
	}
	return out
}
