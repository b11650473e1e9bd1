package hook

import (
	"fmt"
	"strings"
)

// CheckFor is Check for a hook of these events. It also reports what holds for none of
// them, because only calls of tools have it: facts, a tool, its files and command lines.
// Events of a program's own may carry what they like, but no facts.
func (m Match) CheckFor(events ...*EventInfo) error {
	if err := m.Check(); err != nil || len(events) == 0 {
		return err
	}
	return m.tellsOfCalls(events, false)
}

// tellsOfCalls reports what holds for none of the events, because only calls have it; with
// facts, of the keys for these alone.
func (m *Match) tellsOfCalls(events []*EventInfo, facts bool) error {
	place := m.onlyOf(events, facts, "")
	if place == "" || len(events) == 0 {
		return nil
	}
	names := make([]string, len(events))
	for i, info := range events {
		names[i] = info.Name
	}
	return &PatternError{Place: place, Err: fmt.Errorf("it asks about a call of a tool, and never holds: none of %s has any", strings.Join(names, ", "))}
}

// onlyOf is the place of the first key that holds for none of the events, or "".
func (m *Match) onlyOf(events []*EventInfo, facts bool, at string) string {
	calls, like := false, false
	for _, info := range events {
		switch info.NewPayload().(type) {
		case caller:
			calls, like = true, true
		case *map[string]any:
			like = true
		}
	}
	for _, key := range m.callKeys() {
		if len(key.list) > 0 && !calls && (key.fact || !like && !facts) {
			return at + key.name + "[0]"
		}
	}
	for i := range m.All {
		if place := m.All[i].onlyOf(events, facts, fmt.Sprintf("%sall[%d].", at, i)); place != "" {
			return place
		}
	}
	first := ""
	for i := range m.Any {
		place := m.Any[i].onlyOf(events, facts, fmt.Sprintf("%sany[%d].", at, i))
		if place == "" {
			return ""
		}
		if first == "" {
			first = place
		}
	}
	return first
}

// callKey is a key of a match that only a call has.
type callKey struct {
	name string
	list []string
	fact bool
}

// callKeys are the keys that say nothing of an event that is not a call. A hook of such an
// event that has one of them could never run, which is a mistake.
func (m *Match) callKeys() []callKey {
	keys := []callKey{
		{"tool", m.Tool, false}, {"path", m.Path, false}, {"command", m.Command, false},
		{"deletes", m.Deletes, true}, {"writes", m.Writes, true}, {"reads", m.Reads, true}, {"moves", m.Moves, true},
		{"runs", m.Runs, true}, {"connects", m.Connects, true}, {"sends", m.Sends, true}, {"git", m.Git, true},
		{"sql", m.SQL, true}, {"infra", m.Infra, true}, {"secret", m.Secret, true},
	}
	if m.Unknown {
		keys = append(keys, callKey{"unknown", []string{""}, true})
	}
	return keys
}
