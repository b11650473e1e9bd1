package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
	"github.com/hookway/hookway/internal/visible"
)

const (
	textsBound = 128 // how many texts may wait to be typed

	// waitMost is how long a program that is not still or does not read, or a
	// user who leaves a line half-written, may keep a text waiting. The time in
	// which texts are held, or an agent is at work, does not count.
	waitMost = 5 * time.Minute
)

// typist types what hooks and others inject, one text after the other, when
// that is safe.
type typist struct {
	session *session
	profile *profile
	most    time.Duration // see waitMost
	watches time.Duration // how long it waits to see what becomes of a text
	waiting chan *injection
	last    atomic.Int64 // when a text was typed last, in Unix nanoseconds
	line    []*injection // that were waiting behind one that waits for an event; those of run
	late    atomic.Int64 // texts that came too late
	lately  lately       // what was typed

	mu      sync.Mutex
	closed  bool
	holding bool
	toggled chan struct{} // closed when holding changes
}

func newTypist(s *session) *typist {
	p := profileFor(s.command)
	if named := profileFor([]string{s.env.Agent}); p == defaultProfile() && named.box {
		p = named // a script that runs the agent
	}
	return &typist{
		session: s, profile: p, most: waitMost, watches: watchMost,
		waiting: make(chan *injection, textsBound), toggled: make(chan struct{}),
	}
}

// put queues a text without waiting; an empty one is done. One that cannot be
// queued has failed, and the user is warned.
func (t *typist) put(body string) *injection {
	item := newInjection(body)
	item.quotes = t.session.quotes.in(body)
	if strings.TrimSpace(visible.Strip(body)) == "" {
		item.step(stateSubmitted)
		item.end()
		return item
	}
	t.add(item)
	return item
}

// add is put for a text that is prepared.
func (t *typist) add(item *injection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		t.miss(item, hook.ErrSessionOver.Error())
		return
	}
	t.session.busy.Add(1)
	select {
	case t.waiting <- item:
	default:
		t.session.busy.Add(-1)
		if item.claims == nil {
			t.session.warnings.addf("a text was not typed, because %d others wait: %s", textsBound, item.text)
		}
		item.fail(fmt.Sprintf("%d others wait to be typed", textsBound))
	}
}

// close says that no more is put, except by those who are too late.
func (t *typist) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	close(t.waiting)
}

// hold keeps texts waiting, or lets them go on.
func (t *typist) hold(held bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if held != t.holding {
		t.holding = held
		close(t.toggled)
		t.toggled = make(chan struct{})
	}
}

func (t *typist) held() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holding
}

