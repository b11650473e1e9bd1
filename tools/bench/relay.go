package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/relay"
)

// relayPlan is how much of the relay is measured.
type relayPlan struct {
	sends    int // one after the other
	typed    int // into a still agent
	messages int // while processes are killed
	kills    int
}

func (p *program) relayCommand() *cobra.Command {
	plan := relayPlan{}
	cmd := &cobra.Command{
		Use:   "relay",
		Short: "Measure how soon messages are safe and arrive, and what kill -9 does to them",
		Long: `Measure how soon messages are safe and arrive, and what kill -9 does to them.

Everything runs in a temporary folder with a daemon of its own; yours is not
touched. First messages are sent and carried in this process; then they are typed
into a real program in a real terminal under hookway run; then an agent with hooks
of its own gets thousands of them while its daemon and its hookway run are killed
with SIGKILL again and again. What the agent was given is counted at the end.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan.sends < 1 || plan.typed < 0 || plan.messages < 0 || plan.kills < 0 {
				return errors.New("-n is one or more, the other numbers zero or more")
			}
			return p.relay(cmd.Context(), plan)
		},
	}
	cmd.Flags().IntVarP(&plan.sends, "sends", "n", 2000, "how many `MESSAGES` are sent one after the other")
	cmd.Flags().IntVar(&plan.typed, "typed", 50, "how many `MESSAGES` are typed into an agent that does nothing; 0 for none")
	cmd.Flags().IntVar(&plan.messages, "messages", 10000, "how many `MESSAGES` are sent while processes are killed; 0 for none")
	cmd.Flags().IntVar(&plan.kills, "kills", 100, "how many `TIMES` the daemon or hookway run is killed meanwhile")
	return cmd
}

func (p *program) relay(ctx context.Context, plan relayPlan) error {
	p.doing("messages in one process")
	rows, err := carried(ctx, plan.sends)
	if err != nil {
		return err
	}
	live, err := p.relayLive(ctx, plan)
	if err != nil {
		return err
	}
	return p.show(append(rows, live...))
}

// unlimited are the limits of a benchmark that sends more than agents may.
var unlimited = relay.Limits{PerMinute: -1, PingPong: -1, Hops: -1, Inbox: -1}

// carried measures messages that are sent and taken in this process.
func carried(ctx context.Context, sends int) (rows []row, err error) {
	dir, err := bench.Folder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := relay.Open(ctx, filepath.Join(dir, "relay"), relay.Options{Machine: "bench", Limits: unlimited})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	inbox, err := store.Join(ctx, relay.Presence{Session: "bench-session", Name: "Bob", Kind: relay.KindPerson})
	if err != nil {
		return nil, err
	}
	var arrived []float64
	for range min(sends, 300) { // one on its way at a time
		ms, err := oneWay(ctx, store, inbox)
		if err != nil {
			return nil, err
		}
		arrived = append(arrived, ms)
	}
	began := time.Now()
	took, err := sendEach(ctx, store, sends)
	if err != nil {
		return nil, err
	}
	rate := float64(sends) / time.Since(began).Seconds()
	for left := sends; left > 0; {
		got, err := takeSome(ctx, inbox)
		if err != nil {
			return nil, err
		}
		left -= got
	}
	through := float64(sends) / time.Since(began).Seconds()
	slices.Sort(took)
	return []row{
		atMostOf("a message of 500 bytes until it is safely accepted, median", "ms", bench.Median(took), 1),
		forComparison("the slowest of a hundred", "ms", took[len(took)*99/100]),
		atLeastOf("messages that one sender has accepted, one after the other", "/s", rate, 600),
		forComparison("the same until the receiver has taken the last of them", "/s", through),
		forComparison("a message until its receiver may have it, median", "ms", bench.Median(arrived)),
	}, nil
}

// sendEach sends messages one after the other, and gives how long each took.
func sendEach(ctx context.Context, store *relay.Store, sends int) (took []float64, err error) {
	for i := range sends {
		sent := time.Now()
		if _, err := store.Send(ctx, message("anna", i)); err != nil {
			return nil, err
		}
		took = append(took, bench.Milliseconds(time.Since(sent)))
	}
	return took, nil
}

// message is a message of 500 bytes to Bob.
func message(from string, n int) relay.Message {
	text := fmt.Sprintf("%s-%d ", from, n)
	for len(text) < 500 {
		text += "the tests are green and the build is done; "
	}
	return relay.Message{From: from, To: "Bob", Content: text[:500]}
}

// oneWay is how long a message takes to its receiver.
func oneWay(ctx context.Context, store *relay.Store, inbox *relay.Consumer) (ms float64, err error) {
	began := time.Now()
	if _, err := store.Send(ctx, message("anna", 0)); err != nil {
		return 0, err
	}
	for {
		switch got, err := inbox.Take(ctx, 1); {
		case err != nil:
			return 0, err
		case len(got) > 0:
			ms = bench.Milliseconds(time.Since(began))
			return ms, settle(ctx, inbox, got[0].Message.ID)
		}
		if err := inbox.Wait(ctx); err != nil {
			return 0, err
		}
	}
}

// takeSome takes what there is, or waits for it.
func takeSome(ctx context.Context, inbox *relay.Consumer) (int, error) {
	got, err := inbox.Take(ctx, 64)
	if err == nil && len(got) == 0 {
		err = inbox.Wait(ctx)
	}
	if err != nil {
		return 0, err
	}
	for _, one := range got {
		if err := settle(ctx, inbox, one.Message.ID); err != nil {
			return 0, err
		}
	}
	return len(got), nil
}

func settle(ctx context.Context, inbox *relay.Consumer, id string) error {
	if err := inbox.Begin(ctx, id, "text", "typed"); err != nil {
		return err
	}
	return inbox.Done(ctx, id, false)
}

// worksCommand is the agent of bench relay.
func (p *program) worksCommand() *cobra.Command {
	return &cobra.Command{Use: "works", Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return works(cmd.Context(), p.getenv, p.out)
	}}
}
