package judge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/wire/call"
)

// member is a wrapped session, as an event of its agent sees it.
type member struct {
	wrapped
	name string // what the user calls the agent
	open bool   // SessionStart was fired, and SessionEnd was not
	same bool   // the agent names the session as it did before
	took *taker // whoever has texts in this answer
}

// join finds the wrapped session that an event belongs to. Nil: it was not
// wrapped, or the event is of another agent, which the wrapped one has started.
func (h *hearing) join(ev hook.AnyEvent) *member {
	id := h.env.get("HOOKWAY_SESSION")
	if id == "" || h.env.depth() > 0 {
		return nil
	}
	_, state, err := config.Places(h.setting)
	if err != nil {
		return nil
	}
	w := wrapped{wrappedDir(state, id, h.env.get("HOOKWAY_AGENT"))}
	s, err := w.read()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			h.log(err.Error())
		}
		return nil
	}
	if s.Agent != h.codec.About().Agent {
		return nil
	}
	m := &member{wrapped: w, name: s.Name, open: s.Open, same: s.Own == "" || s.Own == h.own}
	begins := ev.Info() == hook.SessionStart.Info() || ev.Info() == hook.AgentStart.Info()
	if !m.same && (s.Busy || !begins) {
		return nil
	}
	h.hears(m, s, ev)
	return m
}

// hears notes what an event says of the agent before it is judged.
func (h *hearing) hears(m *member, s *standing, ev hook.AnyEvent) {
	now := *s
	now.Heard, now.Own = true, h.own
	if ev.Head().Subagent() == "" {
		h.note(m.tell(ev))
		if text, ok := h.said(ev); ok {
			h.note(m.keep(text))
		}
		switch ev.Info() {
		case hook.AgentStart.Info(), hook.PreToolUse.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info(), hook.PermissionRequest.Info():
			now.Busy = true
		}
		if rests(ev) {
			now.Busy = false
		}
	}
	if now.Heard == s.Heard && now.Own == s.Own && now.Busy == s.Busy {
		return
	}
	h.note(m.step(func(s *standing) bool {
		s.Heard, s.Own, s.Busy = now.Heard, now.Own, now.Busy
		return true
	}))
}

// note logs that something could not be shared: that holds up no answer.
func (h *hearing) note(err error) {
	if err != nil {
		h.log(fmt.Sprintf("what happens in the session cannot be noted: %v", err))
	}
}

// rests reports an event that ends a turn in which the agent did not stop by
// itself: it failed, or the user interrupted it.
func rests(ev hook.AnyEvent) bool {
	switch adapter.NativeName(ev) {
	case "StopFailure", "Interrupt":
		return true
	}
	native, _ := ev.Head().Metadata["native"].(map[string]any)
	return ev.Info() == hook.Notification.Info() && native["notification_type"] == "idle_prompt"
}

// again reports the agent's own word of a begin that hookway run has fired.
func (m *member) again(ev hook.AnyEvent) bool {
	if m == nil || !m.open || !m.same {
		return false
	}
	begin, ok := ev.Body().(hook.SessionInfo)
	if !ok || ev.Info() != hook.SessionStart.Info() {
		return false
	}
	return begin.Source == "" || begin.Source == "startup" || begin.Source == "new"
}

// matched answers an event whose hooks ran when hookway run, or the agent, told it
// before. Texts that wait are in the answer.
func (h *hearing) matched() (call.Reply, error) {
	out := hook.Outcome[any]{Verdict: hook.Verdict{Event: h.ev.Info().Name}, Payload: h.ev.Body()}
	tell(h.w.set, h.ev, &out)
	h.collect(&out)
	_, r, err := h.encode(out)
	return h.sending(call.Reply{Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode}), err
}

// endTime bounds the hooks of an end, which are not cut short because the agent
// does not wait for them.
const endTime = time.Minute

