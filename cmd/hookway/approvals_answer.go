package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/pin"
	"github.com/hookway/hookway/internal/process"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// answer is what a person wants to say, before they have said it.
type answer struct {
	code  string // as it was written
	yes   bool
	scope string
	note  string
	pin   bool // ask for the PIN, also where it is not required
	all   bool // all that its session asks
}

func answerCommand(a *app, yes bool) *cobra.Command {
	said := answer{yes: yes}
	cmd := &cobra.Command{
		Use:   "allow CODE",
		Short: "Let a call pass; only a person at a terminal may",
		Long: `Let a call pass. You see it, and are asked. It works only in a terminal that no agent
has a hand in, as hookway allow does.

--scope once is this very call; session is what does the same in this session; shape
is what does the same in this folder, for 30 days. What a call does is told by facts,
not by how it is written. A call of which that is not known has no shape.`,
		Args: exactly("CODE"), ValidArgsFunction: a.completeCode,
		RunE: func(cmd *cobra.Command, args []string) error {
			if said.code = args[0]; said.all {
				return answerAllAndSay(cmd.Context(), a, said, cmd.CommandPath()+" "+args[0]+" --all")
			}
			return answerAndSay(cmd.Context(), a, said, cmd.CommandPath()+" "+args[0])
		},
	}
	if !yes {
		cmd.Use, cmd.Short = "deny CODE", "Refuse a call; only a person at a terminal may"
		cmd.Long = `Refuse a call. You see it, and are asked. It works only in a terminal that no agent
has a hand in, as hookway allow does. The agent is told your note.

--scope once is this very call, for 10 minutes; session and shape are what does the
same in this session.`
	}
	cmd.Flags().StringVar(&said.note, "note", "", "say this `TEXT` to the agent, too")
	cmd.Flags().StringVar(&said.scope, "scope", string(approve.ScopeOnce), "the `CALLS` that the answer is for: once, session or shape")
	offer(cmd, "scope", string(approve.ScopeOnce), string(approve.ScopeSession), string(approve.ScopeShape))
	cmd.Flags().BoolVar(&said.all, "all", false, "answer all that the session of this call asks, as one question")
	cmd.Flags().BoolVar(&said.pin, "pin", false, "ask for the PIN, as approvals: {require: pin} does always")
	return cmd
}

// answerAndSay takes an answer, puts on record that it was given or refused, and says what
// comes of it.
func answerAndSay(ctx context.Context, a *app, said answer, command string) error {
	r, err := takeAnswer(ctx, a, said)
	a.home.Answered(ctx, approvalRecord(a, command, answeredNow(&r), err))
	switch {
	case err != nil:
		return err
	case a.json:
		return a.print(r)
	}
	_, err = fmt.Fprintln(a.out, saidNow(&r))
	return err
}

// takeAnswer asks the owner about a call, and answers it.
func takeAnswer(ctx context.Context, a *app, said answer) (r approve.Request, err error) {
	code, err := approve.ParseCode(said.code)
	if err != nil {
		return r, err
	}
	scope, err := approve.ParseScope(said.scope)
	if err != nil {
		return r, err
	}
	not := code + " was not allowed"
	if !said.yes {
		not = code + " was not refused"
	}
	terminal, err := a.openTerminal(not)
	if err != nil {
		return r, err
	}
	defer terminal.Close()
	err = a.withApprovals(ctx, func(store *approve.Store) error {
		if store == nil {
			return &approve.RefusedError{Code: code}
		}
		if r, err = store.Find(ctx, code); err != nil {
			return err
		}
		if err := a.mayAnswer(&r, said.yes); err != nil {
			return fmt.Errorf("%s: %w", not, err)
		}
		if scope == approve.ScopeShape && !r.HasShape {
			return fmt.Errorf("%s: what its call would do is not known for sure, so nothing else is like it; answer it once, or for the session", not)
		}
		if r.Session == "" && (scope == approve.ScopeSession || scope == approve.ScopeShape && !said.yes) {
			return fmt.Errorf("%s: its call has no session; answer it once", not)
		}
		showRequest(terminal, &r)
		if all, err := a.besides(ctx, store, code, said.yes); err == nil && len(all) > server.MostApart {
			fmt.Fprintf(terminal, "Its session asks about %s; with --all one answer is for all of them.\n", visible.Count(len(all), "call"))
		}
		if err := a.confirm(ctx, terminal, said, not, question(&r, said.yes, scope)); err != nil {
			return err
		}
		by, from := personAt(a, terminal.Name)
		r, err = store.Answer(ctx, r, approve.Answer{Yes: said.yes, Scope: scope, Note: said.note, By: by, From: from})
		return err
	})
	return r, err
}

