package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/process"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func allowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "allow [CODE]",
		Short: "Let a call that a rule stopped through, once",
		Long: `Let a call that one of hookway's own rules stopped through, once.

The refusal names the code. You see the call, the rule and why it was stopped, and
are asked; then the very same call passes once, if the agent tries it again within
10 minutes: of the same agent, session, folder and tool, with the same input. Without
a CODE, the calls that were stopped in the last hour are listed.

It works only in a terminal that no agent has a hand in: it looks at the variables
that agents set, at all processes above this one, and at those that can type into
the terminal.`,
		Example: "  hookway allow\n  hookway allow K7QX4",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listStopped(cmd.Context(), a)
			}
			r, err := allow(cmd.Context(), a, args[0])
			a.home.Answered(cmd.Context(), approvalRecord(a, "hookway allow "+args[0], &r, err))
			if err != nil {
				return err
			}
			return sayAllowed(a, &r)
		},
	}
}

// listStopped lists the calls that were stopped in the last hour.
func listStopped(ctx context.Context, a *app) error {
	all := []approve.Request{} // not null
	store, err := a.home.Approvals(ctx)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
		list, err := store.List(ctx)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	if a.json {
		return a.print(all)
	}
	if len(all) == 0 {
		fmt.Fprintln(a.out, "No call was stopped by a rule in the last hour that you could let through")
		return nil
	}
	table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CODE\tSTATE\tSTOPPED\tAGENT\tRULE\tCALL")
	for _, r := range all {
		input, _, _ := strings.Cut(strings.TrimPrefix(r.Input, "command: "), "\n")
		fmt.Fprintf(table, "%s\t%s\t%s ago\t%s\t%s\t%s\n", r.Code, r.State, since(r.Stopped), field(r.Agent, 20), field(r.Rule, 40), field(r.Tool+": "+input, 80))
	}
	return table.Flush()
}

// refusedOwner puts on record that somebody wanted what only the owner may, at a command
// other than allow, and was not taken for them.
func refusedOwner(ctx context.Context, a *app, command string, args []string, err error) {
	var not *owner.NotOwner
	if command != "allow" && errors.As(err, &not) {
		a.home.Answered(ctx, approvalRecord(a, "hookway "+strings.Join(args, " "), &approve.Request{}, err))
	}
}

// approvalRecord is the record of what only the owner may say: who did, or why they may not.
func approvalRecord(a *app, what string, r *approve.Request, refused error) audit.Record {
	who, agent := a.owner.Who()
	record := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: "cli", CWD: server.Cwd(), What: field(what, 200),
		Agent: cmp.Or(a.getenv("HOOKWAY_AGENT"), agent), Session: cmp.Or(a.getenv("HOOKWAY_SESSION"), r.Session),
		Metadata: map[string]any{"asked_by": field(who, 500)},
	}
	if refused != nil {
		record.Action, record.By, record.Reason = hook.ActionBlock.String(), "hookway", refused.Error()
		return record
	}
	record.Action, record.By = hook.ActionAllow.String(), r.By
	record.Reason = fmt.Sprintf("the call that %s stopped may pass once, until %s: %s", r.Rule, r.Until.UTC().Format(time.RFC3339), r.From)
	return record
}

// allow asks the owner whether a call may pass.
func allow(ctx context.Context, a *app, text string) (r approve.Request, err error) {
	code, err := approve.ParseCode(text)
	if err != nil {
		return r, err
	}
	out, ok := a.out.(*os.File)
	if !ok {
		return r, errors.New("hookway allow needs a terminal")
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		return r, fmt.Errorf("%s was not allowed: %w", code, err)
	}
	defer terminal.Close()
	store, err := a.home.Approvals(ctx)
	if err != nil {
		return r, err
	}
	if store == nil {
		return r, &approve.RefusedError{Code: code}
	}
	defer store.Close()
	if r, err = store.Find(ctx, code); err != nil {
		return r, err
	}
	if r.Place != process.Namespaces() {
		return r, fmt.Errorf("%s was not allowed: its call was stopped in another container, or another user namespace; run hookway allow there", code)
	}
	showStopped(terminal, &r)
	yes, err := terminal.Confirm(fmt.Sprintf("Let this very call pass, once, within %d minutes?", int(approve.GrantTime.Minutes())))
	switch {
	case err != nil:
		return r, fmt.Errorf("%s was not allowed: %w", code, err)
	case !yes:
		return r, fmt.Errorf("%s was not allowed", code)
	}
	return store.Allow(ctx, r, personAt(a, terminal.Name))
}

// sayAllowed says that a call may pass. It may, also if nobody can be told.
func sayAllowed(a *app, r *approve.Request) error {
	if a.json {
		return a.print(r)
	}
	_, err := fmt.Fprintf(a.out, "Allowed once, until %s: let the agent try again\n", r.Until.Local().Format(time.TimeOnly))
	return err
}

// showStopped shows a call, and why it was stopped.
func showStopped(to io.Writer, r *approve.Request) {
	w := visible.Writer{To: to}
	fmt.Fprintf(w, "%s, stopped %s ago\n", r.Code, since(r.Stopped))
	for _, line := range [][2]string{{"agent", r.Agent}, {"session", r.Session}, {"folder", r.Workspace}, {"rule", r.Rule}, {"why", r.Reason}, {"tool", r.Tool}} {
		if line[1] != "" {
			fmt.Fprintf(w, "  %-8s %s\n", line[0], visible.Line(line[1]))
		}
	}
	for line := range strings.Lines(r.Input) {
		fmt.Fprintf(w, "    %s\n", strings.TrimSuffix(line, "\n"))
	}
	if r.Does != "" {
		fmt.Fprintln(w, "  it would")
	}
	for line := range strings.Lines(r.Does) {
		fmt.Fprintf(w, "    %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// personAt is who answers, and from where.
func personAt(a *app, terminal string) approve.Answer {
	by := approve.Answer{By: "somebody", From: terminal}
	if u, err := user.Current(); err == nil {
		by.By = u.Username
	}
	if from := strings.Fields(a.getenv("SSH_CONNECTION")); len(from) > 0 {
		by.From += " (ssh from " + visible.Line(from[0]) + ")"
	}
	return by
}
