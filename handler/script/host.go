package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"modernc.org/quickjs"
)

// op is work of the host that a script waits for.
type op struct {
	c      *call // who began it; nil: the script itself
	cancel func()
	until  time.Time   // when it is given up; zero: with its call
	bound  *time.Timer // gives it up then
	unheld bool        // a program does not wait for it
}

// last gives up what is still under way at a time.
func (o *op) last(until time.Time) {
	o.until = until
	o.bound = time.AfterFunc(time.Until(until), o.cancel)
}

// host gives the script its functions; runtime.js takes them out of its sight.
func (m *machine) host() error {
	for name, fn := range map[string]quickjs.HostFunc{
		"done":  m.hostDone,
		"fail":  m.hostFail,
		"log":   m.hostLog,
		"timer": m.hostTimer,
		"clear": m.hostClear,
		"start": m.hostStart,
		"sync":  m.hostSync,
		"part":  m.hostPart,
		"print": m.hostPrint,
		"apart": func([]any) (any, error) { return m.hostApart() },
	} {
		if err := m.js.RegisterHostFunc("__hookway_"+name, fn); err != nil {
			return fmt.Errorf("the script engine: %w", err)
		}
	}
	return nil
}

func (m *machine) hostDone(args []any) (any, error) {
	if number(args, 0) == 0 {
		m.read(nil)
	}
	if c := m.calls[number(args, 0)]; c != nil {
		m.answer(c, text(args, 1), nil)
	}
	return nil, nil
}

func (m *machine) hostFail(args []any) (any, error) {
	place, what := m.p.b.PlaceOf(text(args, 2)), text(args, 1)
	c := m.calls[number(args, 0)]
	err := m.p.said(place, what)
	switch what {
	case "InternalError: interrupted":
		err = m.p.stopped(place, c)
	case "InternalError: out of memory":
		err = m.p.full(place)
		defer m.finishAs(true)
	case "it threw null":
		err = m.p.null(place)
		defer m.finishAs(true)
	}
	if c != nil {
		m.answer(c, "", err)
	} else if number(args, 0) == 0 {
		m.read(err)
	}
	return nil, nil
}

// maxPrinted bounds what one call may log.
const maxPrinted = 100

func (m *machine) hostLog(args []any) (any, error) {
	for line := range strings.Lines(text(args, 1)) {
		line = hook.LogLine(line)
		if line != "" {
			line = m.p.label() + ": " + line
		}
		if !m.say(line) {
			break
		}
	}
	return nil, nil
}

// say logs a line of an event, also of what goes on after its end. It reports
// whether there may be more of them.
func (m *machine) say(line string) bool {
	of := cmp.Or(m.cur, m.after)
	if of == nil && !m.loading { // of no event: of a service
		if now := time.Now(); now.Sub(m.quiet) > m.p.afterwards {
			m.quiet, m.ofNone = now, call{}
		}
		of = &m.ofNone
	}
	if of != nil {
		if of.printed++; of.printed > maxPrinted {
			if of.printed == maxPrinted+1 {
				m.p.log(fmt.Sprintf("%s: more than %d lines for one event, or of a service in %v; the rest is left out", m.p.label(), maxPrinted, m.p.afterwards))
			}
			return false
		}
	}
	if line != "" {
		m.p.log(line)
	}
	return true
}

// begun makes an op.
func (m *machine) begun(cancel func()) (int, *op, error) {
	if len(m.ops) >= m.p.maxOps {
		cancel()
		return 0, nil, fmt.Errorf("the script has %d timers and requests open; wait for some of them first", m.p.maxOps)
	}
	m.last++
	o := &op{c: cmp.Or(m.cur, m.after), cancel: cancel}
	if m.loading {
		o.c = nil
	}
	m.ops[m.last] = o
	return m.last, o, nil
}

// bound returns an op an end that no call will give it. It may come at once, so
// all that is needed to cancel the op is there before.
func (m *machine) bound(o *op) {
	if !m.until.IsZero() {
		o.last(m.until)
	} else if o.c.over() {
		o.last(time.Now().Add(m.p.afterwards))
	}
}

func (m *machine) hostTimer(args []any) (any, error) {
	var t *time.Timer
	var id int
	id, o, err := m.begun(func() {
		if t != nil && t.Stop() { // it is not forgotten by itself, as work is that ends
			m.settle(id, "", context.Canceled)
		}
	})
	if err != nil {
		return nil, err
	}
	after := time.Duration(number(args, 0)) * time.Millisecond
	m.timers[id] = time.Now().Add(after)
	t = time.AfterFunc(after, m.ripe)
	m.bound(o)
	return id, nil
}

