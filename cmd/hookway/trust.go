package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

func trustCommand(a *app) *cobra.Command {
	var yes, own bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let the hooks of this workspace run",
		Long: `Let the hooks of this workspace run, as they are now.

A workspace's hooks are code from a repository that somebody cloned. They run
only after you said so. Their content is pinned: when a file changes, they must
be trusted again. If a script or module wants to run programs, to read or write
files or to use the network, and did not have that before, you are asked. That a
script runs programs (exec, child_process) or fetches is seen in its code, if
neither hookway.yaml nor the file itself says by allow what it may do.
HOOKWAY_TRUST=1 trusts without asking, for CI. What there is to ask, nobody answers
for you, not by --yes either, where an agent has started the command.

Your own scripts, in hookway's folder and ~/.config/agent-relay, run without trust;
--user looks what they do that needs your word, and asks.`,
		Example: "  hookway trust\n  hookway trust --yes\n  hookway trust --user",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if own {
				return trustOwn(cmd.Context(), a, yes)
			}
			shown := map[string]bool{}
			status, err := config.TrustIf(a.home.Options(), func(status trust.Status) error {
				showDestinations(a, status.Sends, shown)
				showWraps(a, status.Wraps)
				showSights(a, status.Sees)
				return askConsent(cmd.Context(), a, status, yes)
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.print(status)
			}
			fmt.Fprintf(visible.Writer{To: a.out}, "Trusted %s as it is now: %s\n", status.Workspace, visible.Count(len(status.Files), "file"))
			for _, f := range status.Files {
				fmt.Fprintf(visible.Writer{To: a.out}, "  %s\n", f)
			}
			return showProblems(a, cmd, shown)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "trust without asking: what changed, what cannot be known, and what scripts and modules want")
	c.Flags().BoolVar(&own, "user", false, "let your own scripts do what is seen in their code")
	return c
}

// trustOwn asks what the user's own scripts may do.
func trustOwn(ctx context.Context, a *app, yes bool) error {
	status, err := config.TrustOwn(a.home.Options(), func(status trust.Status) error {
		showSights(a, status.Sees)
		return askConsent(ctx, a, status, yes)
	})
	switch {
	case err != nil:
		return err
	case a.json:
		return a.print(status)
	case len(status.Files) == 0:
		fmt.Fprintln(a.out, "Your own scripts do nothing that needs your word")
	}
	for _, w := range status.Wishes {
		if len(w.Seen) > 0 {
			fmt.Fprintf(visible.Writer{To: a.out}, "Script %s (may %s)\n", w.File, strings.Join(w.Seen, ", "))
		}
	}
	return nil
}

