package index

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// The tests ask what a page has, however slow the machine is.
func init() { patience, followTime, olderTime = 2*time.Minute, time.Minute, time.Minute }

// lapsing is a context that ends when it was asked a few times whether it has.
type lapsing struct {
	context.Context
	left atomic.Int64
}

func (l *lapsing) Err() error {
	if l.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// PageInTime gives a page, for which there is time to ask so often; without an index if it
// has to be read plainly.
func (x *Index) PageInTime(ctx context.Context, q Query, asks int, plainly bool) (*Page, error) {
	a, err := q.ready()
	if err != nil {
		return nil, err
	}
	s, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	short := &lapsing{Context: ctx}
	short.left.Store(int64(asks))
	if plainly {
		return x.plain.page(short, a)
	}
	return x.page(short, s, a)
}

// Concerns reports whether a record, which the filter wants, is wanted for its rule and its
// words, too. It looks at the record's JSON with nothing of what the index does.
func (q Query) Concerns(r *audit.Record) (bool, error) {
	rules := []string{r.Rule}
	for _, s := range r.Steps {
		rules = append(rules, s.Rule)
		if s.Would != nil {
			rules = append(rules, s.Would.Rule)
		}
	}
	ruled := q.Rule == ""
	for _, rule := range rules {
		name, _, _ := strings.Cut(rule, "@")
		ruled = ruled || q.Rule == rule || q.Rule == name && name != ""
	}
	if !ruled || q.Text == "" {
		return ruled, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return false, err
	}
	for _, word := range words(q.Text) {
		if !somewhere(members, word) {
			return false, nil
		}
	}
	return true, nil
}

func somewhere(members map[string]any, word string) bool {
	for name, value := range members {
		switch name {
		case "prev", "hash", "kept", "torn", "time":
		case "event_id", "of", "tool_use_id":
			if strings.ToLower(value.(string)) == word {
				return true
			}
		default:
			if inside(value, word) {
				return true
			}
		}
	}
	return false
}

func inside(value any, word string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(strings.ToLower(v), word)
	case []any:
		for _, one := range v {
			if inside(one, word) {
				return true
			}
		}
	case map[string]any:
		for _, one := range v {
			if inside(one, word) {
				return true
			}
		}
	}
	return false
}
