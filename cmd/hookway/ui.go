package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/page"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// uiTime bounds how long the page may take to be there.
const uiTime = 20 * time.Second

// linkTime is how long a link is good, for people.
var linkTime = visible.Count(int(page.LinkTime/time.Minute), "minute")

func uiCommand(a *app) *cobra.Command {
	closed := false
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Open the page on which you see what your agents do",
		Long: `Open the page on which you see what your agents do, and answer what they ask.

The daemon serves it, to this machine alone. You are let in by a link that is good for
two minutes, once; it is made only in a terminal that no agent has a hand in. You stay
logged in for 12 hours after you used the page last, for 7 days at most.`,
		Example: "  hookway ui\n  hookway ui --no-open\n  hookway ui sessions\n  hookway ui logout --all",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return oneOf(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return openUI(cmd.Context(), a, cmd.CommandPath(), closed) },
	}
	cmd.Flags().BoolVar(&closed, "no-open", false, "print the link, and open no browser")
	cmd.AddCommand(uiSessionsCommand(a), uiLogoutCommand(a))
	return cmd
}

// openUI makes a link, puts on record who did, or why they may not, and opens a browser.
func openUI(ctx context.Context, a *app, command string, closed bool) error {
	link, err := makeLink(ctx, a)
	by, from := personAt(a, "a terminal")
	a.home.Answered(ctx, approvalRecord(a, command, &ownersWord{yes: true, by: by, said: "a link to the page was made, in " + from}, err))
	switch {
	case err != nil:
		return err
	case a.json:
		return a.print(link)
	}
	if link.Moved != 0 {
		a.warn("another program has port %d, so the page has moved to %d: links to it that you kept lead nowhere, or to that program", link.Moved, link.Port)
	}
	if far := strings.Fields(a.getenv("SSH_CONNECTION")); len(far) == 4 {
		fmt.Fprintf(a.out, "%s\nThe page is on this machine. Where your browser is, run this first, then open the link within %s:\n  ssh -L %d:127.0.0.1:%d %s\n",
			link.Link, linkTime, link.Port, link.Port, visible.Line(far[2]))
		return nil
	}
	if !closed {
		if err := browse(ctx, a, link.Link); err == nil {
			_, err = fmt.Fprintf(a.out, "The page opens in your browser: %s\nIf it does not: hookway ui --no-open\n", link.Page)
			return err
		}
	}
	_, err = fmt.Fprintf(a.out, "%s\nOpen this link within %s; it is good once\n", link.Link, linkTime)
	return err
}

func makeLink(ctx context.Context, a *app) (link server.PageLink, err error) {
	if err := a.ask(ctx, "the page was not opened", "Whoever has the page sees what your agents do, and can answer for you.\nOpen it?"); err != nil {
		return link, err
	}
	ctx, cancel := context.WithTimeout(ctx, uiTime)
	defer cancel()
	by, _ := personAt(a, "")
	return a.home.LinkToPage(ctx, by)
}

// uiSession is a session of the page for people and machines.
type uiSession struct {
	ID      string    `json:"id"`
	By      string    `json:"by"`
	Browser string    `json:"browser"`
	Since   time.Time `json:"since"`
	Used    time.Time `json:"used"`
	Until   time.Time `json:"until"`
}

func uiSessionsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "sessions", Short: "List the browsers that are logged in", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			store, err := a.home.Page()
			if err != nil {
				return err
			}
			st, err := store.Read()
			if err != nil {
				return err
			}
			list := []uiSession{} // not null
			for _, s := range st.Sessions {
				list = append(list, uiSession{s.ID, s.By, s.Agent, s.Since, s.Used, s.End()})
			}
			if a.json {
				return a.print(list)
			}
			if len(list) == 0 {
				fmt.Fprintln(a.out, "No browser is logged in")
				return nil
			}
			table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "ID\tSINCE\tUSED\tUNTIL\tBROWSER")
			for _, s := range list {
				fmt.Fprintf(table, "%s\t%s\t%s ago\t%s\t%s\n", s.ID, s.Since.Local().Format(time.DateTime), since(s.Used), s.Until.Local().Format(time.DateTime), field(s.Browser, 60))
			}
			return table.Flush()
		},
	}
}

func uiLogoutCommand(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "logout [ID]", Short: "Log a browser out, or all, and drop links that nobody has used", Args: atMost(1),
		Example: "  hookway ui logout K7QX4ABC\n  hookway ui logout --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return errors.New("name a session, as hookway ui sessions lists them, or give --all")
			}
			store, err := a.home.Page()
			if err != nil {
				return err
			}
			ended := []string{}
			err = store.Change(cmd.Context(), func(st *page.State, _ time.Time) error {
				st.Links = nil
				for _, s := range append([]page.Session(nil), st.Sessions...) {
					if (all || s.ID == args[0]) && st.End(s.ID) {
						ended = append(ended, s.ID)
					}
				}
				if !all && len(ended) == 0 {
					return fmt.Errorf("no session %q is logged in; hookway ui sessions lists them", args[0])
				}
				return nil
			})
			by, from := personAt(a, "a terminal")
			a.home.Answered(cmd.Context(), approvalRecord(a, cmd.CommandPath(), &ownersWord{yes: true, by: by, said: "logged out of the page: " + strings.Join(ended, " ") + ", in " + from}, err))
			switch {
			case err != nil:
				return err
			case a.json:
				return a.print(map[string]any{"ended": ended})
			}
			_, err = fmt.Fprintf(a.out, "%s logged out\n", visible.Count(len(ended), "browser"))
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "log all browsers out")
	return cmd
}
