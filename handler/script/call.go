package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"modernc.org/quickjs"
)

// call is one event at one hook.
type call struct {
	ctx   context.Context
	began time.Time
	index int
	event string
	until time.Time // when its code is stopped; zero: never
	inner bool      // the script fired the event itself

	replies chan reply // takes one
	taken   atomic.Int32

	// What follows belongs to the machine's goroutine.
	id       int
	answered bool
	printed  int           // lines
	turn     chan struct{} // closed after the last message that it sends
}

// Where a call is.
const (
	callWaits int32 = iota
	callBegun
	callLeft // for another machine
)

type reply struct {
	text string
	err  error
}

// errGone says that a machine ended before it began the call: another one is asked.
var errGone = errors.New("the machine is gone")

// call asks a hook of the program.
func (p *Program) call(ctx context.Context, index int, event string) (string, error) {
	for {
		m, err := p.machine()
		if err != nil {
			return "", err
		}
		text, err := m.ask(ctx, index, event)
		if !errors.Is(err, errGone) {
			return text, err
		}
	}
}

// ask asks a hook in this machine. The error is errGone if another one is to be asked.
func (m *machine) ask(ctx context.Context, index int, event string) (string, error) {
	if m.waiting() >= maxWaiting {
		return "", fmt.Errorf("%s: %d events wait for it already; make it faster, or let it see fewer of them", m.p.label(), maxWaiting)
	}
	c := &call{ctx: ctx, began: time.Now(), index: index, event: event, until: untilOf(ctx), replies: make(chan reply, 1)}
	m.pending.Add(1)
	if !m.post(task{c, func() { m.begin(c) }, true}) {
		m.pending.Add(-1)
		return "", errGone
	}
	hook.Begun(ctx)
	return m.wait(c)
}

// wait waits for the answer to a call. When the machine turns out to be busy with
// another one, the error is errGone.
func (m *machine) wait(c *call) (string, error) {
	var again <-chan time.Time
	if m.since.Load() != 0 || m.pending.Load() > 1 {
		t := time.NewTicker(busyTime)
		defer t.Stop()
		again = t.C
	}
	for {
		select {
		case r := <-c.replies:
			return r.text, r.err
		case <-again:
			if m.busy() && !m.p.together() && c.taken.CompareAndSwap(callWaits, callLeft) {
				m.pending.Add(-1)
				return "", errGone
			}
		case <-c.ctx.Done():
			m.abandon(c)
			if c.taken.Load() == callWaits && errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
				return "", fmt.Errorf("%s: its time was over before it began: the file was still being read, or another event computed: %w", m.p.label(), c.ctx.Err())
			}
			return "", c.ctx.Err()
		}
	}
}

// untilOf is a little before the deadline, so that a handler that computes
// without end fails with the place where it was.
func untilOf(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	return deadline.Add(-min(max(time.Until(deadline)/20, time.Millisecond), 100*time.Millisecond))
}

// begin calls the hook.
func (m *machine) begin(c *call) {
	if c.answered { // it was given up while the script was read
		return
	}
	if !c.taken.CompareAndSwap(callWaits, callBegun) {
		c.answered = true
		return
	}
	switch {
	case m.loadErr != nil:
		var endless *Stopped
		if stopped, full := interrupted(m.loadErr); stopped || full || errors.As(m.loadErr, &endless) || errors.As(m.loadErr, new(*Unread)) || errors.Is(m.loadErr, errLate) {
			m.finishAs(full) // before the answer: the next call may have more luck, in another machine
		}
		m.answer(c, "", m.loadErr)
		return
	case m.spoiled || m.finished && !c.inner: // what goes on here may still fire, and hear its own hooks
		m.answer(c, "", errGone)
		return
	}
	if !m.limit(c) {
		m.answer(c, "", m.tooLate(c))
		return
	}
	m.last++
	c.id = m.last
	m.calls[c.id] = c
	v, err := m.fns[0].Call(quickjs.UndefinedValue, c.id, c.index, c.event)
	if err != nil {
		m.failed(c, err)
		return
	}
	if text, ok := v.(string); ok {
		m.answer(c, text, nil)
	}
	if err := m.drain(c); err != nil {
		m.failed(c, err)
	}
}

