package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/visible"
	"github.com/tailscale/hujson"
)

// called is a handler as it stands in a file, with all that may keep its answer from
// the agent.
type called struct {
	Type          string
	Command, Bash string
	Exec          string
	Args          []string
	Shell         string
	Timeout       *float64
	TimeoutSec    *float64

	// What narrows it.
	If    string
	Async bool

	AsyncRewake bool
	Matcher     *string
	Hooks       []called // of a group
}

// readCalled reads a handler; nil if it is none. odd is the member that has another kind
// of value than agents read there.
func readCalled(v *hujson.Value) (h *called, odd string) {
	v2 := v.Clone()
	v2.Standardize()
	h = new(called)
	err := json.Unmarshal(v2.Pack(), h)
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && typed.Field != "" {
		return h, strings.ToLower(typed.Field[:1]) + typed.Field[1:] + " is " + article(typed.Value)
	} else if err != nil {
		return nil, ""
	}
	return h, ""
}

// article puts the article before a kind of JSON value.
func article(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// line is what a shell is given, or "".
func (h *called) line() string {
	if len(h.Args) > 0 {
		return ""
	}
	for _, line := range []string{h.Command, h.Bash, h.Exec} {
		if line != "" {
			return line
		}
	}
	return ""
}

// faults finds what keeps entries of ours from being asked, or their answers from the
// agent, and lines that call hookway in a way that install does not write.
func (s *State) faults(a *agent, text []byte) error {
	if a.whole != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	t, err := treeOf(text, a.keys)
	if err != nil || t.events == nil {
		return err
	}
	for _, m := range t.events.Value.(*hujson.Object).Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		event := m.Name.Value.(hujson.Literal).String()
		good, found := false, []string(nil)
		s.others(a, event, list)
		for _, v := range handlers(list) {
			s.odd(a, event, v)
			one, ours := a.fault(event, v)
			good = good || ours && one == ""
			if one != "" {
				found = append(found, event+": "+one)
			}
		}
		if !good {
			s.Faults = append(s.Faults, found...)
		}
	}
	return nil
}

// handlers are those of an event, in groups or not.
func handlers(list *hujson.Array) (out []*hujson.Value) {
	for i := range list.Elements {
		element := &list.Elements[i]
		out = append(out, element)
		if inner, err := child(nil, element, "hooks"); err == nil && inner != nil {
			if group, ok := inner.Value.(*hujson.Array); ok {
				for j := range group.Elements {
					out = append(out, &group.Elements[j])
				}
			}
		}
	}
	return out
}

// fault is what is wrong with a handler that calls hookway, or "". ours reports
// whether it is one as install writes it.
func (a *agent) fault(event string, v *hujson.Value) (fault string, ours bool) {
	h, odd := readCalled(v)
	if h == nil {
		return "", false
	}
	c, ours := readHandler(v, a.codecs())
	if odd != "" && ours {
		return "its " + odd + ", for which the agent may not read it", true
	}
	line := h.line()
	switch {
	case !ours && h.wraps():
		return fmt.Sprintf("hookway is called in a way that its answer may not reach the agent: %s", visible.Clip(strings.Join(append([]string{h.Command + h.Bash + h.Exec}, h.Args...), " "), 200)), false
	case !ours:
		return "", false
	}
	if said := a.members(v); said != "" {
		return said, true
	}
	for _, flag := range slices.Sorted(maps.Keys(c.flags)) {
		if !slices.Contains(shimFlags, flag) {
			return "--" + visible.Clip(flag, 40) + " is no flag of hookway-hook, which then refuses every call", true
		}
	}
	if runtime.GOOS != "windows" && line != "" {
		if more := shell.Beside(line); len(more) > 0 {
			return strings.Join(more, "; "), true
		}
	}
	if to := c.flags["event"]; to != "" && to != event {
		return "it is called with --event " + to + ", so that the event is taken for another one", true
	}
	if h.Type != "" && h.Type != "command" {
		return fmt.Sprintf("its type is %q, and not command: it does not run", h.Type), true
	}
	if h.Shell != "" && h.Shell != "bash" && h.Shell != "sh" && runtime.GOOS != "windows" {
		return fmt.Sprintf("its shell is %q, for which it was not written", visible.Clip(h.Shell, 40)), true
	}
	return a.hasty(h, c), true
}

// wraps reports whether a handler that is not as install writes it calls hookway.
func (h *called) wraps() bool {
	if len(h.Args) > 0 {
		words := append([]string{h.Command + h.Exec}, h.Args...)
		return shell.WordsCall(words, shimName) || shell.WordsCall(words, "hookway") && slices.Contains(words, "hook")
	}
	line := h.line()
	return strings.Contains(line, shimName) && shell.Calls(line, shimName) ||
		strings.Contains(line, "hook ") && path.Base(line) != "" && shell.Calls(line, "hookway")
}

// hasty says that the agent waits less than hookway may take.
func (a *agent) hasty(h *called, c invocation) string {
	wait := h.Timeout
	if wait == nil {
		wait = h.TimeoutSec
	}
	own, err := time.ParseDuration(c.flags["timeout"])
	if wait == nil || err != nil {
		return ""
	}
	unit := float64(time.Second)
	if a == gemini || a == qwen && *wait >= 1000 {
		unit = float64(time.Millisecond)
	}
	if host := time.Duration(min(*wait*unit, float64(24*time.Hour))); host < own {
		return fmt.Sprintf("the agent waits %v, and hookway may take %v: it is cut off, and what it would stop passes", host, own)
	}
	return ""
}

// unknownEvents are those of a file of hooks that an agent does not know, where it
// reads nothing of the file for one of them.
func (a *agent) unknownEvents(w *world, text []byte) (out []string, err error) {
	if a != cursor {
		return nil, nil
	}
	t, err := treeOf(text, a.keys)
	if err != nil || t.events == nil {
		return nil, err
	}
	events, err := w.table(a.name)
	if err != nil {
		return nil, err
	}
	for _, m := range t.events.Value.(*hujson.Object).Members {
		name := m.Name.Value.(hujson.Literal).String()
		known := false
		for _, e := range events {
			known = known || e.Name == name
		}
		if !known {
			out = append(out, fmt.Sprintf("%s has hooks.%s: %s drops the whole file for an event that it does not know, and hookway knows of none of that name; take it out", w.file(a), name, a.title))
		}
	}
	return out, nil
}

// edited reports whether a file that is all ours is neither what this hookway writes
// with the settings in it, nor what one wrote there.
func (a *agent) edited(w *world, f *File, events []event, shim string) bool {
	own := *w
	own.Shim = shim
	text, err := a.whole(&own, events)
	return (err != nil || !bytes.Equal(text, f.text())) && !readRecord(w.State, w.scope, f.real).ours(f.Before)
}
