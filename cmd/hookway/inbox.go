package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// reading is one call of hookway inbox.
type reading struct {
	*app
	name        string
	all, follow bool
}

func inboxCommand(a *app) *cobra.Command {
	r := &reading{app: a}
	cmd := &cobra.Command{
		Use:   "inbox [NAME]",
		Short: "Read your messages, or look into an agent's inbox",
		Long: `Read the messages that wait for you: for the agent in whose session this is
called, or for user, who sits at the keyboard. They count as injected and seen
then, and are not shown as new again; --all shows the earlier ones, too.

With the NAME of another agent, look into its inbox: what waits for it, and the
last ones it has got. That changes nothing.`,
		Example: "  hookway inbox\n  hookway inbox Alice --all\n  hookway inbox read 7k2fq9xm",
		Args:    atMost(1), ValidArgsFunction: a.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.name = args[0]
			}
			return r.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&r.all, "all", false, "show those that were read already, too")
	cmd.Flags().BoolVarP(&r.follow, "follow", "f", false, "go on, and show each message as it comes; with --json, one line each")
	cmd.AddCommand(readCommand(a))
	return cmd
}

// Bounds of what is shown of an inbox.
const (
	collected = 100  // new messages at a time
	shownLast = 10   // of those that were read already
	shownAll  = 1000 // with --all
)

// received is what --json prints of one message.
type received struct {
	relay.Item
	New  bool   `json:"new"`            // it waited for you until now
	Text string `json:"text,omitempty"` // of a new one: what an agent is shown
}

func (r *reading) run(ctx context.Context) error {
	self, agent := r.self()
	if r.name == "" && agent && self == person {
		return errors.New("this session has no name ($HOOKWAY_AGENT is not set); name the agent whose inbox is meant")
	}
	return r.home.WithRelay(ctx, func(store *relay.Store) error {
		if r.name == "" || strings.EqualFold(r.name, self) {
			r.name = self
			return r.own(ctx, store)
		}
		return r.other(ctx, store)
	})
}

// own hands out what waits for the caller.
func (r *reading) own(ctx context.Context, store *relay.Store) error {
	inbox, err := r.openInbox(ctx, store, r.name)
	if err != nil {
		return err
	}
	hooks, done, err := r.home.OpenMessageHooks(ctx, hook.Envelope{Session: r.getenv("HOOKWAY_SESSION"), Agent: r.name, Source: "cli", CWD: server.Cwd()})
	if err != nil {
		return errors.Join(err, inbox.Close())
	}
	err = r.handOut(ctx, store, inbox, hooks)
	for err == nil && r.follow {
		if inbox.Wait(ctx) != nil {
			break // by the user
		}
		r.all = false
		err = r.handOut(ctx, store, inbox, hooks)
	}
	return errors.Join(err, done(), inbox.Close())
}

// handOut shows what is new, and says so to those who have sent it.
func (r *reading) handOut(ctx context.Context, store *relay.Store, inbox *relay.Consumer, hooks delivery.Hooks) error {
	var before []relay.Item
	if r.all {
		items, err := store.Inbox(ctx, r.name, relay.Query{Limit: shownAll})
		if err != nil {
			return err
		}
		before = slicesWithout(items, relay.StateAccepted)
	}
	waiting := delivery.Inbox{Consumer: inbox, Hooks: hooks, How: "inbox"}
	items, err := waiting.Take(ctx, collected)
	shown := r.showReceived(store, before, items)
	if shown != nil {
		return errors.Join(err, shown)
	}
	ctx = context.WithoutCancel(ctx) // they are shown
	if len(items) > 0 {
		err = errors.Join(err, waiting.Shown(ctx, items), waiting.Prove(ctx))
		_ = r.home.NotifyRelay(ctx) // receipts wait for nothing
	}
	return err
}

func slicesWithout(items []relay.Item, state relay.State) (left []relay.Item) {
	for _, i := range items {
		if i.Receipt.State != state {
			left = append(left, i)
		}
	}
	return left
}

func (r *reading) showReceived(store *relay.Store, before []relay.Item, items []delivery.Item) error {
	if r.json {
		all := make([]received, 0, len(before)+len(items))
		for _, i := range before {
			all = append(all, received{Item: i})
		}
		for _, l := range items {
			all = append(all, received{Item: relay.Item{Message: l.Message, Receipt: relay.Receipt{Message: l.ID, To: r.name, State: relay.StateSeen}}, New: true, Text: r.text(store, l)})
		}
		return r.printReceived(all)
	}
	if len(before) > 0 {
		if err := r.table(store, before); err != nil {
			return err
		}
	}
	for _, l := range items {
		fmt.Fprintln(visible.Writer{To: r.out}, r.text(store, l))
	}
	if len(items)+len(before) == 0 && !r.follow {
		none := "Nothing new; --all shows earlier messages"
		if r.all {
			none = "No message yet"
		}
		fmt.Fprintln(r.err, none)
	}
	return nil
}

// text is what an agent is shown of a message.
func (r *reading) text(store *relay.Store, l delivery.Item) string {
	text := delivery.Text(l.Message, store.Machine(), l.Inject)
	if l.Repeat {
		text += delivery.RepeatMark
	}
	return text
}

// printReceived prints messages for machines: a list, or with --follow a line each.
func (r *reading) printReceived(all []received) error {
	if !r.follow {
		return r.print(all)
	}
	for _, one := range all {
		text, err := json.Marshal(one)
		if err == nil {
			_, err = r.out.Write(append(r.undirected(text), '\n'))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// table shows messages that an inbox has, one a line.
func (r *reading) table(store *relay.Store, items []relay.Item) error {
	table := tabwriter.NewWriter(visible.Writer{To: r.out}, 0, 0, 2, ' ', 0)
	for _, i := range items {
		state := string(i.Receipt.State)
		if i.Receipt.State == relay.StateAccepted {
			state = "waiting"
		}
		from, to := i.Message.From, ""
		if m := i.Message.Machine; m != "" && m != store.Machine() {
			from += "@" + m
		}
		if strings.HasPrefix(i.Message.To, "#") || i.Message.To == "*" {
			to = " → " + field(i.Message.To, 40)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s%s%s: %s\n", relay.Short(i.Message.ID), clock(i.Message.Sent), state, field(from, 80), to, tagged(i.Message), field(delivery.Undirected(i.Message.Content), 200))
	}
	return endOfReader(table.Flush())
}

// tagged is the priority and the thread of a message, as a directive has them.
func tagged(m relay.Message) string {
	var words []string
	if m.Priority != "" && m.Priority != relay.PriorityNormal {
		words = append(words, string(m.Priority))
	}
	if m.Thread != "" && m.Thread != m.ID {
		words = append(words, "thread:"+delivery.ThreadName(m.Thread))
	}
	if len(words) == 0 {
		return ""
	}
	return " [" + field(strings.Join(words, " "), 60) + "]"
}

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
