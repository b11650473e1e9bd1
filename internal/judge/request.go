package judge

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	variables "github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/wire/call"
)

// maxDepth is how deep hooks may call hookway, which calls hooks.
const maxDepth = 8

// request is one call being judged.
type request struct {
	*Judge
	in       *call.Request
	call     adapter.Call // what the agent wrote
	from     Caller
	env      environ
	began    time.Time
	codec    adapter.Codec
	w        *Workspace
	roots    []string          // of the agent's workspace, if it has several
	others   []*Workspace      // of these roots, besides w
	ev       hook.AnyEvent     // nil until it is decoded
	own      string            // the session's id in the agent's words
	delivery *delivery.Answer  // nil until the event is decoded
	one      *guards.OneCall   // nil until the event is fired, and if it is no call
	yes      passedBy          // by which the call passes what hooks ask
	telling  []approve.Request // whose answers the agent is told now

	seenFiles config.Glances
}

// open opens the workspaces whose hooks are asked.
func (r *request) open(ctx context.Context) (leave func(), err error) {
	if depth := r.env.depth(); depth > maxDepth {
		return nil, fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)
	}
	if r.w, err = r.workspaces.open(ctx, r); err != nil {
		return nil, err
	}
	leave = func() {
		r.leaveOthers()
		r.w.leave()
	}
	if err := r.openOthers(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// patience is how long the hooks may take: what the caller waits, less what it
// takes to bring it the answer.
func (r *request) patience() time.Duration {
	wait := r.in.Timeout
	if wait <= 0 {
		wait = r.codec.About().Event(r.native()).Wait
	}
	if wait <= 0 {
		wait = time.Minute
	}
	return wait - min(wait/20, 100*time.Millisecond)
}

// native is the event's native name as far as it is known without decoding it.
func (r *request) native() string {
	if r.in.Event != "" {
		return r.in.Event
	}
	return call.EventName(r.in.Stdin)
}

// inSession puts an event into the session of the terminal that the agent was
// wrapped in by hookway run, and where the agent works if it does not say where.
func (r *request) inSession(ev hook.AnyEvent) (hook.AnyEvent, error) {
	env := *ev.Head()
	id := r.env.get("HOOKWAY_SESSION")
	env.Mark = r.asideMark(ev)
	if id == "" && env.CWD != "" && env.Mark == nil {
		return ev, nil
	}
	if id != "" {
		env.Session = id
	}
	if env.CWD == "" {
		env.CWD = r.in.Dir
	}
	return ev.Info().New(env, ev.Body())
}

// named gives the agent of a wrapped session the name that it was given there.
func (r *request) named(ev hook.AnyEvent) (hook.AnyEvent, error) {
	name := r.delivery.AgentName()
	if name == "" {
		return ev, nil
	}
	env := *ev.Head()
	env.Agent = name
	return ev.Info().New(env, ev.Body())
}

// mostAside bounds how late an event that is not waited for is believed to come.
const mostAside = time.Minute

// asideMark is the time of an event that is not waited for, and which may so come
// after later ones: what the agent says, if it says it. nil is the time at which it
// comes.
func (r *request) asideMark(ev hook.AnyEvent) *hook.Mark {
	stamp := agentTime(ev)
	if age := time.Since(stamp); stamp.IsZero() || age < 0 || age > mostAside || !r.codec.About().Event(adapter.NativeName(ev)).Aside {
		return ev.Head().Mark
	}
	return &hook.Mark{Time: stamp}
}

// environ is the caller's environment.
type environ []string

func (e environ) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- { // the last one counts
		if kv := e[i]; len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}

// depth is how many hooks stand between the user and this call.
func (e environ) depth() int { return variables.Depth(e.get(variables.DepthVariable)) }

// channel brings text to agents by their own hooks.
func (j *Judge) channel() *delivery.Native {
	j.opening.Do(func() { j.native.Relay, j.native.Log, j.native.OneEvent = j.Relay, j.Log, j.Continues != "" })
	return &j.native
}

// Meet has the agents that were there before the first message was get their inboxes.
func (j *Judge) Meet(ctx context.Context) { j.channel().Meet(ctx) }

// event is the event as delivery sees it.
func (r *request) event() delivery.Event {
	about := r.codec.About()
	native := adapter.NativeName(r.ev)
	can := about.Event(native).Can
	session, depth := r.env.get("HOOKWAY_SESSION"), r.env.depth()
	e := delivery.Event{
		AnyEvent: r.ev, Agent: about.Agent, Own: r.own, Native: native, Raw: r.in.Stdin, Began: r.began, PID: r.from.PID,
		Name: r.env.get("HOOKWAY_AGENT"), Session: session, Inside: session != "" || depth > 0,
		Injects: can&adapter.Inject != 0, GoesOn: can&adapter.GoOn != 0, Prompts: turnOf(about) == hook.AgentStart.Info(),
		Hooks: func(name string, hops int) delivery.Hooks { return r.messageHooks(name, hops) }, Limit: r.limit,
	}
	if session != "" && depth == 0 {
		if _, state, err := config.Places(r.setting); err == nil {
			e.State = state
		}
	}
	return e
}

// address is who the event comes from.
func (r *request) address() delivery.Address {
	head := r.ev.Head()
	return delivery.Address{Session: head.Session, Own: r.own, Agent: r.codec.About().Agent, Subagent: head.Subagent()}
}

// limit bounds how often in a row hooks make an agent go on.
func (r *request) limit(out *hook.Outcome[any]) {
	if err := r.limitContinues(out); err != nil {
		r.log(err.Error())
	}
}

// addLater adds text that waited for an event at which the agent takes some. At a
// stop it would make the agent go on, so it waits unless a hook does that anyway.
func (r *request) addLater(out *hook.Outcome[any]) {
	can := r.codec.About().Event(adapter.NativeName(r.ev)).Can
	if can&adapter.Inject == 0 || can&adapter.GoOn != 0 && out.Action != hook.ActionBlock && out.Inject == "" {
		return
	}
	out.Inject = joined(r.channel().Later.Take(r.address()), out.Inject, "\n\n")
}

// known answers an event whose hooks ran when hookway run, or the agent, reported it
// before. Items that wait are in the answer.
func (r *request) known(ctx context.Context) (call.Reply, error) {
	out := hook.Outcome[any]{Verdict: hook.Verdict{Event: r.ev.Info().Name}, Payload: r.ev.Body()}
	tell(r.w.set, r.ev, &out)
	r.delivery.Add(ctx, r.ev, &out)
	answer, err := r.codec.Encode(r.ev, r.fit(out).Outcome)
	return r.sending(answer, nil), err
}

// endTime bounds the hooks of an end, which are not cut short because the agent
// does not wait for them.
const endTime = time.Minute

// end answers an end of a wrapped session. It is fired once, however often it is
// reported; if this one cannot be judged to its end, another may be.
func (r *request) end(ctx context.Context) (reply call.Reply, err error) {
	first, err := r.delivery.End(ctx, func() (err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		reply, err = r.decide(ctx)
		return err
	})
	if !first {
		return r.known(ctx)
	}
	return reply, err
}

// repeat gives the answer of a report before this one, and puts on record that it
// did.
func (r *request) repeat(ctx context.Context, f *flight) (reply call.Reply, err error) {
	out, err := f.wait(ctx)
	if err != nil {
		return reply, err
	}
	if f.agents == r.codec.About().Name+" "+adapter.NativeName(r.ev) { // then the first answer can tell all
		out.Inject, out.UserMessage = "", ""
	}
	r.forgo(&out)
	r.delivery.AddRepeated(ctx, r.ev, &out)
	fitted := r.fit(out)
	if out.Action == hook.ActionAsk {
		fitted.Outcome.Reason += f.more
	}
	answer, err := r.codec.Encode(r.ev, fitted.Outcome)
	if err != nil {
		return reply, err
	}
	record := audit.NewRepeat(audit.FromOutcome(r.ev, &fitted.Outcome, time.Since(r.began)), f.event)
	r.put(ctx, record)
	return r.sending(answer, r.untaken(record)), nil
}

// forgo leaves a change to the first report of a call where this one tells too
// little of the call to have it: what it does tell is as the hooks left it.
func (r *request) forgo(out *hook.Outcome[any]) {
	after, changed := out.Payload.(hook.ToolUse)
	now, ok := r.ev.Body().(hook.ToolUse)
	if !changed || !ok || !out.Changed || r.codec.About().Event(adapter.NativeName(r.ev)).Can&adapter.ChangeInput != 0 {
		return
	}
	if reflect.DeepEqual(adapter.Gist(r.ev, after.ToolName, after.ToolInput), adapter.Gist(r.ev, now.ToolName, now.ToolInput)) {
		out.Changed, out.Payload = false, now
	}
}

// ends reports whether nothing comes any more from who this event is about.
func (r *request) ends(decided hook.Action) bool {
	switch r.ev.Info() {
	case hook.SessionEnd.Info():
		return true
	case hook.SubagentStop.Info():
		return decided != hook.ActionBlock && r.ev.Head().Subagent() != ""
	}
	return false
}

// sending is the reply with an answer. When it was sent, what became of the items in it
// is noted, and then what else there is to note.
func (r *request) sending(answer adapter.Reply, noted func(error)) call.Reply {
	reply := call.Reply{Stdout: answer.Stdout, Stderr: answer.Stderr, ExitCode: answer.ExitCode, Sent: noted}
	sent, told := r.delivery.Sent(), r.told()
	if sent == nil && told == nil {
		return reply
	}
	reply.Sent = func(err error) {
		if sent != nil {
			sent(fate(err))
		}
		if told != nil {
			told(err)
		}
		if noted != nil {
			noted(err)
		}
	}
	return reply
}

// fate is what became of the items of an answer.
func fate(sent error) delivery.Fate {
	switch {
	case sent == nil:
		return delivery.Delivered
	case errors.Is(sent, call.ErrUnshown):
		return delivery.Unconfirmed
	}
	return delivery.Returned
}
