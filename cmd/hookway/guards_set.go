package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/server"
)

// guardWord is a command that sets a mode or a verdict.
type guardWord struct {
	word, short string
	whole       bool // it may be said of all rules
}

var guardWords = []guardWord{
	{"enforce", "Have everything count, or these packs and rules", true},
	{"monitor", "Have nothing count, or none of these packs and rules: what they say goes on record", true},
	{"auto", "Have count what is blocked for sure, or so of these packs and rules", true},
	{"off", "Switch hookway's own rules off, or these packs and rules", true},
	{"block", "Have packs and rules block", false},
	{"ask", "Have packs and rules ask", false},
	{"allow", "Have packs and rules say nothing", false},
}

// ownerNote is said by the commands that may make rules milder.
const ownerNote = `

What makes any rule milder works only in a terminal that no agent has a hand in, and is
asked about there. Everything else in the file stays as it is written.`

func guardsSetCommand(a *app, w guardWord) *cobra.Command {
	var project bool
	use, args := w.word+" [PACK|RULE...]", cobra.ArbitraryArgs
	if !w.whole {
		use = w.word + " PACK|RULE..."
		args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("PACK or RULE is missing; usage: %s", cmd.UseLine())
			}
			return nil
		}
	}
	cmd := &cobra.Command{
		Use:   use,
		Short: w.short,
		Long:  w.short + "." + ownerNote,
		Args:  args,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return config.GuardNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeGuards(cmd.Context(), a, project, guardset.Say(w.word, args...))
		},
	}
	addProjectFlag(cmd, &project)
	return cmd
}

func addProjectFlag(cmd *cobra.Command, project *bool) {
	cmd.Flags().BoolVar(project, "project", false, "in the hookway.yaml of this project, not in your own configuration")
}

func guardsUseCommand(a *app) *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:   "use default|strict|PACK...",
		Short: "Switch hookway's own rules on: default, strict, or single packs",
		Long: `Switch hookway's own rules on, in your own configuration: in every project. default is
every pack, in mode auto unless the file has another; strict is every pack in mode
enforce, so all of it counts, and what cannot be seen through is blocked; or name packs.` + ownerNote,
		Example: "  hookway guards use default\n  hookway guards use files git secrets --project",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("default, strict or a PACK is missing; usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append([]string{"default", "strict"}, guards.Names()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeGuards(cmd.Context(), a, project, guardset.Use(args...))
		},
	}
	addProjectFlag(cmd, &project)
	return cmd
}

// changeGuards changes guards in the user's configuration, or the project's.
func changeGuards(ctx context.Context, a *app, project bool, edits guardset.Edits) error {
	c := guardset.Change{
		Options: a.home.Options(), Dir: server.Cwd(), Project: project, Edits: edits,
		Milder: func(file string) error {
			return a.ask(ctx, "this makes rules milder, and nothing was changed", "This makes hookway's own rules milder. Change "+relative(server.Cwd(), file)+"?", false)
		},
		Short: func(place string) string { return relative(server.Cwd(), place) },
	}
	out, err := c.Make(ctx)
	if err != nil {
		return err
	}
	return sayChanged(a, out)
}

// sayChanged says what came of a change.
func sayChanged(a *app, c *guardset.Changed) error {
	if a.json {
		return a.print(c)
	}
	where := relative(server.Cwd(), c.File)
	switch {
	case !c.On:
		fmt.Fprintf(a.out, "Hookway's own rules are off in %s.\n", where)
		for _, l := range c.Still {
			fmt.Fprintf(a.out, "Here they are still on, by %s: mode %s, %s.\n", relative(server.Cwd(), l.Place), l.Mode, config.PackNames(l.Packs))
		}
	case !c.Changed:
		fmt.Fprintf(a.out, "Nothing is to be changed in %s: mode %s, %s.\n", where, c.Mode, config.PackNames(c.Packs))
	default:
		fmt.Fprintf(a.out, "Hookway's own rules in %s: mode %s, %s.\n", where, c.Mode, config.PackNames(c.Packs))
	}
	sayRules(a, c)
	if c.Trusted != nil && !*c.Trusted {
		fmt.Fprintln(a.out, "The project is not trusted as it is; look at it, then run hookway trust.")
	}
	return nil
}
