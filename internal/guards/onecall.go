package guards

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
)

// OneCall is what all guards that judge one call have in common: an agent may work on
// several folders at once, each with rules of its own. It ends with Settle. A nil
// OneCall is of an event that is no call.
type OneCall struct {
	mu      sync.Mutex
	counted bool
	before  []hook.Fact // what the session's earlier events say of it
	grant   *usedGrant
	stops   []stop
	decided *stop // the one that decided; see Explain
	over    bool  // what came of it is known: a guard that answers later uses no grant
}

// usedGrant is the grant by which a call passes the rules.
type usedGrant struct {
	stop
	Grant
	hash string // of the call that a person let through
	back bool   // it was given back
}

// stop is a call that the rules of one guard stop.
type stop struct {
	call   Call
	fact   hook.Fact // for which
	grants Grants    // nil: nobody can let it through
	never  bool      // for a rule that nobody may pass by
	asked  bool      // a person is asked about it already
	state  *State
	ev     hook.AnyEvent
}

type oneCallKey struct{}

// Begin is a context in which all guards judge one call: its session counts it once,
// and what a person let through passes them all. Whoever fires a tool call at hooks
// begins so, and settles when it is known what comes of it: without that, no code is
// offered, and a grant is used up whatever other hooks say.
func Begin(ctx context.Context, ev hook.AnyEvent) (context.Context, *OneCall) {
	if ev.Info() != hook.PreToolUse.Info() {
		return ctx, nil
	}
	o := new(OneCall)
	return context.WithValue(ctx, oneCallKey{}, o), o
}

func oneCallOf(ctx context.Context) *OneCall {
	if o, ok := ctx.Value(oneCallKey{}).(*OneCall); ok {
		return o
	}
	return new(OneCall)
}

// earlier gives what count does, which is called once. first: it was now.
func (o *OneCall) earlier(count func() []hook.Fact) (before []hook.Fact, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if first = !o.counted; first {
		o.counted, o.before = true, count()
	}
	return o.before, first
}

// use takes the grant for a call, unless another guard has taken it for the same one.
func (o *OneCall) use(ctx context.Context, s stop) (by string, ok bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	hash := callHash(s.call.Tool, s.call.Input)
	switch {
	case o.over:
		return "", false, nil
	case o.grant != nil && o.grant.hash == hash:
		return o.grant.By, true, nil
	}
	g, ok, err := s.grants.Use(ctx, s.call)
	if ok && err == nil {
		o.grant = &usedGrant{stop: s, hash: hash, Grant: g}
	}
	return g.By, ok, err
}

// stopped notes what the rules stopped.
func (o *OneCall) stopped(s stop) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stops = append(o.stops, s)
}

// Explain is told what the hooks decided about the call. If it was the rules, it gives what
// more there is to say to their reason: where in a script the act stands.
func (o *OneCall) Explain(ctx context.Context, out *hook.Outcome[any]) (more string) {
	if o == nil {
		return ""
	}
	if s := o.end(out); s != nil { // it reads files: nobody need wait for that
		more = standsIn(ctx, &s.fact, s.call.Facts, CommandOf(s.call.Input), s.call.Workspace)
	}
	return more
}

// Never reports whether a rule decided that nobody may pass by.
func (o *OneCall) Never() bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.decided != nil && o.decided.never
}

// Asked notes that a person is asked about the call: no code is offered for it.
func (o *OneCall) Asked() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.decided != nil {
		o.decided.asked = true
	}
}

// Settle is told what came of the call, after Explain: refuses reports of an outcome
// whether it keeps the call from being made, such as by an ask where nobody can be asked.
// If the call is refused though a person let it through, the grant is given back. If the
// rules decided, how is how a person lets the call through, unless something else would
// refuse it then.
//
// What goes wrong is noted in the steps, as is what became of the grant.
func (o *OneCall) Settle(ctx context.Context, out *hook.Outcome[any], refuses func(hook.Outcome[any]) bool) (how string) {
	if o == nil {
		return ""
	}
	s := o.end(out)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.grant == nil && len(o.stops) == 0 || !refuses(*out) {
		return ""
	}
	if s != nil && !s.asked && s.grants != nil && s.decides(out) && !refuses(others(*out)) { // else a yes would not help
		var err error
		if how, err = offer(ctx, s.grants, s.call); err != nil {
			note(out.Steps, hook.LogLine(err.Error()))
		}
	}
	_ = o.giveBack(ctx, out.Steps) // it is noted
	for _, s := range o.stops {
		s.state.Refused(s.ev)
	}
	return how
}

