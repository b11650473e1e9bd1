package guards

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/stack"
)

// ID is the id of the hook that has hookway's own rules.
const ID = "hookway/guards"

// Guard is the handler of hookway's own rules: it judges what a call would do by a
// policy. It never approves. Its fields must not be changed once it is used.
type Guard struct {
	Policy *Policy
	Grants Grants // nil: nothing is let through
	State  *State // nil: every call is judged alone

	// Went says what became of a call of the past that is judged again: its session went on
	// from there, whatever is decided now. Nil: the decision counts.
	Went func(context.Context) (stopped, known bool)

	look func(text string) Inspection // of a result; nil is Inspect
}

// Grants lets calls through that a rule stopped, each once, because a person said so.
type Grants interface {
	// Use takes the grant for this very call, if there is one: then it passes.
	Use(ctx context.Context, c Call) (g Grant, ok bool, err error)
	// Return undoes the use of the call's grant: the call was refused all the same.
	Return(ctx context.Context, c Call, g Grant) error
	// Offer notes that a call was stopped, and gives the code by which a person lets it
	// through; a *DeniedError if a person refused it already, an *AllowedError if one just
	// allowed it, an *UnboundError if nobody can.
	Offer(ctx context.Context, c Call) (code string, err error)
}

// UnboundError is a call that another one may look like: a yes to it could be one to that.
type UnboundError struct{ Why string }

func (e *UnboundError) Error() string { return e.Why }

// DeniedError is a call that a person refused: there is no code for it.
type DeniedError struct{ By, Note string }

func (e *DeniedError) Error() string {
	text := "a person refused this call"
	if e.By != "" {
		text = e.By + " refused this call"
	}
	if e.Note != "" {
		text += ": " + e.Note
	}
	return text
}

// AllowedError is a call that a person has let through already, since it was judged: it
// passes when it comes again.
type AllowedError struct{}

func (e *AllowedError) Error() string { return "a person has just let this call through" }

// Grant is a grant that was used.
type Grant struct {
	By string // who gave it, for the record
	Of any    // what [Grants] knows it by
}

// AllowTime is how long a stopped call can be let through, and how long the agent then
// has to try again.
const AllowTime = 10 * time.Minute

// Call is a call that a rule stopped.
type Call struct {
	Agent, Session string
	Subagent       string // of the session, which makes the call; "" is the agent itself
	Workspace      string // the folder that the agent works in
	Tool, Native   string // Native is the agent's own name of the tool, if it is another one
	Input          map[string]any
	Facts          []hook.Fact // what it would do
	Rule           string      // its id
	Reason         string
}

// Handle judges a call. An error of the grants is not the call's fault: then it stays
// stopped, and the note says why.
func (g *Guard) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	stack.Grow16()
	if ev.Info() != hook.PreToolUse.Info() {
		return g.lookAt(ctx, ev), nil
	}
	call, _ := hook.CallOf(ev)
	if past := pastOf(ctx); past != nil && g.Policy.remembers() {
		if before, budget, known := past.Earlier(); known {
			return g.again(ctx, ev, call, before, budget), nil
		}
	}
	if g.State == nil || !g.Policy.remembers() {
		return g.decide(ctx, ev, call, g.Policy.Judge(ev.Facts())), nil
	}
	facts := ev.Facts()
	before, first := oneCallOf(ctx).earlier(func() []hook.Fact { return g.State.Before(ev, facts, g.Policy.Budget) })
	if first {
		keeperOf(ctx).Found(before, g.Policy.Budget.words(ev.Head().Agent))
	}
	judged := g.Policy.Judge(slices.Concat(facts, before))
	d := g.decide(ctx, ev, call, judged)
	if held := g.held(ctx, d); first || held {
		g.State.Decided(ev, facts, judged, held)
	}
	return d, nil
}

// again judges a call that is fired again, by what its session said of it then, under
// which budget. One that is another now counts what the replay has seen.
func (g *Guard) again(ctx context.Context, ev hook.AnyEvent, call hook.ToolCall, before []hook.Fact, then string) hook.Decision {
	facts, now := ev.Facts(), g.Policy.Budget.words(ev.Head().Agent)
	if now == "" && then == "" || g.State == nil {
		return g.decide(ctx, ev, call, g.Policy.Judge(slices.Concat(facts, before)))
	}
	seen, first := oneCallOf(ctx).earlier(func() []hook.Fact { return g.State.Before(ev, facts, g.Policy.Budget) })
	if now != then {
		ofBudget := func(f hook.Fact) bool { return f.Does == "budget" }
		before = slices.DeleteFunc(slices.Clone(before), ofBudget)
		before = append(before, slices.DeleteFunc(slices.Clone(seen), func(f hook.Fact) bool { return !ofBudget(f) })...)
	}
	judged := g.Policy.Judge(slices.Concat(facts, before))
	d := g.decide(ctx, ev, call, judged)
	if held := g.held(ctx, d); first || held {
		g.State.Decided(ev, facts, judged, held)
	}
	return d
}

