package judge

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/process"
	"github.com/hookway/hookway/internal/visible"
)

// What a hook asks about can be answered from elsewhere. It is a request in a file before
// anybody is asked, and whoever made the call goes on by one of three routes: the agent
// asks its user in place, and the first answer wins; the call is held here until somebody
// answers; or it is refused with a code, and passes when it comes again after a yes.

// Approvals opens the requests; fresh makes the file if there is none, else nil stands for
// that. To close it is the caller's part.
type Approvals func(ctx context.Context, fresh bool) (*approve.Store, error)

// approvals is what a judge has of requests besides their file.
type approvals struct {
	dialogs dialogs
	once    sync.Once
	held    context.Context // ends when no call may be held any more
	end     context.CancelFunc
}

func (a *approvals) ending() (held context.Context, end context.CancelFunc) {
	a.once.Do(func() { a.held, a.end = context.WithCancel(context.Background()) })
	return a.held, a.end
}

// endingError is why a call that is held has no answer here: the same call, judged by
// another process, joins its request.
type endingError struct{ code string }

func (e *endingError) Error() string {
	return "hookway ends here while the call waits for approval " + e.code
}

// asking is a call that hooks ask about, or an agent.
type asking struct {
	open     Approvals
	config   *config.Approvals
	call     approve.Call
	fallback hook.Action            // what an ask becomes without an answer
	inPlace  bool                   // who makes the call can ask its user
	beside   bool                   // and does so now, while this waits
	asks     string                 // the agent, if an answer from elsewhere does not end its question
	patience time.Duration          // how long it can be held; 0: not at all
	held     context.Context        // ends when no call may be held any more; nil: with its own context
	asked    func(*approve.Request) // is told of the request
	used     *approve.Said          // the yes to this one call by which it passes
}

// Bounds of what waits for people.
const (
	leastHold  = 20 * time.Second // else nobody could answer in time
	mostMargin = 5 * time.Second  // of an agent's patience, for the way back
	mostRounds = 50               // answers that were for equal calls
)

// decide makes of an ask what a person says, if they said or say something. waits is what
// to say to who makes the call, if it has to come again.
func (a *asking) decide(ctx context.Context, out *hook.Outcome[any]) (waits string, err error) {
	a.call.Report = cmp.Or(a.call.Report, rand.Text()) // who waits is counted, also if it is not known who it is
	asks := out.Action == hook.ActionAsk
	s, err := a.open(ctx, asks && !a.passes())
	if s == nil || err != nil {
		return a.cannot(out, err), nil
	}
	defer s.Close()
	until := time.Now().Add(a.patience)
	for round := range mostRounds {
		said, err := s.Use(ctx, a.call)
		if err != nil {
			return a.cannot(out, err), nil
		}
		if said != nil {
			if said.Yes && said.Scope == approve.ScopeOnce {
				a.used = said
			}
			a.settle(out, said)
			return "", nil
		}
		r, err := a.request(ctx, s, asks)
		if r == nil && err == nil && !asks && round == 0 { // it may just have been answered
			continue
		}
		if r == nil || err != nil {
			return a.cannot(out, err), nil
		}
		if r.Code != "" {
			a.note(out, r)
			if a.asked != nil {
				a.asked(r)
			}
		}
		if r.State != approve.Waiting && r.State != approve.TimedOut { // it was answered meanwhile
			continue
		}
		if r, err = a.wait(ctx, s, r, time.Until(until)); err != nil {
			if ending := new(endingError); errors.As(err, &ending) {
				return "", err
			}
			return a.cannot(out, err), nil
		}
		switch {
		case r.State == approve.Waiting:
			if a.call.Route == approve.RouteRetry {
				if a.always() {
					out.Action = hook.ActionBlock
				}
				waits = fmt.Sprintf(" Waiting for approval %s: do something else, or run `hookway approvals wait %s`. A person allows it in a terminal of their own: hookway approvals allow %s", r.Code, r.Code, r.Code)
			}
			return waits, nil
		case r.State == approve.TimedOut && asks:
			a.timedOut(out, r)
			return "", nil
		}
	}
	return a.cannot(out, errors.New("too many equal calls wait for answers")), nil
}

// passes reports whether an ask passes at once, because nobody can be asked in place.
func (a *asking) passes() bool {
	return !a.inPlace && a.fallback == hook.ActionAllow && a.config.Hold != config.HoldAlways
}

// request is the request about the call: a new one if hooks ask, else one that there is;
// nil if there is none.
func (a *asking) request(ctx context.Context, s *approve.Store, asks bool) (*approve.Request, error) {
	if !asks {
		return s.Joined(ctx, a.call)
	}
	if a.passes() {
		return nil, nil
	}
	var err error
	if a.call.Route, err = a.route(ctx, s); err != nil {
		return nil, err
	}
	if a.call.Wait = 0; a.call.Route == approve.RouteHold {
		a.call.Wait = a.hold()
	}
	call := a.call
	if a.asks != "" && call.Route == approve.RouteDialog {
		call.Reason = strings.TrimSpace(call.Reason + " (" + a.asks + " asks its user as well. An answer from here does not end that question: it is for when the call is made again.)")
	}
	r, err := s.Ask(ctx, call, process.Namespaces())
	return &r, err
}