// ripe returns the timers that are due their turns: the one that was due first comes
// first, and of two for the same time the one that was made first. It takes all of
// them, since one that is about to be canceled may be due before the one that rang.
func (m *machine) ripe() {
	m.post(task{do: func() {
		now := time.Now()
		for {
			id := m.nextTimer(now)
			if id == 0 {
				return
			}
			delete(m.timers, id)
			m.settled(id, "", nil)
		}
	}})
}

// nextTimer is the timer that was due first until now, or 0.
func (m *machine) nextTimer(now time.Time) int {
	id := 0
	for other, due := range m.timers {
		if first := m.timers[id]; !due.After(now) && (id == 0 || due.Before(first) || due.Equal(first) && other < id) {
			id = other
		}
	}
	return id
}

func (m *machine) hostClear(args []any) (any, error) {
	id := number(args, 0)
	if o := m.ops[id]; o != nil {
		m.forget(id)
		o.cancel()
		if o.bound != nil {
			o.bound.Stop()
		}
	}
	return nil, nil
}

// hostStart begins work on a goroutine of its own.
func (m *machine) hostStart(args []any) (any, error) {
	what, list := text(args, 0), text(args, 1)
	work := works[what]
	if what == "feed" || what == "fed" {
		todo, err := feed(m, texts(json.RawMessage(list)))
		work = func(context.Context, *Program, json.RawMessage) (any, error) {
			if err != nil {
				return nil, err
			}
			return nil, todo()
		}
	}
	switch what {
	case "gate":
		work = m.gated(json.RawMessage(list))
	case "fire":
		work = m.fires(json.RawMessage(list))
	}
	if work == nil {
		return nil, fmt.Errorf("the host knows no %s", what)
	}
	ctx, cancel := context.WithCancel(m.context())
	id, o, err := m.begun(cancel)
	if err != nil {
		return nil, err
	}
	before, after := m.turn(what)
	m.ending.Go(func() {
		defer cancel()
		defer after()
		select {
		case <-before:
		case <-ctx.Done():
		}
		value, err := work(ctx, m.p, json.RawMessage(list))
		result := ""
		if err == nil && value != nil {
			var data []byte
			data, err = json.Marshal(value)
			result = string(data)
		}
		m.settle(id, result, err)
	})
	m.bound(o)
	return id, nil
}

// context has the values of the call whose code runs, and no end.
func (m *machine) context() context.Context {
	if m.cur == nil {
		return context.Background()
	}
	return context.WithoutCancel(m.cur.ctx)
}

// inTurn is work that a call does in the order in which it asks for it, awaited or not.
var inTurn = []string{"send", "remember", "forget"}

// turn returns what a piece of work has to wait for, and what ends its own turn.
func (m *machine) turn(what string) (before <-chan struct{}, after func()) {
	if m.cur == nil || !slices.Contains(inTurn, what) {
		return atOnce, func() {}
	}
	before = m.cur.turn
	if before == nil {
		before = atOnce
	}
	mine := make(chan struct{})
	m.cur.turn = mine
	return before, func() { close(mine) }
}

var atOnce = func() <-chan struct{} {
	now := make(chan struct{})
	close(now)
	return now
}()

// settle gives the script what it waits for.
func (m *machine) settle(id int, result string, err error) {
	m.post(task{do: func() { m.settled(id, result, err) }})
}

// forget drops an op.
func (m *machine) forget(id int) {
	delete(m.ops, id)
	delete(m.timers, id)
	delete(m.links, id)
}

func (m *machine) settled(id int, result string, err error) {
	o := m.ops[id]
	if o == nil { // cleared
		return
	}
	m.forget(id)
	o.cancel()
	if o.bound != nil {
		o.bound.Stop()
	}
	if err == nil && !o.until.IsZero() && !time.Now().Before(o.until) { // a timer of no time is faster than who gives it up
		err = context.Canceled
	}
	if err != nil {
		result = failure(err)
	}
	m.deliver(o, id, err != nil, result)
}

// deliver hands the script what an op has come to, or what it tells of itself.
func (m *machine) deliver(o *op, id int, failed bool, result string) {
	c := o.c
	if c.over() {
		m.after, c = c, nil
	}
	m.until = o.until // for what it begins: an interval, or a loop that awaits, must not go on for ever
	defer func() { m.until, m.after = time.Time{}, nil }()
	m.own(c, func() {
		if m.spoiled || !m.limit(c) {
			return
		}
		_, err := m.fns[1].Call(quickjs.UndefinedValue, id, failed, result)
		if err == nil {
			err = m.drain(c)
		}
		if err != nil {
			m.failed(c, err)
		}
	})
}

// own runs code that belongs to a call.
func (m *machine) own(c *call, run func()) {
	m.cur = c
	m.mu.Lock()
	m.nowRuns(c)
	m.mu.Unlock()
	run()
	m.cur = nil
}
