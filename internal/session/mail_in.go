package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/sleep"
)

const (
	flightMost = 16                    // messages that were taken and have not reached the program
	takeAgain  = time.Second           // after messages that could not be had, or had to be given back
	unreadLook = 30 * time.Millisecond // between two looks whether a program has read its message
)

// flight counts the messages that were taken from the seat. If one is not typed
// after all, those behind it are not either: they are in order, and stay so.
type flight struct {
	freed chan struct{} // holds one token after a change

	mu     sync.Mutex
	items  map[*injection]bool // nil injection: hooks have it, or its end is noted
	n      int
	broken bool
	back   []relay.Taken // that are delivered again, before others are taken
}

func newFlight() flight {
	return flight{freed: make(chan struct{}, 1), items: map[*injection]bool{}}
}

func (f *flight) add() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
}

// typed says that an injection is on its way, unless it is in order no more.
func (f *flight) typed(i *injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.items[i] = true; f.broken {
		i.withdraw()
	}
}

// left says that a message has come to its end.
func (f *flight) left(i *injection) {
	f.mu.Lock()
	f.n--
	delete(f.items, i)
	f.mu.Unlock()
	select {
	case f.freed <- struct{}{}:
	default:
	}
}

// breaks takes back what is behind a message that was not typed.
func (f *flight) breaks() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = true
	for i := range f.items {
		i.withdraw()
	}
}

// again keeps a message that was not typed. What was begun by another session is not
// given back to the store: that would forget about that.
func (f *flight) again(t relay.Taken) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back = append(f.back, t)
}

// kept gives those messages.
func (f *flight) kept() []relay.Taken {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.back
	f.back = nil
	slices.SortStableFunc(kept, func(a, b relay.Taken) int { return a.Again.At.Compare(b.Again.At) })
	return kept
}

// room waits until there is some. broke says that messages were given back.
func (f *flight) room(ctx context.Context) (most int, broke, ok bool) {
	for ctx.Err() == nil {
		f.mu.Lock()
		switch {
		case f.broken && f.n == 0:
			f.broken, broke = false, true
			fallthrough
		case !f.broken && f.n < flightMost:
			most = flightMost - f.n
		}
		f.mu.Unlock()
		if most > 0 {
			return most, broke, true
		}
		select {
		case <-f.freed:
		case <-ctx.Done():
		}
	}
	return 0, false, false
}

// run brings the messages that wait for the agent to its program, until that ends.
func (o *office) run(ctx context.Context) {
	if o == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.working.Go(func() {
		select {
		case <-o.s.program.Done():
		case <-ctx.Done():
		}
		cancel()
	})
	if !o.wait(ctx) {
		return
	}
	o.working.Go(func() { o.attend(ctx) })
	for told := false; ; {
		most, broke, ok := o.flight.room(ctx)
		if !ok || broke && sleep.For(ctx, takeAgain) != nil {
			return
		}
		all, err := o.flight.kept(), error(nil)
		if len(all) == 0 {
			all, err = o.seat.Take(ctx, most)
		}
		for _, t := range all {
			o.flight.add()
			o.deliver(ctx, t)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			if !told {
				o.s.warnings.addf("messages to %s wait: %v", o.s.env.Agent, err)
			}
			told = true
			_ = sleep.For(ctx, takeAgain)
		case len(all) == 0:
			_ = o.seat.Wait(ctx)
		}
	}
}

const (
	recordsIn = 2 * time.Second        // an agent has on record what it was given, after its end too
	lookEach  = 200 * time.Millisecond // until then
)

// lookAgain finds out what became of a message that a session which has ended was
// about to give. An agent that ends may still be writing down what it got.
func lookAgain(ctx context.Context, a relay.Attempt, id string) delivery.Finding {
	for {
		finding := delivery.Look(a, id)
		if finding != delivery.Absent || time.Since(a.At) > recordsIn || sleep.For(ctx, lookEach) != nil {
			return finding
		}
	}
}

// judged are the texts that hooks have made of messages, for the time when one was
// given back and is taken again: hooks are asked once.
type judged struct {
	mu    sync.Mutex
	texts map[string]string
}

func (j *judged) keep(id, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.texts == nil {
		j.texts = map[string]string{}
	}
	j.texts[id] = text
}

func (j *judged) of(id string) (text string, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, known = j.texts[id]
	return text, known
}

