package delivery

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/logline"
)

// wrapped is the wrapped session that an event belongs to.
type wrapped struct {
	folder
	name  string // what the user calls the agent
	open  bool   // SessionStart was fired, and SessionEnd was not
	same  bool   // the agent names the session as it did before
	claim *claim // of the items that are in this answer

	takes, rests bool   // at this event the agent takes text, or ends its turn
	injected     string // what hooks have injected
}

// join finds the wrapped session of the event. Nil: it was not wrapped, or the event is
// of another agent, which the wrapped one has started.
func (a *Answer) join() *wrapped {
	e := &a.event
	if e.State == "" {
		return nil
	}
	w := folder{folderOf(e.State, e.Session, e.Name)}
	s, err := w.read()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.native.log().Warn(err.Error())
		}
		return nil
	}
	if s.Agent != e.Agent {
		return nil
	}
	m := &wrapped{folder: w, name: s.Name, open: s.Open, same: s.Own == "" || s.Own == e.Own}
	if !m.same && (s.Busy || !e.is(hook.SessionStart.Info(), hook.AgentStart.Info())) {
		return nil
	}
	a.run = m
	m.notes(a, s)
	return m
}

// notes keeps what an event says of the agent before it is judged.
func (m *wrapped) notes(a *Answer, s *sessionState) {
	e := &a.event
	now := *s
	now.Reported, now.Own = true, e.Own
	if e.Head().Subagent() == "" {
		a.warn(a.Prove(context.Background()))
		if text, ok := writtenIn(e); ok {
			a.warn(m.keep(text))
		}
		if e.is(hook.AgentStart.Info(), hook.PreToolUse.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info(), hook.PermissionRequest.Info()) {
			now.Busy = true
		}
		if e.rests() {
			now.Busy = false
		}
	}
	if now.Reported == s.Reported && now.Own == s.Own && now.Busy == s.Busy {
		return
	}
	a.warn(m.step(func(s *sessionState) bool {
		s.Reported, s.Own, s.Busy = now.Reported, now.Own, now.Busy
		return true
	}))
}

// warn logs that something could not be shared: that holds up no answer.
func (a *Answer) warn(err error) {
	if err != nil {
		a.native.log().Warn("what happens in the session cannot be noted", logline.Err, err)
	}
}

// rests reports an event that ends a turn in which the agent did not stop by
// itself: it failed, or the user interrupted it.
func (e *Event) rests() bool {
	if e.Native == "StopFailure" || e.Native == "Interrupt" {
		return true
	}
	native, _ := e.Head().Metadata["native"].(map[string]any)
	return e.is(hook.Notification.Info()) && native["notification_type"] == "idle_prompt"
}

// Known reports the agent's own word of a begin that hookway run has fired.
func (a *Answer) Known() bool {
	m := a.run
	if m == nil || !m.open || !m.same {
		return false
	}
	begin, ok := a.event.Body().(hook.SessionInfo)
	return ok && a.event.is(hook.SessionStart.Info()) && (begin.Source == "" || begin.Source == "startup" || begin.Source == "new")
}

// Wrapped reports whether hookway run has wrapped the agent. Over, which outlives the
// answer, reports whether run has fired the session's end.
func (a *Answer) Wrapped() (over func() bool, ok bool) {
	if a.run == nil {
		return nil, false
	}
	shared := a.run.folder
	return func() bool {
		s, err := shared.read()
		return err == nil && !s.Open
	}, true
}

// End has the end of a wrapped session judged once, however often it is reported. If
// judge fails, another report may be judged. It reports false if that was done before.
func (a *Answer) End(ctx context.Context, judge func() error) (first bool, err error) {
	unlock, err := a.run.lock(ctx, "ending")
	if err != nil {
		return true, fmt.Errorf("the end of the session is still being judged: %w", err)
	}
	defer unlock()
	if s, err := a.run.read(); err == nil && !s.Open {
		return false, nil
	}
	if err = judge(); err == nil {
		a.warn(a.run.closed())
	}
	return true, err
}

// reopen notes that a session begins anew: it was resumed, or cleared.
func (m *wrapped) reopen(a *Answer) {
	if !a.event.is(hook.SessionStart.Info()) {
		return
	}
	a.warn(m.step(func(s *sessionState) bool {
		again := !s.Open
		if again { // else it goes on, with less in its memory
			s.Open, s.Busy = true, false
		}
		return again
	}))
}

