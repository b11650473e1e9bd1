package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/keep"
)

// Kind says how the decision about an event has changed.
type Kind string

// The kinds of changes.
const (
	Same    Kind = "same"
	Blocked Kind = "blocked" // newly
	Asked   Kind = "asked"   // newly
	Passed  Kind = "passed"  // newly
	Other   Kind = "other"
)

// comparison is one event, with what was decided then and what is now.
type comparison struct {
	t         *target
	s         *shot
	ev        hook.AnyEvent
	out       *hook.Outcome[any]
	then, now *saying

	unsure string // why it cannot be told whether the same was made of the event; change says so
}

// nowOf is what hooks say now.
func nowOf(out *hook.Outcome[any]) *saying {
	steps := make([]audit.Step, len(out.Steps))
	for i, s := range out.Steps {
		steps[i] = audit.Step{Hook: s.Hook, Lane: s.Lane.String(), Action: s.Action.String(), Rule: s.Rule, Changed: s.Changed, Injected: s.Injected}
		if s.Would != nil {
			steps[i].Would = &audit.Would{Action: s.Would.Action.String(), Rule: s.Would.Rule}
		}
		if s.Err != nil {
			steps[i].Error = s.Err.Error()
		}
	}
	now := heard(steps)
	now.settle(&keep.Verdict{Action: out.Action.String(), By: out.By, Rule: out.Rule})
	return now
}

// ofSession begins the ids of hookway's own hooks of directives, such as hookway:relay. They
// live in the session of hookway run, so nobody is asked in a replay.
const ofSession = "hookway:"

// unknown says why it cannot be told whether the decision has changed; "" if it can.
func (c *comparison) unknown() string {
	if why := c.unsettled(); why != "" {
		return why
	}
	for _, id := range c.s.passed {
		was := c.then.of(id)
		switch {
		case was == nil:
			return fmt.Sprintf("hook %s was not asked then, and is not now: %s", id, c.s.why(id))
		case was.acts():
			return fmt.Sprintf("it hung on hook %s, which was not asked: %s", id, c.s.why(id))
		}
	}
	for i := range c.then.hooks {
		was := &c.then.hooks[i]
		if !was.acts() && was.would == "" && !was.injected || c.now.of(was.hook) != nil {
			continue
		}
		switch {
		case strings.HasPrefix(was.hook, config.Registered):
			return fmt.Sprintf("it hung on hook %s of a program that was attached", was.hook)
		case strings.HasPrefix(was.hook, ofSession):
			return fmt.Sprintf("it hung on %s, which acts only in a session that runs", was.hook)
		case c.t.gaps && !c.has(was.hook):
			return fmt.Sprintf("it hung on hook %s, which could not be read", was.hook)
		}
	}
	return ""
}

// excuse says why what change says tells nothing of the hooks; "" if it does.
func (c *comparison) excuse(kind Kind) string {
	if kind == Same {
		return c.unsure
	}
	if kind != Blocked && c.hungOnOthers() { // whoever blocks now, no other root is asked
		return "it hung on the guards of another root, which cannot be read"
	}
	if c.s.beyond {
		return "a hook asks what is remembered, or sends a message: neither is there in a replay"
	}
	for i := range c.then.hooks {
		if was := &c.then.hooks[i]; was.late {
			return fmt.Sprintf("hook %s ran out of time then", was.hook)
		}
	}
	if m := c.s.moment; m.Kept == nil && !m.Undecided && (ofSessions(c.then.rule) || ofSessions(c.now.rule)) {
		return "what its session did before is not on record"
	}
	return ""
}

// hungOnOthers reports whether something may have come of the guards of a root of the
// agent's workspace that cannot be asked again.
func (c *comparison) hungOnOthers() bool {
	if !slices.Contains(c.s.others, nil) {
		return false
	}
	for i := range c.s.moment.Then.Steps {
		s := &c.s.moment.Then.Steps[i]
		effect := s.Injected || s.Would != nil || s.Action != hook.ActionContinue.String()
		if effect && s.Lane == hook.Guard.String() {
			return true
		}
	}
	return false
}

// ofSessions reports whether a rule is about more than one call.
func ofSessions(rule string) bool {
	return strings.HasPrefix(rule, "loops/") || strings.HasPrefix(rule, "sequences/")
}

// has reports whether there is such a hook now.
func (c *comparison) has(id string) bool {
	return slices.ContainsFunc(c.t.set.Hooks, func(h config.Hook) bool { return h.ID == id && h.State == config.Active })
}

