package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

func guardsCommand(a *app) *cobra.Command {
	var rules, here bool
	cmd := &cobra.Command{
		Use:   "guards",
		Short: "Show hookway's own rules here, and what they did; switch and test them",
		Long: `Show hookway's own rules as they are in this folder: packs, rules, mode, and what they
stopped and would have stopped in the last 7 days.

In mode auto, what is blocked for sure counts at once; the rest is on record as what
would have been done. In mode enforce everything counts, in mode monitor nothing.`,
		Example: `  hookway guards --rules
  hookway guards use default
  hookway guards enforce git secrets/read-credentials`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return oneOf(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return showGuards(cmd, a, rules, here) },
	}
	cmd.Flags().BoolVar(&rules, "rules", false, "show each rule")
	cmd.Flags().BoolVar(&here, "here", false, "count what happened in this project, and not in all")
	cmd.AddCommand(guardsUseCommand(a), guardsTestCommand(a), guardsPreviewCommand(a))
	for _, c := range guardWords {
		cmd.AddCommand(guardsSetCommand(a, c))
	}
	return cmd
}

func showGuards(cmd *cobra.Command, a *app, rules, here bool) error {
	w, err := a.home.Look(cmd.Context(), a.home.Options())
	if err != nil {
		return err
	}
	defer w.Close()
	a.home.ShowWarnings(w)
	did, in, err := a.ruleCounts(w.Set, here)
	if err != nil {
		return err
	}
	shown := guardset.Show(w.Set, did)
	if a.json {
		if err := a.print(shown); err != nil {
			return err
		}
	}
	if n := len(shown.Mistakes); n > 0 {
		first := shown.Mistakes[0]
		return fmt.Errorf("%s: %s; until it is mended, the daemon goes by the rules that it had, and one that starts now has every call asked about", relative(first.Place()), first.Message)
	}
	if a.json {
		return nil
	}
	if !shown.On {
		fmt.Fprintln(a.out, "Hookway's own rules are off here. Switch them on: hookway guards use default")
		return nil
	}
	return writeGuards(a, shown, in, rules)
}

// ruleCounts are what rules did lately, by their ids, and where, in words.
func (a *app) ruleCounts(set *config.Set, here bool) (did map[string]guardset.Did, in string, err error) {
	dir, err := a.home.AuditDir()
	if err != nil {
		return nil, "", err
	}
	filter := audit.Filter{Since: time.Now().AddDate(0, 0, -guardset.Days)}
	if in = "all projects"; here && set.Workspace != "" {
		filter.Workspace, in = set.Workspace, set.Workspace
	} else if here {
		filter.Folder, in = server.Cwd(), server.Cwd()
	}
	stats, err := audit.Rules(dir, filter)
	if err != nil {
		tellLeftOut(a, err)
	}
	did = map[string]guardset.Did{}
	for _, s := range stats {
		did[s.Rule] = guardset.Did{Blocks: s.Blocks, Asks: s.Asks, Would: s.WouldBlock + s.WouldAsk}
	}
	return did, in, nil
}

