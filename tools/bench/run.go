package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/faketui"
)

// runPlan is how much is measured.
type runPlan struct {
	rounds     int // of the throughput
	keys       int
	directives int
	injections int
}

func (p *program) runCommand() *cobra.Command {
	plan := runPlan{}
	quick := false
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Measure what hookway run costs, and how soon it sees and types",
		Long: `Measure what hookway run costs, and how soon it sees and types.

Real programs run in real terminals, once under hookway run and once without, with
a configuration of their own in a temporary folder; yours is not touched. Output is
compared with that through script(1), where that is installed. It takes some
minutes, most of them for the injections; --quick takes fewer of everything.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick {
				n := plan.injections
				if !cmd.Flags().Changed("injections") {
					n = 40
				}
				plan = runPlan{rounds: 1, keys: 200, directives: 20, injections: n}
			}
			if plan.injections < 1 {
				return fmt.Errorf("-n %d: measure at least one injection", plan.injections)
			}
			rows, err := p.measureRun(cmd.Context(), plan)
			if err != nil {
				return err
			}
			return p.show(rows)
		},
	}
	plan = runPlan{rounds: 5, keys: 1000, directives: 200, injections: 1000}
	cmd.Flags().IntVarP(&plan.injections, "injections", "n", plan.injections, "how many `TEXTS` are typed while a human types")
	cmd.Flags().BoolVar(&quick, "quick", false, "measure less, in less time")
	return cmd
}

// playCommand is the program that is measured: that of package faketui.
func (p *program) playCommand() *cobra.Command {
	return &cobra.Command{Use: "play", Hidden: true, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		faketui.Main()
		return fmt.Errorf("play is the agent of bench run, and nothing by itself")
	}}
}