func (j *judged) forget(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.texts, id)
}

// deliver has the hooks look at a message and puts it in the queue of what is to
// be typed. What becomes of it there is noted when it is known.
func (o *office) deliver(ctx context.Context, t relay.Taken) {
	o.s.busy.Add(1)
	defer o.s.busy.Add(-1)
	m, repeat := delivery.Clean(t.Message), false
	ends := func(do func(context.Context) error) {
		o.judged.forget(m.ID)
		o.note(do)
		o.flight.left(nil)
	}
	if t.Again != nil {
		finding := lookAgain(ctx, *t.Again, m.ID)
		if repeat = finding == delivery.Unknown; finding == delivery.Found {
			ends(func(ctx context.Context) error { return o.seat.Done(ctx, m.ID, false) })
			return
		}
	}
	text, known := o.judged.of(m.ID)
	if !known {
		out, err := judge(delivery.Passing(ctx, m), o.s, hook.MessageReceived, delivery.ForHooks(m, "received"))
		switch {
		case err != nil && (ctx.Err() != nil || t.Again != nil):
			o.back(t)
			o.flight.left(nil)
			return
		case err != nil:
			o.flight.breaks()
			ends(func(ctx context.Context) error {
				return o.seat.Fail(ctx, m.ID, "its hooks did not finish: "+err.Error())
			})
			return
		case out.Action == hook.ActionBlock:
			ends(func(ctx context.Context) error { return o.seat.Suppress(ctx, m.ID, out.Reason) })
			return
		}
		m.Content = out.Payload.Content
		text = delivery.Text(m, o.store.Machine(), out.Inject)
		o.judged.keep(m.ID, text)
		o.s.messages.add(out.Payload)
	}
	if repeat {
		text = delivery.MarkRepeat(text)
	}
	item := newInjection(harmless(o.s.command, text))
	item.said, item.repeat = text, repeat
	o.inject(t, item)
}

// inject has a message typed, or given to the agent's own hooks.
func (o *office) inject(t relay.Taken, item *injection) {
	id := t.Message.ID
	item.begin = func(ctx context.Context, text, how string) error {
		ctx, cancel := context.WithTimeout(ctx, noteTime)
		defer cancel()
		o.begins(ctx)
		err := o.seat.Begin(ctx, id, text, how)
		if err == nil {
			o.step("begun", id)
		}
		return err
	}
	item.failing = func(err error) {
		if !taken(err) { // by somebody else, who has it in order
			o.flight.breaks()
		}
	}
	o.flight.typed(item)
	o.s.typist.add(item)
	o.working.Go(func() {
		defer o.flight.left(item)
		<-item.done // at the end of the session at the latest
		o.ended(t, item)
	})
}

// ended notes what became of a message that was to be typed.
func (o *office) ended(t relay.Taken, item *injection) {
	id := t.Message.ID
	state, _ := item.state()
	switch {
	case state != stateFailed:
		if (state != stateSubmitted || item.lines) && !o.read() {
			return // whoever comes next finds out what became of it
		}
		o.step("given", id)
		o.judged.forget(id)
		o.note(func(ctx context.Context) error { return o.seat.Done(ctx, id, item.repeat) })
		o.attends.injected(item)
		o.step("done", id)
	case taken(item.err): // somebody else has it
		o.judged.forget(id)
	case item.unsure: // part of it may have been typed
	default:
		o.back(t)
	}
}

// back has a message that was not typed delivered again, and those behind it too.
func (o *office) back(t relay.Taken) {
	o.flight.breaks()
	o.step("back", t.Message.ID)
	if t.Again != nil {
		o.flight.again(t)
		return
	}
	o.note(func(ctx context.Context) error { return o.seat.Release(ctx, t.Message.ID) })
	o.seat.Poke()
}

// read waits until the program has read what was typed. It reports false if the
// program has ended without that: as it ends, what it has not read goes too, so it
// must live on for a moment.
func (o *office) read() bool {
	for was := 1; ; {
		in := o.s.program.Input()
		if in.Gone || ended(o.s.program) {
			return false
		}
		if in.Unread == 0 && was == 0 {
			return true
		}
		was = in.Unread
		if sleep.For(o.ctx, unreadLook) != nil {
			return false
		}
	}
}

func taken(err error) bool { return errors.Is(err, relay.ErrTaken) }
