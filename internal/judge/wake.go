package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// A call that was refused until a person says yes is not made again by itself: its agent
// is told of the answer, once, at its next event that takes text. One that hookway run
// wraps may rest, and have no event: it gets a message, which is typed when that is safe.

// waking are the sessions with refused calls that may be answered.
type waking struct {
	mu       sync.Mutex
	sessions map[string]bool // whether hookway run wraps it
	looked   bool            // what there was before
	watching bool
	under    sync.WaitGroup // who watches
}

// refused notes that a call of the session waits for a person, if that is so.
func (r *request) refused(ctx context.Context, out *hook.Outcome[any]) {
	now, _ := out.Metadata["approval"].(map[string]any)
	if r.Approvals == nil || now["route"] != string(approve.RouteRetry) && (out.By != guards.ID || out.Action != hook.ActionBlock) {
		return
	}
	r.waits(ctx) // what there was before
	_, wrapped := r.delivery.Wrapped()
	w := &r.waking
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[r.ev.Head().Session] = wrapped
	if wrapped && !w.watching && r.Continues == "" && r.Relay.Open != nil {
		w.watching = true
		held, _ := r.approvals.ending()
		w.under.Go(func() { r.Judge.wake(held) })
	}
}

// waits reports whether a session has calls that may have been answered. Of those that an
// earlier process has refused, the file tells.
func (r *request) waits(ctx context.Context) bool {
	w := &r.waking
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.looked { // a look that fails is done again
		err := r.refusedBefore(ctx)
		if w.looked = err == nil; err != nil {
			r.log(err.Error())
		}
	}
	_, ok := w.sessions[r.ev.Head().Session]
	return ok
}

// refusedBefore notes the sessions that the file has. It is under the lock.
func (r *request) refusedBefore(ctx context.Context) error {
	w := &r.waking
	if w.sessions == nil {
		w.sessions = map[string]bool{}
	}
	s, err := r.Approvals(ctx, false)
	if s == nil || err != nil {
		return err
	}
	defer s.Close()
	sessions, err := s.Refused(ctx)
	for _, session := range sessions {
		if _, known := w.sessions[session]; !known {
			w.sessions[session] = false
		}
	}
	return err
}

// tell tells the agent what a person said of its refused calls, if it takes text now. A
// sub-agent is told of its own calls; when it has ended, the agent is.
func (r *request) tell(ctx context.Context, out *hook.Outcome[any]) {
	if r.Approvals == nil || !r.waits(ctx) {
		return
	}
	takes := r.takesText()
	now, _ := out.Metadata["approval"].(map[string]any)
	refused := now["state"] == string(approve.Denied) // by the answer to this very event
	head := r.ev.Head()
	ends := r.ev.Info() == hook.SubagentStop.Info() && head.Subagent() != ""
	if !takes && !refused && !ends {
		return
	}
	s, err := r.Approvals(ctx, false)
	if s == nil || err != nil {
		return
	}
	defer s.Close()
	if code, _ := now["code"].(string); refused {
		if err := s.Heard(ctx, code); err != nil {
			r.log(err.Error())
		}
	}
	to := approve.Agent{Session: head.Session, Subagent: head.Subagent()}
	if takes {
		r.tellAnswers(ctx, s, to, out)
	}
	if r.ends(out.Action) && ends {
		if err := s.Inherit(ctx, to); err != nil {
			r.log(err.Error())
		}
	}
}

// takesText reports whether the agent reads a text at this event, and can yet act by it.
func (r *request) takesText() bool {
	can := r.codec.About().Event(adapter.NativeName(r.ev)).Can
	switch r.ev.Info() {
	case hook.AgentStop.Info(), hook.SubagentStop.Info():
		return can&adapter.GoOn != 0
	case hook.PreToolUse.Info(), hook.PermissionRequest.Info(): // it has made up its mind already
		return false
	}
	return can&adapter.Inject != 0
}

// tellAnswers puts answers into the outcome. That they were told is noted when the agent has
// taken it.
func (r *request) tellAnswers(ctx context.Context, s *approve.Store, to approve.Agent, out *hook.Outcome[any]) {
	answered, waits, err := s.Tell(ctx, to)
	if err != nil {
		r.log(err.Error())
		return
	}
	if waits == 0 {
		r.waking.forget(to.Session)
	}
	for _, q := range answered {
		if r.inject(out, answerText(&q)) {
			r.telling = append(r.telling, q)
		} else if err := s.Untold(ctx, q); err != nil { // it is told at another event
			r.log(err.Error())
		}
	}
}

// told has it noted whether the agent has the answers that were put into the outcome; nil
// if there are none.
func (r *request) told() func(error) {
	if len(r.telling) == 0 {
		return nil
	}
	return func(lost error) {
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		s, err := r.Approvals(ctx, false)
		if s == nil || err != nil {
			return // it is told again
		}
		defer s.Close()
		for _, q := range r.telling {
			note := s.Told
			if lost != nil {
				note = s.Untold
			}
			if err := note(ctx, q); err != nil {
				r.log(err.Error())
			}
		}
	}
}

