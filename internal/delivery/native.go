package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// Event is an event that an agent reports by its own hooks, and what its answer can
// have.
type Event struct {
	hook.AnyEvent        // in the session that hookway knows it by
	Agent         string // the program: claude, codex, …
	Own           string // the session's id in the agent's words
	Native        string // the event's name in the agent's words
	Raw           []byte // as it came; the same bytes are the same event
	Began         time.Time
	PID           int // of who asks

	// Name is what the user has named the agent. Session is what hookway run calls the
	// session, and State the folder in which run and the agent's hooks share it; both
	// are "" unless the agent is wrapped, and alone in its session.
	Name, Session, State string
	Inside               bool // of a wrapped session or of a hook: it is not an agent of its own

	Injects bool // the answer can have text
	GoesOn  bool // the answer can make the agent go on
	Prompts bool // the agent reports prompts, in other events

	// Hooks are those of the agent's folder, for the messages of the agent of a name.
	Hooks func(name string, hops int) Hooks

	// Limit lets an agent stop that was made to go on too often.
	Limit func(*hook.Outcome[any])
}

// is reports whether the event is of one of these kinds.
func (e *Event) is(kinds ...*hook.EventInfo) bool {
	for _, k := range kinds {
		if e.Info() == k {
			return true
		}
	}
	return false
}

// Answer is the answer to one event, and the items that are in it: the channel of an
// agent's own hooks. What hookway run has left for an agent that it wraps is in its
// answers, and the messages for an agent without a terminal of ours.
type Answer struct {
	native *Native
	event  Event
	run    *wrapped    // nil unless the agent is wrapped
	sub    *subscriber // nil unless messages reach the agent by its own hooks alone

	room    int           // bytes that its items may have
	claimed []Item        // that are in it
	again   []unconfirmed // messages that sub was given before, and has lost
	replied time.Time     // when it was made
}

var _ Channel = (*Answer)(nil)

// Arrive begins the answer to an event. It notes what the event says of the agent:
// that it works, that it rests, and that it has got what was in an answer before.
func (n *Native) Arrive(ctx context.Context, e Event) *Answer {
	a := &Answer{native: n, event: e}
	if a.run = a.join(); a.run == nil {
		a.subscribe(ctx)
	}
	return a
}

// AgentName is what the user calls the agent, if it is wrapped.
func (a *Answer) AgentName() string {
	if a.run == nil {
		return ""
	}
	return a.run.name
}

// Add puts items that wait into an answer, if the agent takes some at this event, which
// is given as its hooks were asked about it. From then on the items are claimed, until
// Sent says what became of the answer.
func (a *Answer) Add(ctx context.Context, ev hook.AnyEvent, out *hook.Outcome[any]) {
	a.event.AnyEvent = ev
	switch {
	case a.run != nil:
		a.run.reopen(a)
		a.addShared(out)
	case a.sub != nil:
		a.addMessages(ctx, out)
	}
}

// AddRepeated is Add for an event that was reported before.
func (a *Answer) AddRepeated(ctx context.Context, ev hook.AnyEvent, out *hook.Outcome[any]) {
	a.event.AnyEvent = ev
	if a.sub != nil && !a.event.is(hook.AgentStop.Info()) { // the first report may have been at an event that takes no text
		a.addMessages(ctx, out)
	}
}

// put puts texts into the outcome. It reports false if the agent must stop, and so gets
// none.
func (a *Answer) put(out *hook.Outcome[any], texts []string) bool {
	text := strings.Join(texts, "\n\n")
	goesOn := out.Action == hook.ActionBlock || out.Inject != "" && a.event.Injects
	if !a.event.is(hook.AgentStop.Info()) || goesOn {
		out.Inject = joined(out.Inject, text)
		return true
	}
	would := *out // it works on the texts
	would.Action, would.Reason, would.By = hook.ActionBlock, joined(out.Inject, text), "hookway"
	would.Inject = ""
	if a.event.Limit(&would); would.Action != hook.ActionBlock {
		return false
	}
	*out = would
	return true
}

// joined is a text behind another one, which may be the same.
func joined(before, text string) string {
	if before == "" || before == text {
		return text
	}
	return before + "\n\n" + text
}

// Sent has it noted what became of the items when the answer is sent. Nil: there are
// none.
func (a *Answer) Sent() func(Fate) {
	if !a.open() {
		return nil
	}
	a.replied = time.Now()
	return a.settle
}

