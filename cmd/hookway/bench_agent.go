package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/e2e/client"
)

// benchAgentPlan is what is measured, and how often.
type benchAgentPlan struct {
	client  *client.Client
	program string
	also    []string // folders with other builds of hookway
	floor   bool     // also with a hookway-hook that does nothing
	runs    int
	turns   int
}

func (a *app) benchAgentCommand() *cobra.Command {
	plan := benchAgentPlan{}
	cmd := &cobra.Command{
		Use:   "agent AGENT",
		Short: "Measure what a turn of a real agent costs with hookway, against a scripted model",
		Long: `Measure what a turn of a real agent costs with hookway, against a scripted model.

The agent's own program runs without a terminal, as a user of its own in a
temporary folder; nothing leaves the machine, and yours is not touched. Its model
is a server on loopback that has it run the command "true" turn by turn. Measured
is the time between two requests to the model: the tool, and all hooks around it.

It runs without hookway, with this one, and with those that --also names (folders
with hookway and hookway-hook), in another order each time. The ranges hold 95 of
100 resamplings of the runs. A machine that does something else measures that too.

With --floor it also runs with the program "true" in hookway-hook's place, started
at each event that hookway is: what the agent itself takes for hooks of that kind,
below which no program comes.

The agents are claude, codex, gemini, qwen, copilot and opencode. The program is
the one in PATH, or --program, or the variable that docs/e2e.md names.`,
		Args: exactly("AGENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := plan.find(args[0]); err != nil {
				return err
			}
			return a.benchAgent(cmd.Context(), plan)
		},
	}
	cmd.Flags().StringVar(&plan.program, "program", "", "the agent's `PROGRAM`")
	cmd.Flags().StringArrayVar(&plan.also, "also", nil, "a `FOLDER` with another hookway to compare with")
	cmd.Flags().BoolVar(&plan.floor, "floor", false, "also measure a program that does nothing in hookway-hook's place")
	cmd.Flags().IntVarP(&plan.runs, "runs", "n", 12, "how many `RUNS` of each are measured")
	cmd.Flags().IntVar(&plan.turns, "turns", 20, "how many `TURNS` a run has")
	return cmd
}

// find completes the plan with the agent and its program.
func (p *benchAgentPlan) find(name string) error {
	var names []string
	for _, c := range client.All {
		if c.Name == name {
			p.client = c
		}
		names = append(names, c.Name)
	}
	if p.client == nil {
		return fmt.Errorf("the agent %q is not measured; choose one of %s", name, strings.Join(names, ", "))
	}
	if p.floor && p.client == client.OpenCode {
		return errors.New("OpenCode keeps one hookway-hook for all events, which true cannot stand in for; leave --floor out")
	}
	if p.runs < 2 || p.turns < 3 {
		return fmt.Errorf("measure at least 2 runs of 3 turns")
	}
	if p.program == "" {
		p.program = os.Getenv(p.client.Variable)
	}
	if p.program == "" {
		p.program = name
	}
	program, err := exec.LookPath(p.program)
	if err != nil {
		return fmt.Errorf("%s is not found; name its program with --program: %w", name, err)
	}
	p.program = program
	return nil
}

// turnCost is one line of the report: what turns take without hookway, or what
// is added to that.
type turnCost struct {
	Name   string  `json:"name"`
	Median float64 `json:"median_ms"`
	Low    float64 `json:"low_ms"`
	High   float64 `json:"high_ms"`
	Turns  int     `json:"turns"`
	Added  bool    `json:"added"`
}

func (c turnCost) text() string {
	sign := " "
	if c.Added {
		sign = "+"
	}
	return fmt.Sprintf("%-40s %s%.1f ms  (%.1f to %.1f, %d turns)", c.Name, sign, c.Median, c.Low, c.High, c.Turns)
}

func (a *app) benchAgent(ctx context.Context, plan benchAgentPlan) error {
	worlds, err := plan.worlds(ctx)
	defer func() {
		for _, w := range worlds {
			w.close()
		}
	}()
	if err != nil {
		return err
	}
	for i := range plan.runs {
		fmt.Fprintf(a.err, "hookway: measuring %s, %d of %d\n", plan.client.Name, i+1, plan.runs)
		for _, k := range rand.Perm(len(worlds)) {
			gaps, err := worlds[k].turns(ctx, plan.turns)
			if err != nil {
				return fmt.Errorf("%s %s: %w", plan.client.Name, worlds[k].name, err)
			}
			worlds[k].gaps = append(worlds[k].gaps, gaps)
		}
	}
	var costs []turnCost
	for i, w := range worlds {
		costs = append(costs, cost(w, worlds[0], i > 0))
	}
	if a.json {
		return a.print(struct {
			Agent string     `json:"agent"`
			Costs []turnCost `json:"costs"`
		}{plan.client.Name, costs})
	}
	for _, c := range costs {
		fmt.Fprintln(a.out, c.text())
	}
	return nil
}

// cost is the median of a world's gaps, or of what they are more than those of
// the world without hookway, with the range of its bootstrap.
func cost(w, without *agentWorld, added bool) turnCost {
	of := func(pick func(n int) int) float64 {
		m := median(pooled(w.gaps, pick))
		if added {
			m -= median(pooled(without.gaps, pick))
		}
		return m
	}
	const samples = 2000
	var medians []float64
	for range samples {
		medians = append(medians, of(rand.IntN))
	}
	slices.Sort(medians)
	i := -1
	all := of(func(n int) int { i++; return i % n })
	turns := 0
	for _, run := range w.gaps {
		turns += len(run)
	}
	return turnCost{w.name, all, medians[samples*25/1000], medians[samples*975/1000], turns, added}
}

// pooled are the gaps of as many runs as there are, picked one by one.
func pooled(runs [][]float64, pick func(n int) int) (all []float64) {
	for range runs {
		all = append(all, runs[pick(len(runs))]...)
	}
	return all
}

// between are the times between requests to the model that follow one another,
// in milliseconds. The first is left out: agents warm up in it.
func between(at []time.Time) (gaps []float64) {
	for i := 2; i < len(at); i++ {
		gaps = append(gaps, float64(at[i].Sub(at[i-1]).Microseconds())/1000)
	}
	return gaps
}
