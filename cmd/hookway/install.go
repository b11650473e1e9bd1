package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/visible"
)

// installing is one call of install or uninstall.
type installing struct {
	*app
	project, user bool
	yes, dryRun   bool
	timeout, hold time.Duration
	onFailure     string
	remove        bool
	options       install.Options
}

// installed is what install and uninstall print for machines, an element an agent.
type installed struct {
	Agent   string   `json:"agent"`
	Scope   string   `json:"scope"`
	Changed []string `json:"changed"`
	Backups []string `json:"backups,omitempty"`
	Events  []string `json:"events,omitempty"`
	Remains string   `json:"remains,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Diff    string   `json:"diff,omitempty"`
	Error   string   `json:"error,omitempty"`
}

func installCommand(a *app) *cobra.Command {
	i := &installing{app: a}
	cmd := &cobra.Command{
		Use:       "install AGENT...",
		Short:     "Let agents ask hookway at every event",
		ValidArgs: install.Agents(),
		Long: `Write hookway into the configuration of agents, so that each of their events comes
to hookway's hooks. Agents: ` + strings.Join(install.Agents(), ", ") + `.

What else is in a file stays as it is, byte for byte; a backup is left beside it.
A second run changes nothing. Where an agent asks its user before it runs hooks,
so does hookway, unless you say --yes.`,
		Args: atLeastOneAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			if i.timeout == 0 { // to the plan, that is no timeout named
				return errors.New("--timeout 0s: the agent has to wait; use 1s to 1h")
			}
			i.hold = a.hold(cmd.Context())
			return i.run(args)
		},
	}
	i.flags(cmd)
	cmd.Flags().BoolVarP(&i.yes, "yes", "y", false, "say yes to what the agent asks before it runs hooks")
	cmd.Flags().DurationVar(&i.timeout, "timeout", install.DefaultTimeout, "the `TIME` that the agent waits for hookway, in whole seconds such as 60s; longer where a call may wait for a person")
	cmd.Flags().Lookup("timeout").DefValue = "60s" // not 1m0s
	cmd.Flags().StringVar(&i.onFailure, "on-failure", "", "what to `DO` if hookway itself fails: block or continue (default: block what can be stopped before it happens)")
	offer(cmd, "on-failure", "block", "continue")
	return cmd
}

// hold is how long agents must wait where a call may be held for a person. A
// configuration that cannot be read is told of elsewhere.
func (a *app) hold(ctx context.Context) time.Duration {
	set, err := config.Load(ctx, a.home.Options())
	if err != nil {
		return 0
	}
	defer set.Close()
	return install.HoldFor(set.Approvals.Hold != config.HoldNever, set.Approvals.Timeout)
}

func uninstallCommand(a *app) *cobra.Command {
	i := &installing{app: a, remove: true}
	cmd := &cobra.Command{
		Use:       "uninstall AGENT...",
		Short:     "Take hookway out of agents' configuration",
		ValidArgs: install.Agents(),
		Long: `Take out of the configuration of agents what hookway install wrote, and nothing
else. A file that was not changed since is again what it was, byte for byte.`,
		Args: atLeastOneAgent,
		RunE: func(_ *cobra.Command, args []string) error { return i.run(args) },
	}
	i.flags(cmd)
	cmd.Flags().BoolVarP(&i.yes, "yes", "y", false, "as for install; there is nothing to be asked")
	return cmd
}

func (i *installing) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&i.user, "user", false, "the user's configuration, for every project (default)")
	cmd.Flags().BoolVar(&i.project, "project", false, "the configuration of this project (the repository of the working directory)")
	cmd.Flags().BoolVarP(&i.dryRun, "dry-run", "n", false, "show the change as a diff, and write nothing")
}

func atLeastOneAgent(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("AGENT is missing; usage: %s; agents: %s", cmd.UseLine(), strings.Join(install.Agents(), ", "))
	}
	return nil
}

// run does what is asked for each agent. One that fails does not keep the others
// from it.
func (i *installing) run(agents []string) error {
	if i.user && i.project {
		return errors.New("--user and --project are two configurations; run hookway once for each")
	}
	_, state, err := config.Places(i.getenv)
	if err != nil {
		return err
	}
	i.options = install.Options{State: state, Getenv: i.getenv, Timeout: i.timeout, Hold: i.hold, OnFailure: i.onFailure, Trust: i.yes}
	if !i.remove {
		executable, err := os.Executable()
		if err != nil {
			executable = ""
		}
		if i.options.Shim, err = install.FindShim(executable); err != nil {
			return err
		}
	}
	var results []installed
	var failures []error
	for _, agent := range agents {
		result, err := i.one(agent)
		if err != nil {
			result.Error = err.Error()
			failures = append(failures, fmt.Errorf("%s: %w", agent, err))
		}
		results = append(results, result)
	}
	if i.json {
		if err := i.print(results); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

func (i *installing) one(agent string) (installed, error) {
	scope := install.User
	if i.project {
		scope = install.Project
	}
	result := installed{Agent: agent, Scope: scope.String(), Changed: []string{}}
	change, err := i.plan(agent, scope)
	if err != nil {
		return result, err
	}
	result.Events, result.Notes = change.Events, append(change.Off, change.Notes...)
	if i.dryRun {
		result.Diff = change.Diff()
		if !i.json {
			i.showPlan(change)
		}
		return result, nil
	}
	for _, f := range change.Files {
		if f.Changed() {
			result.Changed = append(result.Changed, f.Path)
		}
	}
	if result.Backups, err = change.Apply(); err != nil {
		return result, err
	}
	if change.Question != "" {
		result.Remains = change.Undone
	}
	if !i.json {
		i.say(change, result)
	}
	return result, nil
}

// plan plans the change, and asks the user what the agent would ask.
func (i *installing) plan(agent string, scope install.Scope) (*install.Change, error) {
	if i.remove {
		return install.PlanRemoval(agent, scope, i.options)
	}
	options := i.options
	if install.AsksVersion(agent) {
		if found, err := install.Find(agent); err == nil {
			options.Version = found.Version
		}
	}
	change, err := install.Plan(agent, scope, options)
	if err != nil || change.Question == "" || i.dryRun || i.json || !i.ask(change.Question) {
		return change, err
	}
	options.Trust = true
	return install.Plan(agent, scope, options)
}

// ask asks a person a question. Where there is none, the answer is no.
func (i *installing) ask(question string) bool {
	if !term.IsTerminal(int(i.in.Fd())) {
		return false
	}
	return asked(i.in, i.err, question)
}

func (i *installing) showPlan(c *install.Change) {
	out := visible.Writer{To: i.out}
	if c.Empty() {
		fmt.Fprintf(out, "%s: nothing to do\n", c.Title)
	}
	fmt.Fprint(out, c.Diff())
	if c.Question != "" {
		fmt.Fprintf(i.err, "hookway: without --yes, this remains: %s\n", c.Undone)
	}
	i.showNotes(c)
}

func (i *installing) showNotes(c *install.Change) {
	for _, note := range append(c.Off, c.Notes...) {
		if !strings.HasPrefix(note, c.Title) {
			note = c.Title + ": " + note
		}
		fmt.Fprintf(i.err, "hookway: %s\n", note)
	}
}

func (i *installing) say(c *install.Change, r installed) {
	out := visible.Writer{To: i.out}
	switch {
	case len(r.Changed) == 0:
		fmt.Fprintf(out, "%s: nothing to do\n", c.Title)
	case i.remove:
		fmt.Fprintf(out, "%s: hookway is taken out\n", c.Title)
	default:
		fmt.Fprintf(out, "%s: %s to hookway now\n", c.Title, visible.Count(len(c.Events), "event comes", "events come"))
	}
	for _, f := range c.Files {
		switch {
		case f.Remove && slices.Contains(r.Changed, f.Path):
			fmt.Fprintf(out, "  removed %s\n", f.Path)
		case slices.Contains(r.Changed, f.Path):
			fmt.Fprintf(out, "  wrote %s\n", f.Path)
		}
	}
	for _, b := range r.Backups {
		fmt.Fprintf(out, "  backup %s\n", b)
	}
	if r.Remains != "" {
		fmt.Fprintf(out, "  remains to do: %s\n", r.Remains)
	}
	i.showNotes(c)
}