// open reports whether it is to be noted what becomes of the answer.
func (a *Answer) open() bool {
	return len(a.claimed)+len(a.again) > 0 || a.run != nil && a.run.claim != nil
}

// Refused returns the items when there is no outcome: what answers is not ours.
func (a *Answer) Refused() {
	if a.open() {
		a.settle(Returned)
	}
	if a.run != nil {
		a.run.rest(a)
	}
}

// Close ends the answer.
func (a *Answer) Close() {
	if a.sub != nil && a.event.is(hook.SessionEnd.Info()) {
		a.unsubscribe()
	}
}

// Bounds of the messages in one answer.
const (
	mostMessages = 16
	leastRoom    = 1 << 10          // bytes without which an answer takes none
	framing      = 512              // bytes that stand around a message
	stopsInRow   = 4                // messages make an agent go on so often in a row; some ignore a fifth
	flushTime    = 10 * time.Second // in which an agent has written down what it was given
	flushSlack   = 50 * time.Millisecond
)

// itemHead is how a message begins that an agent is given.
var itemHead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Message from .+ \[[0-9a-z]{8}\]`) })

// arrive notes what an event says of the messages before it. The caller holds the
// subscriber's turn.
func (a *Answer) arrive(ctx context.Context) {
	n, s, e := a.native, a.sub, &a.event
	if stop, ok := e.Body().(hook.AgentResult); !ok {
		if run, ok := e.Body().(hook.AgentRun); ok {
			s.row = 0
			if s.consumer != nil && s.byPerson(run.Prompt) {
				n.notice(s.consumer.Human(ctx))
			}
		}
	} else if !stop.StopHookActive {
		s.row = 0
	}
	if s.consumer == nil {
		return
	}
	a.confirm()
	for len(s.unnoted) > 0 {
		if err := s.consumer.Done(ctx, s.unnoted[0].ID, s.unnoted[0].Repeat); err != nil {
			n.notice(err)
			break
		}
		s.unnoted = s.unnoted[1:]
	}
	if e.is(hook.SessionStart.Info(), hook.SessionEnd.Info()) { // the agent has done nothing yet, or any more
		return
	}
	if s.toProve && e.Began.After(s.at) {
		err := a.Prove(ctx)
		n.notice(err)
		s.toProve = err != nil || len(s.unnoted) > 0 // then the next event says it again
	}
}

// byPerson reports whether a person wrote a prompt: some agents begin a new turn
// with what a hook has injected at the stop of the last one.
func (s *subscriber) byPerson(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	return prompt != "" && (s.reason == "" || prompt != strings.TrimSpace(s.reason)) && !itemHead().MatchString(prompt)
}

// roomFor is how many bytes of messages an answer can have: none at events at
// which the agent takes no text, or should not go on.
func (a *Answer) roomFor(out *hook.Outcome[any]) int {
	e, takes := &a.event, false
	switch {
	case e.is(hook.SessionStart.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info()):
		takes = e.Injects
	case e.is(hook.AgentStart.Info()):
		takes = e.Injects && out.Action != hook.ActionBlock
	case e.is(hook.GenerateStart.Info()):
		takes = e.Injects && out.Action != hook.ActionBlock && !e.Prompts
	case e.is(hook.AgentStop.Info()):
		takes = e.GoesOn && a.mayGoOn()
	}
	if !takes {
		return 0
	}
	return mostTaken - len(out.Inject) - len(out.Reason)
}

// mayGoOn reports whether an agent that is about to stop may be given messages to
// work on: not one that its user has stopped, and not without end.
func (a *Answer) mayGoOn() bool {
	stop, _ := a.event.Body().(hook.AgentResult)
	native, _ := a.event.Head().Metadata["native"].(map[string]any)
	if status, _ := native["status"].(string); status != "" && status != "completed" {
		return false
	}
	if a.native.OneEvent { // this process knows of no stop before
		return !stop.StopHookActive
	}
	return a.sub.row < stopsInRow
}

// addMessages puts messages into the answer, if there are some and the agent takes them
// now.
func (a *Answer) addMessages(ctx context.Context, out *hook.Outcome[any]) {
	s := a.sub
	if !s.turn.TryLock() { // another event is being given what there is
		return
	}
	defer s.turn.Unlock()
	defer a.count(out)
	room := a.roomFor(out)
	if s.consumer == nil || s.busy || room < leastRoom {
		return
	}
	ctx, cancel := a.native.Relay.half(ctx)
	defer cancel()
	texts := a.lost(ctx, room)
	for _, text := range texts {
		room -= len(text) + len("\n\n")
	}
	if a.room = room; room >= leastRoom {
		items, err := a.Take(ctx, mostMessages)
		a.native.notice(err)
		for _, item := range items {
			texts = append(texts, item.shown)
		}
	}
	if len(texts) == 0 {
		return
	}
	if s.busy = true; !a.put(out, texts) {
		a.settleNow(Returned)
	}
}

// half is half of the time that is left, for what may be left out.
func (r *Relay) half(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, r.noting())
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// count notes whether the agent stops.
func (a *Answer) count(out *hook.Outcome[any]) {
	if !a.event.is(hook.AgentStop.Info()) {
		return
	}
	if a.sub.reason = ""; out.Action == hook.ActionBlock {
		a.sub.row, a.sub.reason = a.sub.row+1, out.Reason
	}
}

// Take claims the items that fit into the answer.
func (a *Answer) Take(ctx context.Context, most int) (items []Item, err error) {
	if a.run != nil {
		a.claimed, err = a.run.take(a)
		return a.claimed, err
	}
	s := a.sub
	reading, done := context.WithTimeout(ctx, a.native.Relay.patience())
	taken, err := s.consumer.Take(reading, most)
	done()
	all := append(s.kept, taken...)
	s.kept = nil
	for i, t := range all {
		item, failed := a.claim(ctx, t)
		if failed != nil {
			if !errors.Is(failed, errNoRoom) {
				err = errors.Join(err, failed)
			}
			a.release(all[i:])
			break
		}
		if item.shown != "" {
			a.claimed = append(a.claimed, item)
		}
	}
	return a.claimed, err
}

// release lets others, or later events, have messages that were taken only. Of one
// that somebody may have given before, that must stay known.
func (a *Answer) release(taken []relay.Taken) {
	ctx, cancel := context.WithTimeout(context.Background(), a.native.Relay.noting())
	defer cancel()
	for _, t := range taken {
		if t.Again != nil {
			a.sub.kept = append(a.sub.kept, t)
			continue
		}
		a.native.notice(a.sub.consumer.Release(ctx, t.Message.ID))
	}
}

// errNoRoom says that a message does not fit into the answer any more.
var errNoRoom = errors.New("the answer has no room")

// claim claims one message. An item that shows nothing is a message that is not, or not
// now, to be given.
func (a *Answer) claim(ctx context.Context, t relay.Taken) (item Item, err error) {
	s := a.sub
	item = Item{Message: Clean(t.Message)}
	need := min(len(item.Content), contentMost) + framing
	if t.Again != nil {
		need = len(t.Again.Text) + len(RepeatMark)
	}
	if need > a.room && (len(a.claimed) > 0 || a.room < leastRoom) {
		return Item{}, errNoRoom
	}
	var text string
	if t.Again != nil {
		text, item.Repeat, err = a.retry(ctx, t)
	} else if ok, asked := item.ask(ctx, s.consumer, a.event.Hooks(s.p.Name, item.Hops)); asked != nil || !ok {
		err = asked
	} else {
		text = Text(item.Message, a.native.machine(), item.Inject)
	}
	if text == "" || err != nil {
		return Item{}, unlessTaken(err)
	}
	if len(text) > a.room {
		text = cut(text, a.room, item.ID)
	}
	a.sign()
	ctx, cancel := context.WithTimeout(ctx, a.native.Relay.patience())
	defer cancel()
	if err := s.consumer.Begin(ctx, item.ID, text, "hook"); err != nil {
		return Item{}, unlessTaken(err)
	}
	a.room -= len(text) + len("\n\n")
	item.shown = text
	return item, nil
}

// unlessTaken leaves out the error of a message that somebody else has claimed
// meanwhile: it is not to be given, and those after it are.
func unlessTaken(err error) error {
	_, err = ours(err)
	return err
}

// cut gives the begin of a text that is too long, and says where the rest is.
func cut(text string, most int, id string) string {
	more := moreOf(id)
	return upTo(text, most-len(more)) + more
}

// retry decides about a message that somebody had put into an answer and then died.
// If the agent has it, that is noted; if that cannot be known yet, it waits; if it
// never can, the text says so.
func (a *Answer) retry(ctx context.Context, t relay.Taken) (text string, repeat bool, err error) {
	s, again := a.sub, *t.Again
	if again.Transcript == "" && again.Session == s.p.Session {
		again.Transcript = s.p.Transcript
	}
	if again.How == "hook" && a.answeredBefore() { // its answer has no other way to the agent than this one
		return again.Text, false, nil
	}
	switch finding := Look(again, t.Message.ID); {
	case finding == Found:
		s.toProve, s.at = true, a.event.Began
		return "", false, s.consumer.Done(ctx, t.Message.ID, false)
	case finding == Absent && writtenSince(again):
		return again.Text, false, nil
	case again.Transcript != "" && time.Since(again.At) < flushTime && !writtenSince(again):
		s.kept = append(s.kept, t)
		return "", false, nil
	}
	return strings.TrimSuffix(again.Text, RepeatMark) + RepeatMark, true, nil
}

// writtenSince reports whether a transcript was written to after an attempt: until
// then it says nothing of it, since agents write late.
func writtenSince(a relay.Attempt) bool {
	info, err := os.Stat(a.Transcript)
	return err == nil && info.ModTime().After(a.At.Add(flushSlack))
}

// sign notes which event is answered, before a message is in the answer.
func (a *Answer) sign() {
	if len(a.claimed) > 0 {
		return
	}
	file := a.native.profileFile(a.sub)
	p, err := readProfile(file)
	if err == nil {
		p.Answered, p.At = a.sum(), time.Now()
		err = p.write(file)
	}
	a.native.notice(err)
}

// answeredBefore reports whether the same event is asked about again, because who
// was to answer it has died: then what was in that answer did not arrive.
func (a *Answer) answeredBefore() bool {
	p, err := readProfile(a.native.profileFile(a.sub))
	return err == nil && p.Answered == a.sum() && time.Since(p.At) < time.Minute
}

func (a *Answer) sum() string {
	sum := sha256.Sum256(a.event.Raw)
	return hex.EncodeToString(sum[:])
}

// Shown notes that the answer with items was sent.
func (a *Answer) Shown(ctx context.Context, items []Item) (err error) {
	if a.run != nil {
		return a.run.settle(stateShown)
	}
	s := a.sub
	a.printed(items)
	for _, item := range items {
		if s.consumer == nil { // it is looked up when the session is resumed
			break
		}
		if failed := s.consumer.Done(ctx, item.ID, item.Repeat); failed != nil {
			err = errors.Join(err, failed)
			s.unnoted = append(s.unnoted, item)
		}
	}
	s.toProve, s.at = true, a.replied
	return err
}

// Prove notes that the agent has done something since it was given items.
func (a *Answer) Prove(ctx context.Context) error {
	if a.run != nil {
		return a.run.report(a.event.AnyEvent)
	}
	return a.sub.consumer.Seen(ctx)
}

// Return has later events get items that the agent did not get.
func (a *Answer) Return(ctx context.Context, items []Item) (err error) {
	if a.run != nil {
		return a.run.settle(stateWaiting)
	}
	for _, item := range items {
		switch {
		case item.Repeat: // an earlier answer may have had it
			a.sub.keep(item)
		case a.sub.consumer != nil:
			err = errors.Join(err, a.sub.consumer.Release(ctx, item.ID))
		}
	}
	return err
}

// settle notes what became of the items of an answer.
func (a *Answer) settle(f Fate) {
	if a.sub != nil {
		a.sub.turn.Lock()
		defer a.sub.turn.Unlock()
	}
	a.settleNow(f)
}

// settleNow is settle for who holds the subscriber's turn.
func (a *Answer) settleNow(f Fate) {
	ctx, cancel := context.WithTimeout(context.Background(), a.native.Relay.noting())
	defer cancel()
	if a.sub != nil {
		a.sub.busy = false
		a.noteRepeated(f)
	}
	var err error
	switch f {
	case Delivered:
		err = a.Shown(ctx, a.claimed)
	case Returned:
		err = a.Return(ctx, a.claimed)
	case Unconfirmed:
		if a.run != nil { // they stay claimed, and run sees that in time
			err = a.run.settle(stateClaimed)
		}
		for _, item := range a.claimed {
			if a.sub != nil {
				a.sub.keep(item)
			}
		}
	}
	a.claimed = nil
	if a.run != nil {
		a.warn(err)
	} else {
		a.native.notice(err)
	}
}

// keep has a later event decide about a message of which it is not known whether the
// agent has it. The caller holds the subscriber's turn.
func (s *subscriber) keep(item Item) {
	attempt := relay.Attempt{Text: item.shown, Session: s.p.Session, Transcript: s.p.Transcript, How: "hook", At: time.Now()}
	s.kept = append(s.kept, relay.Taken{Message: item.Message, Again: &attempt})
}
