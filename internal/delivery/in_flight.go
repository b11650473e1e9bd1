package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/hookway/hookway/internal/relay"
)

// inFlightMost bounds the messages that were taken and have not reached the program.
const inFlightMost = 16

// inFlight are the messages that were taken and have not reached the program. If one of
// them does not, those behind it do not either: they are in order, and stay so.
type inFlight struct {
	taken []relay.Taken // that are taken next; for one goroutine
	freed chan struct{} // holds a token after a change

	mu         sync.Mutex
	typing     map[Typing]bool
	n          int
	disordered bool
	back       []relay.Taken     // that are delivered again, before others are taken
	texts      map[string]string // what hooks have made of messages: they are asked once
}

func (f *inFlight) add() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
}

// bring says that an input is on its way, unless it is in order no more.
func (f *inFlight) bring(i Typing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.typing[i] = true; f.disordered {
		i.Withdraw()
	}
}

// left says that a message has come to its end.
func (f *inFlight) left(i Typing) {
	f.mu.Lock()
	f.n--
	delete(f.typing, i)
	f.mu.Unlock()
	select {
	case f.freed <- struct{}{}:
	default:
	}
}

// disorder withdraws what is behind a message that did not reach the program.
func (f *inFlight) disorder() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.disordered = true
	for i := range f.typing {
		i.Withdraw()
	}
}

// errOrder is why a message is not claimed behind one that did not reach the program.
var errOrder = errors.New("a message ahead did not reach the program")

func (f *inFlight) isDisordered() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.disordered
}

// keep keeps a message that is delivered again.
func (f *inFlight) keep(t relay.Taken) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back = append(f.back, t)
}

// kept gives those messages.
func (f *inFlight) kept() []relay.Taken {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.back
	f.back = nil
	slices.SortStableFunc(kept, func(a, b relay.Taken) int { return a.Again.At.Compare(b.Again.At) })
	return kept
}

// room waits until there is some. returned says that messages were returned.
func (f *inFlight) room(ctx context.Context) (most int, returned, ok bool) {
	for ctx.Err() == nil {
		f.mu.Lock()
		if f.disordered && f.n == 0 {
			f.disordered, returned = false, true
		}
		if !f.disordered {
			most = inFlightMost - f.n
		}
		f.mu.Unlock()
		if most > 0 {
			return most, returned, true
		}
		select {
		case <-f.freed:
		case <-ctx.Done():
		}
	}
	return 0, false, false
}

func (f *inFlight) text(id string) (text string, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, known = f.texts[id]
	return text, known
}

func (f *inFlight) keepText(id, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts[id] = text
}

func (f *inFlight) forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.texts, id)
}
