package config

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// An agent may work on several folders at once. The event is fired at the hooks of one;
// what its hooks have left of it is judged by the guards of the others.

// AsksBeside reports which hooks of another folder are asked: its own, and hookway's own
// rules where no folder before it has the same ones.
func (s *Set) AsksBeside(before []*Set) func(id string) bool {
	return func(id string) bool {
		for _, b := range before {
			if same, _ := s.SameGuards(id, b); same {
				return false
			}
		}
		_, guard := s.SameGuards(id, s)
		return guard || s.owns(id)
	}
}

// owns reports whether a hook belongs to the folder, and not to every one.
func (s *Set) owns(id string) bool {
	return !slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.ID == id && h.Layer != LayerWorkspace })
}

// Runs reports whether an operation is made that this is decided about: else the guards
// of other folders are not asked.
func Runs(a hook.Action) bool {
	return a != hook.ActionBlock && a != hook.ActionAnswer && a != hook.ActionRetry
}

// Beside is an event as the hooks of one folder have left it, for the guards of others.
func Beside(ev hook.AnyEvent, out *hook.Outcome[any]) (hook.AnyEvent, error) {
	env := *ev.Head()
	env.Metadata, env.Mark = out.Metadata, &hook.Mark{ID: ev.ID(), Time: ev.Time()}
	return ev.Info().New(env, out.Payload)
}

// weight orders the answers of guards.
func weight(a hook.Action) int {
	return slices.Index([]hook.Action{hook.ActionContinue, hook.ActionAllow, hook.ActionAsk, hook.ActionBlock}, a)
}

// Merge adds what the guards of another folder have answered. The strongest answer
// counts, as in one chain.
func Merge(out, more *hook.Outcome[any]) {
	out.Steps = append(out.Steps, more.Steps...)
	if weight(more.Action) > weight(out.Action) {
		out.Action, out.Reason, out.By, out.Rule = more.Action, more.Reason, more.By, more.Rule
		if more.Facts != nil {
			out.Facts = more.Facts
		}
	}
	if out.Facts == nil {
		out.Facts = more.Facts
	}
	out.Inject = visible.Join("\n\n", out.Inject, more.Inject)
	if !strings.Contains(out.UserMessage, more.UserMessage) {
		out.UserMessage = visible.Join("\n", out.UserMessage, more.UserMessage)
	}
	out.Metadata = more.Metadata
}
