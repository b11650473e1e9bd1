package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/sqlite"
)

// Refuse takes an envelope out of the outbox that no stream will ever take. If it is a
// message, its receipts say why, and its sender is notified. Receipts go again, in
// smaller envelopes.
func (s *Store) Refuse(ctx context.Context, seq int64, reason string) error {
	err := s.write(ctx, func(a access) error {
		var machine, message, agent string
		var data []byte
		found, err := a.get([]any{&machine, &message, &agent, &data}, "SELECT machine, message, agent, data FROM outbox WHERE seq = ?", seq)
		if !found || err != nil {
			return err
		}
		if _, err := a.exec("DELETE FROM outbox WHERE seq = ?", seq); err != nil {
			return err
		}
		if message == "" {
			return a.split(machine, data, reason)
		}
		return a.refuse(message, machine, agent, reason)
	})
	return s.explain("changed", err)
}

// refuse settles a message with those of one machine that it was for.
func (a access) refuse(message, machine, agent, reason string) error {
	m, found, err := a.message(message)
	if !found || err != nil {
		return err
	}
	d := delivery{message: m.ID, machine: machine, sender: key(m.From), stage: refused, priority: ranks[m.Priority], reason: reason, accepted: sqlite.Micros(m.Sent)}
	if agent != "" {
		there, found, err := a.of(message, machine, key(agent))
		if !found || err != nil || there.stage != inOutbox {
			return err
		}
		there.stage, there.reason = refused, reason
		return a.move(there)
	}
	d.agent, d.name = key(m.To), m.To // who they are only that machine knows
	_, err = a.insert(d)
	return err
}

// split puts receipts into the outbox again, half as many in each envelope; one alone
// goes without its reason, which is all of it that may be long.
func (a access) split(machine string, data []byte, why string) error {
	var p envelope
	if err := json.Unmarshal(data, &p); err != nil {
		a.s.log.Warn(fmt.Sprintf("receipts for %s cannot be read, and are left out", machine), logline.Err, err)
		return nil
	}
	half := p
	switch n := len(p.Receipts); {
	case n > 1:
		half.Receipts, p.Receipts, p.Taken = p.Receipts[:n/2], p.Receipts[n/2:], ""
		if err := a.report(machine, half); err != nil {
			return err
		}
		return a.report(machine, p)
	case n == 1 && p.Receipts[0].Reason != "":
		p.Receipts[0].Reason = ""
		return a.report(machine, p)
	}
	a.s.log.Warn(fmt.Sprintf("a receipt for %s is left out: %s", machine, strings.TrimSpace(why)))
	return nil
}
