package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// lookTime is how often hookway inbox NAME --follow looks.
const lookTime = 250 * time.Millisecond

// other looks into the inbox of another agent, and changes nothing.
func (r *reading) other(ctx context.Context, store *relay.Store) error {
	items, err := store.Inbox(ctx, r.name, relay.Query{Limit: shownAll})
	if err != nil {
		return err
	}
	last := ""
	if len(items) > 0 {
		last = items[len(items)-1].Message.ID
	}
	if !r.all {
		items = waitingAndLast(items)
	}
	if err := r.showItems(store, items); err != nil {
		return err
	}
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for r.follow {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // by the user
		}
		items, err := store.Inbox(ctx, r.name, relay.Query{Limit: shownAll, After: last})
		if err != nil || len(items) == 0 {
			if err != nil && ctx.Err() == nil {
				return err
			}
			continue
		}
		last = items[len(items)-1].Message.ID
		if err := r.showItems(store, items); err != nil {
			return err
		}
	}
	return nil
}

// waitingAndLast leaves out all that were read but the last ones.
func waitingAndLast(items []relay.Item) []relay.Item {
	read := 0
	for _, i := range items {
		if i.Receipt.State != relay.StateAccepted {
			read++
		}
	}
	var left []relay.Item
	for _, i := range items {
		if i.Receipt.State != relay.StateAccepted {
			if read--; read >= shownLast {
				continue
			}
		}
		left = append(left, i)
	}
	return left
}

func (r *reading) showItems(store *relay.Store, items []relay.Item) error {
	switch {
	case r.json:
		all := make([]received, 0, len(items))
		for _, i := range items {
			all = append(all, received{Item: i})
		}
		return r.printReceived(all)
	case len(items) == 0 && !r.follow:
		fmt.Fprintf(visible.Writer{To: r.err}, "No message for %s yet\n", field(r.name, 80))
		return nil
	}
	return r.table(store, items)
}

func readCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "read ID",
		Short:             "Show one message whole",
		Args:              exactly("ID"),
		ValidArgsFunction: a.completeMessage,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.home.WithRelay(cmd.Context(), func(store *relay.Store) error {
				m, receipts, err := store.Receipts(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.print(tracked{m, receipts})
				}
				return showMessage(a, store, delivery.Clean(m))
			})
		},
	}
}

// showMessage prints a message with all that is known of it.
func showMessage(a *app, store *relay.Store, m relay.Message) error {
	var text strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "%-9s %s\n", name+":", field(value, 300))
		}
	}
	from := m.From
	if m.Machine != "" && m.Machine != store.Machine() {
		from += "@" + m.Machine
	}
	line("Id", m.ID)
	line("From", from)
	line("To", m.To)
	line("Sent", m.Sent.Local().Format("2006-01-02 15:04:05"))
	if m.Thread != m.ID {
		line("Thread", m.Thread)
	}
	line("Answers", m.ReplyTo)
	if m.Priority != relay.PriorityNormal {
		line("Priority", string(m.Priority))
	}
	for _, f := range m.Attachments {
		line("File", fmt.Sprintf("%s (%d bytes, sha256 %s)", f.Path, f.Size, f.SHA256))
	}
	fmt.Fprintf(&text, "\n%s\n", m.Content)
	_, err := visible.Writer{To: a.out}.Write([]byte(text.String()))
	return endOfReader(err)
}
