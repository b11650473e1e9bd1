package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/visible"
	"github.com/tailscale/hujson"
)

// shimFlags are those that hookway-hook takes.
var shimFlags = []string{"event", "timeout", "on-failure", "hold"}

// memberNames are the members of handlers and their groups, of all agents.
var memberNames = strings.Fields("type command args if shell timeout onFailure statusMessage once async asyncRewake commandWindows additionalContextLimit " +
	"name description sequential env bash powershell exec cwd timeoutSec failClosed loop_limit matcher hooks comment enabled disabled")

// members says which member of a handler of ours keeps the agent from asking it, or "".
func (a *agent) members(v *hujson.Value) string {
	for name, value := range membersOf(v) {
		text := string(value.Pack())
		switch {
		case name == "once" && text != "false":
			return "it has once: it is asked at most once a session"
		case name == "disabled" && text != "false", name == "enabled" && text != "true":
			return "it has " + name + ": " + strings.TrimSpace(text) + ", by which it may not be asked at all"
		}
	}
	if _, ok := membersOf(v)["type"]; !ok && a != cursor {
		return "it has no type, without which " + a.title + " may leave it out"
	}
	return ""
}

// odd notes members of a handler of ours that no agent knows: mistyped ones, mostly.
func (s *State) odd(a *agent, event string, v *hujson.Value) {
	if _, ours := readHandler(v, a.codecs()); !ours {
		return
	}
	var unknown []string
	for name := range membersOf(v) {
		if !slices.Contains(memberNames, name) {
			unknown = append(unknown, visible.Clip(name, 40))
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	text := "an entry of hookway's has " + strings.Join(unknown, ", ") + ", which hookway does not know: " + a.title + " may pass over it, or leave the hook out"
	if !slices.Contains(s.Odd, text) {
		s.Odd = append(s.Odd, text)
	}
}

// others notes hooks of others where hookway may stop something: what they refuse never
// gets to it, and what they change it does not judge.
func (s *State) others(a *agent, event string, list *hujson.Array) {
	codec, err := adapter.Lookup(a.name)
	if err != nil || !slices.ContainsFunc(codec.About().Events, func(e adapter.Event) bool { return e.Name == event && e.Kind != nil && e.Kind.Gates }) {
		return
	}
	var lines []string
	for _, v := range handlers(list) {
		h, _ := readCalled(v)
		if h == nil || h.line() == "" && h.Command == "" || h.wraps() {
			continue
		}
		if _, ours := readHandler(v, a.codecs()); !ours {
			lines = append(lines, visible.Clip(strings.Join(append([]string{h.Command + h.Bash + h.Exec}, h.Args...), " "), 80))
		}
	}
	if len(lines) > 0 {
		s.Others = append(s.Others, fmt.Sprintf("other hooks stand at %s: %s. What they refuse or change, hookway does not see", event, strings.Join(lines, "; ")))
	}
}

// membersOf are the members of an object by their names.
func membersOf(v *hujson.Value) map[string]hujson.Value {
	out := map[string]hujson.Value{}
	if o, ok := v.Value.(*hujson.Object); ok {
		for i := range o.Members {
			if name, ok := o.Members[i].Name.Value.(hujson.Literal); ok {
				value := o.Members[i].Value.Clone()
				value.Standardize()
				value.BeforeExtra, value.AfterExtra = nil, nil
				out[name.String()] = value
			}
		}
	}
	return out
}