// askConsent asks the user for what is not a matter of course: files that changed, words
// whose meaning cannot be known, and what scripts may do that they could not before.
func askConsent(ctx context.Context, a *app, status trust.Status, yes bool) error {
	if !a.json {
		showDifferences(a, status)
	}
	var b strings.Builder
	if n := len(status.Changes); status.State == trust.Changed {
		fmt.Fprintf(&b, "  %s changed since it was trusted: %s\n", visible.Count(n, "file"), status.Changed())
	}
	for _, u := range status.Unknown {
		if status.State == trust.Given { // said before
			break
		}
		place := u.Origin
		if u.Script != "" {
			place = u.Script
		}
		fmt.Fprintf(&b, "  hook %s (%s) has a word that nothing can pin: %s: %s\n", u.Hook, relative(place), visible.Line(u.Word), visible.Line(u.Why))
	}
	for _, line := range status.Unread {
		fmt.Fprintf(&b, "  %s\n", visible.Line(line))
	}
	for _, w := range status.Wishes {
		for _, g := range w.More {
			how := ""
			if slices.Contains(w.Seen, g) {
				how = ", as its code says"
			}
			fmt.Fprintf(&b, "  %s wants to %s (%s)%s\n", w.File, trust.MayDo[g], g, how)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	may := a.owner.Agent
	if yes {
		may = a.owner.Script
	}
	if err := may(); err != nil { // what changed, an agent may have changed itself
		return fmt.Errorf("nothing was trusted: %w; look at it, and run hookway trust in a terminal of your own:\n%s", err, strings.TrimSuffix(b.String(), "\n"))
	}
	if yes {
		return nil
	}
	if !a.json && term.IsTerminal(int(a.in.Fd())) {
		fmt.Fprint(visible.Writer{To: a.err}, b.String())
		switch yes, err := a.consents(ctx, "Allow this?"); {
		case err != nil:
			return err
		case yes:
			return nil
		}
		err := errors.New("nothing was trusted")
		if len(status.Wishes) > 0 {
			err = fmt.Errorf("%w; what a script wants stands beside it in hookway.yaml under allow:, or in the file itself", err)
		}
		return &exit{code: exitFailure, err: err}
	}
	return &exit{code: exitFailure, err: fmt.Errorf("nothing was trusted, because there is no terminal here in which to ask:\n%slook at it, then run hookway trust in a terminal, or hookway trust --yes", b.String())}
}

// showDifferences shows what changed since the workspace was trusted.
func showDifferences(a *app, status trust.Status) {
	for _, d := range status.Diffs {
		fmt.Fprintf(a.out, "%s (%s)\n", visible.Line(d.Path), d.Kind)
		for _, line := range d.Lines {
			fmt.Fprintf(a.out, "  %s\n", visible.Line(strings.ReplaceAll(line, "\t", "    ")))
		}
	}
}

// consents asks the owner in a terminal of their own.
func (a *app) consents(ctx context.Context, question string) (bool, error) {
	const not = "nothing was trusted"
	out, ok := a.out.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) { // what it prints may go to a file
		out = a.in
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		return false, fmt.Errorf("%s: %w", not, err)
	}
	defer terminal.Close()
	yes, err := terminal.Confirm(ctx, question)
	if err != nil {
		err = fmt.Errorf("%s: %w", not, err)
	}
	return yes, err
}

// asked asks a person a question that is answered with yes or no; no answer is no.
func asked(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprintf(out, "%s [y/N] ", question)
	line, err := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n')
	if err != nil {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// showProblems tells at once what hookway would complain about at every event.
func showProblems(a *app, cmd *cobra.Command, shown map[string]bool) error {
	w, err := a.home.Look(cmd.Context(), a.home.Options())
	if err != nil {
		return err
	}
	a.home.ShowWarnings(w)
	showGrants(a, w.Set.Hooks, shown)
	if m := w.Set.Settings.Memory; m != nil && m.Own {
		showDestinations(a, m.Destinations(), shown) // those of a script
	}
	problems := w.Set.Problems
	if err := w.Close(); err != nil {
		return err
	}
	if len(problems) > 0 {
		return &exit{code: exitFailure, err: fmt.Errorf("the workspace is trusted, but %s to be mended; until then each tool call is asked about", visible.Count(len(problems), "mistake is", "mistakes are"))}
	}
	return nil
}

// showGrants says what the scripts and modules of the workspace may now do beyond
// computing, and which servers get events that were not named before.
func showGrants(a *app, hooks []config.Hook, shown map[string]bool) {
	for _, h := range hooks {
		if line := shownHandler(h); h.Layer == config.LayerWorkspace && len(h.Grants) > 0 && !shown[line] {
			shown[line] = true
			fmt.Fprintf(visible.Writer{To: a.out}, "%s %s\n", map[string]string{"script": "Script", "wasm": "Module"}[h.Kind], line)
		}
		if line := "Script " + strings.TrimPrefix(h.Command, "node ") + " (" + byNode + ")"; h.Layer == config.LayerWorkspace && h.ByNode && !shown[line] {
			shown[line] = true
			fmt.Fprintln(visible.Writer{To: a.out}, line)
		}
		if (h.Kind == "http" || h.Kind == "grpc") && h.Layer == config.LayerWorkspace && h.State == config.Active && !shown[h.Command] {
			shown[h.Command] = true
			fmt.Fprintf(visible.Writer{To: a.out}, "Events go to %s\n", h.Command)
		}
	}
}

// showSights says which variables of the environment scripts see: before anything is
// trusted.
func showSights(a *app, all []trust.Sight) {
	for _, s := range all {
		what := strings.Join(s.Variables, ", ")
		if s.All {
			what = strings.TrimSuffix("every variable, among them "+what, ", among them ")
		}
		if !a.json {
			fmt.Fprintf(visible.Writer{To: a.out}, "Script %s sees of the environment: %s\n", s.File, what)
		}
	}
}

// showDestinations says where what is remembered, and events, go: before anything is
// trusted.
func showDestinations(a *app, all []trust.Destination, shown map[string]bool) {
	for _, d := range all {
		line := "Events go to " + d.To
		if d.What == "memory" {
			line = fmt.Sprintf("What is remembered here goes to %s (%s)", d.To, d.By)
		}
		if a.json || shown[line] {
			continue
		}
		shown[line], shown[d.To] = true, shown[d.To] || d.What == "events" || d.By == "handler"
		fmt.Fprintf(visible.Writer{To: a.out}, "%s\n", line)
	}
}

func untrustCommand(a *app) *cobra.Command {
	var own bool
	c := &cobra.Command{
		Use:   "untrust",
		Short: "Take the trust in this workspace back",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			if own {
				return untrustOwn(a)
			}
			workspace, was, err := config.Untrust(a.home.Options())
			if err != nil {
				return err
			}
			if a.json {
				return a.print(map[string]any{"workspace": workspace, "was_trusted": was})
			}
			switch {
			case workspace == "":
				fmt.Fprintln(a.out, "There is no workspace here: neither in this folder nor in one above it are there hooks")
				return nil
			case !was:
				fmt.Fprintf(visible.Writer{To: a.out}, "%s was not trusted\n", workspace)
				return nil
			}
			fmt.Fprintf(visible.Writer{To: a.out}, "The hooks of %s do not run any more\n", workspace)
			return nil
		},
	}
	c.Flags().BoolVar(&own, "user", false, "take back what trust --user let your own scripts do")
	return c
}

func untrustOwn(a *app) error {
	was, err := config.UntrustOwn(a.home.Options())
	switch {
	case err != nil:
		return err
	case a.json:
		return a.print(map[string]any{"was_trusted": was})
	case was:
		fmt.Fprintln(a.out, "Your own scripts may do what they ask for by allow, and no more")
	default:
		fmt.Fprintln(a.out, "Nothing was trusted to your own scripts")
	}
	return nil
}