// held says whether a call does not run: a decision stops it, or did then.
func (g *Guard) held(ctx context.Context, d hook.Decision) bool {
	if g.Went != nil {
		if stopped, known := g.Went(ctx); known {
			return stopped
		}
	}
	return d.Action == hook.ActionBlock
}

// decide makes a decision of what was found.
func (g *Guard) decide(ctx context.Context, ev hook.AnyEvent, call hook.ToolCall, judged []Judged) (d hook.Decision) {
	command := CommandOf(call.Input)
	d.Inject, judged = warnings(judged, command)
	if len(judged) == 0 {
		return d
	}
	first := judged[0]
	if d.Would = would(judged, command); !first.Counts {
		return d
	}
	d.Action, d.Rule, d.Reason = first.Verdict.action(), first.Rule.Version(), first.message(command)
	one, s := oneCallOf(ctx), stop{call: stopped(ev, call, first.Rule.ID, d.Reason), fact: first.Fact, state: g.State, ev: ev}
	s.never = slices.ContainsFunc(judged, func(j Judged) bool { return j.Counts && j.Rule.Never })
	if g.Grants != nil && !s.never {
		s.grants = g.Grants
		if g.letThrough(ctx, one, s, &d) {
			return d
		}
	}
	one.stopped(s)
	return d
}

// warnings takes out what the agent is only told.
func warnings(judged []Judged, command string) (text string, rest []Judged) {
	var told []string
	for _, j := range judged {
		switch {
		case j.Verdict != Warn:
			rest = append(rest, j)
		case j.Counts:
			told = append(told, j.message(command))
		}
	}
	return strings.Join(told, "\n"), rest
}

// letThrough lets the call through if a person said so.
func (g *Guard) letThrough(ctx context.Context, one *OneCall, s stop, d *hook.Decision) bool {
	by, used, err := one.use(ctx, s)
	switch {
	case err != nil:
		d.Note = hook.LogLine("whether somebody let this call through is not known: " + err.Error())
		return false
	case used:
		keeperOf(ctx).Granted(by)
		*d = hook.Decision{Note: hook.LogLine(PassNote + s.call.Rule + " stops: " + by), Would: d.Would, Inject: d.Inject}
	}
	return used
}

func stopped(ev hook.AnyEvent, call hook.ToolCall, rule, reason string) Call {
	head := ev.Head()
	return Call{Agent: head.Agent, Session: head.Session, Subagent: head.Subagent(), Workspace: head.CWD, Tool: call.Name, Native: head.NativeTool(), Input: call.Input, Facts: ev.Facts(), Rule: rule, Reason: reason}
}

func offer(ctx context.Context, grants Grants, c Call) (how string, err error) {
	code, err := grants.Offer(ctx, c)
	var denied *DeniedError
	if errors.As(err, &denied) {
		return " It was asked about already: " + denied.Error(), nil
	}
	if allowed := new(AllowedError); errors.As(err, &allowed) {
		return " Meanwhile a person has let this call through: make it again, exactly as it was.", nil
	}
	if unbound := (*UnboundError)(nil); errors.As(err, &unbound) {
		return " Nobody can let it through: " + unbound.Why, nil
	}
	if err != nil {
		return "", fmt.Errorf("the call could not be kept for a person to let through: %w", err)
	}
	return fmt.Sprintf(" A person can let this very call through once, within %d minutes, in a terminal of their own: hookway allow %s", int(AllowTime.Minutes()), code), nil
}

// would is the strictest finding that does not count, if it is stricter than what does.
func would(judged []Judged, command string) *hook.Would {
	for _, j := range judged {
		if j.Counts {
			if j.Verdict == Block {
				return nil
			}
			continue
		}
		if judged[0].Counts && j.Verdict != Block {
			return nil
		}
		return &hook.Would{Action: j.Verdict.action(), Reason: j.message(command), Rule: j.Rule.Version()}
	}
	return nil
}

func (v Verdict) action() hook.Action {
	if v == Block {
		return hook.ActionBlock
	}
	return hook.ActionAsk
}

// CommandOf is the line that a shell tool would run, or "".
func CommandOf(input map[string]any) string {
	for _, name := range []string{"command", "cmd", "script"} {
		if s, ok := input[name].(string); ok {
			return s
		}
	}
	return ""
}