// tooLate is the error of a call that there is no time left for.
func (m *machine) tooLate(c *call) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%s: its time was over before it was asked: %w", m.p.label(), context.DeadlineExceeded)
}

// errNoMain is the error of a file that was named for events which none of its functions gets.
var errNoMain = errors.New("it exports no default function to be asked; write export default (event) => …, or, if it registers its hooks itself, leave out on: and what else hookway.yaml says of them")

// hasMain reports whether the file exports a default function.
func (m *machine) hasMain() bool {
	m.limit(nil)
	v, err := m.fns[3].Call(quickjs.UndefinedValue)
	text, _ := v.(string)
	var said struct{ Main bool }
	return err != nil || json.Unmarshal([]byte(text), &said) != nil || said.Main
}

// failed ends a call whose code threw, or was stopped.
func (m *machine) failed(c *call, err error) {
	stopped, full := interrupted(err)
	shown := m.p.explain(err, c)
	if c != nil && c.inner && stopped { // who fired the event goes on
		m.stopInner(c, shown)
		return
	}
	if m.prog != nil {
		m.ended(shown)
		return
	}
	if !stopped && !full && c != nil && c.index < 0 && !m.hasMain() {
		shown = fmt.Errorf("%s: %w", m.p.label(), errNoMain)
	}
	if stopped && c != nil && c.ctx.Err() != nil { // no call waits for it any more
		m.p.log(shown.Error())
	}
	if m.reading != nil {
		m.read(shown)
	} else if c != nil {
		m.answer(c, "", shown)
	} else if !c.over() {
		m.say(shown.Error())
	}
	if stopped || full {
		m.finishAs(full)
	}
}

func (c *call) over() bool { return c != nil && c.answered }

// answer returns a call its answer, once.
func (m *machine) answer(c *call, text string, err error) {
	if c.answered {
		return
	}
	c.answered = true
	delete(m.calls, c.id)
	m.pending.Add(-1)
	if m.since.Load() != 0 { // what is left is mostly short: the next call finds the same machine, and leaves if it is not
		m.since.Store(time.Now().UnixNano())
	}
	for _, o := range m.ops {
		if o.c != c {
			continue
		}
		o.last(time.Now().Add(m.p.afterwards)) // what is not awaited goes on for a while
		if err != nil {
			o.cancel()
		}
	}
	c.replies <- reply{text, err}
}

// abandon stops a call that is not awaited any more.
func (m *machine) abandon(c *call) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	if m.now == c {
		shift := m.shift
		m.ending.Go(func() { m.kick(shift) })
	}
	m.tasks = append(m.tasks, task{c: c, do: func() { m.abort(c) }})
	m.more.Signal()
	m.mu.Unlock()
}

// kick stops the code of a call that runs in this shift, and no other's: a request to
// stop is made while the shift cannot change. One that comes just before the engine is
// entered is forgotten there, so it is repeated until the code stops.
func (m *machine) kick(shift int) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		m.mu.Lock()
		runs := m.shift == shift
		if runs && m.js != nil {
			m.js.Interrupt()
		}
		m.mu.Unlock()
		if !runs {
			return
		}
		<-tick.C
	}
}

// abortTime is how long a handler's own code may take to hear that it is over.
const abortTime = 100 * time.Millisecond

// abort tells a handler by its signal that it is over, and ends what it waits for.
func (m *machine) abort(c *call) {
	if c.answered {
		return
	}
	if c.id != 0 && !m.spoiled {
		reason := "the event was cancelled"
		if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
			reason = "the hook's time is over"
		}
		_ = m.js.SetEvalTimeout(abortTime)
		_, err := m.fns[2].Call(quickjs.UndefinedValue, c.id, reason)
		if err == nil {
			_ = m.js.SetEvalTimeout(abortTime)
			_, err = m.js.ExecutePendingJobs()
		}
		if stopped, full := interrupted(err); stopped || full {
			m.finishAs(full)
		}
	}
	m.answer(c, "", c.ctx.Err())
}
