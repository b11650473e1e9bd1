package judge

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	variables "github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire/call"
)

// maxDepth is how deep hooks may call hookway, which calls hooks.
const maxDepth = 8

// Judge answers agents. The zero value keeps no record. Its fields must not be
// changed once it is used; its methods may be called from many goroutines.
type Judge struct {
	// Record puts an outcome on record and returns when that is done. Nil keeps none.
	Record func(context.Context, audit.Record) error

	// Draft begins to make an event ready to be kept on record, beside its decision.
	// hide is what its record will hide. Nil: that is done when the record is put.
	Draft func(ev hook.AnyEvent, hide []string) *audit.Draft

	// Settle waits until the events of what is on record can be read. Nil: they can.
	Settle func(context.Context)

	// AuditDir is the folder in which Record puts what Watch shows; "" has none.
	AuditDir string

	// Log gets what the user should be able to find out later. Nil drops it.
	Log *slog.Logger

	// Memory gives what agents remember to hooks that ask for it, by the folder in
	// which the agent works, its name and its session. Nil: nothing can be.
	Memory func(dir, agent, session string) hook.Memory

	// MemoryHooks makes the hooks by which memory does something by itself. Nil: it
	// does not.
	MemoryHooks func(config.Settings) config.MemoryHooks

	// Guards makes the handler of hookway's own rules. Nil: they judge each call alone.
	Guards func(*config.Guards) hook.Handler

	// Approvals opens what people are asked about. Nil: only agents ask, in place.
	Approvals Approvals

	// Webhooks keeps what webhooks are to be told. Nil: they are told from memory.
	Webhooks *spool.Spool

	// Relay is where the messages between agents are.
	Relay delivery.Relay

	// Continues is the folder in which a process that answers one event only
	// counts how often in a row hooks made an agent go on. "" leaves that to the
	// engine, which counts for as long as it lives.
	Continues string

	// Operations keeps what hooks set in the metadata for the later events of an
	// operation, see the function Operations. Nil: from memory.
	Operations *hook.Operations

	inMemory   hook.Operations
	native     delivery.Native
	opening    sync.Once // of native
	warned     warned
	workspaces workspaces
	seen       seen
	order      order
	held       held
	sessions   sessions
	registry   registry
	watchers   watchers
	changes    changes
	gateway    gateway
	approvals  approvals
	waking     waking
}

// Caller is the process that asks.
type Caller struct {
	PID int // 0: unknown
}

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
	one      *guards.OneCall   // nil until the event is fired, and if it is not a call
	yes      passedBy          // by which the call passes what hooks ask
	telling  []approve.Request // whose answers the agent is told now

	seenFiles config.Glances
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

// address is who the event comes from.
func (r *request) address() delivery.Address {
	head := r.ev.Head()
	return delivery.Address{Session: head.Session, Own: r.own, Agent: r.codec.About().Agent, Subagent: head.Subagent()}
}

// addLater adds text that waited for an event at which the agent takes some. At a
// stop it would make the agent go on, so it waits unless a hook does that anyway.
func (r *request) addLater(out *hook.Outcome[any]) {
	can := r.codec.About().Event(adapter.NativeName(r.ev)).Can
	if can&adapter.Inject == 0 || can&adapter.GoOn != 0 && out.Action != hook.ActionBlock && out.Inject == "" {
		return
	}
	out.Inject = visible.Join("\n\n", r.channel().Later.Take(r.address()), out.Inject)
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

// fit turns an outcome into what the agent can enforce.
func (r *request) fit(out hook.Outcome[any]) adapter.Fitted {
	about, fit := r.codec.About(), adapter.Fit
	if out.Action == hook.ActionAsk && r.unattended() {
		fit = adapter.FitUnattended
	}
	return fit(about, r.ev, out, r.w.askFallback(out.By))
}

func (j *Judge) log(line string) {
	if j.Log != nil {
		j.Log.Warn(line)
	}
}

// unattended reports whether nobody can be asked in place: an agent may be started so, and
// some wait for an answer without end then.
func (r *request) unattended() bool {
	about := r.codec.About()
	if about.Event(adapter.NativeName(r.ev)).HangsOnAsk {
		return adapter.Headless(r.from.PID, about.Agent)
	}
	return r.Approvals != nil && adapter.Unattended(r.from.PID, about.Agent)
}
