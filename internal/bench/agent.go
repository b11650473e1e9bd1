package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/bench/client"
)

// AgentPlan is what is measured, and how often.
type AgentPlan struct {
	Programs Programs
	Program  string   // of the agent; empty: the one in PATH, or that docs/e2e.md's variable names
	Also     []string // folders with other builds of hookway
	Floor    bool     // also with a hookway-hook that does nothing
	Runs     int
	Turns    int

	client *client.Client
}

// Find completes the plan with the agent of that name and its program.
func (p *AgentPlan) Find(name string) error {
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
	if p.Floor && p.client == client.OpenCode {
		return errors.New("OpenCode keeps one hookway-hook for all events, which true cannot stand in for; leave --floor out")
	}
	if p.Runs < 2 || p.Turns < 3 {
		return fmt.Errorf("measure at least 2 runs of 3 turns")
	}
	if p.Program == "" {
		p.Program = os.Getenv(p.client.Variable)
	}
	if p.Program == "" {
		p.Program = name
	}
	program, err := exec.LookPath(p.Program)
	if err != nil {
		return fmt.Errorf("%s is not found; name its program with --program: %w", name, err)
	}
	p.Program = program
	return nil
}

// AgentReport is what a turn of an agent costs.
type AgentReport struct {
	Agent string     `json:"agent"`
	Costs []TurnCost `json:"costs"`
}

// TurnCost is one line of the report: what turns take without hookway, or what
// is added to that.
type TurnCost struct {
	Name   string  `json:"name"`
	Median float64 `json:"median_ms"`
	Low    float64 `json:"low_ms"`
	High   float64 `json:"high_ms"`
	Turns  int     `json:"turns"`
	Added  bool    `json:"added"`
}

func (c TurnCost) text() string {
	sign := " "
	if c.Added {
		sign = "+"
	}
	return fmt.Sprintf("%-40s %s%.1f ms  (%.1f to %.1f, %d turns)", c.Name, sign, c.Median, c.Low, c.High, c.Turns)
}

// Agent measures what a turn of an agent costs. It says on tell what it is doing.
func Agent(ctx context.Context, plan AgentPlan, tell func(doing string)) (*AgentReport, error) {
	worlds, err := plan.worlds(ctx)
	defer func() {
		for _, w := range worlds {
			w.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	for i := range plan.Runs {
		tell(fmt.Sprintf("%s, %d of %d", plan.client.Name, i+1, plan.Runs))
		for _, k := range rand.Perm(len(worlds)) {
			gaps, err := worlds[k].turns(ctx, plan.Turns)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", plan.client.Name, worlds[k].name, err)
			}
			worlds[k].gaps = append(worlds[k].gaps, gaps)
		}
	}
	report := &AgentReport{Agent: plan.client.Name}
	for i, w := range worlds {
		report.Costs = append(report.Costs, cost(w, worlds[0], i > 0))
	}
	return report, nil
}

// Print writes the report for people.
func (r *AgentReport) Print(w io.Writer) {
	for _, c := range r.Costs {
		fmt.Fprintln(w, c.text())
	}
}

// cost is the median of a world's gaps, or of what they are more than those of
// the world without hookway, with the range of its bootstrap.
func cost(w, without *agentWorld, added bool) TurnCost {
	of := func(pick func(n int) int) float64 {
		m := Median(pooled(w.gaps, pick))
		if added {
			m -= Median(pooled(without.gaps, pick))
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
	return TurnCost{w.name, all, medians[samples*25/1000], medians[samples*975/1000], turns, added}
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
		gaps = append(gaps, Milliseconds(at[i].Sub(at[i-1])))
	}
	return gaps
}
