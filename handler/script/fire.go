package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
	"modernc.org/quickjs"
)

// A script's own HookEngine is an engine like any other: fire asks its hooks with
// their matchers, priorities, timeouts and retries, in the machine that fires.

// maxEngines is how many engines of a script are kept with their hooks; more are made anew.
const maxEngines = 64

// ownEngine is an engine of the script, with the hooks that it had at one time.
type ownEngine struct {
	version int
	hooks   *hook.Engine
	waits   bool // some of them are asked while the script goes on
}

// ownHook is a hook of such an engine, by its names in hookway.yaml.
type ownHook struct {
	Slot     int      `json:"slot"` // of its function
	ID       string   `json:"id"`
	On       string   `json:"on"`
	Match    ownMatch `json:"match"`
	Priority int      `json:"priority"`
	Timeout  string   `json:"timeout"`
	Retries  int      `json:"max_retries"`
	Async    bool     `json:"async"`
}

type ownMatch struct {
	Tool    words `json:"tool"`
	Path    words `json:"path"`
	Command words `json:"command"`
	Session words `json:"session"`
}

// words is a text or a list of them.
type words []string

// UnmarshalJSON reads either.
func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("a matcher's field must be a text")
	}
	*w = list
	return nil
}

// fires returns the work of firing an event: [engine, version, hooks, event]. What the
// engine's hooks are is settled now, whatever the script does to them later.
func (m *machine) fires(args json.RawMessage) work {
	fail := func(err error) work {
		return func(context.Context, *Program, json.RawMessage) (any, error) { return nil, err }
	}
	list := texts(args)
	var number, version int
	if len(list) != 4 || json.Unmarshal(list[0], &number) != nil || json.Unmarshal(list[1], &version) != nil {
		return fail(errors.New("what is fired cannot be read"))
	}
	own := m.engines[number]
	if own == nil || own.version != version {
		e, waits, err := m.ownEngine(list[2])
		if err != nil {
			return fail(err)
		}
		if own = (&ownEngine{version, e, waits}); len(m.engines) >= maxEngines {
			clear(m.engines)
		}
		m.engines[number] = own
	}
	ev, err := wire.DecodeEvent(list[3], nil)
	if err == nil {
		err = hook.Check(ev)
	}
	if err != nil {
		return fail(fmt.Errorf("fire: %w", err))
	}
	if head := ev.Head(); head.CWD == "" {
		head.CWD = m.folder()
	}
	of := m.cur
	return func(ctx context.Context, _ *Program, _ json.RawMessage) (any, error) {
		out, err := own.hooks.Fire(ctx, ev)
		m.tellFailed(of, out.Steps)
		if own.waits { // before the script hears of the outcome, so that it never has nothing to wait for
			m.post(task{c: of, do: func() { m.settleOwn(own.hooks) }})
		}
		if err != nil {
			return nil, fmt.Errorf("fire: %w", err)
		}
		return ownResult(ev, out)
	}
}

// ownEngine makes an engine of hooks, and says whether some are asked while the script goes on.
func (m *machine) ownEngine(text json.RawMessage) (e *hook.Engine, waits bool, err error) {
	var hooks []ownHook
	if err := json.Unmarshal(text, &hooks); err != nil {
		return nil, false, fmt.Errorf("the engine's hooks cannot be read: %w", err)
	}
	e = new(hook.Engine)
	e.Watch(func(n hook.Notice) {
		if n.Kind == hook.HookError && n.Lane == hook.Observe {
			m.tellFailed(nil, []hook.Step{{Hook: n.Hook, Err: n.Err}})
		}
	})
	var errs []error
	for _, h := range hooks {
		limit, err := time.ParseDuration(h.Timeout)
		if err != nil {
			return nil, false, fmt.Errorf("the timeout of hook %q cannot be read: %w", h.ID, err)
		}
		lane := hook.Transform
		if h.Async {
			lane, waits = hook.Observe, true
		}
		handler := &Handler{p: m.p, m: m, index: h.Slot, inner: true, o: Options{Profile: hook.ProfileA3S}}
		errs = append(errs, e.Add(hook.New(h.ID, handler, hook.For(h.On), hook.WithProfile(hook.ProfileA3S), hook.Priority(h.Priority), hook.Timeout(limit),
			hook.Retries(h.Retries), hook.As(lane),
			hook.Matching(hook.Match{Tool: h.Match.Tool, Path: h.Match.Path, Command: h.Match.Command, Session: h.Match.Session}))))
	}
	return e, waits, errors.Join(errs...)
}

