package relay

import (
	"fmt"
	"strings"
)

// move writes what has become of a delivery, and tells the sender's machine if that
// is another one.
func (a access) move(d delivery) error {
	if err := a.moveQuietly(d); err != nil || d.stage < injected {
		return err
	}
	if d.origin != "" {
		return a.report(d.origin, envelope{Receipts: []Receipt{d.receipt()}})
	}
	if d.stage == dead || d.stage == refused || d.stage == suppressed {
		return a.notice(d)
	}
	return nil
}

// moveQuietly is move without a receipt for the sender's machine.
func (a access) moveQuietly(d delivery) error {
	_, err := a.exec(`UPDATE delivery SET state = ?, owner = ?, injected_in = ?, text = ?, transcript = ?, history = ?, how = ?, repeat = ?, tries = ?,
		reason = ?, reply = ?, begun = ?, injected = ?, seen = ?, replied = ? WHERE seq = ?`,
		int(d.stage), d.owner, d.injectedIn, d.text, d.transcript, d.history, d.how, d.repeat, d.tries,
		d.reason, d.reply, d.begun, d.injected, d.seen, d.replied, d.seq)
	return err
}

// notice tells the sender of a message, if it is an agent here, that the message did
// not reach the one that it was for, after a receipt said that it would.
func (a access) notice(d delivery) error {
	var name string
	var waiting int
	known, err := a.get([]any{&name, &waiting}, "SELECT name, waiting FROM agent WHERE key = ?", d.sender)
	if !known || err != nil || waiting >= a.s.limits.Inbox {
		return err // the receipt says it
	}
	m, found, err := a.message(d.message)
	if !found || err != nil || m.To == "*" || strings.HasPrefix(m.To, "#") || m.From == noticeFrom {
		return err
	}
	r, why := d.receipt(), d.reason
	if d.stage == suppressed {
		why = strings.TrimSuffix("suppressed: "+why, ": ")
	}
	n := Message{
		ID: NewID(), From: noticeFrom, Machine: a.s.machine, To: name, Thread: m.Thread, Priority: PriorityNormal, Sent: a.s.now(),
		Content: fmt.Sprintf("your message [%s] to %s was not delivered: %s", Short(d.message), r.To, why),
	}
	if err := a.keep(n); err != nil {
		return err
	}
	_, err = a.post(&n, target{machines: []string{""}, agent: d.sender, name: name})
	return err
}
