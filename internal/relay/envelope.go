package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hookway/hookway/internal/visible"
)

// envelope is what goes from one machine to another.
type envelope struct {
	V       int    `json:"v"`
	Machine string `json:"machine"` // where it comes from

	Message *Message `json:"message,omitempty"`
	Agent   string   `json:"agent,omitempty"`   // the receiver of the message, if it is for one
	Session string   `json:"session,omitempty"` // and the only session of theirs that gets it

	Taken    string    `json:"taken,omitempty"`    // a message of the machine that it goes to: it is kept, and need not be sent again
	Receipts []Receipt `json:"receipts,omitempty"` // of messages of the machine that it goes to
}

// envelopeVersion is the form of an envelope; what is only added does not change it.
const envelopeVersion = 1

const (
	mostReceipts    = 1000 // in one envelope
	longestEnvelope = 8 << 20
)

// report puts an envelope for another machine into the outbox, in pieces if it is long.
// One that was forgotten receives nothing.
func (a access) report(machine string, p envelope) error {
	if away, err := a.away(machine); away || err != nil {
		return err
	}
	a.news.out = true
	p.V, p.Machine = envelopeVersion, a.s.machine
	all := p.Receipts
	for {
		p.Receipts = all[:min(len(all), mostReceipts)]
		all = all[len(p.Receipts):]
		data, err := encode(p)
		if err != nil {
			return err
		}
		if _, err := a.exec("INSERT INTO outbox (id, machine, message, agent, session, data) VALUES (?,?,'','','',?)", NewID(), machine, data); err != nil {
			return err
		}
		if len(all) == 0 {
			return nil
		}
	}
}

// readEnvelope reads an envelope that somebody else has written. Nothing in it is believed
// before it was checked.
func readEnvelope(data []byte) (p envelope, err error) {
	if len(data) > longestEnvelope {
		return p, fmt.Errorf("it has %s, and may have %s", size(len(data)), size(longestEnvelope))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return p, err
	}
	switch {
	case p.V != envelopeVersion:
		return p, fmt.Errorf("it has the form %d, and this hookway knows %d", p.V, envelopeVersion)
	case !validMachine(p.Machine):
		return p, fmt.Errorf("it comes from %q, which is not a machine name", p.Machine)
	case p.Message == nil && p.Taken == "" && len(p.Receipts) == 0:
		return p, errors.New("there is nothing in it")
	case p.Taken != "" && !validID(p.Taken):
		return p, errors.New("it confirms something other than a message")
	}
	if p.Message != nil {
		err = p.checkMessage()
	}
	return p, err
}

func (p *envelope) checkMessage() (err error) {
	m := p.Message
	if !validID(m.ID) {
		return fmt.Errorf("%q is not the id of a message", m.ID)
	}
	if m.From, err = Name(m.From); err != nil {
		return err
	}
	if p.Agent != "" {
		if p.Agent, err = Name(p.Agent); err != nil {
			return err
		}
	} else if to := m.To; to != "*" && (to == "" || to[0] != '#') {
		return errors.New("it has no receiver")
	}
	if _, ok := ranks[m.Priority]; !ok {
		m.Priority = PriorityNormal
	}
	if m.ReplyTo != "" && !validID(m.ReplyTo) {
		m.ReplyTo = ""
	}
	if m.Thread = visible.Strip(m.Thread); m.Thread == "" || len([]rune(m.Thread)) > longestThread {
		m.Thread = m.ID
	}
	m.Machine, m.Session = p.Machine, visible.Strip(m.Session)
	return nil
}