// addShared puts items that wait into the answer, if the agent takes some at this
// event, and notes whether it goes on working.
func (a *Answer) addShared(out *hook.Outcome[any]) {
	e := &a.event
	if e.Head().Subagent() != "" {
		return
	}
	blocked := out.Action == hook.ActionBlock
	takes, rests := false, false
	switch {
	case e.is(hook.SessionStart.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info()):
		takes = e.Injects
	case e.is(hook.AgentStart.Info()):
		takes, rests = e.Injects && !blocked, blocked
	case e.is(hook.AgentStop.Info()):
		stop, _ := e.Body().(hook.AgentResult)
		takes, rests = e.GoesOn && (blocked || !stop.StopHookActive), !blocked
	}
	if !takes && !rests {
		return
	}
	a.run.takes, a.run.rests, a.run.injected = takes, rests, out.Inject
	items, err := a.Take(context.Background(), mostItems)
	a.warn(err)
	var texts []string
	for _, item := range items {
		texts = append(texts, item.shown)
	}
	if len(texts) > 0 && !a.put(out, texts) {
		a.settle(Returned)
		a.run.rest(a)
	}
}

// take claims the items that wait, and those that the same event claimed before in an
// answer that never came, because its judge died. If there is none, the agent may
// rest.
func (m *wrapped) take(a *Answer) (items []Item, err error) {
	s, err := m.read()
	if err != nil || len(s.Items) == 0 && (!m.rests || !s.Busy) {
		return nil, nil //nolint:nilerr // a session that ended long ago has no folder
	}
	c, err := m.newClaim(a.event.Raw)
	if err != nil {
		return nil, err
	}
	if !m.attended() { // what run has left there belongs to the agent's next session
		c.end()
		return nil, nil
	}
	stop := a.event.is(hook.AgentStop.Info())
	err = m.step(func(s *sessionState) bool {
		room, changed := mostTaken-len(m.injected), false
		for i := range s.Items {
			item := &s.Items[i]
			if !m.takes || item.State == stateShown || item.State == stateReturned || stop && item.Start {
				continue
			}
			if len(item.Body) > room || !c.may(item) {
				if item.Start {
					continue
				}
				break // those behind it do not come first
			}
			room, changed = room-len(item.Body)-len("\n\n"), true
			item.become(stateClaimed, time.Now())
			item.By, item.Sum = c.token, c.sum
			if item.Body != m.injected { // a session that is resumed may tell its begin twice
				items = append(items, Item{shown: item.Body})
			}
		}
		if m.rests && len(items) == 0 && s.Busy {
			s.Busy, changed = false, true
		}
		return changed
	})
	if err != nil {
		c.end()
		return nil, err
	}
	m.claim = c
	return items, nil
}

// rest notes that the agent does not work, since its event could not be judged: a
// prompt was refused, or a stop let pass.
func (m *wrapped) rest(a *Answer) {
	if !a.event.is(hook.AgentStart.Info(), hook.AgentStop.Info()) {
		return
	}
	a.warn(m.step(func(s *sessionState) bool {
		s.Busy = false
		return true
	}))
}

// settle ends the claim of this answer, and has its items come to a state.
func (m *wrapped) settle(state string) error {
	c := m.claim
	if c == nil {
		return nil
	}
	m.claim = nil
	defer c.end()
	if state == stateClaimed {
		return nil
	}
	return m.step(func(s *sessionState) bool {
		changed := false
		for i := range s.Items {
			if item := &s.Items[i]; item.State == stateClaimed && item.By == c.token {
				item.become(state, time.Now())
				changed = true
			}
		}
		return changed
	})
}

// claim is one answer that has claimed items. As long as it is on its way it has a lock,
// so that everybody sees when who makes it died.
type claim struct {
	folder
	token string
	sum   string // of the event
	file  *os.File
}

func (w folder) newClaim(event []byte) (*claim, error) {
	sum := sha256.Sum256(event)
	c := &claim{folder: w, token: rand.Text(), sum: hex.EncodeToString(sum[:])}
	f, err := os.OpenFile(c.path(c.token), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	c.file = f
	if got, err := disk.TryLock(f); err != nil || !got {
		c.end()
		return nil, fmt.Errorf("%s cannot be locked: %w", f.Name(), err)
	}
	return c, nil
}

func (c *claim) path(token string) string { return filepath.Join(c.dir, "by-"+filepath.Base(token)) }

// may reports whether an item may be claimed: one that is free, or that was in an
// answer to the same event of somebody who died before it was sent.
func (c *claim) may(item *sharedItem) bool {
	if item.State != stateClaimed || item.Sum != c.sum || item.By == c.token {
		return item.State == stateWaiting
	}
	f, err := os.OpenFile(c.path(item.By), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	dead, err := disk.TryLock(f)
	if err != nil || !dead {
		return false
	}
	_ = os.Remove(f.Name())
	return true
}

// end says that the answer is not on its way any more.
func (c *claim) end() {
	c.file.Close()
	_ = os.Remove(c.path(c.token))
}
