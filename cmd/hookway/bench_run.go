package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hooktest"
)

// benchRunPlan is how much is measured.
type benchRunPlan struct {
	rounds     int // of the throughput
	keys       int
	directives int
	injections int
}

func (a *app) benchRunCommand() *cobra.Command {
	plan := benchRunPlan{}
	quick := false
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure what hookway run costs, and how soon it sees and types",
		Long: `Measure what hookway run costs, and how soon it sees and types.

Real programs run in real terminals, once under hookway run and once without, with
a configuration of their own in a temporary folder; yours is not touched. Output is
compared with that through script(1), where that is installed. It takes some
minutes, most of them for the injections; --quick takes fewer of everything.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick {
				n := plan.injections
				if !cmd.Flags().Changed("injections") {
					n = 40
				}
				plan = benchRunPlan{rounds: 1, keys: 200, directives: 20, injections: n}
			}
			if plan.injections < 1 {
				return fmt.Errorf("-n %d: measure at least one injection", plan.injections)
			}
			return a.benchRun(cmd.Context(), plan)
		},
	}
	plan = benchRunPlan{rounds: 5, keys: 1000, directives: 200, injections: 1000}
	cmd.Flags().IntVarP(&plan.injections, "injections", "n", plan.injections, "how many `TEXTS` are typed while a human types")
	cmd.Flags().BoolVar(&quick, "quick", false, "measure less, in less time")
	return cmd
}

// benchPlayCommand is the program that is measured: the agent of package hooktest.
func (a *app) benchPlayCommand() *cobra.Command {
	return &cobra.Command{Use: "play", Hidden: true, Args: exactly(), RunE: func(*cobra.Command, []string) error {
		hooktest.TUIMain()
		return fmt.Errorf("bench play is a part of hookway bench run, and nothing by itself")
	}}
}

// runMeasure is one line of the report.
type runMeasure struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit,omitempty"`
	Got     float64  `json:"got"`
	Asked   *float64 `json:"asked,omitempty"` // a bound; nil: there is none, it is for comparison
	Least   bool     `json:"least,omitempty"` // the bound is the least, not the most
	Met     bool     `json:"met"`
	Skipped string   `json:"skipped,omitempty"` // why it was not measured
}

func atMostOf(name, unit string, got, asked float64) runMeasure {
	return runMeasure{Name: name, Unit: unit, Got: got, Asked: &asked, Met: got <= asked}
}

func atLeastOf(name, unit string, got, asked float64) runMeasure {
	return runMeasure{Name: name, Unit: unit, Got: got, Asked: &asked, Least: true, Met: got >= asked}
}

func forComparison(name, unit string, got float64) runMeasure {
	return runMeasure{Name: name, Unit: unit, Got: got, Met: true}
}

// text is the line as people read it.
func (m runMeasure) text() string {
	if m.Skipped != "" {
		return fmt.Sprintf("%-58s  not measured: %s", m.Name, m.Skipped)
	}
	number := func(f float64) string {
		if f >= 100 || f == float64(int(f)) {
			return strconv.FormatFloat(f, 'f', 0, 64)
		}
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	line := fmt.Sprintf("%-58s %10s %-5s", m.Name, number(m.Got), m.Unit)
	if m.Asked == nil {
		return line
	}
	sign, met := "≤", ""
	if m.Least {
		sign = "≥"
	}
	if !m.Met {
		met = "  missed"
	}
	return line + fmt.Sprintf(" %s %s%s", sign, number(*m.Asked), met)
}

func (a *app) benchRun(ctx context.Context, plan benchRunPlan) error {
	rows, err := measureRun(ctx, plan, func(doing string) { fmt.Fprintf(a.err, "hookway: measuring %s\n", doing) })
	if err != nil {
		return err
	}
	if a.json {
		return a.print(struct {
			Measures []runMeasure `json:"measures"`
		}{rows})
	}
	for _, m := range rows {
		fmt.Fprintln(a.out, m.text())
	}
	return nil
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