// inject puts a text into the outcome. An agent that is about to stop goes on with it,
// unless it may not.
func (r *request) inject(out *hook.Outcome[any], text string) bool {
	if _, stops := hook.StopOf(r.ev); !stops || out.Action == hook.ActionBlock {
		out.Inject = visible.Join("\n\n", out.Inject, text)
		return true
	}
	would := *out
	would.Action, would.By, would.Reason, would.Inject = hook.ActionBlock, "hookway", visible.Join("\n\n", out.Inject, text), ""
	if r.limit(&would); would.Action != hook.ActionBlock {
		return false
	}
	*out = would
	return true
}

// mostCall bounds what an agent reads again of its call.
const mostCall = 300

// answerText is what an agent reads about an answer.
func answerText(q *approve.Request) string {
	call := visible.Clip(visible.Line(q.Tool+": "+strings.TrimSpace(q.Input)), mostCall)
	note := ""
	if q.Note != "" {
		note = fmt.Sprintf(" They say: %s.", q.Note)
	}
	if q.State == approve.Allowed {
		return fmt.Sprintf("%s was approved. If you have not made that call since, try it again exactly as it was (%s).%s", q.Code, call, note)
	}
	return fmt.Sprintf("%s was refused: do not try that call again (%s).%s", q.Code, call, note)
}

// How long to wait between looks at a file that fails.
const leastPause, mostPause = time.Second, time.Minute

// wake sends messages to wrapped agents about their answers, until none waits.
func (j *Judge) wake(ctx context.Context) {
	done := func() (none bool) {
		w := &j.waking
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, wrapped := range w.sessions {
			if wrapped {
				return false
			}
		}
		w.watching = false
		return true
	}
	said, pause := "", leastPause
	for !done() && ctx.Err() == nil {
		err := j.wakeThose(ctx)
		if err == nil || ctx.Err() != nil {
			said, pause = "", leastPause
			continue
		}
		if text := err.Error(); text != said {
			said = text
			j.log(text)
		}
		select { // the file may be another soon
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, mostPause)
	}
}

// wakeThose looks at all wrapped sessions, and waits for the next change.
func (j *Judge) wakeThose(ctx context.Context) error {
	s, err := j.Approvals(ctx, true)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes, err := s.Changes(ctx)
	if err != nil {
		return err
	}
	for again := true; again; {
		for _, session := range j.waking.wrapped() {
			if err := j.wakeOne(ctx, s, session); err != nil {
				return err
			}
		}
		if len(j.waking.wrapped()) == 0 {
			return nil
		}
		select {
		case _, again = <-changes:
		case <-time.After(time.Minute): // a request that nobody answers expires
		}
	}
	return nil
}

// wakeOne sends the answers to a wrapped session as messages.
func (j *Judge) wakeOne(ctx context.Context, s *approve.Store, session string) error {
	for {
		answered, waits, err := s.Tell(ctx, approve.Agent{Session: session})
		if err != nil {
			return err
		}
		if len(answered) == 0 {
			if waits == 0 {
				j.waking.forget(session)
			}
			return nil
		}
		for i, q := range answered {
			if err := j.message(ctx, &q); err != nil { // the next event tells it, and those behind it
				j.waking.set(session, false)
				for _, q := range answered[i:] {
					err = errors.Join(err, s.Untold(context.WithoutCancel(ctx), q))
				}
				return err
			}
			if err := s.Told(context.WithoutCancel(ctx), q); err != nil { // sent again, it is the same message
				return err
			}
		}
	}
}

func (w *waking) wrapped() (sessions []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for session, wrapped := range w.sessions {
		if wrapped {
			sessions = append(sessions, session)
		}
	}
	return sessions
}

func (w *waking) set(session string, wrapped bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[session] = wrapped
}

func (w *waking) forget(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
}

// message tells an agent of an answer by a message. It is a person's word, so there is no
// sender whose hooks could be asked.
func (j *Judge) message(ctx context.Context, q *approve.Request) error {
	store, err := j.channel().Store(ctx)
	if err != nil {
		return err
	}
	if store == nil {
		return fmt.Errorf("the answer to %s cannot be sent to its agent", q.Code)
	}
	if _, err := store.Send(ctx, relay.Message{
		ID: relay.IDOf(q.Answered, q.Code+" "+q.Session+" "+q.First.String()), From: relay.Person, To: q.Session, Content: answerText(q),
	}); err != nil {
		return fmt.Errorf("the answer to %s cannot be sent to its agent: %w", q.Code, err)
	}
	if j.Relay.Sent != nil {
		j.Relay.Sent(ctx)
	}
	return nil
}
