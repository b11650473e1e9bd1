package server

import (
	"context"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/notify"
)

// MostApart is how many open requests of one session have cards of their own. More are one
// question about all.
const MostApart = 5

// withMark begins what is noted of a request that is on the card of another one, whose code
// follows: that card's tokens answer it, too.
const withMark = "open with "

// sentNow is what a channel was told: states by codes, and which requests are open.
type sentNow struct {
	states map[string]approve.State
	open   map[string]bool
}

// covers reports whether a card that can be answered has a request on it.
func (s *sentNow) covers(code string) bool {
	state := s.states[code]
	card, together := strings.CutPrefix(string(state), withMark)
	return state == approve.Waiting || together && s.open[card]
}

// told reports whether there is a card with a request on it that is as if it were open;
// alone says that it is on no card of others.
func (s *sentNow) told(code string) (yes, alone bool) {
	state := s.states[code]
	card, together := strings.CutPrefix(string(state), withMark)
	return state == approve.Waiting || together, !together || card == code
}

// askTogether sends one card about all open requests of a session, if one of them is on no
// card. It is the card of the newest one.
func (l *line) askTogether(all []approve.Request, sent *sentNow) error {
	covered := true
	for i := range all {
		covered = covered && sent.covers(all[i].Code)
	}
	if covered {
		return nil
	}
	last := len(all) - 1
	c := notify.Card{Request: all[last], Also: all[:last]}
	var err error
	if c.Deny, err = l.store.Token(l.ctx, c.Request, l.together(false)); err != nil {
		return over(err)
	}
	if c.Whole() && l.home.mayAllow(l.ctx, l.is) { // nobody allows what they cannot see
		if c.Allow, err = l.store.Token(l.ctx, c.Request, l.together(true)); err != nil {
			return over(err)
		}
	}
	l.telling.Lock() // an answer may come before it is noted what it is for
	defer l.telling.Unlock()
	if err := l.send(c); err != nil {
		return err
	}
	for _, r := range all {
		if sent.covers(r.Code) {
			continue // it is on an earlier card, too
		}
		r.State = approve.State(withMark + c.Code)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), endTime)
		err := l.store.MarkSent(ctx, r, l.channel.Name())
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// together is what tokens of a card about several requests are made for.
func (l *line) together(yes bool) string { return "all: " + l.tokens(yes) }

// answerTogether answers what was on one card.
func (l *line) answerTogether(ctx context.Context, s notify.Said) ([]approve.Request, error) {
	l.telling.Lock()
	defer l.telling.Unlock()
	card, err := l.store.Redeem(ctx, s.Token, l.together(s.Yes))
	if err != nil {
		return nil, err
	}
	all, err := l.store.List(ctx)
	if err != nil {
		return nil, err
	}
	states, err := l.store.Sent(ctx, l.channel.Name())
	if err != nil {
		return nil, err
	}
	sent := &sentNow{states: states}
	var seen []approve.Request
	for _, r := range all {
		told, _ := sent.told(r.Code)
		shown := told && !r.First.After(card.First) // what was asked later is on no such card
		if r.Session == card.Session && r.State == approve.Waiting && shown {
			r.Waiters = min(r.Waiters, 1) // how many were there when the card was sent is not known
			if r.Code == card.Code {
				r.Waiters = card.Waiters
			}
			seen = append(seen, r)
		}
	}
	return l.store.AnswerAll(ctx, seen, approve.Answer{Yes: s.Yes, Scope: approve.ScopeOnce, Note: s.Note, By: l.channel.Name(), From: s.From})
}

// soon is how long it is until a request is over by itself.
func soon(r *approve.Request) time.Duration {
	return max(time.Until(r.Until)+10*time.Millisecond, 10*time.Millisecond)
}
