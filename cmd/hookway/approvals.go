package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/visible"
)

func approvalsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "approvals", SuggestFor: []string{"deny", "revoke", "pin", "pending", "requests"},
		Short: "See what agents ask, and answer",
		Long: `See what agents ask, and answer.

Whenever a hook asks about a call, and whenever one of hookway's own rules stops one
that may be let through, the call gets a code. Whoever sits at a terminal that no agent
has a hand in answers with it; an agent may look, and wait. Without a word more, the
calls of the last hour are listed.`,
		Example: "  hookway approvals\n  hookway approvals allow K7QX4 --note \"but not on Friday\"\n  hookway approvals watch",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return oneOf(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return listApprovals(cmd.Context(), a) },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List what was asked in the last hour, and answers that hold for more than one call", Args: exactly(),
			RunE: func(cmd *cobra.Command, _ []string) error { return listApprovals(cmd.Context(), a) },
		},
		&cobra.Command{
			Use: "show CODE", Short: "Show a call: what would run, why it is asked about, who asks, until when", Args: exactly("CODE"), ValidArgsFunction: a.completeCode,
			RunE: func(cmd *cobra.Command, args []string) error { return showApproval(cmd.Context(), a, args[0]) },
		},
		answerCommand(a, true), answerCommand(a, false), waitCommand(a), watchCommand(a), revokeCommand(a), pinCommand(a), mintCommand(a),
	)
	return cmd
}

// withApprovals opens the requests, if there were any: store may be nil.
func (a *app) withApprovals(ctx context.Context, do func(store *approve.Store) error) (err error) {
	store, err := a.home.Approvals(ctx)
	if errors.Is(err, approve.ErrRights) {
		return fmt.Errorf("what is asked cannot be looked at from here: this process may not write hookway's files, as in a sandbox. An agent does something else meanwhile: it is told of the answer. (%w)", err)
	}
	if err != nil {
		return err
	}
	if store != nil {
		defer func() { err = errors.Join(err, store.Close()) }()
	}
	return do(store)
}

// requestOf gives the request of a code, as people write it.
func (a *app) requestOf(ctx context.Context, text string, do func(*approve.Store, approve.Request) error) error {
	code, err := approve.ParseCode(text)
	if err != nil {
		return err
	}
	return a.withApprovals(ctx, func(store *approve.Store) error {
		if store == nil {
			return &approve.RefusedError{Code: code}
		}
		r, err := store.Get(ctx, code)
		if err != nil {
			return err
		}
		return do(store, r)
	})
}

