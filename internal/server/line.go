package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/notify"
)

// line is one channel at work. What holds one up holds up no other.
type line struct {
	*asks
	key     string // changes with the configuration
	channel notify.Channel
	is      config.ApprovalChannel
	store   *approve.Store
	ctx     context.Context
	cancel  context.CancelFunc
	kick    chan struct{} // there may be something to tell
	done    chan struct{}
	refused map[string]bool // codes whose card was not taken; for run alone
	telling sync.Mutex      // while a card about several requests is sent and noted

	mu       sync.Mutex
	late     map[string]lateness // codes that somebody answered too late
	problems [2]error            // of sending and of listening, as they are now
	stranger time.Time           // when a wrong token was logged last
}

// lateness is how far the reply to a late answer is: there is one for each request.
type lateness int

const (
	isLate lateness = iota + 1
	lateTold
)

// What may not work.
const (
	sending = iota
	listening
)

// Bounds of a line.
const (
	sendFirst = time.Second // pause after a card that did not arrive
	sendMost  = time.Minute
	endTime   = 2 * time.Second // for a card that is under way when the daemon ends
	mostCards = 64              // open requests of which a person is told at a time
)

func (l *line) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// run works until the channel is no more.
func (l *line) run() {
	defer close(l.done)
	defer func() {
		if err := l.store.Close(); err != nil {
			l.home.Log.Warn(err.Error())
		}
	}()
	var work sync.WaitGroup
	defer work.Wait()
	defer l.cancel()
	changes, err := l.store.Changes(l.ctx)
	if err != nil {
		l.say(sending, err)
		return
	}
	work.Go(l.listen)
	pause := backoff.Backoff{First: sendFirst, Most: sendMost}
	for {
		next, err := l.tell()
		if l.ctx.Err() != nil {
			return
		}
		wait := next
		if err != nil {
			l.say(sending, fmt.Errorf("a card was not sent: %w", err))
			wait = pause.Next()
		} else {
			pause.Reset()
		}
		again := time.NewTimer(wait)
		select {
		case <-l.ctx.Done():
		case <-again.C:
		case <-l.kick:
		case _, ok := <-changes:
			if err != nil && ok { // it is down: what is new waits with the rest
				select {
				case <-again.C:
				case <-l.ctx.Done():
				}
			}
			if !ok && l.ctx.Err() == nil {
				l.say(sending, errors.New("the file of approvals cannot be followed"))
				again.Stop()
				return // the next look at the configuration begins it anew
			}
		}
		again.Stop()
	}
}

// look has the line look at what is to be told.
func (l *line) look() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// listen hands over answers. While they can come, somebody counts as being there.
func (l *line) listen() {
	var stop context.CancelFunc
	var work sync.WaitGroup
	leave := func() {
		if stop != nil {
			stop()
			work.Wait()
			stop = nil
		}
	}
	defer leave()
	ready := func() {
		l.say(listening, nil)
		if stop != nil {
			return
		}
		var ctx context.Context
		ctx, stop = context.WithCancel(l.ctx)
		work.Go(func() {
			if err := l.store.Present(ctx, "channel "+l.channel.Name()); err != nil {
				l.home.Log.Warn(err.Error())
			}
		})
	}
	_ = l.channel.Listen(l.ctx, l.take, ready, func(err error) { // it ends with the context
		leave()
		l.say(listening, fmt.Errorf("no answers can come: %w", err))
	})
}

// say notes whether a part of the channel works, and logs when that has changed.
func (l *line) say(part int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.problems[part]
	l.problems[part] = err
	switch {
	case l.ctx.Err() != nil:
	case err != nil && was == nil:
		l.home.Log.Warn("the channel "+l.channel.Name()+" is down; the others go on", logline.Err, err)
	case err == nil && was != nil:
		l.home.Log.Warn("the channel " + l.channel.Name() + " works again: " + [2]string{"cards are sent", "answers can come"}[part])
	}
}

// problem is why the channel does not work; nil if it does.
func (l *line) problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.problems[listening], l.problems[sending])
}

// status says which channels do not work.
func (a *asks) status() (list []daemon.ChannelStatus) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(a.running)) {
		if err := a.running[name].problem(); err != nil {
			list = append(list, daemon.ChannelStatus{Name: name, Problem: err.Error()})
		}
	}
	return list
}