// decides reports whether an outcome is what the stop decided.
func (s *stop) decides(out *hook.Outcome[any]) bool {
	return out.By == ID && strings.HasPrefix(out.Reason, s.call.Reason)
}

// end notes that it is known what came of the call, and gives the stop that decided; nil
// is that none did.
func (o *OneCall) end(out *hook.Outcome[any]) *stop {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	if o.decided != nil {
		return o.decided
	}
	if i := slices.IndexFunc(o.stops, func(s stop) bool { return out.By == ID && s.call.Reason == out.Reason }); i >= 0 {
		s := o.stops[i]
		o.decided = &s
	}
	return o.decided
}

// Used reports whether the call passes the rules by a grant.
func (o *OneCall) Used() bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.grant != nil && !o.grant.back
}

// GiveBack gives back the grant of a call that is refused without an outcome. given
// reports whether there was one.
func (o *OneCall) GiveBack(ctx context.Context) (given bool, err error) {
	if o == nil {
		return false, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	if o.grant == nil || o.grant.back {
		return false, nil
	}
	return true, o.giveBack(ctx, nil)
}

// returnTime bounds how long a refusal waits until a grant is given back.
const returnTime = time.Second

// giveBack undoes the use of a grant, for a call that is refused all the same.
//
// A grant is used before the call passes, and given back before the refusal goes out. If
// hookway ends in between, the grant is used up though the call was not made: the
// agent tries again, is stopped, and the person is asked once more. It is never the
// other way round, that one yes lets two calls through.
func (o *OneCall) giveBack(ctx context.Context, steps []hook.Step) error {
	g := o.grant
	if g == nil || g.back {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	g.back = true
	err := g.grants.Return(ctx, g.call, g.Grant)
	what := "a person let this call through once, but it was refused all the same; the grant was given back: "
	if err != nil {
		what = "a person let this call through once, but it was refused all the same, and the grant could not be given back (" + err.Error() + "): "
	}
	note(steps, hook.LogLine(what+g.By))
	g.state.Refused(g.ev)
	return err
}

// note puts a note at the steps of the rules: the last word about them.
func note(steps []hook.Step, text string) {
	for i := range steps {
		if steps[i].Hook == ID {
			steps[i].Note = text
		}
	}
}

// others is what would come of a call if hookway's own rules had nothing against it.
func others(out hook.Outcome[any]) hook.Outcome[any] {
	out.Action, out.By, out.Reason, out.Rule = hook.ActionContinue, "", "", ""
	for _, s := range out.Steps {
		if s.Hook != ID && rank(s.Action) > rank(out.Action) {
			out.Action, out.By, out.Reason, out.Rule = s.Action, s.Hook, s.Reason, s.Rule
		}
	}
	return out
}

// rank orders what hooks decide about a call.
func rank(a hook.Action) int {
	return slices.Index([]hook.Action{hook.ActionAllow, hook.ActionAsk, hook.ActionAnswer, hook.ActionRetry, hook.ActionBlock}, a)
}

// PassNote begins the note of a call that a person let through; the rule follows.
const PassNote = "a person let this call through once, which "

// LetThrough says who let a call through that a rule stops, if somebody did and it
// passed; "" if not.
func LetThrough(out *hook.Outcome[any]) string {
	if rank(out.Action) > rank(hook.ActionAsk) {
		return ""
	}
	for _, s := range out.Steps {
		if s.Hook == ID && strings.HasPrefix(s.Note, PassNote) {
			return s.Note
		}
	}
	return ""
}
