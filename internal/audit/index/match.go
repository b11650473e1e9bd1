package index

import (
	"context"
	"errors"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// matcher says which rows of blocks a query wants. It is of one goroutine.
type matcher struct {
	*asked
	event, own string // the event's name, normal, as it is known and as it was asked for
	action     string // plain

	known [][]byte // of the block that is looked at: for each filter what is known of its texts
}

func newMatcher(a *asked) *matcher {
	m := &matcher{asked: a, event: hook.Normal(a.Event), own: hook.Normal(a.Event), action: a.Action}
	if info, err := hook.Lookup(a.Event); err == nil {
		m.event = hook.Normal(info.Name)
	}
	if action, err := hook.ParseAction(a.Action); err == nil {
		m.action = action.String()
	}
	return m
}

// all reports whether every record is wanted.
func (a *asked) all() bool {
	return a.Session == "" && a.Agent == "" && a.Event == "" && a.Action == "" && a.Hook == "" && !a.Would && a.Since.IsZero() && a.Until.IsZero() &&
		a.Workspace == "" && a.Folder == "" && a.Rule == "" && len(a.words) == 0
}

// perhaps rules blocks out without reading them.
func (m *matcher) perhaps(b *block) bool {
	if !m.Since.IsZero() && b.until < nanos(m.Since) || !m.Until.IsZero() && b.from >= nanos(m.Until) {
		return false
	}
	for _, name := range []struct {
		text string
		kind byte
	}{{m.Session, nameOfSession}, {m.Agent, nameOfAgent}, {m.Hook, nameOfHook}} {
		if name.text != "" && !b.said.mayHave(nameHash(name.kind, name.text)) {
			return false
		}
	}
	if m.Rule != "" && !b.said.mayHave(nameHash(nameOfRule, unversioned([]byte(m.Rule)))) {
		return false
	}
	for _, word := range m.words {
		if !b.said.maySay(word) {
			return false
		}
	}
	return true
}

// Filters of texts, by which what is known of them is kept.
const (
	isSession = iota
	isAgent
	isEvent
	isNative
	isAction
	isWorkspace
	isWithin // the workspace's folder
	isInside // the folder
	isOfHook
	isOfRule
	filters
)

// enter makes ready for another block.
func (m *matcher) enter() { m.known = make([][]byte, filters) }

// is asks a question about a text once in each block.
func (m *matcher) is(filter int, b *block, id uint32, ask func(text string) bool) bool {
	known := m.known[filter]
	if known == nil {
		known = make([]byte, len(b.texts))
		m.known[filter] = known
	}
	if known[id] == 0 {
		known[id] = 1
		if ask(b.texts[id]) {
			known[id] = 2
		}
	}
	return known[id] == 2
}

// wantsRow reports whether a row is wanted as far as its texts say.
func (m *matcher) wantsRow(b *block, r *row) bool {
	if !m.Since.IsZero() && r.time < nanos(m.Since) || !m.Until.IsZero() && r.time >= nanos(m.Until) || m.Would && b.texts[r.texts[inWould]] == "" {
		return false
	}
	if m.Session != "" && !m.is(isSession, b, r.texts[inSession], func(t string) bool { return t == m.Session }) {
		return false
	}
	if m.Agent != "" && !m.is(isAgent, b, r.texts[inAgent], func(t string) bool { return t == m.Agent }) {
		return false
	}
	return (m.Action == "" || m.hasAction(b, r)) && (m.event == "" || m.hasEvent(b, r)) && m.isThere(b, r)
}

func (m *matcher) hasAction(b *block, r *row) bool {
	same := func(t string) bool { return t == m.action }
	return m.is(isAction, b, r.texts[inAction], same) || b.texts[r.texts[inAction]] == audit.Untaken && m.is(isAction, b, r.texts[inAnswer], same)
}

func (m *matcher) hasEvent(b *block, r *row) bool {
	return m.is(isEvent, b, r.texts[inEvent], func(t string) bool { return hook.Normal(t) == m.event }) ||
		m.is(isNative, b, r.texts[inNative], func(t string) bool { return hook.Normal(t) == m.own })
}

func (m *matcher) isThere(b *block, r *row) bool {
	workspace, cwd := r.texts[inWorkspace], r.texts[inCWD]
	if m.Workspace != "" && !m.is(isWorkspace, b, workspace, func(t string) bool { return t == m.Workspace }) &&
		!(b.texts[workspace] == "" && m.is(isWithin, b, cwd, func(t string) bool { return audit.Within(m.Workspace, t) })) {
		return false
	}
	inside := func(t string) bool { return audit.Within(m.Folder, t) }
	return m.Folder == "" || m.is(isInside, b, cwd, inside) || m.is(isInside, b, workspace, inside)
}

// wantsSteps reports whether a row is wanted as far as its steps say, too.
func (m *matcher) wantsSteps(b *block, r *row, steps []step) bool {
	ofHook := func(id uint32) bool { return m.is(isOfHook, b, id, func(t string) bool { return t == m.Hook }) }
	ofRule := func(id uint32) bool { return m.is(isOfRule, b, id, func(t string) bool { return isRule(t, m.Rule) }) }
	hooked, ruled := m.Hook == "" || ofHook(r.texts[inBy]), m.Rule == "" || ofRule(r.texts[inRule])
	for i := range steps {
		hooked = hooked || ofHook(steps[i].hook)
		ruled = ruled || ofRule(steps[i].rule) || steps[i].flags&stepOnTrial != 0 && ofRule(steps[i].wouldRule)
	}
	return hooked && ruled
}

// hit is a row that is wanted, as far as rows say.
type hit struct{ at, size, seq int64 }

// rowsOf gives a block with its rows, which may not be in memory.
func (s *snapshot) rowsOf(ctx context.Context, b *block, steps bool) (*block, error) {
	if b.texts != nil || b.n == 0 {
		return b, nil
	}
	full := &block{head: b.head}
	if err := s.kept.rowsOf(ctx, full); err != nil {
		return nil, err
	}
	if steps {
		return full, s.kept.stepsOf(ctx, full)
	}
	return full, nil
}

// hits gives the rows of a block that are wanted, in their order.
func (s *snapshot) hits(ctx context.Context, m *matcher, b *block) (list []hit, err error) {
	if !m.perhaps(b) {
		return nil, nil
	}
	asked := m.Hook != "" || m.Rule != ""
	if b, err = s.rowsOf(ctx, b, asked); err != nil {
		return nil, err
	}
	m.enter()
	var steps *stepper
	if asked {
		steps = b.stepper()
	}
	var failed error
	err = b.each(func(_ int, r *row) bool {
		wanted := m.wantsRow(b, r)
		if steps != nil {
			var of []step
			if of, failed = steps.next(); failed != nil {
				return false
			}
			wanted = wanted && m.wantsSteps(b, r, of)
		}
		if wanted {
			list = append(list, hit{r.at, r.size, r.seq})
		}
		return true
	})
	return list, errors.Join(err, failed)
}
