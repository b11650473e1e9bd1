package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure hookway on this machine",
	}
	var runs int
	native := &cobra.Command{
		Use:   "hook",
		Short: "Measure what a hook costs an agent: one hook that blocks, through the daemon",
		Long: `Measure what a hook costs an agent: one hook that blocks, through the daemon.

A daemon of its own is started, with a configuration of its own in a temporary
folder; yours is not touched. "process" is what an agent waits for: from the
start of hookway-hook to its end.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runs < 1 {
				return fmt.Errorf("-n %d: measure at least one run", runs)
			}
			return a.benchHook(cmd.Context(), runs)
		},
	}
	native.Flags().IntVarP(&runs, "runs", "n", 500, "how many `RUNS` are measured")
	cmd.AddCommand(a.benchRelayCommand(), a.benchWorksCommand(), native, a.benchHandlersCommand(), a.benchRunCommand(), a.benchAgentCommand(), a.benchPlayCommand(), a.benchAnswerCommand(), a.benchMemoryCommand(), a.benchStepCommand())
	return cmd
}

// measure is one line of the report.
type measure struct {
	Name   string  `json:"name"`
	Median float64 `json:"median_ms"`
	P95    float64 `json:"p95_ms"`
	Runs   int     `json:"runs"`
}

func newMeasure(name string, took []time.Duration) measure {
	slices.Sort(took)
	ms := func(q float64) float64 {
		return float64(took[min(int(q*float64(len(took))), len(took)-1)].Microseconds()) / 1000
	}
	return measure{name, ms(0.5), ms(0.95), len(took)}
}

// benchReport is what bench hook prints.
type benchReport struct {
	Measures  []measure `json:"measures"`
	PerSecond float64   `json:"decisions_per_second"` // of 16 clients, with audit
	ShimBytes int64     `json:"shim_bytes"`
	ShimRSS   int64     `json:"shim_resident_bytes,omitempty"` // 0: the system does not tell
	DaemonRSS int64     `json:"daemon_resident_bytes,omitempty"`
}

func (a *app) benchHook(ctx context.Context, runs int) error {
	s, err := newStage()
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	defer s.stop()
	if err := s.start(ctx); err != nil {
		return err
	}
	report, err := s.measure(ctx, runs)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(report)
	}
	fmt.Fprintf(a.out, "%-44s %10s %10s\n", "one hook that blocks", "median", "p95")
	for _, m := range report.Measures {
		fmt.Fprintf(a.out, "%-44s %7.3f ms %7.3f ms\n", m.Name, m.Median, m.P95)
	}
	fmt.Fprintf(a.out, "%-44s %10.0f\n", "decisions a second, 16 clients, with audit", report.PerSecond)
	mib := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	fmt.Fprintf(a.out, "%-44s %10s\n", "hookway-hook on disk", mib(report.ShimBytes))
	if report.ShimRSS > 0 {
		fmt.Fprintf(a.out, "%-44s %10s\n", "hookway-hook resident", mib(report.ShimRSS))
	}
	fmt.Fprintf(a.out, "%-44s %10s\n", "daemon resident, three seconds later", mib(report.DaemonRSS))
	return nil
}
