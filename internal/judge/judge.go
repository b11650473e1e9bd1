package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/wire/call"
)

// Judge answers agents. The zero value keeps no record. Its fields must not be
// changed once it is used; its methods may be called from many goroutines.
type Judge struct {
	// Record puts an outcome on record and returns when that is done. Nil keeps none.
	Record func(context.Context, audit.Record) error

	// AuditDir is the folder in which Record puts what Watch shows; "" has none.
	AuditDir string

	// Log is given what the user should be able to find out later, one line at a
	// time. Nil drops the lines.
	Log func(line string)

	// Memory gives what agents remember to hooks that ask for it, by the folder in
	// which the agent works, its name and its session. Nil: nothing can be.
	Memory func(dir, agent, session string) hook.Memory

	// MemoryHooks makes the hooks by which memory does something by itself. Nil: it
	// does not.
	MemoryHooks func(config.Settings) config.MemoryHooks

	// Webhooks keeps what webhooks are to be told. Nil: they are told from memory.
	Webhooks *spool.Spool

	// Relay is where the messages between agents are.
	Relay Relay

	// Continues is the folder in which a process that answers one event only
	// counts how often in a row hooks made an agent go on. "" leaves that to the
	// engine, which counts for as long as it lives.
	Continues string

	// Operations keeps what hooks set in the metadata for the later events of an
	// operation, see the function Operations. Nil: from memory.
	Operations *hook.Operations

	inMemory   hook.Operations
	told       told
	workspaces workspaces
	seen       seen
	order      order
	later      later
	held       held
	sessions   sessions
	mail       mail
	registry   registry
	watchers   watchers
	changes    changes
	gateway    gateway
}

// maxDepth is how deep hooks may call hookway, which calls hooks.
const maxDepth = 8

// recordTime bounds how long an answer waits for its record: a disk that hangs
// must not turn a refusal into a timeout, which agents take for a yes.
const recordTime = time.Second

// Caller is the process that asks.
type Caller struct {
	PID int // 0: unknown
}

// Answer judges one call. It always gives an answer; Err in it is never set.
func (j *Judge) Answer(ctx context.Context, from Caller, r *call.Request) (reply call.Reply) {
	h := &hearing{Judge: j, request: r, from: from, began: time.Now(), env: environ(r.Env)}
	defer func() {
		if p := recover(); p != nil { // a bug of ours must not open the gate
			j.log(fmt.Sprintf("panic while an event of %s was judged: %v\n%s", r.Agent, p, debug.Stack()))
			reply = h.refuse(fmt.Errorf("hookway panicked: %v", p))
		}
	}()
	codec, err := adapter.Lookup(r.Agent)
	if err != nil {
		return h.refuse(err)
	}
	h.codec = codec
	ctx, cancel := context.WithTimeout(ctx, h.patience())
	defer cancel()
	reply, err = h.answer(command.WithEnviron(ctx, r.Env))
	if err != nil {
		return h.refuse(err)
	}
	return reply
}

// hearing is one call being judged.
type hearing struct {
	*Judge
	request *call.Request
	from    Caller
	env     environ
	began   time.Time
	codec   adapter.Codec
	w       *Workspace
	roots   []string      // of the agent's workspace, if it has several
	others  []*Workspace  // of these roots, besides w
	ev      hook.AnyEvent // nil until it is decoded
	own     string        // the session's id in the agent's words
	member  *member       // nil unless the agent is wrapped
	guest   *guest        // nil unless messages reach it by its own hooks alone
	handing []handout     // messages that are in the answer
	retold  []unproven    // those that the agent was told before, and has lost
	replied time.Time     // when it was made
}

func (h *hearing) answer(ctx context.Context) (call.Reply, error) {
	if depth := h.env.depth(); depth > maxDepth {
		return call.Reply{}, fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)
	}
	w, err := h.workspaces.open(ctx, h)
	if err != nil {
		return call.Reply{}, err
	}
	defer w.leave()
	h.w = w
	defer h.leaveOthers()
	if err := h.openOthers(ctx); err != nil {
		return call.Reply{}, err
	}
	ev, err := h.codec.Decode(adapter.Call{Event: h.request.Event, Stdin: h.request.Stdin}, w.Engine.Lookup)
	if err != nil {
		return call.Reply{}, err
	}
	if err := hook.Check(ev); err != nil {
		return call.Reply{}, err
	}
	h.own = ev.Head().Session
	h.member = h.join(ev)
	if h.ev, err = h.inSession(ev); err != nil {
		return call.Reply{}, err
	}
	h.sessions.saw(h.ev, h.member)
	if h.member == nil {
		h.guest = h.visit(ctx, h.ev)
		defer h.farewell()
	}
	if h.member.again(h.ev) {
		return h.matched()
	}
	if h.member != nil && h.ev.Info() == hook.SessionEnd.Info() {
		return h.end(ctx)
	}
	return h.decide(ctx)
}

