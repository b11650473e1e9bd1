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
	cmd.AddCommand(benchHookCommand(a), benchAgentCommand(a), benchGuardsCommand(a))
	return cmd
}

func benchHookCommand(a *app) *cobra.Command {
	plan := bench.HookPlan{}
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Measure what a hook costs an agent: one hook that blocks, through the daemon",
		Long: `Measure what a hook costs an agent: one hook that blocks, through the daemon.

A daemon of its own is started, with a configuration of its own in a temporary
folder; yours is not touched. "process" is what an agent waits for: from the
start of hookway-hook to its end. With --guards hookway's own rules judge the call
beside that hook.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := plan.Check()
			if err == nil {
				plan.Programs, err = ownPrograms()
			}
			if err != nil {
				return err
			}
			report, err := bench.Hook(cmd.Context(), plan)
			return printBench(a, report, err)
		},
	}
	cmd.Flags().IntVarP(&plan.Runs, "runs", "n", 500, "how many `RUNS` are measured")
	cmd.Flags().IntVar(&plan.Watching, "watching", 0, "how many `PROGRAMS` then watch decisions fall, as an open page does")
	cmd.Flags().StringVar(&plan.Guards, "guards", "", "hookway's own rules are on, as `USE` says: default, strict")
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

func benchGuardsCommand(a *app) *cobra.Command {
	plan := bench.GuardsPlan{Costs: 5}
	var peer string
	var wrong bool
	cmd := &cobra.Command{
		Use:   "guards [FILE...]",
		Short: "Measure hookway's own rules: how well they judge labelled calls, and what that costs",
		Long: `Measure hookway's own rules: how well they judge labelled calls, and what that costs.

The calls are those that hookway comes with, or those of your files: a line of
JSON with "command" and "expect" (block, ask or pass) for each. "shell" may be
powershell or cmd; "tool" and "input" stand in for "command". Nothing is run.

A dangerous call is judged rightly when it is blocked or asked about, a safe one
when it passes. The scores are those of mode enforce; those of mode auto stand
beside them. "false" counts safe calls that are blocked or asked about.

With --peer another guard judges the same calls, as the hook that it is: npm
fetches it into your cache folder, and Node runs it once for each call.`,
		Example: `  hookway bench guards
  hookway bench guards calls.jsonl --wrong
  hookway bench guards --peer cc-safety-net`,
		RunE: func(cmd *cobra.Command, args []string) error {
			tell := func(doing string) { fmt.Fprintf(a.err, "hookway: %s\n", doing) }
			plan.Files = args
			if plan.Costs < 0 {
				return fmt.Errorf("-n %d: time each call once or more; 0 leaves it out", plan.Costs)
			}
			if peer != "" {
				var err error
				if plan.Peer, err = bench.FindPeer(cmd.Context(), peer, tell); err != nil {
					return err
				}
			}
			report, err := bench.Guards(cmd.Context(), plan, tell)
			if err == nil && wrong && !a.json {
				report.PrintWrong(a.out)
			}
			return printBench(a, report, err)
		},
	}
	cmd.Flags().StringVar(&peer, "peer", "", "have another `GUARD` judge the same calls: cc-safety-net, or cc-safety-net@VERSION")
	cmd.Flags().BoolVar(&wrong, "wrong", false, "first show each call that is judged wrongly")
	cmd.Flags().IntVarP(&plan.Costs, "runs", "n", 5, "how many `TIMES` each call is timed, of which the fastest counts; 0 leaves it out")
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
