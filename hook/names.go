package hook

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
)

// catalogue holds the events of this process: hookway's, and those of Define.
var catalogue events

// events finds events by any of their names.
type events struct {
	mu     sync.RWMutex
	list   []*EventInfo
	byName map[string]*EventInfo // by normal form
}

// add enters an event of the whole process, or panics: two events of one name
// are a programming mistake.
func (c *events) add(info *EventInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.enter(info); err != nil {
		panic("hook: " + err.Error())
	}
	info.slot = len(c.list) - 1
}

// enter enters an event under all its names, or under none. The lock is held.
func (c *events) enter(info *EventInfo) error {
	if c.byName == nil {
		c.byName = map[string]*EventInfo{}
	}
	names := append([]string{info.Name}, info.Aliases...)
	for _, name := range names {
		key := Normal(name)
		if key == "" || key == "*" {
			return fmt.Errorf("invalid event name %q: want letters", name)
		}
		if old := c.lookup(key); old != nil {
			return fmt.Errorf("the event name %q is taken by %s", name, old.Name)
		}
	}
	for _, name := range names {
		c.byName[Normal(name)] = info
	}
	c.list = append(c.list, info)
	return nil
}

// find gives the event of a name, an alias, or one of these in another case, or nil.
func (c *events) find(name string) *EventInfo {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.lookup(Normal(name))
}

// lookup finds a normal form. The lock is held.
func (c *events) lookup(key string) *EventInfo {
	if info := c.byName[key]; info != nil {
		return info
	}
	if rest, ok := strings.CutPrefix(key, "on"); ok {
		return c.byName[rest]
	}
	return nil
}

// Normal is the form in which names are compared: without '_' and '-', and with
// ASCII letters in lower case. "pre_tool_use" and "PreToolUse" have the same.
func Normal(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// Lookup finds an event by its name or an alias, without regard to case, '_', '-'
// and a leading "on": "pre_tool_use", "beforeTool" and "onToolCall" are all
// PreToolUse. The error for an unknown name suggests the nearest one. Events that
// only one engine knows are found by Engine.Lookup.
func Lookup(name string) (*EventInfo, error) {
	if info := catalogue.find(name); info != nil {
		return info, nil
	}
	if info := findChange(name); info != nil {
		return info, nil
	}
	return nil, unknownEvent(name, Events)
}

// Events lists all events of this process, in the order of the documentation and
// then those of Define. Events about hooks (HookStarted and so on) are not in it.
func Events() []*EventInfo {
	catalogue.mu.RLock()
	defer catalogue.mu.RUnlock()
	return append([]*EventInfo(nil), catalogue.list...)
}

// unknownEvent is the error of a name that no event has. known lists the events there are.
func unknownEvent(name string, known func() []*EventInfo) error {
	return &unknownEventError{name, known}
}

// unknownEventError looks for the nearest name only when it is printed: most
// callers just want to know whether there is such an event.
type unknownEventError struct {
	name  string
	known func() []*EventInfo
}

func (e *unknownEventError) Error() string {
	var names []string
	for _, info := range e.known() {
		names = append(append(names, info.Name), info.Aliases...)
	}
	for _, info := range hookChanges {
		names = append(append(names, info.Name), info.Aliases...)
	}
	if near := Nearest(e.name, names); near != "" {
		return fmt.Sprintf("unknown event %q; did you mean %s?", e.name, near)
	}
	return fmt.Sprintf("unknown event %q; see hookway list --events", e.name)
}

// Nearest returns the candidate most like name, or "" if none is similar. It
// compares as Lookup does, and allows an edit for every three characters, and one, but
// no more than half of them: a word of three letters is like many others.
func Nearest(name string, candidates []string) string {
	n := len(Normal(name))
	return NearestWithin(min(n/3+1, n/2), name, candidates)
}

// NearestWithin is Nearest for names that differ by at most so many edits: a
// character inserted, deleted or replaced, or two neighbours swapped. Ties go by name.
func NearestWithin(edits int, name string, candidates []string) string {
	want := Normal(name)
	best, bestAt := "", edits+1
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	for _, c := range sorted {
		if d := distance(want, Normal(c)); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// Misspelt returns the option that a name was meant for, or "": it is stricter than
// [Nearest], for where names of one's own stand beside options. The shorter an
// option, the more other words are near it: below four letters no edit is allowed,
// below seven one, else two, and the first letter must be right. So "injct" is
// inject, and "data", "note" or "results" are nothing but themselves.
func Misspelt(name string, options []string) string {
	if name == "" {
		return ""
	}
	for edits := range 3 {
		long := slices.DeleteFunc(slices.Clone(options), func(option string) bool {
			return edits > 0 && len(option) < 4 || edits > 1 && len(option) < 7
		})
		if near := NearestWithin(edits, name, long); near != "" && near[0] == name[0]|0x20 {
			return near
		}
	}
	return ""
}

// distance counts the edits from a to b: insert, delete, replace, or swap two neighbours.
func distance(a, b string) int {
	var earlier, last []int // the rows above this one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		earlier, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := last[j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			row[j] = min(cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], earlier[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