// decide fires the event, unless that was done, and answers.
func (h *hearing) decide(ctx context.Context) (call.Reply, error) {
	h.seen.end(h.hooks(), h.ev)
	f, first := h.seen.claim(h.hooks(), h.codec.About().Name, h.apart, h.ev)
	if !first { // the agent reports one thing twice: the hooks ran, or run, already
		out, err := f.wait(ctx)
		if err != nil {
			return call.Reply{}, err
		}
		if f.agents == h.codec.About().Name+" "+adapter.NativeName(h.ev) { // then the first answer can tell all
			out.Inject, out.UserMessage = "", ""
		}
		h.forgo(&out)
		if h.ev.Info() != hook.AgentStop.Info() { // the first report may have been at an event that takes no text
			h.hand(ctx, &out)
		}
		return h.repeat(ctx, f, out)
	}
	out, err := h.inTurn(ctx)
	if err == nil {
		h.catchUp(&out)
	}
	f.settle(h.ev.ID(), out, err)
	if err != nil {
		return call.Reply{}, err
	}
	h.reopen()
	h.collect(&out)
	h.hand(ctx, &out)
	return h.deliver(ctx, out)
}

// repeat gives the answer of a report before this one, and puts on record that it
// did.
func (h *hearing) repeat(ctx context.Context, f *flight, out hook.Outcome[any]) (call.Reply, error) {
	fitted, r, err := h.encode(out)
	if err != nil {
		return call.Reply{}, err
	}
	record := audit.NewRepeat(audit.FromOutcome(h.ev, &fitted.Outcome, time.Since(h.began)), f.event)
	h.put(ctx, record)
	return h.sending(h.weighed(record, call.Reply{Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode})), nil
}

// forgo leaves a change to the first report of a call where this one tells too
// little of the call to have it: what it does tell is as the hooks left it.
func (h *hearing) forgo(out *hook.Outcome[any]) {
	after, changed := out.Payload.(hook.ToolUse)
	now, ok := h.ev.Body().(hook.ToolUse)
	if !changed || !ok || !out.Changed || h.codec.About().Event(adapter.NativeName(h.ev)).Can&adapter.ChangeInput != 0 {
		return
	}
	if reflect.DeepEqual(adapter.Gist(h.ev, after.ToolName, after.ToolInput), adapter.Gist(h.ev, now.ToolName, now.ToolInput)) {
		out.Changed, out.Payload = false, now
	}
}

// inTurn fires the event when the earlier ones of its session are answered. A
// hook that fires events itself must not wait for the one that it is run for.
func (h *hearing) inTurn(ctx context.Context) (out hook.Outcome[any], err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = hook.Outcome[any]{}, fmt.Errorf("hookway panicked: %v", p)
			h.log(fmt.Sprintf("panic while %s was judged: %v\n%s", h.ev.Info().Name, p, debug.Stack()))
		}
	}()
	if h.env.depth() == 0 {
		leave, err := h.order.enter(ctx, h.ev.Head().Session)
		if err != nil {
			return out, fmt.Errorf("an earlier event of the same session took too long: %w", err)
		}
		defer leave()
	}
	if h.ev, err = h.mark(h.ev); err != nil {
		return out, err
	}
	out, err = h.w.Engine.Fire(h.sends(ctx), h.ev)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the hooks took longer than %s waits; give them a shorter timeout, or install hookway with a longer one: %w", h.codec.About().Title, err)
		}
		return out, err
	}
	h.w.Engine.FailedTool(h.sends(ctx), h.ev, &out)
	if err := h.askOthers(ctx, &out); err != nil {
		return out, err
	}
	if err := h.limitContinues(&out); err != nil {
		h.log(err.Error())
	}
	Caution(h.w.set, h.ev, &out)
	h.tellUntrusted(&out)
	return out, nil
}

// catchUp adds text that waited for an event at which the agent takes some. At a
// stop it would make the agent go on, so it waits unless a hook does that anyway.
func (h *hearing) catchUp(out *hook.Outcome[any]) {
	can := h.codec.About().Event(adapter.NativeName(h.ev)).Can
	if can&adapter.Inject == 0 || can&adapter.GoOn != 0 && out.Action != hook.ActionBlock && out.Inject == "" {
		return
	}
	text := h.later.take(h.reader())
	if text != "" && out.Inject != "" {
		text += "\n\n"
	}
	out.Inject = text + out.Inject
}

// encode turns an outcome into what the agent reads and enforces.
func (h *hearing) encode(out hook.Outcome[any]) (adapter.Fitted, adapter.Reply, error) {
	about, fit := h.codec.About(), adapter.Fit
	if out.Action == hook.ActionAsk && about.Event(adapter.NativeName(h.ev)).HangsOnAsk && adapter.Headless(h.from.PID, about.Agent) {
		fit = adapter.FitUnattended
	}
	fitted := fit(about, h.ev, out, h.w.askFallback())
	r, err := h.codec.Encode(h.ev, fitted.Outcome)
	return fitted, r, err
}

