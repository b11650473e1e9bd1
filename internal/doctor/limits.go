package doctor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
)

// elsewhere are events that no agent's own hooks bring: terminals, gateways and
// Go programs fire them.
var elsewhere = []*hook.EventInfo{
	hook.Output.Info(), hook.Idle.Info(), hook.Directive.Info(), hook.GatewayStart.Info(), hook.GatewayStop.Info(),
	hook.MessageReceived.Info(), hook.MessageSending.Info(), hook.MessageSent.Info(),
}

// limits compares what the hooks here want with what the installed agents do.
func (c *Checkup) limits() Section {
	s := Section{Name: "limits", Title: "What these hooks want, and agents do not do"}
	var abouts []*adapter.About
	for i := range c.agents {
		if len(c.agents[i].installed) > 0 {
			abouts = append(abouts, c.about(&c.agents[i]))
		}
	}
	if len(abouts) == 0 {
		return s
	}
	open := 0
	for _, h := range c.active() {
		if !h.Fixed() {
			open++
		}
		c.limit(&s, h, abouts)
	}
	if open > 0 {
		s.note("what %s is not known before; hookway doctor --capabilities shows what agents do", decides(open))
	}
	return s
}

func decides(n int) string {
	if n == 1 {
		return "1 hook that is a command decides"
	}
	return fmt.Sprintf("%d hooks that are commands decide", n)
}

func (c *Checkup) active() []config.Hook {
	return slices.DeleteFunc(slices.Clone(c.set.Hooks), func(h config.Hook) bool { return h.State != config.Active })
}

// limit looks at one hook.
func (c *Checkup) limit(s *Section, h config.Hook, abouts []*adapter.About) {
	var order []string
	lost := map[string][]string{} // by what is wanted and what becomes of it
	for _, name := range h.Events {
		info, _ := hook.Lookup(name) // nil: an agent's own event, or one that the configuration defines
		if name == "*" || firedElsewhere(h, info) {
			continue
		}
		var comes, never []string
		for _, a := range abouts {
			rows := rowsOf(a, info, name)
			switch {
			case !concerns(h.Match, a):
				continue
			case len(rows) == 0 && standsIn(h, a):
				continue
			case len(rows) == 0:
				never = append(never, a.Title)
				continue
			}
			comes = append(comes, a.Title)
			for _, row := range rows {
				for _, d := range c.lost(a, row, h, info) {
					key := d.Wanted + " becomes " + d.Became
					if lost[key] == nil {
						order = append(order, key)
					}
					lost[key] = append(lost[key], d.Why)
				}
			}
		}
		switch {
		case len(never) > 0 && len(comes) == 0:
			s.warn("", "hook %s waits for %s, which comes from none of: %s", h.ID, name, strings.Join(never, ", "))
		case len(never) > 0:
			s.note("hook %s waits for %s, which does not come from %s", h.ID, name, strings.Join(never, ", "))
		}
	}
	for _, key := range order {
		s.warn("hookway doctor --capabilities shows what can be had where", "hook %s: %s: %s", h.ID, key, strings.Join(lost[key], "; "))
	}
}

// standsIn reports whether a plugin's hook hears an event of the agent in place of one
// that does not come from it: a prompt for a message that was received.
func standsIn(h config.Hook, a *adapter.About) bool {
	return h.Profile.Name == hook.ProfileOpenClaw.Name && slices.ContainsFunc(h.Events, func(name string) bool {
		info, _ := hook.Lookup(name)
		return len(rowsOf(a, info, name)) > 0
	})
}

// concerns reports whether a hook may be for events of an agent.
func concerns(m hook.Match, a *adapter.About) bool {
	fits := func(patterns []string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, a.Agent)
			return ok || err != nil
		})
	}
	return fits(m.Agent) && fits(m.Source)
}

// eventNotes tells what is special about the events that hooks here wait for.
func (c *Checkup) eventNotes(s *Section, a *adapter.About) {
	for _, row := range slices.Concat(a.Events, a.Derived) {
		if row.Note != "" && slices.ContainsFunc(c.active(), func(h config.Hook) bool { return waitsFor(h, row) && concerns(h.Match, a) }) {
			s.note("%s: %s", row.Name, row.Note)
		}
	}
}

func waitsFor(h config.Hook, row adapter.Event) bool {
	return slices.ContainsFunc(h.Events, func(name string) bool {
		info, _ := hook.Lookup(name)
		return isRow(row, info, name)
	})
}

func isRow(row adapter.Event, info *hook.EventInfo, name string) bool {
	return info != nil && row.Kind == info || row.Kind == nil && hook.Normal(row.Name) == hook.Normal(name)
}

// rowsOf are the agent's own events that hooks see under a name.
func rowsOf(a *adapter.About, info *hook.EventInfo, name string) []adapter.Event {
	var rows []adapter.Event
	for _, row := range slices.Concat(a.Events, a.Derived) {
		if isRow(row, info, name) {
			rows = append(rows, row)
		}
	}
	return rows
}

// lost says what becomes of what a hook always decides, if the agent does not do
// it; nothing if it does, or if it is unknown what the hook decides.
func (c *Checkup) lost(a *adapter.About, row adapter.Event, h config.Hook, info *hook.EventInfo) []adapter.Degradation {
	if info == nil || !h.Fixed() || h.Handler == nil {
		return nil
	}
	env := hook.Envelope{Agent: a.Agent, Source: a.Agent, Metadata: map[string]any{"native_event": row.Name}}
	ev, err := info.New(env, info.NewPayload())
	if err != nil {
		return nil
	}
	d, err := h.Handler.Handle(context.Background(), ev)
	if err != nil {
		return nil
	}
	out := hook.Outcome[any]{Payload: ev.Body(), Verdict: hook.Verdict{
		Event: info.Name, Action: d.Action, Reason: d.Reason, By: h.ID, Inject: d.Inject, Result: d.Result, RetryDelay: d.RetryDelay,
		Steps: []hook.Step{{Hook: h.ID, Lane: h.Lane, Action: d.Action, Changed: d.Modified != nil}},
	}}
	if d.Modified != nil {
		out.Changed, out.Payload = true, d.Modified
	}
	return adapter.Fit(a, ev, out, c.set.AskFallback(h.ID)).Degraded
}
