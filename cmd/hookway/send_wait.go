package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// sentReport is what --json prints of a message that was sent.
type sentReport struct {
	ID       string          `json:"id"`
	Short    string          `json:"short"` // what agents see of the id
	Message  relay.Message   `json:"message"`
	Receipts []relay.Receipt `json:"receipts"`
	Note     string          `json:"note,omitempty"`    // of the sender's hooks
	Problem  string          `json:"problem,omitempty"` // why nothing carries it now
}

// show prints what is known of a message. A receiver's hook that has suppressed it
// makes the exit code 2.
func (s *sending) show(sent delivery.Sent) error {
	code := 0
	for _, r := range sent.Receipts {
		switch r.State {
		case relay.StateDead, relay.StateRefused:
			code = exitFailure
		case relay.StateSuppressed:
			if code == 0 {
				code = exitBlocked
			}
		}
	}
	var err error
	if s.json {
		report := sentReport{ID: sent.Message.ID, Short: relay.Short(sent.Message.ID), Message: sent.Message, Receipts: sent.Receipts, Note: sent.Note, Problem: s.problem}
		if report.Receipts == nil {
			report.Receipts = []relay.Receipt{}
		}
		err = s.print(report)
	} else {
		out := visible.Writer{To: s.out}
		fmt.Fprintf(out, "%s\n", relay.Short(sent.Message.ID))
		for _, r := range sent.Receipts {
			fmt.Fprintf(out, "%s: %s\n", field(r.To, 80), stateOf(r))
		}
	}
	if code != 0 && err == nil {
		err = &exit{code: code}
	}
	return err
}

// stateOf says how far a message is with one receiver.
func stateOf(r relay.Receipt) string {
	text := string(r.State)
	if r.State == relay.StateAccepted && r.Reason != "" {
		text = "queued"
	}
	if r.Repeat {
		text += " (maybe twice)"
	}
	return text + after(": ", field(r.Reason, 300))
}

// Pauses between two looks at the receipts of a message.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 200 * time.Millisecond
)

// await waits until all receivers have a message as far as was asked for. The
// error says that they have not.
func (s *sending) await(ctx context.Context, store *relay.Store, sent delivery.Sent) ([]relay.Receipt, error) {
	limit := time.NewTimer(s.timeout)
	defer limit.Stop()
	receipts := sent.Receipts
	for pause := (backoff.Backoff{First: firstLook, Most: lastLook}); ; {
		_, now, err := store.Receipts(ctx, sent.Message.ID)
		if err != nil {
			return receipts, err
		}
		receipts = now
		if !slices.ContainsFunc(receipts, func(r relay.Receipt) bool { return !settled(r, s.wait) }) {
			return receipts, nil
		}
		next := time.NewTimer(pause.Next())
		select {
		case <-next.C:
		case <-limit.C:
			next.Stop()
			return receipts, fmt.Errorf("after %v it is not %s by all; it goes on, and hookway receipts %s tells how far it is", s.timeout, s.wait, relay.Short(sent.Message.ID))
		case <-ctx.Done():
			next.Stop()
			return receipts, fmt.Errorf("not waited for: the message goes on; hookway receipts %s tells how far it is", relay.Short(sent.Message.ID))
		}
	}
}

// settled reports whether a message is as far as a state, or will not get there.
func settled(r relay.Receipt, state string) bool {
	switch r.State {
	case relay.StateSuppressed, relay.StateRefused, relay.StateDead:
		return true
	}
	switch relay.State(state) {
	case relay.StateAccepted:
		return true
	case relay.StateInjected:
		return !r.Injected.IsZero()
	case relay.StateSeen:
		return !r.Seen.IsZero()
	}
	return !r.Replied.IsZero()
}

// replies prints what was answered, for those who have waited for that.
func (s *sending) replies(ctx context.Context, store *relay.Store, receipts []relay.Receipt) {
	for _, r := range receipts {
		if r.Reply == "" {
			continue
		}
		if m, _, err := store.Receipts(ctx, r.Reply); err == nil {
			fmt.Fprintf(visible.Writer{To: s.out}, "%s: %s\n", field(m.From, 80), hook.LogLine(m.Content))
		}
	}
}
