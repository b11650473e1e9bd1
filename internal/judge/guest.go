package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// visit finds who an event is of, if messages can reach it by its own hooks and no
// other way: an agent that hookway run has wrapped gets them there, and what runs
// inside of a session or a hook is nobody of its own.
func (h *hearing) visit(ctx context.Context, ev hook.AnyEvent) *guest {
	head := ev.Head()
	if h.Relay.Open == nil || head.Session == "" || h.env.get("HOOKWAY_SESSION") != "" || h.env.depth() > 0 || head.Subagent() != "" {
		return nil
	}
	who := reader{session: head.Session, agent: h.codec.About().Agent}
	fresh := func() *guest {
		return &guest{name: h.env.get("HOOKWAY_AGENT"), p: relay.Presence{
			Session: head.Session, Program: who.agent, Kind: relay.KindHooks, CWD: head.CWD, Transcript: head.Transcript, PID: h.from.PID,
		}}
	}
	if ev.Info() == hook.SessionEnd.Info() { // some agents tell it twice
		fresh = nil
	}
	g := h.mail.guest(who, fresh)
	if g == nil {
		return nil
	}
	if !g.turn.TryLock() { // hooks may take their time over a message; this event must not wait for them
		return g
	}
	defer g.turn.Unlock()
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	known := g.p
	if head.Transcript != "" {
		g.p.Transcript = head.Transcript
	}
	if head.CWD != "" {
		g.p.CWD = head.CWD
	}
	if g.seat == nil {
		if err := h.seat(ctx, g); err != nil {
			g.complain.Do(func() { h.notice(fmt.Errorf("the agent cannot get any: %w", err)) })
		}
	} else if g.p != known {
		h.notice(g.seat.Update(ctx, g.p))
	}
	h.hear(ctx, g, ev)
	return g
}

// notice logs what went wrong with messages: that holds up no answer.
func (h *hearing) notice(err error) {
	if err != nil {
		h.log("messages of agents: " + hook.LogLine(err.Error()))
	}
}

// seat has a guest join, if anybody on this machine has ever sent a message. The
// caller holds its turn.
func (j *Judge) seat(ctx context.Context, g *guest) error {
	if g.seat != nil || g.gone {
		return nil
	}
	if !j.Relay.used() {
		j.await()
		return nil
	}
	store, err := j.openRelay(ctx)
	if store == nil || err != nil {
		return err
	}
	if g.p.Name == "" {
		if g.p.Name, err = j.nameFor(ctx, store, g); err != nil {
			return err
		}
	}
	g.seat, err = store.Join(ctx, g.p)
	if err == nil {
		g.printed, g.unseen = len(readUnproven(j.unprovenOf(g))) > 0, true // by a daemon before this one, perhaps
		return nil
	}
	g.seat = nil
	return err
}

// leastName is how many letters of its session's id an agent's name has at least.
const leastName = 4

// nameFor is what others call a guest: what its user has named it, or what it was
// called before, or a new name.
func (j *Judge) nameFor(ctx context.Context, store *relay.Store, g *guest) (string, error) {
	if g.name != "" {
		return g.name, nil
	}
	file := j.cardOf(g)
	known, err := readCard(file)
	if err != nil || known.Name != "" {
		return known.Name, err
	}
	if known.Name, err = freeName(ctx, store, g.p.Program, g.p.Session); err != nil {
		return "", err
	}
	return known.Name, known.write(file)
}

// freeName names an agent that the user has not named: after its program and the
// begin of its session's id, as long as it takes to be nobody else's.
func freeName(ctx context.Context, store *relay.Store, program, session string) (string, error) {
	all, err := store.Agents(ctx)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, a := range all {
		if a.Machine == store.Machine() {
			taken[strings.ToLower(a.Name)] = true
		}
	}
	id := distinct(session)
	for n := leastName; n < len(id); n++ {
		if name := program + "-" + string(id[:n]); !taken[name] {
			return name, nil
		}
	}
	return program + "-" + string(id), nil
}

// distinct gives the letters and digits of a session's id, those first that tell
// it from others: some ids begin with the time, which all of a day have in common.
func distinct(session string) []rune {
	var id []rune
	for _, r := range strings.ToLower(session) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			id = append(id, r)
		}
	}
	if len(id) < leastName { // few letters, or none that may be in a name
		sum := sha256.Sum256([]byte(session))
		id = append(id, []rune(hex.EncodeToString(sum[:8]))...)
	}
	id = id[:min(len(id), 40)]
	if byTime := len(session) == 36 && session[14] == '7' || strings.HasPrefix(session, "ses_"); byTime && len(id) > 12 {
		return append(id[len(id)-12:len(id):len(id)], id[:len(id)-12]...)
	}
	return id
}

// hear notes what an event says of the messages before it. The caller holds the
// guest's turn.
func (h *hearing) hear(ctx context.Context, g *guest, ev hook.AnyEvent) {
	if stop, ok := ev.Body().(hook.AgentResult); !ok {
		if run, ok := ev.Body().(hook.AgentRun); ok {
			g.row = 0
			if g.seat != nil && h.byPerson(g, run.Prompt) {
				h.notice(g.seat.Human(ctx))
			}
		}
	} else if !stop.StopHookActive {
		g.row = 0
	}
	if g.seat == nil {
		return
	}
	h.proves(g, ev)
	for len(g.undone) > 0 {
		if err := g.seat.Done(ctx, g.undone[0].ID, g.undone[0].repeat); err != nil {
			h.notice(err)
			break
		}
		g.undone = g.undone[1:]
	}
	if ev.Info() == hook.SessionStart.Info() || ev.Info() == hook.SessionEnd.Info() { // the agent has done nothing yet, or any more
		return
	}
	if g.unseen && h.began.After(g.at) {
		err := g.seat.Seen(ctx)
		h.notice(err)
		g.unseen = err != nil || len(g.undone) > 0 // then the next event says it again
	}
}

// byPerson reports whether a person wrote a prompt: some agents begin a new turn
// with what a hook has told them at the stop of the last one.
func (h *hearing) byPerson(g *guest, prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	return prompt != "" && (g.said == "" || prompt != strings.TrimSpace(g.said)) && !letterHead.MatchString(prompt)
}

// farewell gives the seat of a session back that has ended: what comes from now on
// waits until the session is resumed.
func (h *hearing) farewell() {
	if h.guest == nil || h.ev.Info() != hook.SessionEnd.Info() {
		return
	}
	who := reader{session: h.ev.Head().Session, agent: h.codec.About().Agent}
	h.mail.mu.Lock()
	if h.mail.guests[who] == h.guest {
		delete(h.mail.guests, who)
	}
	h.mail.mu.Unlock()
	left := make(chan error, 1)
	h.mail.leaving.Go(func() { left <- h.guest.leave() })
	select {
	case err := <-left:
		h.notice(err)
	case <-time.After(leaveTime): // hooks are still at a message; it ends all the same
	}
}

// half is half of the time that is left, for what may be left out.
func (h *hearing) half(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, noteTime)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// machine is what other machines call this one.
func (h *hearing) machine() string {
	h.mail.opening.Lock()
	defer h.mail.opening.Unlock()
	if h.mail.store == nil {
		return ""
	}
	return h.mail.store.Machine()
}