// tellFailed logs which hooks failed, or answered what could not be carried out.
func (m *machine) tellFailed(of *call, steps []hook.Step) {
	for _, s := range steps {
		if s.Err == nil {
			continue
		}
		line := hook.LogLine(fmt.Sprintf("%s: hook %s, which the script fired: %v", m.p.label(), s.Hook, s.Err))
		m.post(task{c: of, do: func() { m.say(line) }})
	}
}

// result is what fire gives, as A3S Box has it.
type result struct {
	Action   string `json:"action"`
	Reason   string `json:"reason,omitempty"`
	Modified any    `json:"modified,omitempty"`
	Delay    int64  `json:"retry_delay_ms,omitempty"`
}

// ownResult reads the outcome of an event. What A3S Box has no action for stops: an
// ask, since no user is asked, and an answer in place of the operation.
func ownResult(ev hook.AnyEvent, out hook.Outcome[any]) (*result, error) {
	switch out.Action {
	case hook.ActionBlock, hook.ActionAsk:
		return &result{Action: "Block", Reason: out.Reason}, nil
	case hook.ActionAnswer:
		return &result{Action: "Block", Reason: fmt.Sprintf("hook %s answers in place of the operation", out.By)}, nil
	case hook.ActionRetry:
		return &result{Action: "Retry", Reason: out.Reason, Delay: out.RetryDelay.Milliseconds()}, nil
	}
	r := &result{Action: "Continue"}
	if !out.Changed {
		return r, nil
	}
	now, err := ev.Info().New(*ev.Head(), out.Payload)
	if err != nil {
		return nil, err
	}
	r.Modified, err = changes(ev, now)
	return r, err
}

// changes are the fields of an event that another one has differently: of a tool's
// call its arguments, after it its result, as a whole.
func changes(was, now hook.AnyEvent) (any, error) {
	a, err := fieldsOf(was)
	if err != nil {
		return nil, err
	}
	b, err := fieldsOf(now)
	if err != nil {
		return nil, err
	}
	changed := map[string]json.RawMessage{}
	for name, value := range b {
		if !reflect.DeepEqual(a[name], value) {
			changed[name] = value
		}
	}
	for _, whole := range []string{"tool_response", "tool_input"} {
		if value, ok := changed[whole]; ok {
			return value, nil
		}
	}
	delete(changed, "event_id")
	delete(changed, "time")
	return changed, nil
}

func fieldsOf(ev hook.AnyEvent) (map[string]json.RawMessage, error) {
	encoded, err := wire.Encode(ev)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	err = json.Unmarshal(encoded.Bytes(), &fields)
	return fields, err
}

// settleOwn waits for the hooks of an engine that no call waits for, whatever the script
// has made of that engine since: as long as they go on, the script does not wait for
// nothing, and a program does not end.
func (m *machine) settleOwn(e *hook.Engine) {
	base := context.Background()
	if m.cur != nil {
		base = context.WithoutCancel(m.cur.ctx)
	}
	ctx, cancel := context.WithCancel(base)
	id, o, err := m.begun(cancel)
	if err != nil { // too much is open: that is waited for
		cancel()
		return
	}
	m.ending.Go(func() {
		defer cancel()
		m.settle(id, "", e.Close(ctx))
	})
	m.bound(o)
}

// errStopped is the failure of a hook whose machine ended before it began.
var errStopped = errors.New("the script was stopped before the hook began")

// askWithin asks a function of the script for an event that the script itself fired:
// at once, also while the file is being read, and in this machine.
func (m *machine) askWithin(ctx context.Context, slot int, event string) (string, error) {
	if m.waiting() >= maxWaiting {
		return "", fmt.Errorf("%s: %d events wait for it already", m.p.label(), maxWaiting)
	}
	c := &call{ctx: ctx, index: slot, event: event, until: untilOf(ctx), replies: make(chan reply, 1), inner: true}
	m.pending.Add(1)
	if !m.post(task{c, func() { m.begin(c) }, false}) {
		m.pending.Add(-1)
		return "", errStopped
	}
	hook.Begun(ctx)
	select {
	case r := <-c.replies:
		if errors.Is(r.err, errGone) {
			r.err = errStopped
		}
		return r.text, r.err
	case <-ctx.Done():
		m.abandon(c)
		return "", ctx.Err()
	}
}

// stopInner ends a call for an event that the script itself fired, whose code was
// stopped: the script goes on, as if the handler had thrown.
func (m *machine) stopInner(c *call, err error) {
	_ = m.js.SetEvalTimeout(abortTime)
	_, _ = m.fns[2].Call(quickjs.UndefinedValue, c.id, "the hook's time is over") // it forgets the call
	m.answer(c, "", err)
}