// tokens is what tokens of a card are made for: a yes is good for no no.
func (l *line) tokens(yes bool) string {
	if yes {
		return "allow " + l.channel.Name()
	}
	return "deny " + l.channel.Name()
}

// tell sends what is not sent yet. next is when time alone changes something.
func (l *line) tell() (next time.Duration, err error) {
	all, err := l.store.List(l.ctx)
	if err != nil {
		return 0, err
	}
	sent, err := l.store.Sent(l.ctx, l.channel.Name())
	if err != nil {
		return 0, err
	}
	slices.SortFunc(all, func(a, b approve.Request) int { // the oldest first
		if c := a.First.Compare(b.First); c != 0 {
			return c
		}
		return strings.Compare(a.Code, b.Code)
	})
	now := &sentNow{sent, map[string]bool{}}
	bySession := map[string][]approve.Request{}
	for _, r := range all {
		if r.State == approve.Waiting {
			now.open[r.Code] = true
			bySession[r.Session] = append(bySession[r.Session], r)
		}
	}
	l.asks.waits(len(now.open))
	next, cards := sendMost, 0
	for i := range all {
		r := &all[i]
		if r.State == approve.Waiting {
			next = min(next, soon(r))
			if cards++; cards <= mostCards {
				err = l.tellOpen(r, bySession[r.Session], now)
			}
		} else {
			err = l.tellOver(r, now)
		}
		if err = l.passOver(r.Code, err); err != nil {
			break
		}
	}
	return next, err
}

// passOver goes on behind a card that the other side does not take, which is logged once.
// It is tried again at the next look.
func (l *line) passOver(code string, err error) error {
	var card *notify.CardError
	if !errors.As(err, &card) {
		return err
	}
	if !l.refused[code] {
		l.refused[code] = true
		l.home.Log.Warn("the card of "+code+" was not taken over the channel "+l.channel.Name()+"; answer it in a terminal: hookway approvals", logline.Err, err)
	}
	return nil
}

// tellOpen sends the card of an open request, or one of all that are open in its session.
func (l *line) tellOpen(r *approve.Request, session []approve.Request, now *sentNow) error {
	switch {
	case len(session) <= MostApart && !now.covers(r.Code):
		return l.ask(*r)
	case len(session) > MostApart && r.Code == session[len(session)-1].Code:
		return l.askTogether(session, now)
	}
	return nil
}

// tellOver says what has become of a request that was told. Of those on one card, the one
// that carries it says it for all.
func (l *line) tellOver(r *approve.Request, now *sentNow) error {
	told, alone := now.told(r.Code)
	switch {
	case l.wasLate(r.Code), told && alone:
		return l.send(notify.Card{Request: *r})
	case told:
		return l.store.MarkSent(l.ctx, *r, l.channel.Name())
	}
	return nil
}

// waits notes how many requests wait for an answer.
func (a *asks) waits(open int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = open
}

// wasLate reports, once, whether somebody answered a request too late.
func (l *line) wasLate(code string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.late[code] == isLate
	if was {
		l.late[code] = lateTold
	}
	return was
}

// ask sends the card of an open request.
func (l *line) ask(r approve.Request) (err error) {
	c := notify.Card{Request: r}
	if l.home.mayAllow(l.ctx, l.is) {
		if c.Allow, err = l.store.Token(l.ctx, r, l.tokens(true)); err != nil {
			return over(err)
		}
	}
	if c.Deny, err = l.store.Token(l.ctx, r, l.tokens(false)); err != nil {
		return over(err)
	}
	return l.send(c)
}

// over is nil for a request that was answered meanwhile: the next round tells that.
func over(err error) error {
	var refused *approve.RefusedError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// send sends a card, and notes that. A daemon that ends lets it come to its end, so that
// the next one does not send it again.
func (l *line) send(c notify.Card) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.ctx))
	defer cancel()
	defer context.AfterFunc(l.ctx, func() { time.AfterFunc(endTime, cancel) })()
	if err := l.channel.Send(ctx, c); err != nil {
		return err
	}
	l.say(sending, nil)
	return l.store.MarkSent(ctx, c.Request, l.channel.Name())
}

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