// openTerminal opens the owner's terminal; not is what is not done if it is none.
func (a *app) openTerminal(not string) (*owner.Terminal, error) {
	out, ok := a.out.(*os.File)
	if !ok {
		return nil, fmt.Errorf("%s: this takes a terminal", not)
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", not, err)
	}
	return terminal, nil
}

// confirm has the owner confirm an answer, a yes with their PIN where that is wanted.
func (a *app) confirm(ctx context.Context, terminal *owner.Terminal, said answer, not, question string) error {
	yes, err := terminal.Confirm(ctx, question)
	if err == nil && yes && said.yes {
		err = a.askPIN(ctx, terminal, said.pin)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", not, err)
	case !yes:
		return errors.New(not)
	}
	return nil
}

// mayAnswer says why a call cannot be answered here. Agents in a container see other
// processes than we do, so who asks there could be behind this terminal unseen.
func (a *app) mayAnswer(r *approve.Request, yes bool) error {
	if yes && r.Place != process.Namespaces() {
		return errors.New("its call was stopped in another container, or another user namespace; answer it there")
	}
	return nil
}

// question is what the person is asked.
func question(r *approve.Request, yes bool, scope approve.Scope) string {
	calls := "this very call, as often as it comes,"
	if r.HasShape {
		calls = "all calls that do the same"
	}
	switch {
	case !yes && scope == approve.ScopeOnce:
		return "Refuse this call?"
	case !yes:
		return "Refuse " + calls + " in this session?"
	case scope == approve.ScopeSession:
		return "Let " + calls + " pass in this session?"
	case scope == approve.ScopeShape:
		return fmt.Sprintf("Let %s pass in this folder, for %d days?", calls, int(approve.ScopeTime.Hours()/24))
	case r.Route == approve.RouteHold && r.Waiters > 0:
		return "Let this very call pass, which waits?"
	}
	return fmt.Sprintf("Let this very call pass, once, within %d minutes?", int(approve.GrantTime.Minutes()))
}

// saidNow says what comes of an answer that was just given.
func saidNow(r *approve.Request) string {
	like := "the same call"
	if r.HasShape {
		like = "what does the same"
	}
	switch {
	case r.State == approve.Denied && r.Scope == approve.ScopeOnce:
		return "Refused"
	case r.State == approve.Denied:
		return fmt.Sprintf("Refused, and so is %s in this session; hookway approvals revoke %s takes it back", like, r.Code)
	case r.Scope == approve.ScopeSession || r.Scope == approve.ScopeShape:
		return fmt.Sprintf("Allowed, and so is %s (%s); hookway approvals revoke %s takes it back", like, r.Scope, r.Code)
	case r.Waiters > 0:
		return "Allowed: its call goes on"
	}
	return fmt.Sprintf("Allowed once, until %s: let the agent try again", r.Until.Local().Format(time.TimeOnly))
}

// ownersWord is an answer for the record.
type ownersWord struct {
	agent, session string // whose call it is about
	by, said       string
	yes            bool
	more           map[string]any
}

// answeredNow is the answer that a request has just got.
func answeredNow(r *approve.Request) *ownersWord {
	who := &ownersWord{agent: r.Agent, session: r.Session, by: r.By, yes: r.State == approve.Allowed}
	if r.Code == "" {
		return who
	}
	who.more = map[string]any{"code": r.Code, "route": string(r.Route), "scope": string(r.Scope), "from": r.From, "after_s": r.After}
	asked := cmp.Or(r.Rule, r.Hook)
	switch {
	case !who.yes:
		who.said = fmt.Sprintf("the call that %s asked about is refused (%s): %s", asked, r.Scope, r.From)
	case r.Scope == approve.ScopeOnce:
		who.said = fmt.Sprintf("the call that %s stopped may pass once, until %s: %s", asked, r.Until.UTC().Format(time.RFC3339), r.From)
	default:
		who.said = fmt.Sprintf("the call that %s stopped may pass, and others like it (%s): %s", asked, r.Scope, r.From)
	}
	if r.Note != "" {
		who.said += "; note: " + r.Note
	}
	return who
}

// refusedOwner puts on record that somebody wanted what only the owner may, at a command
// that does not do so itself, and was not taken for them.
func refusedOwner(ctx context.Context, a *app, command string, args []string, err error) {
	var not *owner.NotOwner
	if !slices.Contains([]string{"allow", "deny", "revoke", "pin", "mint", "ui"}, command) && errors.As(err, &not) {
		a.home.Answered(ctx, approvalRecord(a, "hookway "+strings.Join(args, " "), &ownersWord{}, err))
	}
}