// change says how the decision has changed, by which hook or rule, and in what words.
func (c *comparison) change() (kind Kind, by, what string) {
	if c.s.moment.Was != "" {
		return c.sinceThen()
	}
	then, now := c.then, c.now
	passes := func(s *saying) bool { return s.action != hook.ActionBlock && s.action != hook.ActionAsk }
	switch {
	case now.action == hook.ActionBlock && then.action != hook.ActionBlock:
		return Blocked, now.source(), c.out.Reason
	case now.action == hook.ActionAsk && then.action != hook.ActionAsk:
		return Asked, now.source(), c.out.Reason
	case passes(now) && !passes(then) && now.action <= hook.ActionAllow:
		return Passed, then.source(), "then: " + c.s.moment.Then.Reason
	case now.action != then.action:
		return Other, first(now.source(), then.source()), fmt.Sprintf("%s; then: %s", now.action, then.action)
	case now.by != then.by:
		return Other, first(now.source(), then.source()), fmt.Sprintf("%s by %s; then: by %s", now.action, orNobody(now.by), orNobody(then.by))
	}
	if by, what := c.hooks(); what != "" {
		return Other, by, what
	}
	if by, what := c.texts(); what != "" {
		return Other, by, what
	}
	return Same, "", ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func orNobody(id string) string { return first(id, "nobody") }

// hooks finds the first hook that says another thing.
func (c *comparison) hooks() (by, what string) {
	ids := make([]string, 0, len(c.then.hooks)+2)
	for _, of := range [][]said{c.now.hooks, c.then.hooks} {
		for i := range of {
			if id := of[i].hook; !slices.Contains(ids, id) && !slices.Contains(c.s.passed, id) {
				ids = append(ids, id)
			}
		}
	}
	for _, id := range ids {
		was, is := said{action: hook.ActionContinue.String()}, said{action: hook.ActionContinue.String()}
		if s := c.then.of(id); s != nil {
			was = *s
		}
		if s := c.now.of(id); s != nil {
			is = *s
		}
		switch {
		case was.action != is.action:
			return id, fmt.Sprintf("%s; then: %s", is.action, was.action)
		case was.rule != is.rule:
			return id, fmt.Sprintf("rule %s; then: %s", orNobody(is.rule), orNobody(was.rule))
		case was.changed != is.changed:
			return id, either(is.changed, "changes the event", "no longer changes the event")
		case was.injected != is.injected:
			return id, either(is.injected, "adds a text", "no longer adds a text")
		case was.would != is.would:
			return id, fmt.Sprintf("on trial it would %s; then: %s", first(is.would, "pass"), first(was.would, "pass"))
		}
	}
	return "", ""
}

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// texts compares what hooks made of the event, and what they told the agent. What cannot
// be compared, because not all of it is on record, is unsure.
func (c *comparison) texts() (by, what string) {
	if path := c.made(); path != "" {
		return c.changer(func(s *said) bool { return s.changed }), "changes " + path + " in another way"
	}
	kept := c.s.moment.Kept
	if kept == nil {
		return "", ""
	}
	injects := func(id string) bool { s := c.then.of(id); return s != nil && s.injected }
	same := kept.Verdict.Inject == c.out.Inject || kept.Verdict.Inject == audit.HiddenAgain(c.s.moment.Event, c.out.Inject, c.s.moment.Key)
	if same || slices.ContainsFunc(c.s.passed, injects) {
		return "", ""
	}
	if kept.Secrets > 0 {
		c.unsure = secretsIn + "the text that it gave the agent"
		return "", ""
	}
	return c.changer(func(s *said) bool { return s.injected }), "tells the agent another text"
}

// secretsIn is why something cannot be compared.
const secretsIn = "secrets were taken out of "

// made gives the place of which another thing is made now than then; "" is none, or it is
// unsure. What is kept names all that was made, and a record alone has it in short.
func (c *comparison) made() (path string) {
	m := c.s.moment
	if m.Kept == nil || m.Kept.Made == "" {
		if !c.out.Changed && c.out.Action != hook.ActionAnswer {
			return ""
		}
		path, whole := m.Then.Differ(c.ev, c.out)
		if path == "" && !whole {
			c.unsure = "what its hooks made of the event is not whole on record"
		}
		return path
	}
	now, ok := audit.MadeAgain(m.Event, c.out, m.Key)
	switch {
	case ok && now == m.Kept.Made:
		return ""
	case m.Key == nil:
		c.unsure = "what its hooks made of the event is known by a key, which is not beside the record"
		return ""
	case m.Kept.Secrets > 0:
		c.unsure = secretsIn + "what its hooks made of the event"
		return ""
	}
	path, _ = m.Then.Differ(c.ev, c.out)
	return cmp.Or(path, "the event")
}

// changer is the last hook that did something.
func (c *comparison) changer(did func(*said) bool) string {
	for i := len(c.now.hooks) - 1; i >= 0; i-- {
		if did(&c.now.hooks[i]) {
			return c.now.hooks[i].hook
		}
	}
	return orNobody("")
}
