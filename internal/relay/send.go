package relay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/visible"
)

// Sent is a message that is kept for good.
type Sent struct {
	Message  Message   // completed
	Receipts []Receipt // one for each receiver that is known now
}

// Abroad reports whether a message is for other machines too.
func (s Sent) Abroad() bool {
	return slices.ContainsFunc(s.Receipts, func(r Receipt) bool { return strings.Contains(r.To, "@") })
}

// Send keeps a message for its receivers: when it returns, the message is on disk.
// A message with an id that was sent before is the same message, if sender, receiver
// and text are; else it is an [IDError]. When it returns an
// error, nothing was stored; see [UnknownError], [AmbiguousError], [FullError],
// [LimitError], [LongError] and [ErrNobody].
func (s *Store) Send(ctx context.Context, m Message) (Sent, error) {
	sent, err := s.send(ctx, m)
	if err != nil {
		return Sent{}, s.explain("sent", err)
	}
	if err := s.sweep(ctx); err != nil {
		s.log.Warn(err.Error()) // what was sent stays so
	}
	return sent, nil
}

func (s *Store) send(ctx context.Context, m Message) (sent Sent, err error) {
	if err := s.complete(&m); err != nil {
		return sent, err
	}
	var before bool
	err = s.write(ctx, func(a access) error {
		sent = Sent{}
		if sent.Message, before, err = a.message(m.ID); err != nil {
			return err
		}
		if before {
			return a.same(sent.Message, m)
		}
		sent.Message = m
		return a.send(&sent)
	})
	if err == nil && before {
		_, sent.Receipts, err = s.Receipts(ctx, sent.Message.ID)
	}
	return sent, err
}

// same reports whether a message is the one that was sent before under its id.
func (a access) same(before, now Message) error {
	if before.Machine != a.s.machine || key(before.From) != key(now.From) || before.Content != now.Content {
		return &IDError{now.ID}
	}
	if before.To == now.To {
		return nil
	}
	// It was written in another way: without case, by the one it answers.
	if err := a.resolveReply(&now); err != nil {
		return &IDError{now.ID}
	}
	if _, err := a.resolve(&now); key(before.To) != key(now.To) {
		return first(err, &IDError{now.ID})
	}
	return nil
}

// complete checks a message as far as it can be without the file, and fills in what
// it leaves out.
func (s *Store) complete(m *Message) (err error) {
	if m.ID == "" {
		m.ID = NewID()
	}
	if !validID(m.ID) {
		return &refusal{fmt.Sprintf("%q cannot be the id of a message: use 8 to 64 of A-Z, a-z, 0-9, - and _", m.ID)}
	}
	if m.From, err = Name(m.From); err != nil {
		return fmt.Errorf("the sender: %w", err)
	}
	if err := Reserved(m.From); err != nil && (m.Agent && !m.Hook || key(m.From) != Person) {
		return fmt.Errorf("the sender: %w", err)
	}
	m.Agent = m.Agent || m.Hook // no person stands behind each of its messages
	if _, ok := ranks[m.Priority]; !ok && m.Priority != "" {
		return &refusal{fmt.Sprintf("there is no priority %q: use low, normal, high or urgent", m.Priority)}
	}
	if m.Priority == "" {
		m.Priority = PriorityNormal
	}
	m.Machine, m.To, m.ReplyTo = s.machine, strings.TrimSpace(m.To), strings.TrimSpace(m.ReplyTo)
	if m.Thread = visible.Strip(m.Thread); len([]rune(m.Thread)) > longestThread || strings.ContainsAny(m.Thread, "\n\t") {
		return &refusal{fmt.Sprintf("a thread is one line of at most %d characters", longestThread)}
	}
	if m.Sent.IsZero() {
		m.Sent = s.now()
	}
	return s.checkContent(m)
}

// MostAttachments is how many files a message refers to at most.
const MostAttachments = 32

const (
	deepest       = 100      // levels of metadata; SQLite reads no JSON of more than 1000
	besideContent = 64 << 10 // bytes of all of a message but its text
)

