package replay

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/keep"
)

// said is what one hook decided about an event.
type said struct {
	hook     string
	action   string
	rule     string // without its version
	would    string // the action that a hook on trial would have taken, with its rule
	changed  bool
	injected bool
	failed   bool
	late     bool // it ran out of time, or was not asked because it had before
}

// acts reports whether something came of what the hook said.
func (s *said) acts() bool { return s.action != hook.ActionContinue.String() || s.changed }

// saying is what all hooks said of one event.
type saying struct {
	hooks  []said
	action hook.Action // the strongest
	by     string
	rule   string
}

// strength orders the actions of an outcome, as the engine does.
var strength = map[hook.Action]int{hook.ActionAllow: 1, hook.ActionAsk: 2, hook.ActionAnswer: 3, hook.ActionRetry: 4, hook.ActionBlock: 5}

// heard is what the steps of a record say. What the agent was told may be another thing:
// an ask where nobody can be asked is a block.
func heard(steps []audit.Step) *saying {
	out := &saying{hooks: make([]said, 0, len(steps))}
	for i := range steps {
		s := &steps[i]
		if s.Lane == hook.Observe.String() {
			continue
		}
		one := said{
			hook: s.Hook, action: s.Action, rule: unversioned(s.Rule), changed: s.Changed, injected: s.Injected, failed: s.Failed,
			late: s.Failed && (strings.Contains(s.Error, hook.ErrTimeout.Error()) || strings.Contains(s.Error, hook.ErrCircuitOpen.Error())),
		}
		if s.Would != nil {
			one.would = s.Would.Action + " " + unversioned(s.Would.Rule)
		}
		if at := slices.IndexFunc(out.hooks, func(o said) bool { return o.hook == s.Hook }); at >= 0 { // a further try
			out.hooks = slices.Delete(out.hooks, at, at+1)
		}
		out.hooks = append(out.hooks, one)
	}
	for i := range out.hooks {
		one := &out.hooks[i]
		action, err := hook.ParseAction(one.action)
		if err == nil && strength[action] > strength[out.action] {
			out.action, out.by, out.rule = action, one.hook, one.rule
		}
	}
	return out
}

// settle takes over what is known of the decision beside the steps.
func (s *saying) settle(v *keep.Verdict) {
	if action, err := hook.ParseAction(v.Action); err == nil {
		s.action, s.by, s.rule = action, v.By, unversioned(v.Rule)
	}
}

// unversioned is the id of a rule without the version of its pack.
func unversioned(rule string) string {
	id, _, _ := strings.Cut(rule, "@")
	return id
}

// of is what one hook said, or nil.
func (s *saying) of(id string) *said {
	for i := range s.hooks {
		if s.hooks[i].hook == id {
			return &s.hooks[i]
		}
	}
	return nil
}

// source is who decided, for people: a rule, or a hook.
func (s *saying) source() string {
	if s.rule != "" {
		return s.rule
	}
	return s.by
}
