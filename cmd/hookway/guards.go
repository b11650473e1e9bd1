package main

import (
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/strict"
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
		return fmt.Errorf("%s: %s; until it is mended, the daemon goes by the rules that it had, and one that starts now has every call asked about", relative(server.Cwd(), first.Place()), first.Message)
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
	fmt.Fprintf(a.out, "mode %s, from %s; counts are of the last %d days in %s\n", g.Mode, relative(server.Cwd(), g.Place), guardset.Days, in)
	if len(g.Layers) > 1 {
		for _, l := range g.Layers {
			text := fmt.Sprintf("mode %s, %s", l.Mode, config.PackNames(l.Packs))
			if len(l.Packs) == 0 {
				text = "off"
			}
			fmt.Fprintf(a.out, "%s: %s\n", relative(server.Cwd(), l.Place), text)
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
