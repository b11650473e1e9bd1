package relay

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// PageQuery says which messages a page has; the zero value is the newest of all.
type PageQuery struct {
	Agent   string // only what it sent or was to get
	Channel string // only what was for this channel, with # or without
	Text    string // only with this text in content, sender or receiver; case does not matter
	After   string // the Next of the page before
	Limit   int    // at most so many; 0 is 100
}

// Page is messages of this machine, the newest first, each with how far it is.
type Page struct {
	Messages []Followed
	Next     string // "" at the end
}

// Followed is a message and how far it is with each receiver.
type Followed struct {
	Message  Message
	Receipts []Receipt
}

// Page gives a page of messages, whoever they are from and for.
func (s *Store) Page(ctx context.Context, q PageQuery) (Page, error) {
	p, err := s.read(ctx).page(q)
	return p, s.explain("read", err)
}

func (a access) page(q PageQuery) (p Page, err error) {
	text, args := "SELECT id, body, kept FROM message", []any{}
	var where []string
	add := func(what string, with ...any) { where, args = append(where, what), append(args, with...) }
	if q.Agent != "" {
		add("(sender = ? OR id IN (SELECT message FROM delivery WHERE agent = ?))", key(q.Agent), key(q.Agent))
	}
	if q.Channel != "" {
		add("lower(json_extract(body, '$.to')) = ?", "#"+strings.ToLower(strings.TrimPrefix(q.Channel, "#")))
	}
	if q.Text != "" {
		add("instr(lower(json_extract(body, '$.content') || char(10) || json_extract(body, '$.from') || char(10) || json_extract(body, '$.to')), lower(?)) > 0", q.Text)
	}
	if q.After != "" {
		kept, id, ok := strings.Cut(q.After, ".")
		at, err := strconv.ParseInt(kept, 10, 64)
		if !ok || err != nil {
			return p, &refusal{fmt.Sprintf("after is %.40q, which no page gave as its next; leave it out to begin with the newest", q.After)}
		}
		add("(kept, id) < (?, ?)", at, id)
	}
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	var id, body, last string
	var kept int64
	var ids []string
	err = a.each([]any{&id, &body, &kept}, func() error {
		if len(ids) == q.Limit {
			p.Next = last
			return nil
		}
		last = strconv.FormatInt(kept, 10) + "." + id
		ids = append(ids, id)
		return nil
	}, text+" ORDER BY kept DESC, id DESC LIMIT ?", append(args, q.Limit+1)...)
	for _, id := range ids {
		if err != nil {
			return p, err
		}
		var one Followed
		one.Message, one.Receipts, err = a.receipts(id)
		p.Messages = append(p.Messages, one)
	}
	return p, err
}
