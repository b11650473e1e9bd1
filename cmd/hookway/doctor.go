package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// examining is one call of doctor.
type examining struct {
	*app
	live, yes, capabilities bool
}

// examined is what doctor prints for machines.
type examined struct {
	OK       bool `json:"ok"`
	Failures int  `json:"failures"`
	Warnings int  `json:"warnings"`
	*doctor.Report
	Seen []doctor.Seen `json:"seen,omitempty"`
}

func doctorCommand(a *app) *cobra.Command {
	e := &examining{app: a}
	cmd := &cobra.Command{
		Use:       "doctor [AGENT...]",
		Short:     "Find out why hooks do not run, and how to mend it",
		ValidArgs: install.Agents(),
		Long: `Look at hookway's programs, folders, daemon and configuration, at the agents on
this machine and the hooks that are installed in them, at what they cannot do of
what the hooks here want, and at what failed in the last day. Each thing that is
wrong comes with what to do about it. Nothing is changed. The exit code is 1 if
something failed; warnings do not count.

--live proves that hooks fire. It starts the daemon, runs the command lines that
are installed with events of its own, and shows when each agent was last heard.
After your yes it also runs each agent once without you, in a temporary folder,
on a prompt that asks for a command which a hook refuses; that may cost a call of
a model.`,
		Example: "  hookway doctor\n  hookway doctor --live claude\n  hookway doctor --capabilities codex",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case e.yes && !e.live:
				return errors.New("--yes goes with --live: nothing else asks")
			case e.capabilities && e.live:
				return errors.New("--capabilities prints a table only; leave --live out")
			case e.capabilities:
				return showCapabilities(a, args)
			}
			return e.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&e.live, "live", false, "prove that hooks fire: self-test, last events, and a run of the agents")
	flags.BoolVarP(&e.yes, "yes", "y", false, "with --live: run the agents without asking; each may call a model once")
	flags.BoolVar(&e.capabilities, "capabilities", false, "print what each agent does at each event when a hook wants it")
	return cmd
}

func (e *examining) run(ctx context.Context, agents []string) error {
	c := e.home.Checkup(server.Cwd(), agents...)
	if err := c.Open(ctx); err != nil {
		return errors.Join(err, c.Close())
	}
	defer c.Close()
	report := c.Look(ctx)
	var seen []doctor.Seen
	if e.live {
		seen = e.prove(ctx, c, report)
	}
	var err error
	failures, warnings := report.Count(doctor.Failure), report.Count(doctor.Warning)
	if e.json {
		err = e.print(examined{OK: failures == 0, Failures: failures, Warnings: warnings, Report: report, Seen: seen})
	} else {
		report.Write(e.out, seen, e.colour())
		fmt.Fprintf(e.out, "\n%s, %s\n", visible.Count(failures, "failure"), visible.Count(warnings, "warning"))
	}
	if err == nil && failures > 0 {
		return &exit{code: exitFailure}
	}
	return err
}

// prove adds what shows that hooks fire.
func (e *examining) prove(ctx context.Context, c *doctor.Checkup, report *doctor.Report) []doctor.Seen {
	report.Add(c.StartDaemon(ctx, e.environ()))
	report.Add(c.TestChannels(ctx))
	report.Add(c.SelfTest(ctx))
	report.Add(c.Canary(ctx, e.mayRun(c)))
	section, seen := c.LastSeen()
	report.Add(section)
	return seen
}

// mayRun asks whether the agents may be run.
func (e *examining) mayRun(c *doctor.Checkup) bool {
	agents := c.Runnable()
	if e.yes || len(agents) == 0 || e.json {
		return e.yes
	}
	asking := &installing{app: e.app}
	return asking.ask(fmt.Sprintf("Run %s once without you, to see the hooks fire? That may cost a call of a model each.", strings.Join(agents, ", ")))
}

func showCapabilities(a *app, agents []string) error {
	for _, name := range agents {
		if !slices.Contains(install.Agents(), name) && !slices.Contains(codecNames(), name) {
			return adapter.Unknown(name, install.Agents())
		}
	}
	table := doctor.Capabilities(agents)
	if a.json {
		return a.print(table)
	}
	return doctor.WriteCapabilities(visible.Writer{To: a.out}, table)
}