// route is how the call goes on: it is held where nobody can be asked in place, but
// somebody is there who would answer.
func (a *asking) route(ctx context.Context, s *approve.Store) (approve.Route, error) {
	can := a.patience >= leastHold
	switch {
	case can && a.always():
		return approve.RouteHold, nil
	case a.inPlace && !a.always():
		return approve.RouteDialog, nil
	case !can || a.config.Hold == config.HoldNever:
		return approve.RouteRetry, nil
	}
	attended, err := s.Attended(ctx)
	if attended {
		return approve.RouteHold, err
	}
	return approve.RouteRetry, err
}

// always reports whether no question of the agent's own may decide about the call: it is
// held, or, where the agent waits too short a time, it comes again after a yes.
func (a *asking) always() bool { return a.config.Hold == config.HoldAlways && !a.beside }

// hold is how long the call can be held.
func (a *asking) hold() time.Duration { return min(a.patience, a.config.Timeout) }

// wait waits for the answer where there is something to wait for; else, and if the user
// answers in place, the request stays open.
func (a *asking) wait(ctx context.Context, s *approve.Store, r *approve.Request, left time.Duration) (*approve.Request, error) {
	held := a.call.Route == approve.RouteHold
	if !held && !a.beside {
		return r, nil
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	if a.held != nil {
		defer context.AfterFunc(a.held, cancel)()
	}
	var now approve.Request
	var err error
	if held {
		now, err = s.Hold(waiting, r.Code, a.call.Report, min(left, a.config.Timeout))
	} else {
		limited, cancel := context.WithTimeout(waiting, left)
		now, err = s.Beside(limited, r.Code, a.call.Report)
		cancel()
	}
	var gone *approve.RefusedError
	switch {
	case err == nil:
		return &now, nil
	case errors.As(err, &gone): // it is asked about anew
		return &approve.Request{State: approve.Expired}, nil
	case held && waiting.Err() != nil:
		return r, &endingError{r.Code}
	case held: // another process could not read the file either
		return r, err
	case context.Cause(ctx) != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded): // the agent does not wait: its user answered
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
		_ = s.InDialog(ctx, r.Code, false) // else it expires
	}
	return r, nil
}

// cannot is said where a person cannot be asked from here. Then it is as without this: the
// user is asked in place, or the fallback decides; but what was to be held for a person
// does not pass.
func (a *asking) cannot(out *hook.Outcome[any], err error) (waits string) {
	if err == nil || out.Action != hook.ActionAsk {
		return ""
	}
	noteAt(out, hook.LogLine("no person can be asked from here: "+err.Error()))
	if a.config.Hold == config.HoldAlways && !a.inPlace {
		out.Action = hook.ActionBlock
	}
	return " No approval can be asked for: " + err.Error()
}

// settle makes the outcome what a person said.
func (a *asking) settle(out *hook.Outcome[any], said *approve.Said) {
	note := ""
	if said.Note != "" {
		note = ": " + said.Note
	}
	noteAt(out, hook.LogLine("a person was asked: "+said.String()))
	approval := approval(out)
	approval["code"], approval["by"], approval["from"], approval["scope"] = said.Code, said.By, said.From, string(said.Scope)
	approval["after_s"], approval["note"] = said.After.Seconds(), said.Note
	if said.Yes {
		approval["state"] = string(approve.Allowed)
		out.Action, out.Reason = hook.ActionAllow, fmt.Sprintf("%s let this call through (%s)%s", said.By, said.Code, note)
		return
	}
	approval["state"] = string(approve.Denied)
	reason := fmt.Sprintf("%s refused this call (%s)%s", said.By, said.Code, note)
	if out.Reason != "" {
		reason += ". They were asked because: " + out.Reason
	}
	out.Action, out.Reason = hook.ActionBlock, reason
}

// timedOut has the fallback decide.
func (a *asking) timedOut(out *hook.Outcome[any], r *approve.Request) {
	a.note(out, r)
	said := fmt.Sprintf("timed out: nobody answered %s in %s", r.Code, a.hold().Round(time.Second))
	noteAt(out, said)
	if a.fallback == hook.ActionAllow {
		out.Action, out.Reason = hook.ActionContinue, ""
		return
	}
	out.Action, out.Reason = hook.ActionBlock, strings.TrimSpace(said+". "+out.Reason)
}

// note puts a request into the outcome, for programs and the record.
func (a *asking) note(out *hook.Outcome[any], r *approve.Request) {
	approval := approval(out)
	approval["code"], approval["route"], approval["state"] = r.Code, string(r.Route), string(r.State)
}

