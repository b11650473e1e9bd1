package judge

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire"
)

// Firing is an event that a program fires itself, in hookway's own words.
type Firing struct {
	Event   string // any of the event's names
	Payload []byte // the payload's fields alone, or a flat event; empty is {}
	Body    any    // the payload as the event has it, in place of Payload

	// What the event has that does not say so itself.
	Session, Agent, Source, CWD string
	Metadata                    map[string]any

	ID   string    // of the event; "" makes one
	Time time.Time // of the event; zero is now

	// Env is what hooks find in their environment besides the daemon's own,
	// KEY=VALUE each.
	Env []string

	DryRun  bool // show which hooks would be asked, and ask none
	Foreign bool // who asks may be another user, or on another machine
}

// foreignEnv is all that a foreign program may put into a hook's environment:
// variables such as PATH make programs run others.
var foreignEnv = []string{"HOOKWAY_SESSION", "HOOKWAY_AGENT", "HOOKWAY_DEPTH"}

// check finds what is wrong with a firing, but for its event.
func (f *Firing) check() error {
	for _, kv := range f.Env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || strings.ContainsRune(kv, 0) {
			return &RequestError{Field: "env", Err: fmt.Errorf("%q is not a variable", name)}
		}
		if f.Foreign && !slices.Contains(foreignEnv, name) {
			return &RequestError{Field: "env", Err: fmt.Errorf("%s is not taken from another machine or user, since variables can make hooks run other programs; fire at the daemon's own socket to set it, or set env in the hook's configuration", name)}
		}
	}
	if depth := environ(f.Env).depth(); depth > maxDepth {
		return &RequestError{Field: "env", Err: fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)}
	}
	return nil
}

// Fire fires an event at the hooks of its folder and puts the outcome on record.
// A *RequestError says what is wrong with the firing; any other error means that
// there is no outcome. Events of one session that are fired at once run at once.
func (j *Judge) Fire(ctx context.Context, f Firing) (out hook.Outcome[any], err error) {
	defer func() {
		if p := recover(); p != nil {
			j.log(fmt.Sprintf("panic while %s was fired: %v\n%s", f.Event, p, debug.Stack()))
			out, err = hook.Outcome[any]{}, fmt.Errorf("hookway panicked: %v", p)
		}
	}()
	if err := f.check(); err != nil {
		return out, err
	}
	at, err := j.placeOf(f.CWD, f.Env)
	if err != nil {
		return out, err
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return out, err
	}
	defer w.leave()
	ev, err := f.event(w.Engine)
	if err != nil {
		return out, err
	}
	if f.DryRun {
		return w.rehearse(ctx, ev)
	}
	j.sessions.saw(ev, nil)
	return j.fireAt(ctx, w, ev, f.Env)
}

// fireAt fires an event and puts on record what comes of it.
func (j *Judge) fireAt(ctx context.Context, w *Workspace, ev hook.AnyEvent, env environ) (hook.Outcome[any], error) {
	if len(env) > 0 {
		ctx = command.WithEnviron(ctx, slices.Concat(os.Environ(), env))
	}
	return j.fireRecorded(j.sendsFor(ctx, w, ev), w, ev, func(hook.Outcome[any]) bool { return true })
}

// fireRecorded fires an event at the hooks of a workspace. What comes of it is on record
// if it counts; a failure always does.
func (j *Judge) fireRecorded(ctx context.Context, w *Workspace, ev hook.AnyEvent, counts func(hook.Outcome[any]) bool) (hook.Outcome[any], error) {
	began := time.Now()
	ctx, watch := Watching(ctx, ev)
	out, err := FireSettled(ctx, w.Engine, w.set, j.Approvals, ev)
	if err != nil || counts(out) {
		record := RecordOf(w.set, ev, &out, time.Since(began), err)
		record.Watched(watch)
		j.putAway(ctx, record)
	}
	return out, err
}

