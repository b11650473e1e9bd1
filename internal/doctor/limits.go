package doctor

import (
	"context"
	"fmt"
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
		if h.Kind == "command" {
			open++
		}
		for _, name := range h.Events {
			c.limit(&s, h, name, abouts)
		}
	}
	if open > 0 && len(s.Findings) > 0 {
		s.note("what %s when it runs is not known before; hookway doctor --capabilities shows what each agent does", decides(open))
	}
	return s
}

func decides(n int) string {
	if n == 1 {
		return "1 command decides"
	}
	return fmt.Sprintf("each of %d commands decides", n)
}

func (c *Checkup) active() []config.Hook {
	return slices.DeleteFunc(slices.Clone(c.set.Hooks), func(h config.Hook) bool { return h.State != config.Active })
}

// limit looks at one hook and one event of it.
func (c *Checkup) limit(s *Section, h config.Hook, name string, abouts []*adapter.About) {
	info, err := hook.Lookup(name)
	if err != nil {
		info = nil // an agent's own event, or one that the configuration defines
	}
	if name == "*" || info != nil && slices.Contains(elsewhere, info) {
		return
	}
	var never []string
	for _, a := range abouts {
		rows := rowsOf(a, info, name)
		if len(rows) == 0 {
			never = append(never, a.Title)
			continue
		}
		var lost []string
		for _, row := range rows {
			if why := c.lost(a, row, h, info); why != "" {
				lost = append(lost, why)
			}
			if row.Note != "" {
				s.note("hook %s: %s, %s: %s", h.ID, a.Title, row.Name, row.Note)
			}
		}
		for _, why := range slices.Compact(lost) {
			s.warn("see docs/agents.md for what it can do, or use another event", "hook %s: %s", h.ID, why)
		}
	}
	if info != nil && len(never) > 0 {
		s.warn("", "hook %s waits for %s, which does not come from %s", h.ID, info.Name, strings.Join(never, ", "))
	}
}

// rowsOf are the agent's own events that hooks see under a name.
func rowsOf(a *adapter.About, info *hook.EventInfo, name string) []adapter.Event {
	var rows []adapter.Event
	for _, row := range slices.Concat(a.Events, a.Derived) {
		if info != nil && row.Kind == info || row.Kind == nil && hook.Normal(row.Name) == hook.Normal(name) {
			rows = append(rows, row)
		}
	}
	return rows
}

// lost says what becomes of what a hook always decides, if the agent does not do
// it; "" if it does, or if nobody knows what the hook decides.
func (c *Checkup) lost(a *adapter.About, row adapter.Event, h config.Hook, info *hook.EventInfo) string {
	if info == nil || h.Kind == "command" || h.Handler == nil {
		return ""
	}
	env := hook.Envelope{Agent: a.Agent, Source: a.Agent, Metadata: map[string]any{"native_event": row.Name}}
	ev, err := info.New(env, info.NewPayload())
	if err != nil {
		return ""
	}
	d, err := h.Handler.Handle(context.Background(), ev)
	if err != nil {
		return ""
	}
	out := hook.Outcome[any]{Payload: ev.Body(), Verdict: hook.Verdict{
		Event: info.Name, Action: d.Action, Reason: d.Reason, By: h.ID, Inject: d.Inject, Result: d.Result, RetryDelay: d.RetryDelay,
		Steps: []hook.Step{{Hook: h.ID, Lane: h.Lane, Action: d.Action, Changed: d.Modified != nil}},
	}}
	if d.Modified != nil {
		out.Changed, out.Payload = true, d.Modified
	}
	var lost []string
	for _, degraded := range adapter.Fit(a, ev, out, c.set.Settings.AskFallback).Degraded {
		lost = append(lost, degraded.String())
	}
	return strings.Join(lost, "; ")
}