// checkContent cleans what a message says, and bounds it.
func (s *Store) checkContent(m *Message) error {
	if n := len(m.Content); n > s.limits.MaxContent {
		return &LongError{"the text", n, s.limits.MaxContent}
	}
	m.Content = visible.Strip(m.Content)
	if blank(m.Content) && len(m.Attachments) == 0 {
		return &refusal{"the message is empty: give it a text or an attachment"}
	}
	if len(m.Attachments) > MostAttachments {
		return &refusal{fmt.Sprintf("a message has at most %d attachments, not %d", MostAttachments, len(m.Attachments))}
	}
	for _, at := range m.Attachments {
		if at.Path != visible.Strip(at.Path) || at.Name != visible.Strip(at.Name) || strings.ContainsAny(at.Name+at.Path, "\n\t") {
			return &refusal{fmt.Sprintf("the attachment %q cannot be named in a message: it has control characters", at.Path)}
		}
	}
	rest := *m
	rest.Content = ""
	beside, err := encode(rest)
	if err != nil {
		return &refusal{"the metadata cannot be kept as JSON: " + err.Error()}
	}
	if len(beside) > besideContent {
		return &LongError{"all that goes with the text", len(beside), besideContent}
	}
	if depth(beside) > deepest {
		return &refusal{fmt.Sprintf("the metadata may have at most %d levels", deepest)}
	}
	return nil
}

// depth is how many levels a JSON text has.
func depth(text []byte) (most int) {
	level, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// send keeps a message and all that follows from it.
func (a access) send(sent *Sent) error {
	m := &sent.Message
	if err := a.resolveReply(m); err != nil {
		return err
	}
	to, err := a.resolve(m)
	if err != nil {
		return err
	}
	if err := a.inferReply(m, to); err != nil {
		return err
	}
	if m.Thread == "" {
		m.Thread = m.ID
	}
	if err := a.hold(m, to); err != nil {
		return err
	}
	if err := a.keep(*m); err != nil {
		return err
	}
	if sent.Receipts, err = a.post(m, to); err != nil {
		return err
	}
	if err := a.active(key(m.From)); err != nil {
		return err
	}
	return a.markReplied(m)
}

// post gives a message to its receivers here, and puts it into the outbox once for
// each other machine that gets it.
func (a access) post(m *Message, to target) (receipts []Receipt, err error) {
	if to.agent != "" {
		return a.postOne(m, to)
	}
	for _, machine := range to.machines {
		var some []Receipt
		if machine == "" {
			some, err = a.deliverAll(*m)
		} else {
			some, err = a.postMachine(m, machine)
		}
		if err != nil {
			return nil, err
		}
		receipts = append(receipts, some...)
	}
	more, err := a.expected(*m)
	return append(receipts, more...), err
}

// postMachine puts a message to many into the outbox for one machine. For one that
// does not come for what waits already it is refused, as its receipt says.
func (a access) postMachine(m *Message, machine string) ([]Receipt, error) {
	var n int
	_, err := a.get([]any{&n}, "SELECT count(*) FROM (SELECT 1 FROM outbox WHERE machine = ? AND message <> '' LIMIT ?)", machine, a.s.limits.Inbox)
	if err != nil {
		return nil, err
	}
	if n < a.s.limits.Inbox {
		return nil, a.dispatch(m.ID, machine, target{})
	}
	d := delivery{
		message: m.ID, machine: machine, agent: m.To, name: m.To, sender: key(m.From), stage: refused, accepted: sqlite.Micros(a.s.now()),
		reason: fmt.Sprintf("%s has not come for %d messages", machine, n),
	}
	_, err = a.insert(d)
	return []Receipt{d.receipt()}, err
}

// postOne is post for a message to one agent, whose inbox has room.
func (a access) postOne(m *Message, to target) ([]Receipt, error) {
	machine := to.machines[0]
	if machine == "" {
		return a.deliver(*m, "", to.session, []member{{key: to.agent, name: to.name}})
	}
	if err := a.dispatch(m.ID, machine, to); err != nil {
		return nil, err
	}
	d := delivery{
		message: m.ID, machine: machine, agent: to.agent, name: to.name, session: to.session, sender: key(m.From),
		priority: ranks[m.Priority], accepted: sqlite.Micros(a.s.now()),
	}
	if _, err := a.insert(d); err != nil {
		return nil, err
	}
	r := d.receipt()
	why := reasons{a: a}
	var err error
	r.Reason, err = why.of(d)
	return []Receipt{r}, err
}

// dispatch puts a message into the outbox for another machine.
func (a access) dispatch(id, machine string, to target) error {
	a.news.out = true
	_, err := a.exec("INSERT INTO outbox (id, machine, message, agent, session) VALUES (?,?,?,?,?)", id, machine, id, to.name, to.session)
	return err
}