// Watching is a context in which what is found about an event is noted, for its record.
func Watching(ctx context.Context, ev hook.AnyEvent) (context.Context, *keep.Watch) {
	ctx, watch := keep.Watching(ctx, ev)
	return guards.WithKeeper(ctx, watch), watch
}

// RecordOf is the record of what came of an event that was fired at the hooks of a set.
// failure is why the chain did not finish; what it got to before is kept.
func RecordOf(set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any], took time.Duration, failure error) audit.Record {
	record := recordOf(ev, out, took)
	record.Workspace, record.Hide = set.Workspace, set.Settings.Redact
	if failure != nil {
		record.Failure = hook.LogLine("hookway could not decide: " + failure.Error())
	}
	return record
}

// putAway writes a record, though the caller may have gone: hooks were asked. One
// that cannot be written holds up no answer.
func (j *Judge) putAway(ctx context.Context, record audit.Record) {
	if j.Record == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if err := j.Record(ctx, record); err != nil {
		j.log(fmt.Sprintf("%s of session %s is not on record: %v", record.Event, record.Session, err))
	}
}

// event reads the event that is fired.
func (f *Firing) event(engine *hook.Engine) (hook.AnyEvent, error) {
	info, err := engine.Lookup(f.Event)
	if err != nil {
		return nil, &RequestError{Field: "event", Err: err}
	}
	ev, err := f.read(info)
	if err == nil {
		err = hook.Check(ev)
	}
	if err == nil {
		ev, err = info.New(f.complete(*ev.Head()), ev.Body())
	}
	if err != nil {
		return nil, &RequestError{Field: "payload", Err: err}
	}
	return ev, nil
}

// read reads the payload.
func (f *Firing) read(info *hook.EventInfo) (hook.AnyEvent, error) {
	if f.Body != nil {
		return info.New(hook.Envelope{}, f.Body)
	}
	payload := f.Payload
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	if err := wire.Bounded(payload); err != nil {
		return nil, err
	}
	return wire.NewEvent(info, payload)
}

// complete fills in what an envelope lacks.
func (f *Firing) complete(env hook.Envelope) hook.Envelope {
	said := environ(f.Env)
	for _, with := range []struct {
		to        *string
		otherwise []string
	}{
		{&env.Session, []string{f.Session, said.get("HOOKWAY_SESSION")}}, {&env.Agent, []string{f.Agent, said.get("HOOKWAY_AGENT")}},
		{&env.Source, []string{f.Source}}, {&env.CWD, []string{f.CWD}},
	} {
		for _, text := range with.otherwise {
			if *with.to == "" {
				*with.to = text
			}
		}
	}
	if env.Mark == nil && (f.ID != "" || !f.Time.IsZero()) {
		env.Mark = &hook.Mark{ID: hook.ParseID(f.ID), Time: f.Time}
	}
	if len(f.Metadata) > 0 {
		more := maps.Clone(f.Metadata)
		maps.Copy(more, env.Metadata)
		env.Metadata = more
	}
	return env
}

// rehearse fires an event at stand-ins without an opinion, so that the outcome
// names the hooks that would be asked. Observers are asked like guards, to be
// among the steps.
func (w *Workspace) rehearse(ctx context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
	engine, observers := new(hook.Engine), map[string]bool{}
	engine.AskFallback, engine.MaxContinues, engine.Analyse = w.Engine.AskFallback, w.Engine.MaxContinues, w.Engine.Analyse
	for _, info := range w.Engine.Events()[len(hook.Events()):] {
		if err := engine.Define(info); err != nil {
			return hook.Outcome[any]{}, err
		}
	}
	for _, h := range w.Engine.All() {
		h.Handler = hook.Static{}
		if h.Lane == hook.Observe {
			h.Lane, observers[h.ID] = hook.Guard, true
		}
		if err := engine.Add(h); err != nil {
			return hook.Outcome[any]{}, err
		}
	}
	out, err := engine.Fire(ctx, ev)
	for i, step := range out.Steps {
		if observers[step.Hook] {
			out.Steps[i].Lane = hook.Observe
		}
	}
	return out, err
}