// completeCode completes the codes that can be answered.
func (a *app) completeCode(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var codes []string
	if len(args) == 0 {
		_ = a.withApprovals(cmd.Context(), func(store *approve.Store) error {
			all, err := listed(cmd.Context(), store)
			for _, r := range all {
				if r.State == approve.Waiting {
					codes = append(codes, r.Code+"\t"+callLine(&r, 60))
				}
			}
			return err
		})
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

func listed(ctx context.Context, store *approve.Store) ([]approve.Request, error) {
	all := []approve.Request{} // not null
	if store == nil {
		return all, nil
	}
	list, err := store.List(ctx)
	return append(all, list...), err
}

// approvalList is what list --json prints.
type approvalList struct {
	Requests []approve.Request  `json:"requests"`
	Standing []approve.Standing `json:"standing"`
}

func listApprovals(ctx context.Context, a *app) error {
	all := approvalList{Standing: []approve.Standing{}}
	err := a.withApprovals(ctx, func(store *approve.Store) (err error) {
		if all.Requests, err = listed(ctx, store); err != nil || store == nil {
			return err
		}
		standing, err := store.Standing(ctx)
		all.Standing = append(all.Standing, standing...)
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.print(all)
	}
	if err := printRequests(a.out, all.Requests); err != nil {
		return err
	}
	return printStanding(a.out, all.Standing)
}

// printRequests prints a line for each request.
func printRequests(to io.Writer, all []approve.Request) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(to, "Nothing was asked in the last hour")
		return err
	}
	table := tabwriter.NewWriter(visible.Writer{To: to}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CODE\tSTATE\tASKED\tLEFT\tAGENT\tASKED BY\tCALL")
	for i := range all {
		r := &all[i]
		left := "-"
		if r.State == approve.Waiting || r.State == approve.Allowed {
			left = time.Until(r.Until).Round(time.Second).String()
		}
		fmt.Fprintf(table, "%s\t%s\t%s ago\t%s\t%s\t%s\t%s\n", r.Code, r.State, since(r.Stopped), left, field(r.Agent, 20), field(askedBy(r.Rule, r.Hook), 40), callLine(r, 80))
	}
	return table.Flush()
}

// callLine is a call in a line of so many characters.
func callLine(r *approve.Request, most int) string {
	input, _, _ := strings.Cut(strings.TrimPrefix(r.Input, "command: "), "\n")
	return field(r.Tool+": "+input, most)
}

func printStanding(to io.Writer, all []approve.Standing) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintln(to, "\nAnswers that hold for more than one call (hookway approvals revoke CODE takes one back):")
	table := tabwriter.NewWriter(visible.Writer{To: to}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CODE\tANSWER\tFOR\tUNTIL\tUSED\tAGENT\tASKED BY\tCALLS LIKE")
	for i := range all {
		s := &all[i]
		where := "this shape, in " + field(s.Workspace, 40)
		if s.Session != "" {
			where = "session " + field(s.Session, 20)
		}
		like := approve.Request{Tool: s.Tool, Input: s.Input}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", s.Code, yesNo(s.Yes), where, s.Until.Local().Format("2 Jan 15:04"), s.Uses, field(s.Agent, 20), field(askedBy(s.Rule, s.Hook), 40), callLine(&like, 60))
	}
	return table.Flush()
}

// askedBy is the rule, without the version of its pack, or else the hook.
func askedBy(rule, hook string) string {
	rule, _, _ = strings.Cut(rule, "@")
	return cmp.Or(rule, hook)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func showApproval(ctx context.Context, a *app, code string) error {
	return a.requestOf(ctx, code, func(_ *approve.Store, r approve.Request) error {
		if a.json {
			return a.print(r)
		}
		showRequest(a.out, &r)
		return nil
	})
}

// showRequest shows a call, why it is asked about, and what became of it.
func showRequest(to io.Writer, r *approve.Request) {
	w := visible.Writer{To: to}
	fmt.Fprintf(w, "%s, %s, asked %s ago\n", r.Code, r.State, since(r.Stopped))
	who := r.Agent
	if r.Subagent != "" {
		who += ", its sub-agent " + r.Subagent
	}
	lines := [][2]string{{"agent", who}, {"session", r.Session}, {"folder", r.Workspace}, {"rule", r.Rule}, {"hook", r.Hook}, {"why", r.Reason}, {"tool", r.Tool}}
	if r.State == approve.Waiting {
		lines = append(lines, [2]string{"until", fmt.Sprintf("%s (%s left)", r.Until.Local().Format(time.TimeOnly), time.Until(r.Until).Round(time.Second))})
	}
	if r.Waiters > 0 {
		lines = append(lines, [2]string{"waiting", visible.Count(r.Waiters, "call")})
	}
	if r.By != "" {
		lines = append(lines, [2]string{"answer", fmt.Sprintf("%sby %s, %s after it was asked", answeredFor[r.Scope], answeredBy(r), time.Duration(r.After*float64(time.Second)).Round(time.Second))}, [2]string{"note", r.Note})
	}
	for _, line := range lines {
		if line[1] != "" {
			fmt.Fprintf(w, "  %-8s %s\n", line[0], visible.Line(line[1]))
		}
	}
	showLines(w, r.Input)
	if r.Does != "" {
		fmt.Fprintln(w, "  it would")
	}
	showLines(w, r.Does)
}

func showLines(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "    %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// answeredFor says for which calls an answer is, if it is for more than one.
var answeredFor = map[approve.Scope]string{approve.ScopeSession: "for the session, ", approve.ScopeShape: "for calls that do the same, "}

// answeredBy is who answered, and where.
func answeredBy(r *approve.Request) string {
	who := visible.Line(r.By)
	if r.From != "" {
		who += " (" + visible.Line(r.From) + ")"
	}
	return who
}

func waitCommand(a *app) *cobra.Command {
	var most time.Duration
	cmd := &cobra.Command{
		Use:   "wait CODE",
		Short: "Wait until a call is answered: 0 is allowed, 1 is not",
		Long: `Wait until a call is answered, and print the person's note. The exit code is 0 if
the call may pass, or has passed, and 1 if it was refused or nobody answered in time.
Agents may run it.`,
		Example: "  hookway approvals wait K7QX4 && git push -f origin main",
		Args:    exactly("CODE"), ValidArgsFunction: a.completeCode,
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 0 {
				return fmt.Errorf("--timeout is 0 or more, such as 30s, not %v", most)
			}
			return waitApproval(cmd.Context(), a, args[0], most)
		},
	}
	cmd.Flags().DurationVar(&most, "timeout", 0, "wait for this `TIME` at most, as 30s; 0 is as long as it can be answered")
	return cmd
}

func waitApproval(ctx context.Context, a *app, code string, most time.Duration) error {
	return a.requestOf(ctx, code, func(store *approve.Store, r approve.Request) error {
		patient := ctx
		if most > 0 {
			var cancel context.CancelFunc
			patient, cancel = context.WithTimeout(ctx, most)
			defer cancel()
		}
		before := &r
		r, err := store.Wait(patient, r.Code)
		switch {
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("interrupted; %s is not answered yet", before.Code)
		case err != nil && patient.Err() != nil:
			return fmt.Errorf("%s is not answered yet; it can be for %s more", before.Code, time.Until(before.Until).Round(time.Second))
		case err != nil:
			return err
		}
		passes := r.State == approve.Allowed || r.State == approve.Used
		switch {
		case a.json:
			if err := a.print(r); err != nil || passes {
				return err
			}
			return &exit{code: exitFailure}
		case !passes:
			return errors.New(outcome(&r))
		}
		_, err = fmt.Fprintln(a.out, outcome(&r))
		return err
	})
}

// outcome says what became of a request, with the person's note.
func outcome(r *approve.Request) string {
	note := ""
	if r.Note != "" {
		note = "; they say: " + visible.Line(r.Note)
	}
	switch r.State {
	case approve.Allowed:
		if more := answeredFor[r.Scope]; more != "" {
			return fmt.Sprintf("%s is allowed %sby %s%s", r.Code, more, answeredBy(r), note)
		}
		return fmt.Sprintf("%s is allowed by %s, until %s%s", r.Code, answeredBy(r), r.Until.Local().Format(time.TimeOnly), note)
	case approve.Used:
		return fmt.Sprintf("%s was allowed by %s, and its call has passed%s", r.Code, answeredBy(r), note)
	case approve.Denied:
		return fmt.Sprintf("%s was refused by %s%s", r.Code, answeredBy(r), note)
	case approve.Revoked:
		return fmt.Sprintf("%s was answered by %s, and the answer was taken back%s", r.Code, answeredBy(r), note)
	case approve.TimedOut:
		return fmt.Sprintf("%s timed out: nobody answered in %s", r.Code, r.Until.Sub(r.First).Round(time.Second))
	case approve.Expired:
		if r.By != "" {
			return fmt.Sprintf("%s has expired: %s allowed it, and the call did not come again in time%s", r.Code, answeredBy(r), note)
		}
		return fmt.Sprintf("%s has expired: nobody answered in time", r.Code)
	}
	return fmt.Sprintf("%s is open", r.Code)
}

func revokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke CODE",
		Short: "Take back an answer",
		Long: `Take back an answer: one for a session or a shape, or one to a single call that has
not passed yet. The calls it was for are asked about again. To take back a no takes a
person at a terminal, as to answer does.`,
		Args: exactly("CODE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := revokeStanding(ctx, a, args[0])
			by, _ := personAt(a, "")
			a.home.Answered(ctx, approvalRecord(a, "hookway approvals revoke "+args[0], &ownersWord{session: s.Session, by: by, yes: !s.Yes, said: fmt.Sprintf("the answer %s to %s was taken back", yesNo(s.Yes), s.For())}, err))
			switch {
			case err != nil:
				return err
			case a.json:
				return a.print(s)
			}
			_, err = fmt.Fprintf(a.out, "%s is revoked: %s asked about again\n", s.Code, map[bool]string{true: "its call is", false: "such calls are"}[s.Scope == approve.ScopeOnce])
			return err
		},
	}
}

func revokeStanding(ctx context.Context, a *app, text string) (gone approve.Standing, err error) {
	code, err := approve.ParseCode(text)
	if err != nil {
		return gone, err
	}
	err = a.withApprovals(ctx, func(store *approve.Store) error {
		if store == nil {
			return &approve.RefusedError{Code: code}
		}
		seen, err := store.Stands(ctx, code)
		if err != nil {
			return err
		}
		if !seen.Yes {
			if err := a.ask(ctx, fmt.Sprintf("%s was not revoked", code), "Have such calls asked about again?"); err != nil {
				return err
			}
		}
		gone, err = store.Revoke(ctx, seen)
		return err
	})
	return gone, err
}

// ask has the owner say yes to something, with their PIN where the configuration requires it.
func (a *app) ask(ctx context.Context, not, question string) error {
	terminal, err := a.openTerminal(not)
	if err != nil {
		return err
	}
	defer terminal.Close()
	return a.confirm(ctx, terminal, answer{yes: true}, not, question)
}