// approval is what an outcome's metadata has of a request.
func approval(out *hook.Outcome[any]) map[string]any {
	const name = "approval"
	if known, ok := out.Metadata[name].(map[string]any); ok {
		return known
	}
	more, now := map[string]any{}, map[string]any{}
	for name, value := range out.Metadata {
		more[name] = value
	}
	more[name] = now
	out.Metadata = more
	return now
}

// noteAt puts a note at the step of the hook that decided.
func noteAt(out *hook.Outcome[any], text string) {
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Hook == out.By {
			s.Note = visible.Join("; ", s.Note, text)
			return
		}
	}
}

// callOf is a call of an event as it is after the hooks have changed it.
func callOf(ctx context.Context, engine *hook.Engine, ev hook.AnyEvent, out *hook.Outcome[any]) (approve.Call, bool) {
	if out.Changed {
		if changed, err := ev.Info().New(*ev.Head(), out.Payload); err == nil {
			ev = changed
		}
	}
	made, ok := hook.CallOf(ev)
	if !ok {
		return approve.Call{}, false
	}
	facts := out.Facts
	if facts == nil && engine.Analyse != nil {
		facts = engine.Analyse(ctx, ev)
	}
	head := ev.Head()
	return approve.Call{
		Agent: head.Agent, Session: head.Session, Subagent: head.Subagent(), Workspace: head.CWD, Tool: made.Name, Native: head.NativeTool(), ID: made.ID, Input: made.Input, Facts: facts,
		Hook: out.By, Rule: out.Rule, Reason: out.Reason, Kind: approve.KindAsk, Does: guards.Describe(facts),
	}, true
}

// approve has a person decide about what hooks ask.
func (r *request) approve(ctx context.Context, out *hook.Outcome[any], more string) (waits string, err error) {
	permission := r.ev.Info() == hook.PermissionRequest.Info()
	r.answeredInDialog(ctx)
	if r.Approvals == nil || r.one.Never() || out.Action != hook.ActionAsk && !(permission && out.Action == hook.ActionContinue) {
		return "", nil
	}
	call, ok := callOf(ctx, r.w.Engine, r.ev, out)
	if !ok {
		return "", nil
	}
	call.Reason, call.Report = call.Reason+more, r.report()
	held, _ := r.approvals.ending()
	a := &asking{
		open: r.Approvals, config: &r.w.set.Approvals, call: call, fallback: r.w.askFallback(out.By), held: held,
		inPlace: permission || r.fit(*out).Outcome.Action == hook.ActionAsk, patience: r.holds(ctx),
		asked: func(q *approve.Request) {
			r.one.Asked()
			if q.Route == approve.RouteDialog && call.ID != "" {
				r.approvals.dialogs.put(dialogKey{call.Session, call.ID}, q.Code, time.Now())
			}
		},
	}
	if about := r.codec.About(); !about.Waits.Beside {
		a.asks = about.Title
	}
	a.beside = permission && a.asks == ""
	if permission && !a.beside && out.Action != hook.ActionAsk {
		return "", nil
	}
	waits, err = a.decide(ctx, out)
	r.yes = passedBy{a.call, a.used}
	if out.Action == hook.ActionAllow && r.codec.About().Event(adapter.NativeName(r.ev)).Can&adapter.Allow == 0 {
		out.Action = hook.ActionContinue // which is all that it needs
	}
	return waits, err
}

// passedBy is a call that hooks ask about, and the yes by which it passes; nil is none.
type passedBy struct {
	call approve.Call
	used *approve.Said
}

// giveYesBack gives back the yes by which a call was to pass. given reports whether there
// was one.
func (r *request) giveYesBack() (given bool, err error) {
	yes := r.yes
	if yes.used == nil {
		return false, nil
	}
	r.yes.used = nil
	ctx, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	s, err := r.Approvals(ctx, false)
	if s == nil || err != nil {
		return true, err
	}
	return true, errors.Join(s.Return(ctx, yes.call, yes.used), s.Close())
}

// holds is how long the agent waits for a call that is held.
func (r *request) holds(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok || r.env.depth() > 0 { // a hook waits less than that, and holds others up
		return 0
	}
	left := time.Until(deadline)
	return min(left-min(left/10, mostMargin), r.codec.About().Holds(adapter.NativeName(r.ev)))
}

// report names this report of a call: the same one, if another process takes it over.
func (r *request) report() string {
	pid := r.from.PID
	if p, ok := process.Look(pid); ok && !p.Runs("hookway-hook") { // it judges in place of the daemon
		if parent, ok := process.Look(p.Parent); ok && parent.Runs("hookway-hook") {
			pid = parent.PID
		}
	}
	if pid == 0 {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", pid, r.in.Stdin))
	return hex.EncodeToString(sum[:16])
}