// approvalRecord is the record of what only the owner may say: who did, or why they may not.
func approvalRecord(a *app, what string, said *ownersWord, refused error) audit.Record {
	who, agent := a.owner.Who()
	record := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: "cli", CWD: server.Cwd(), What: field(what, 200),
		Agent: cmp.Or(a.getenv("HOOKWAY_AGENT"), agent, said.agent), Session: cmp.Or(a.getenv("HOOKWAY_SESSION"), said.session),
		Metadata: map[string]any{"asked_by": field(who, 500)},
	}
	if refused != nil {
		record.Action, record.By, record.Reason = hook.ActionBlock.String(), "hookway", refused.Error()
		return record
	}
	for name, value := range said.more {
		record.Metadata[name] = value
	}
	record.Action, record.By, record.Reason = hook.ActionBlock.String(), said.by, said.said
	if said.yes {
		record.Action = hook.ActionAllow.String()
	}
	return record
}

// personAt is who answers, and from where.
func personAt(a *app, terminal string) (by, from string) {
	by, from = "somebody", terminal
	if u, err := user.Current(); err == nil {
		by = u.Username
	}
	if client := strings.Fields(a.getenv("SSH_CONNECTION")); len(client) > 0 {
		from += " (ssh from " + visible.Line(client[0]) + ")"
	}
	return by, from
}

// answerAllAndSay takes one answer to all that a session asks, puts on record what was
// answered or refused, and says what comes of it.
func answerAllAndSay(ctx context.Context, a *app, said answer, command string) error {
	all, err := takeAnswerToAll(ctx, a, said)
	if err != nil {
		a.home.Answered(ctx, approvalRecord(a, command, &ownersWord{}, err))
		return err
	}
	for i := range all {
		a.home.Answered(ctx, approvalRecord(a, command, answeredNow(&all[i]), nil))
	}
	if a.json {
		return a.print(map[string]any{"requests": all})
	}
	word := "Refused"
	if said.yes {
		word = "Allowed"
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", word, visible.Count(len(all), "call"))
	return err
}

// takeAnswerToAll asks the owner about all open calls of one session, and answers them.
func takeAnswerToAll(ctx context.Context, a *app, said answer) (all []approve.Request, err error) {
	code, err := approve.ParseCode(said.code)
	if err != nil {
		return nil, err
	}
	if said.scope != string(approve.ScopeOnce) {
		return nil, errors.New("--all goes with --scope once: each call is answered for itself")
	}
	not := "nothing was answered"
	terminal, err := a.openTerminal(not)
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	err = a.withApprovals(ctx, func(store *approve.Store) error {
		if store == nil {
			return &approve.RefusedError{Code: code}
		}
		seen, err := a.besides(ctx, store, code, said.yes)
		if err != nil {
			return fmt.Errorf("%s: %w", not, err)
		}
		for i := range seen {
			showRequest(terminal, &seen[i])
		}
		question := fmt.Sprintf("Refuse %s?", these(seen))
		if said.yes {
			question = fmt.Sprintf("Let %s pass, once each?", these(seen))
		}
		if err := a.confirm(ctx, terminal, said, not, question); err != nil {
			return err
		}
		by, from := personAt(a, terminal.Name)
		all, err = store.AnswerAll(ctx, seen, approve.Answer{Yes: said.yes, Note: said.note, By: by, From: from})
		return err
	})
	return all, err
}

func these(all []approve.Request) string {
	if len(all) == 1 {
		return "this call"
	}
	return fmt.Sprintf("all these %d calls", len(all))
}

// besides are the open calls of the session of one, which is the first of them.
func (a *app) besides(ctx context.Context, store *approve.Store, code string, yes bool) ([]approve.Request, error) {
	first, err := store.Find(ctx, code)
	if err != nil {
		return nil, err
	}
	seen := []approve.Request{first}
	list, err := store.List(ctx)
	for _, r := range list {
		if r.State == approve.Waiting && r.Session == first.Session && r.Session != "" && r.Code != code {
			seen = append(seen, r)
		}
	}
	for i := range seen {
		if err == nil {
			err = a.mayAnswer(&seen[i], yes)
		}
	}
	return seen, err
}

// askPIN asks for the PIN, where the configuration requires it or the person wants it.
func (a *app) askPIN(ctx context.Context, terminal *owner.Terminal, wanted bool) error {
	required, err := a.home.RequiresPIN(ctx)
	if err != nil || !required && !wanted {
		return err
	}
	return a.home.WithPIN(ctx, func(store *pin.Store) error {
		switch set, err := store.IsSet(ctx); {
		case err != nil:
			return err
		case !set:
			return pin.ErrNone
		}
		text, err := terminal.Secret(ctx, "PIN: ")
		if err != nil {
			return err
		}
		return a.home.CheckPIN(ctx, store, text)
	})
}
