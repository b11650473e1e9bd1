package session

import (
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/delivery"
)

// quotesBound bounds how many quotes are kept; all that wait to be typed have theirs.
const quotesBound = 256

// Quotes knows which parts of what hooks inject into a session are words of others:
// what may be typed of those depends on the program that reads then. The zero value
// is ready for use.
type Quotes struct {
	mu   sync.Mutex
	kept []quote
}

// quote is a text of others.
type quote struct {
	shown string // as it is for the program that was started: so it stands in what is injected
	plain string // plain
}

// Quoted is a text that others wrote as it may be injected into the session of a
// program, as [Quoted] gives it. Where a session has these Quotes in its Config, and
// another program reads when the text is typed, it is of no effect to that one.
func (q *Quotes) Quoted(command []string, text string) string {
	shown := quotedFor(command, text)
	q.add(shown, delivery.Quoted(text))
	return shown
}

func (q *Quotes) add(shown, plain string) {
	shown, plain = strings.TrimSpace(shown), strings.TrimSpace(plain)
	if shown == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = slices.DeleteFunc(q.kept, func(k quote) bool { return k.shown == shown })
	if len(q.kept) == quotesBound {
		q.kept = slices.Delete(q.kept, 0, 1)
	}
	q.kept = append(q.kept, quote{shown, plain})
}

// in are the quotes that a text has, the longest first: one may be a part of another.
func (q *Quotes) in(text string) (found []quote) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range q.kept {
		if strings.Contains(text, k.shown) {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b quote) int { return len(b.shown) - len(a.shown) })
	return found
}

// requoted is the text with its quotes as they may be typed to a program.
func requoted(text string, quotes []quote, command []string) string {
	var pairs []string
	for _, k := range quotes {
		pairs = append(pairs, k.shown, harmless(command, k.plain))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
