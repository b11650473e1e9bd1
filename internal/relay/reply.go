package relay

import "github.com/hookway/hookway/internal/sqlite"

// resolveReply finds the message that one answers, and whom that is for.
func (a access) resolveReply(m *Message) error {
	if m.ReplyTo == "" {
		return nil
	}
	id, err := a.fullID(m.ReplyTo, key(m.From))
	if err != nil {
		return err
	}
	answered, _, err := a.message(id)
	if err != nil {
		return err
	}
	m.ReplyTo = id
	if m.Thread == "" {
		m.Thread = answered.Thread
	}
	if m.To == "" {
		if m.To = answered.From; answered.Machine != a.s.machine {
			m.To += "@" + answered.Machine
		}
	}
	return nil
}

// inferReply takes a message to somebody for the answer to the last one of theirs
// that this session was given, and has not answered.
func (a access) inferReply(m *Message, to target) error {
	if m.ReplyTo != "" || m.Session == "" || to.agent == "" {
		return nil
	}
	var id, thread string
	found, err := a.get([]any{&id, &thread}, `SELECT d.message, json_extract(message.body, '$.thread') FROM delivery d JOIN message ON message.id = d.message
		WHERE d.injected_in = ? AND d.sender = ? AND d.origin = ? AND d.agent = ? AND d.machine = '' AND d.state IN (3, 4) ORDER BY d.begun DESC, d.seq DESC LIMIT 1`,
		m.Session, to.agent, to.machines[0], key(m.From))
	if !found || err != nil {
		return err
	}
	if m.Thread != "" && m.Thread != thread {
		return nil // of another conversation
	}
	m.ReplyTo, m.Thread = id, thread
	return nil
}

// markReplied notes that a message is an answer. An answer is also proof that the
// message was seen.
func (a access) markReplied(m *Message) error {
	if m.ReplyTo == "" {
		return nil
	}
	d, found, err := a.of(m.ReplyTo, "", key(m.From))
	if !found || err != nil || d.stage == replied {
		return err
	}
	now := sqlite.Micros(a.s.now())
	d.stage, d.reply, d.replied = replied, m.ID, now
	if d.seen == 0 {
		d.seen = now
	}
	return a.move(d)
}
