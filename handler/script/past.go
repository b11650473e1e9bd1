package script

import (
	"time"

	"github.com/hookway/hookway/hook"
	"modernc.org/quickjs"
)

// pastText puts a Date in the place of the engine's whose clock is hookway's.
const pastText = `(() => {
  const Real = Date, clock = __hookway_clock, { construct, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const past = { Date: function (...args) {
    if (!new.target) return new Real(clock()).toString();
    return construct(Real, args.length ? args : [clock()], new.target);
  } }.Date;
  for (const name of ownKeys(Real)) defineProperty(past, name, getOwnPropertyDescriptor(Real, name));
  defineProperty(past, "now", { value: { now: () => clock() }.now, writable: true, configurable: true, enumerable: false });
  defineProperty(Real.prototype, "constructor", { value: past, writable: true, configurable: true, enumerable: false });
  globalThis.Date = past;
  delete globalThis.__hookway_clock;
})()`

// past gives the script the time of its events for the clock's, if it is to have that.
func (m *machine) past() error {
	if !m.p.c.Past {
		return nil
	}
	err := m.js.RegisterHostFunc("__hookway_clock", func([]any) (any, error) {
		return float64(m.clock().UnixMilli()), nil
	})
	if err != nil {
		return err
	}
	v, err := m.js.EvalValue(pastText, quickjs.EvalGlobal)
	if err == nil {
		v.Free()
	}
	return err
}

// clock is what the clock has shown when the event happened whose code runs, and as much
// later as that takes by now.
func (m *machine) clock() time.Time {
	c := m.cur
	if c == nil {
		c = m.runs
	}
	if c != nil {
		if head, ok := c.ctx.Value(headKey{}).(*hook.Envelope); ok && head.Mark != nil {
			m.behind = c.began.Sub(head.Mark.Time)
		}
	}
	return time.Now().Add(-m.behind)
}
