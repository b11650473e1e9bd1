package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

func receiptsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "receipts ID",
		Short: "Show how far a message is with each of its receivers",
		Long: `Show how far a message is with each of its receivers: when it was accepted (it is
on disk), injected (it was put into the agent's session), seen (the agent did
something after that) and replied. The id is what hookway send prints.`,
		Args:              exactly("ID"),
		ValidArgsFunction: a.completeMessage,
		RunE:              func(cmd *cobra.Command, args []string) error { return showReceipts(cmd.Context(), a, args[0]) },
	}
}

// tracked is what --json prints of a message and its receivers.
type tracked struct {
	Message  relay.Message   `json:"message"`
	Receipts []relay.Receipt `json:"receipts"`
}

func showReceipts(ctx context.Context, a *app, id string) error {
	return a.home.WithRelay(ctx, func(store *relay.Store) error {
		m, all, err := store.Receipts(ctx, id)
		if err != nil {
			return err
		}
		if all == nil {
			all = []relay.Receipt{}
		}
		if a.json {
			return a.print(tracked{m, all})
		}
		fmt.Fprintf(visible.Writer{To: a.out}, "%s  %s → %s: %s\n", relay.Short(m.ID), field(m.From, 40), field(m.To, 40), field(delivery.Undirected(m.Content), 100))
		table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "TO\tACCEPTED\tINJECTED\tSEEN\tREPLIED\tNOTE")
		for _, r := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", field(r.To, 60), clock(r.Accepted), clock(r.Injected), clock(r.Seen), clock(r.Replied), noteOf(r))
		}
		return endOfReader(table.Flush())
	})
}

// noteOf is what there is to say of a receipt beside its times.
func noteOf(r relay.Receipt) string {
	note := ""
	switch {
	case r.State == relay.StateAccepted && r.Reason != "":
		note = "queued" + after(": ", r.Reason)
	case r.State == relay.StateSuppressed, r.State == relay.StateRefused, r.State == relay.StateDead:
		note = string(r.State) + after(": ", r.Reason)
	case r.How != "":
		note = r.How
	}
	if r.Repeat {
		note += " (maybe twice)"
	}
	if r.Reply != "" {
		note += " (answer: " + relay.Short(r.Reply) + ")"
	}
	return note
}

// clock is a time as people read it: today's without its day.
func clock(t time.Time) string {
	switch now := time.Now(); {
	case t.IsZero():
		return "-"
	case t.Local().Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Local().Format(time.TimeOnly)
	}
	return t.Local().Format("2006-01-02 15:04")
}