// end answers an end of a wrapped session. It is fired once, whoever tells it how
// often; if this one cannot be judged to its end, another may be.
func (h *hearing) end(ctx context.Context) (reply call.Reply, err error) {
	unlock, err := h.member.lock(ctx, "ending")
	if err != nil {
		return reply, fmt.Errorf("the end of the session is still being judged: %w", err)
	}
	defer unlock()
	if s, err := h.member.read(); err == nil && !s.Open {
		return h.matched()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if reply, err = h.decide(ctx); err == nil {
		h.note(h.member.closed())
	}
	return reply, err
}

// reopen notes that a session begins anew: it was resumed, or cleared.
func (h *hearing) reopen() {
	if h.member == nil || h.ev.Info() != hook.SessionStart.Info() {
		return
	}
	h.note(h.member.step(func(s *standing) bool {
		again := !s.Open
		if again { // else it goes on, with less in its memory
			s.Open, s.Busy = true, false
		}
		return again
	}))
}

// collect puts texts that wait into the answer, if the agent takes some at this
// event, and notes whether it goes on working.
func (h *hearing) collect(out *hook.Outcome[any]) {
	if h.member == nil || h.ev.Head().Subagent() != "" {
		return
	}
	blocked := out.Action == hook.ActionBlock
	can := h.codec.About().Event(adapter.NativeName(h.ev)).Can
	takes, rests := false, false
	switch h.ev.Info() {
	case hook.SessionStart.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info():
		takes = can&adapter.Inject != 0
	case hook.AgentStart.Info():
		takes, rests = can&adapter.Inject != 0 && !blocked, blocked
	case hook.AgentStop.Info():
		stop, _ := h.ev.Body().(hook.AgentResult)
		takes, rests = can&adapter.GoOn != 0 && (blocked || !stop.StopHookActive), !blocked
	}
	if !takes && !rests {
		return
	}
	texts := h.take(takes, rests, h.ev.Info() == hook.AgentStop.Info(), out.Inject)
	if len(texts) == 0 {
		return
	}
	text := strings.Join(texts, "\n\n")
	if h.ev.Info() == hook.AgentStop.Info() && !blocked {
		h.goOn(out, text)
		return
	}
	if out.Inject != "" && out.Inject != text {
		text = out.Inject + "\n\n" + text
	}
	out.Inject = text
}

// goOn makes an agent that is about to stop work on the texts.
func (h *hearing) goOn(out *hook.Outcome[any], text string) {
	would := *out
	would.Action, would.Reason, would.By = hook.ActionBlock, text, "hookway"
	if err := h.limitContinues(&would); err != nil {
		h.log(err.Error())
	}
	if would.Action == hook.ActionBlock {
		*out = would
		return
	}
	h.putBack()
	h.rest()
}

// take takes the texts that wait, and those that the same event took before in an
// answer that never came, because its judge died. If there is none, the agent may
// rest.
func (h *hearing) take(takes, rests, stop bool, said string) (texts []string) {
	s, err := h.member.read()
	if err != nil || len(s.Letters) == 0 && (!rests || !s.Busy) {
		return nil
	}
	t, err := h.member.newTaker(h.request.Stdin)
	if err != nil {
		h.note(err)
		return nil
	}
	if !h.member.attended() { // what run has left there belongs to the agent's next session
		t.end()
		return nil
	}
	err = h.member.step(func(s *standing) bool {
		room, changed := mostTaken-len(said), false
		for i := range s.Letters {
			l := &s.Letters[i]
			if !takes || l.State == given || l.State == back || stop && l.Start {
				continue
			}
			if len(l.Body) > room || !t.may(l) {
				if l.Start {
					continue
				}
				break // those behind it do not come first
			}
			room, changed = room-len(l.Body)-len("\n\n"), true
			l.become(taken, time.Now())
			l.By, l.Sum = t.token, t.sum
			if l.Body != said { // a session that is resumed may tell its begin twice
				texts = append(texts, l.Body)
			}
		}
		if rests && len(texts) == 0 && s.Busy {
			s.Busy, changed = false, true
		}
		return changed
	})
	if err != nil {
		t.end()
		h.note(err)
		return nil
	}
	h.member.took = t
	return texts
}

// rest notes that the agent does not work, since its event could not be judged: a
// prompt was refused, or a stop let pass.
func (h *hearing) rest() {
	if h.member == nil || h.ev == nil || h.ev.Info() != hook.AgentStart.Info() && h.ev.Info() != hook.AgentStop.Info() {
		return
	}
	h.note(h.member.step(func(s *standing) bool {
		s.Busy = false
		return true
	}))
}

// putBack lets other events have what is in no answer.
func (h *hearing) putBack() { h.settle(waiting) }

// settle notes what became of the texts that this hearing took.
func (h *hearing) settle(state string) {
	if h.member == nil || h.member.took == nil {
		return
	}
	t := h.member.took
	h.member.took = nil
	h.note(h.member.step(func(s *standing) bool {
		changed := false
		for i := range s.Letters {
			if l := &s.Letters[i]; l.State == taken && l.By == t.token {
				l.become(state, time.Now())
				changed = true
			}
		}
		return changed
	}))
	t.end()
}

// sending has it noted that the texts in an answer are given, when it is sent.
func (h *hearing) sending(r call.Reply) call.Reply {
	recorded := call.Reply{Sent: r.Sent}
	if len(h.handing)+len(h.retold) > 0 {
		h.replied = time.Now()
		r.Sent = func(err error) {
			h.handed(err)
			recorded.Pass(err)
		}
		return r
	}
	if h.member == nil || h.member.took == nil {
		return r
	}
	r.Sent = func(err error) {
		defer recorded.Pass(err)
		switch {
		case errors.Is(err, call.ErrUnshown): // they stay taken, which run sees in time
			h.member.took.end()
			h.member.took = nil
		case err != nil:
			h.putBack()
		default:
			h.settle(given)
		}
	}
	return r
}