// deliver gives the answer, and puts the outcome on record.
func (h *hearing) deliver(ctx context.Context, out hook.Outcome[any]) (call.Reply, error) {
	fitted, r, err := h.encode(out)
	if err != nil {
		return call.Reply{}, err
	}
	record := audit.FromOutcome(h.ev, &fitted.Outcome, time.Since(h.began))
	for _, d := range fitted.Degraded {
		record.Degraded = append(record.Degraded, d.String())
	}
	record.Warnings = append(record.Warnings, h.later.put(h.reader(), fitted.Later)...)
	if h.ev.Info() == hook.AgentStop.Info() && fitted.Outcome.Action != hook.ActionBlock {
		if err := h.w.set.Unheard(h.ev.Head().Session, out.Steps); err != nil {
			record.Warnings = append(record.Warnings, err.Error())
		}
	}
	if h.ends(fitted.Outcome.Action) {
		record.Warnings = append(record.Warnings, h.later.end(h.reader())...)
	}
	record.Warnings = append(record.Warnings, r.Warnings...)
	h.put(ctx, record)
	return h.sending(h.weighed(record, call.Reply{Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode})), nil
}

// weighed has it put on record if an answer that decides something does not get to
// the agent, which then does as if it had none: who was to bring it was killed, or
// had no time left.
func (h *hearing) weighed(record audit.Record, r call.Reply) call.Reply {
	decided := cmp.Or(record.Answer, record.Action)
	if decided == hook.ActionContinue.String() && len(record.Changes) == 0 && record.Inject == "" {
		return r
	}
	r.Sent = func(err error) {
		var gaveUp *call.GaveUpError
		if err == nil || errors.As(err, &gaveUp) && gaveUp.Policy == decided { // it answered the same
			return
		}
		why := err.Error()
		if gaveUp != nil {
			why += fmt.Sprintf("; its own answer is %q", gaveUp.Policy)
		}
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		h.put(ctx, audit.NewUntaken(record, why))
	}
	return r
}

// ends reports whether nothing comes any more from who this event is about.
func (h *hearing) ends(decided hook.Action) bool {
	switch h.ev.Info() {
	case hook.SessionEnd.Info():
		return true
	case hook.SubagentStop.Info():
		return decided != hook.ActionBlock && h.ev.Head().Subagent() != ""
	}
	return false
}

// refuse answers when there is no outcome.
func (h *hearing) refuse(err error) call.Reply {
	reason := hook.LogLine("hookway could not decide: " + err.Error())
	h.log(reason)
	h.putBack()
	h.handed(err)
	h.rest()
	r := h.request
	reply := call.Refuse(r.Agent, r.Event, r.Stdin, r.Policy, reason)
	record := audit.Record{Time: time.Now(), Event: r.Event, Native: r.Event, Agent: r.Agent, Source: r.Agent, CWD: r.Dir, DurationMS: float64(time.Since(h.began)) / 1e6}
	if h.ev != nil {
		none := hook.Outcome[any]{Verdict: hook.Verdict{Event: h.ev.Info().Name}, Payload: h.ev.Body()}
		record = audit.FromOutcome(h.ev, &none, time.Since(h.began))
	} else if record.Event == "" {
		record.Event = call.EventName(r.Stdin)
	}
	record.Failure, record.Action = reason, refusedAs(reply, r)
	ctx, cancel := context.WithTimeout(context.Background(), h.left())
	defer cancel()
	h.put(ctx, record)
	return h.weighed(record, reply)
}

// leastTime is what a record of a refusal is given when there is no time left: it
// says why there was no decision.
const leastTime = 50 * time.Millisecond

// left is how long a refusal may wait for its record. The other half of the time
// is for the way back.
func (h *hearing) left() time.Duration {
	if h.request.Timeout <= 0 {
		return recordTime
	}
	return max((h.request.Timeout-time.Since(h.began))/2, leastTime)
}

// refusedAs says what a refusal does: it differs by event and policy.
func refusedAs(reply call.Reply, r *call.Request) string {
	pass := call.NoOpinion(r.Agent, r.Event)
	if reply.ExitCode == pass.ExitCode && string(reply.Stdout) == string(pass.Stdout) {
		return hook.ActionContinue.String()
	}
	return hook.ActionBlock.String()
}

// put writes a record. A record that cannot be written holds up no answer.
func (h *hearing) put(ctx context.Context, record audit.Record) {
	defer func() {
		if p := recover(); p != nil {
			h.log(fmt.Sprintf("panic while %s was put on record: %v\n%s", record.Event, p, debug.Stack()))
		}
	}()
	if h.w != nil {
		record.Workspace = h.w.Folder
		record.Hide = h.w.set.Settings.Redact
	}
	for _, text := range append(record.Degraded, record.Warnings...) {
		h.log(text)
	}
	if h.Record == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	if err := h.Record(ctx, record); err != nil {
		h.log(fmt.Sprintf("%s of session %s is not on record: %v", record.Event, record.Session, err))
	}
}

func (j *Judge) log(line string) {
	if j.Log != nil {
		j.Log(line)
	}
}
