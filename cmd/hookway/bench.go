package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/bench"
)

func benchCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure hookway on this machine",
	}
	cmd.AddCommand(benchHookCommand(a), benchAgentCommand(a))
	return cmd
}

func benchHookCommand(a *app) *cobra.Command {
	var runs int
	cmd := &cobra.Command{
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
			programs, err := ownPrograms()
			if err != nil {
				return err
			}
			report, err := bench.Hook(cmd.Context(), programs, runs)
			return printBench(a, report, err)
		},
	}
	cmd.Flags().IntVarP(&runs, "runs", "n", 500, "how many `RUNS` are measured")
	return cmd
}

func benchAgentCommand(a *app) *cobra.Command {
	plan := bench.AgentPlan{}
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
			if err := plan.Find(args[0]); err != nil {
				return err
			}
			var err error
			if plan.Programs, err = ownPrograms(); err != nil {
				return err
			}
			report, err := bench.Agent(cmd.Context(), plan, func(doing string) { fmt.Fprintf(a.err, "hookway: measuring %s\n", doing) })
			return printBench(a, report, err)
		},
	}
	cmd.Flags().StringVar(&plan.Program, "program", "", "the agent's `PROGRAM`")
	cmd.Flags().StringArrayVar(&plan.Also, "also", nil, "a `FOLDER` with another hookway to compare with")
	cmd.Flags().BoolVar(&plan.Floor, "floor", false, "also measure a program that does nothing in hookway-hook's place")
	cmd.Flags().IntVarP(&plan.Runs, "runs", "n", 12, "how many `RUNS` of each are measured")
	cmd.Flags().IntVar(&plan.Turns, "turns", 20, "how many `TURNS` a run has")
	return cmd
}

// ownPrograms are this program and the hookway-hook that belongs to it.
func ownPrograms() (bench.Programs, error) {
	self, err := os.Executable()
	if err != nil {
		return bench.Programs{}, err
	}
	return bench.FindPrograms(self, ownVersion())
}

// printBench prints a report that there is.
func printBench(a *app, report interface{ Print(io.Writer) }, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		return a.print(report)
	}
	report.Print(a.out)
	return nil
}