// writeGuards shows it to people. in is where what is counted happened.
func writeGuards(a *app, g *guardset.Shown, in string, rules bool) error {
	fmt.Fprintf(a.out, "mode %s, from %s; counts are of the last %d days in %s\n", g.Mode, relative(g.Place), guardset.Days, in)
	if len(g.Layers) > 1 {
		for _, l := range g.Layers {
			text := fmt.Sprintf("mode %s, %s", l.Mode, config.PackNames(l.Packs))
			if len(l.Packs) == 0 {
				text = "off"
			}
			fmt.Fprintf(a.out, "%s: %s\n", relative(l.Place), text)
		}
		fmt.Fprintln(a.out, "Of each rule the stricter counts.")
	}
	t := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
	would := 0
	if rules {
		fmt.Fprintln(t, "RULE\tVERDICT\tMODE\tBLOCKED\tASKED\tWOULD HAVE\tFROM")
		for _, p := range g.Packs {
			for _, r := range p.Rules {
				verdict, mode := string(r.Verdict), string(r.Mode)
				if !r.On {
					verdict, mode = "off", ""
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", r.ID, verdict, mode, r.Blocks, r.Asks, r.Would, r.From)
				would += r.Would
			}
		}
	} else {
		fmt.Fprintln(t, "PACK\tRULES\tBLOCKED\tASKED\tWOULD HAVE\tABOUT")
		for _, p := range g.Packs {
			sum, on := guardset.Did{}, 0
			for _, r := range p.Rules {
				sum.Blocks, sum.Asks, sum.Would = sum.Blocks+r.Blocks, sum.Asks+r.Asks, sum.Would+r.Would
				if r.On {
					on++
				}
			}
			count := strconv.Itoa(on)
			if on < len(p.Rules) {
				count = fmt.Sprintf("%d of %d", on, len(p.Rules))
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\n", p.Pack, count, sum.Blocks, sum.Asks, sum.Would, p.About)
			would += sum.Would
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	otherwise(a, g, rules)
	if would > 0 && g.Mode == guards.Enforce {
		fmt.Fprintln(a.out, "hookway log --would shows what would have been stopped.")
	} else if would > 0 {
		fmt.Fprintf(a.out, "hookway log --would shows what would have been stopped; hookway guards enforce%s has it count.\n", project(g))
	}
	return nil
}

// project is the flag of the file to change, where only the project's says something of
// guards that its people may change.
func project(g *guardset.Shown) string {
	switched := func(layer string) bool {
		return slices.ContainsFunc(g.Layers, func(l config.GuardLayer) bool { return l.Layer == layer })
	}
	if switched(config.LayerWorkspace) && !switched(config.LayerUser) {
		return " --project"
	}
	return ""
}

// otherwise lists the rules that the configuration sets.
func otherwise(a *app, g *guardset.Shown, rules bool) {
	if rules {
		return
	}
	for _, p := range g.Packs {
		for _, r := range p.Rules {
			switch {
			case !r.Set || !p.On:
			case !r.On:
				fmt.Fprintf(a.out, "%s: off\n", r.ID)
			default:
				fmt.Fprintf(a.out, "%s: %s, mode %s\n", r.ID, r.Verdict, r.Mode)
			}
		}
	}
}

func guardsTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [FILE...]",
		Short: "Run the examples of hookway's own rules, or of a file of rules",
		Long: `Run the examples of hookway's own rules: each rule must hold for the lines that it
says it stops, and for none of those that it says it lets pass. With FILE, run those
of a pack of your own, or of one that you want to read.`,
		RunE: func(_ *cobra.Command, args []string) error { return testGuards(a, args) },
	}
}

// guardTest is what hookway guards test --json prints of one example.
type guardTest struct {
	Rule    string `json:"rule"`
	Example string `json:"example"`
	Stops   bool   `json:"stops"` // it should
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty"`
}

func testGuards(a *app, files []string) error {
	packs := guards.Packs()
	if len(files) > 0 {
		packs = nil
	}
	for _, file := range files {
		src, err := disk.Read(file, strict.MaxFile)
		if err != nil {
			return fmt.Errorf("the pack cannot be read: %w", err)
		}
		p, err := guards.Parse(src)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		packs = append(packs, p)
	}
	all, failed := []guardTest{}, 0
	for _, p := range packs {
		for i := range p.Rules {
			r := &p.Rules[i]
			for _, line := range r.Stops {
				all = append(all, tryRule(p, r, line, true))
			}
			for _, line := range r.Passes {
				all = append(all, tryRule(p, r, line, false))
			}
		}
	}
	for _, t := range all {
		if !t.OK {
			failed++
		}
	}
	if a.json {
		if err := a.print(map[string]any{"examples": all, "failed": failed}); err != nil {
			return err
		}
	} else {
		for _, t := range all {
			if !t.OK {
				fmt.Fprintf(a.out, "FAIL  %s: %s\n", t.Rule, field(t.Why, 400))
			}
		}
		word, more := "ok    ", ""
		if failed > 0 {
			word, more = "FAIL  ", fmt.Sprintf(", %d failed", failed)
		}
		fmt.Fprintf(a.out, "%s%s of %s passed%s\n", word, visible.Count(len(all)-failed, "example"), visible.Count(len(packs), "pack"), more)
	}
	if failed > 0 {
		return &exit{code: exitFailure}
	}
	return nil
}

// tryRule runs one example.
func tryRule(p *guards.Pack, r *guards.Rule, line string, stops bool) guardTest {
	t := guardTest{Rule: r.ID, Example: line, Stops: stops}
	holds, err := p.Try(r, line, guards.CorpusWorld())
	switch {
	case err != nil:
		t.Why = fmt.Sprintf("%q: %v", line, err)
	case holds && !stops:
		t.Why = fmt.Sprintf("it stops %q", line)
	case !holds && stops:
		t.Why = fmt.Sprintf("it does not stop %q", line)
	default:
		t.OK = true
	}
	return t
}

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
			return a.ask(ctx, "this makes rules milder, and nothing was changed", "This makes hookway's own rules milder. Change "+relative(file)+"?")
		},
		Short: func(place string) string { return relative(place) },
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
	where := relative(c.File)
	switch {
	case !c.On:
		fmt.Fprintf(a.out, "Hookway's own rules are off in %s.\n", where)
		for _, l := range c.Still {
			fmt.Fprintf(a.out, "Here they are still on, by %s: mode %s, %s.\n", relative(l.Place), l.Mode, config.PackNames(l.Packs))
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

// sayRules tells people what became of each name, and what holds it here.
func sayRules(a *app, c *guardset.Changed) {
	for _, name := range c.Named {
		var of []guardset.RuleChanged
		changed, held := 0, []guardset.RuleChanged{}
		for _, r := range c.Rules {
			if r.Rule != name && !strings.HasPrefix(r.Rule, name+"/") {
				continue
			}
			of = append(of, r)
			if r.Was != r.Now {
				changed++
			}
			if r.Here != "" {
				held = append(held, r)
			}
		}
		switch {
		case len(of) == 1 && changed == 0:
			fmt.Fprintf(a.out, "%s: %s, as it was.\n", name, of[0].Now)
		case len(of) == 1:
			fmt.Fprintf(a.out, "%s: %s; it was %s.\n", name, of[0].Now, of[0].Was)
		case changed == 0:
			fmt.Fprintf(a.out, "%s: its %s are as they were.\n", name, visible.Count(len(of), "rule"))
		default:
			fmt.Fprintf(a.out, "%s: %d of its %s changed.\n", name, changed, visible.Count(len(of), "rule"))
		}
		sayHeld(a, held)
	}
	if len(c.Named) == 0 {
		sayHeld(a, c.Rules)
	}
}

// sayHeld tells which rules another layer makes stricter.
func sayHeld(a *app, held []guardset.RuleChanged) {
	switch {
	case len(held) == 1:
		fmt.Fprintf(a.out, "Here %s is %s, by %s.\n", held[0].Rule, held[0].Here, relative(held[0].Place))
	case len(held) > 1:
		var by []string
		for _, r := range held {
			if at := relative(r.Place); !slices.Contains(by, at) {
				by = append(by, at)
			}
		}
		fmt.Fprintf(a.out, "Here %d of them are stricter, by %s; hookway guards --rules shows them.\n", len(held), strings.Join(by, " and "))
	}
}

// previewOptions are what the user says of a preview.
type previewOptions struct {
	since  string
	agents []string
	use    []string
	html   string
}

func guardsPreviewCommand(a *app) *cobra.Command {
	o := previewOptions{}
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what hookway's own rules would have done to your agents' calls of the past",
		Long: `Show what hookway's own rules would have done to the tool calls of the past.

It reads the records that agents keep of their sessions on this machine, judges
each call as the rules would have, in its session's order, and tells for each rule
how often it would have blocked or asked, with samples, and which settings would
quiet what was fine. Nothing is run, changed or sent. It needs no installation, no
daemon and no configuration.

Files that a call looked at are looked at as they are today: docs/preview.md says
what that means. Secrets in the samples are replaced, and your home is ~.`,
		Example: `  hookway guards preview
  hookway guards preview --since 7d --agent claude --use strict
  hookway guards preview --since all --html preview.html`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			return preview(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "only calls since a `TIME`: 7d ago, 10m ago, or 2006-01-02T15:04:05Z; all is every call")
	f.StringSliceVar(&o.agents, "agent", nil, "only calls of an `AGENT`: "+strings.Join(transcript.Agents(), ", "))
	f.StringSliceVar(&o.use, "use", nil, "the rules: default, strict, or names of `PACKS` (default: default)")
	f.StringVar(&o.html, "html", "", "also write a page with charts to `FILE`, which needs nothing from elsewhere; - is standard output, in place of the text")
	return cmd
}

func preview(ctx context.Context, a *app, o previewOptions) error {
	plan := replay.Plan{Getenv: a.getenv, Environ: a.environ(), Agents: o.agents, Use: o.use, Now: time.Now()}
	var err error
	if plan.Since, err = parseSince(o.since, plan.Now); err != nil {
		return err
	}
	switch {
	case o.html == stdStream && a.json:
		return errors.New("--html - and --json both write to standard output; name a file for one: --html preview.html")
	case o.html != "" && o.html != stdStream:
		if info, err := os.Stat(filepath.Dir(o.html)); err != nil || !info.IsDir() {
			return fmt.Errorf("--html %s: there is no folder %s to write it to", o.html, filepath.Dir(o.html))
		}
		if info, err := os.Stat(o.html); err == nil && info.IsDir() {
			return fmt.Errorf("--html %s: it is a folder; name a file in it, such as %s", o.html, filepath.Join(o.html, "preview.html"))
		}
	}
	readsMuch()
	tell, clear := a.progress(mebibytes)
	plan.Tell = tell
	report, err := replay.Preview(ctx, plan)
	clear()
	if err != nil {
		return err
	}
	if o.html == stdStream {
		text, err := report.HTML()
		if err == nil {
			_, err = a.out.Write(text)
		}
		return err
	}
	var unwritten error // what was found out is told all the same
	if o.html != "" {
		unwritten = report.WriteHTML(o.html)
	}
	if a.json {
		return errors.Join(a.print(report), unwritten)
	}
	return errors.Join(report.WriteText(visible.Writer{To: a.out}), unwritten)
}