// lastTyped is when a text was typed last; zero before the first.
func (t *typist) lastTyped() time.Time {
	if ns := t.last.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// run types until close.
func (t *typist) run(ctx context.Context) {
	began := start{at: time.Now(), output: t.session.program.LastOutput()}
	for {
		item, ok := t.next()
		if !ok {
			return
		}
		t.one(ctx, item, began)
		began.typed = true
	}
}

// next waits for a text; there is none after close.
func (t *typist) next() (item *injection, ok bool) {
	if len(t.line) > 0 {
		item, t.line = t.line[0], t.line[1:]
		return item, true
	}
	item, ok = <-t.waiting
	return item, ok
}

// start is how the program was found.
type start struct {
	at     time.Time
	output time.Time // of the last output
	typed  bool      // a text was typed since
}

// one takes one text to its end.
func (t *typist) one(ctx context.Context, item *injection, began start) {
	written := sync.OnceFunc(func() { t.session.busy.Add(-1) })
	defer written()
	p, pr, err := t.bring(ctx, item, began)
	if errors.Is(err, errCarried) {
		item.handed()
		return
	}
	if err != nil {
		t.fail(item, err)
		return
	}
	t.last.Store(time.Now().UnixNano())
	item.step(stateWritten)
	written()
	t.watch(ctx, item, p, pr)
}

// bring has an event take a text, or types it.
func (t *typist) bring(ctx context.Context, item *injection, began start) (*profile, proof, error) {
	if item.has {
		return nil, proof{}, errCarried
	}
	if item.offer == nil { // else it is on its way
		if !t.released(ctx, item) {
			return nil, proof{}, errHeld
		}
		if item.withdrawn.Load() {
			return nil, proof{}, errWithdrawn
		}
	}
	if err := t.carry(ctx, item); err != nil {
		return nil, proof{}, err
	}
	if item.withdrawn.Load() {
		return nil, proof{}, errWithdrawn
	}
	return t.write(ctx, item, began)
}

// released waits while texts are held. It reports whether there is still a
// program to type to.
func (t *typist) released(ctx context.Context, item *injection) bool {
	for {
		t.mu.Lock()
		holding, toggled := t.holding, t.toggled
		t.mu.Unlock()
		if !holding {
			return true
		}
		item.waits("held")
		select {
		case <-toggled:
		case <-t.session.program.Done():
			return false
		case <-ctx.Done():
			return false
		}
	}
}

var (
	errUnsafe = errors.New("it is not safe to type now")
	errHeld   = errors.New("it was held until the program ended")

	errCarried = errors.New("an event of the agent took it")
)

// write types the text when that is safe.
func (t *typist) write(ctx context.Context, item *injection, began start) (*profile, proof, error) {
	var counted, calm time.Duration
	for looked := time.Now(); ; {
		m := t.look()
		m.first = !began.typed
		m.silent = t.session.outputs.Load() == 0 && t.session.program.LastOutput().Equal(began.output)
		m.running, m.unsettled = m.now.Sub(began.at), calm
		p := t.profile.front(m.input)
		text := item.form(m, t.profile)
		o := p.judge(m, len(text))
		if o.none() {
			if err := item.claim(ctx, text, howTyped); err != nil {
				return p, proof{}, err
			}
			pr, err := t.put1(ctx, item, p, m, text)
			if !errors.Is(err, errUnsafe) {
				return p, pr, err
			}
			o = blocked("the program was not still")
		}
		item.waits(o.why)
		if !t.pause(ctx, o.again) {
			return p, proof{}, terminal.ErrEnded
		}
		if !t.released(ctx, item) {
			return p, proof{}, errHeld
		}
		took := time.Since(looked)
		if err := t.carry(ctx, item); err != nil { // it may have begun to work meanwhile
			return p, proof{}, err
		}
		looked = time.Now()
		if calm += took; !o.calm {
			calm = 0
		}
		if !o.free {
			counted += took
		}
		if counted >= t.most {
			return p, proof{}, fmt.Errorf("%s for %v", o.why, t.most)
		}
	}
}

// put1 types the text if it is still safe when no key can come between.
func (t *typist) put1(ctx context.Context, item *injection, p *profile, m moment, text string) (pr proof, err error) {
	body := p.body(text)
	paste := m.screen.Paste && !m.input.Lines
	ctx, cancel := context.WithTimeout(ctx, waitMost)
	defer cancel()
	item.outputsBefore = t.session.outputs.Load()
	err = t.session.program.Put(ctx, terminal.Text{
		Body: body, Paste: paste, Newline: p.newline, Submit: p.submit, Pause: p.rest,
		Safe: func() error {
			again := t.look()
			again.first, again.silent, again.running, again.unsettled = m.first, m.silent, m.running, m.unsettled
			if t.held() || t.profile.front(again.input) != p || again.screen.Paste != m.screen.Paste ||
				again.input.Lines != m.input.Lines || item.form(again, t.profile) != text || !p.judge(again, len(body)).none() {
				return errUnsafe
			}
			pr = p.proof(again, body)
			item.unsure, item.lines = true, pr.lines
			t.lately.add(text)
			return nil
		},
	})
	return pr, err
}

// look gathers what decides whether a text may be typed.
func (t *typist) look() moment {
	p := t.session.program
	m := moment{now: time.Now(), command: t.session.command, screen: p.Screen(), input: p.Input()}
	m.user, m.lastKey = p.User()
	return m
}

// fail ends a text that was not typed and tells the user.
func (t *typist) fail(item *injection, err error) {
	item.err = err
	switch {
	case item.claims != nil: // it waits on, elsewhere
		item.fail(err.Error())
	case errors.Is(err, errHeld):
		t.miss(item, err.Error())
	case errors.Is(err, terminal.ErrEnded), errors.Is(err, context.Canceled):
		t.miss(item, hook.ErrSessionOver.Error())
	default:
		t.session.warnings.addf("a text was not typed (%v): %s", err, item.body)
		item.fail(err.Error())
	}
}

// miss ends a text that the program's end has kept from being typed.
func (t *typist) miss(item *injection, why string) {
	if item.claims == nil {
		t.late.Add(1)
	}
	item.fail(why)
}

// pause waits and reports whether there is still a program to type to.
func (t *typist) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.session.program.Done():
	case <-ctx.Done():
	}
	return false
}

// inject has a text typed to the program when that is safe.
func (s *session) inject(text string) *injection { return s.typist.put(text) }

// hold keeps texts waiting until it is called with false.
func (s *session) hold(held bool) { s.typist.hold(held) }

// held reports whether texts are kept waiting.
func (s *session) held() bool { return s.typist.held() }

// lately are the texts that were typed last.
type lately struct {
	mu  sync.Mutex
	all []string
}

func (l *lately) add(text string) {
	first := []rune(letters(visible.Plain(text)))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(first[:min(len(first), latelyLetters)]))
	l.all = l.all[max(0, len(l.all)-latelyMost):]
}

func (l *lately) has(prompt string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	prompt = letters(prompt)
	for _, text := range l.all {
		if text != "" && strings.Contains(prompt, text) {
			return true
		}
	}
	return false
}
