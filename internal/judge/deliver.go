package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/wire/call"
)

// Bounds of the messages in one answer.
const (
	mostMessages = 16
	leastRoom    = 1 << 10          // bytes without which an answer takes none
	framing      = 512              // bytes that stand around a message
	mostShown    = 4 << 10          // bytes of one that are shown at once
	stopsInRow   = 4                // messages make an agent go on so often in a row; some ignore a fifth
	flushTime    = 10 * time.Second // in which an agent has written down what it was given
	flushSlack   = 50 * time.Millisecond
)

// letterHead is how a message begins that an agent is given.
var letterHead = regexp.MustCompile(`^Message from .+ \[[0-9a-z]{8}\]`)

// roomFor is how many bytes of messages an answer can have: none at events at
// which the agent takes no text, or should not go on.
func (h *hearing) roomFor(g *guest, out *hook.Outcome[any]) int {
	about := h.codec.About()
	can := about.Event(adapter.NativeName(h.ev)).Can
	takes := false
	switch h.ev.Info() {
	case hook.SessionStart.Info(), hook.PostToolUse.Info(), hook.PostToolUseFailure.Info():
		takes = can&adapter.Inject != 0
	case hook.AgentStart.Info():
		takes = can&adapter.Inject != 0 && out.Action != hook.ActionBlock
	case hook.GenerateStart.Info(): // of an agent that tells of no prompt
		takes = can&adapter.Inject != 0 && out.Action != hook.ActionBlock && !tells(about, hook.AgentStart.Info())
	case hook.AgentStop.Info():
		takes = can&adapter.GoOn != 0 && h.mayGoOn(g)
	}
	if !takes {
		return 0
	}
	return mostTaken - len(out.Inject) - len(out.Reason)
}

func tells(about *adapter.About, kind *hook.EventInfo) bool {
	for _, e := range about.Events {
		if e.Kind == kind {
			return true
		}
	}
	return false
}

// mayGoOn reports whether an agent that is about to stop may be given messages to
// work on: not one that its user has stopped, and not without end.
func (h *hearing) mayGoOn(g *guest) bool {
	stop, _ := h.ev.Body().(hook.AgentResult)
	native, _ := h.ev.Head().Metadata["native"].(map[string]any)
	if status, _ := native["status"].(string); status != "" && status != "completed" {
		return false
	}
	if h.Continues != "" { // this process knows of no stop before
		return !stop.StopHookActive
	}
	return g.row < stopsInRow
}

// hand puts messages for the agent into the answer, if there are some and it takes
// them now. What is in it is theirs to have from then on: see handed.
func (h *hearing) hand(ctx context.Context, out *hook.Outcome[any]) {
	g := h.guest
	if g == nil || !g.turn.TryLock() { // another event is being given what there is
		return
	}
	defer g.turn.Unlock()
	defer h.count(g, out)
	room := h.roomFor(g, out)
	if g.seat == nil || g.out || room < leastRoom {
		return
	}
	ctx, cancel := h.half(ctx)
	defer cancel()
	texts := h.lost(ctx, g, room)
	for _, text := range texts {
		room -= len(text) + len("\n\n")
	}
	if room >= leastRoom {
		texts = append(texts, h.letters(ctx, g, room)...)
	}
	text := strings.Join(texts, "\n\n")
	if text == "" {
		return
	}
	stop := h.ev.Info() == hook.AgentStop.Info()
	goesOn := out.Action == hook.ActionBlock || out.Inject != "" && h.codec.About().Event(adapter.NativeName(h.ev)).Can&adapter.Inject != 0
	switch {
	case stop && !goesOn:
		if out.Inject != "" {
			text = out.Inject + "\n\n" + text
			out.Inject = ""
		}
		if h.goOn(out, text); out.Action != hook.ActionBlock {
			h.retell(g, errNoRoom)
			h.takeBack(g)
			return
		}
	case out.Inject != "":
		out.Inject += "\n\n" + text
	default:
		out.Inject = text
	}
	g.out = true
}

// count notes whether the agent stops.
func (h *hearing) count(g *guest, out *hook.Outcome[any]) {
	if h.ev.Info() != hook.AgentStop.Info() {
		return
	}
	if g.said = ""; out.Action == hook.ActionBlock {
		g.row, g.said = g.row+1, out.Reason
	}
}

// letters takes the messages that fit, and gives what the agent is to read.
func (h *hearing) letters(ctx context.Context, g *guest, room int) (texts []string) {
	reading, done := context.WithTimeout(ctx, joinTime)
	taken, err := g.seat.Take(reading, mostMessages)
	if done(); err != nil {
		h.notice(err)
	}
	all := append(g.kept, taken...)
	g.kept = nil
	for i, t := range all {
		text, err := h.letter(ctx, g, t, &room, len(texts) == 0)
		if err != nil {
			if !errors.Is(err, errNoRoom) {
				h.notice(err)
			}
			h.release(g, all[i:])
			break
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// release lets others, or later events, have messages that were taken only. Of one
// that somebody may have given before, that must stay known.
func (h *hearing) release(g *guest, taken []relay.Taken) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	for _, t := range taken {
		if t.Again != nil {
			g.kept = append(g.kept, t)
			continue
		}
		h.notice(g.seat.Release(ctx, t.Message.ID))
	}
}

// errNoRoom says that a message does not fit into the answer any more.
var errNoRoom = errors.New("the answer has no room")

// letter claims one message and gives its text; "" is a message that is not, or
// not now, to be given.
func (h *hearing) letter(ctx context.Context, g *guest, t relay.Taken, room *int, first bool) (string, error) {
	m := delivery.Clean(t.Message)
	need := min(len(m.Content), mostShown) + framing
	if t.Again != nil {
		need = len(t.Again.Text) + len(delivery.RepeatMark)
	}
	if need > *room && (!first || *room < leastRoom) {
		return "", errNoRoom
	}
	var text string
	var repeat bool
	var err error
	if t.Again != nil {
		text, repeat, err = h.again(ctx, g, t)
	} else {
		text, err = h.open(ctx, g, m)
	}
	if text == "" || err != nil {
		return "", unlessTaken(err)
	}
	if len(text) > *room {
		text = cut(text, *room, m.ID)
	}
	h.signAnswer(g)
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	if err := g.seat.Begin(ctx, m.ID, text, "hook"); err != nil {
		return "", unlessTaken(err)
	}
	*room -= len(text) + len("\n\n")
	h.handing = append(h.handing, handout{t.Message, text, repeat})
	return text, nil
}

// unlessTaken leaves out the error of a message that somebody else has claimed
// meanwhile: it is not to be given, and those after it are.
func unlessTaken(err error) error {
	if errors.Is(err, relay.ErrTaken) {
		return nil
	}
	return err
}

// cut gives the begin of a text that is too long, and says where the rest is.
func cut(text string, most int, id string) string {
	more := "\n… more: hookway inbox read " + relay.Short(id)
	n := most - len(more)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + more
}

// open asks the receiver's hooks about a message, and gives what is left of it.
func (h *hearing) open(ctx context.Context, g *guest, m relay.Message) (string, error) {
	out, err := h.mailHooks(g.p.Name, m.Hops).Received(ctx, delivery.ForHooks(m, "received"))
	switch {
	case err != nil:
		return "", fmt.Errorf("the hooks of MessageReceived did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		return "", g.seat.Suppress(ctx, m.ID, out.Reason)
	}
	if out.Changed {
		m.Content = out.Payload.Content
	}
	return delivery.Text(m, h.machine(), out.Inject), nil
}

// again decides about a message that somebody had put into an answer and then died.
// If the agent has it, that is noted; if that cannot be known yet, it waits; if it
// never can, the text says so.
func (h *hearing) again(ctx context.Context, g *guest, t relay.Taken) (text string, repeat bool, err error) {
	a := *t.Again
	if a.Transcript == "" && a.Session == g.p.Session {
		a.Transcript = g.p.Transcript
	}
	if a.How == "hook" && h.answeredBefore(g) { // its answer has no other way to the agent than this one
		return a.Text, false, nil
	}
	switch finding := delivery.Look(a, t.Message.ID); {
	case finding == delivery.Found:
		g.unseen, g.at = true, h.began
		return "", false, g.seat.Done(ctx, t.Message.ID, false)
	case finding == delivery.Absent && writtenSince(a):
		return a.Text, false, nil
	case a.Transcript != "" && time.Since(a.At) < flushTime && !writtenSince(a):
		g.kept = append(g.kept, t)
		return "", false, nil
	}
	return strings.TrimSuffix(a.Text, delivery.RepeatMark) + delivery.RepeatMark, true, nil
}

// writtenSince reports whether a transcript was written to after an attempt: until
// then it says nothing of it, since agents write late.
func writtenSince(a relay.Attempt) bool {
	info, err := os.Stat(a.Transcript)
	return err == nil && info.ModTime().After(a.At.Add(flushSlack))
}

// signAnswer notes which event is answered, before a message is in the answer.
func (h *hearing) signAnswer(g *guest) {
	if len(h.handing) > 0 {
		return
	}
	file := h.cardOf(g)
	c, err := readCard(file)
	if err == nil {
		c.Answered, c.At = h.sum(), time.Now()
		err = c.write(file)
	}
	h.notice(err)
}

// answeredBefore reports whether the same event is asked about again, because who
// was to answer it has died: then what was in that answer has reached nobody.
func (h *hearing) answeredBefore(g *guest) bool {
	c, err := readCard(h.cardOf(g))
	return err == nil && c.Answered == h.sum() && time.Since(c.At) < time.Minute
}

func (h *hearing) sum() string {
	sum := sha256.Sum256(h.request.Stdin)
	return hex.EncodeToString(sum[:])
}

// handed notes that the messages of an answer are in the agent's session, or, if it
// was not sent, lets a later event have them.
func (h *hearing) handed(err error) {
	g := h.guest
	if g == nil || len(h.handing)+len(h.retold) == 0 {
		return
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	h.retell(g, err)
	switch {
	case errors.Is(err, call.ErrUnshown):
		for _, m := range h.handing {
			g.doubt(m)
		}
		h.handing, g.out = nil, false
		return
	case err != nil:
		h.takeBack(g)
		return
	}
	h.printed(g)
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	for _, m := range h.handing {
		if g.seat == nil {
			break // it is looked up when the session is resumed
		}
		if err := g.seat.Done(ctx, m.ID, m.repeat); err != nil {
			h.notice(err)
			g.undone = append(g.undone, m)
		}
	}
	h.handing, g.out, g.unseen, g.at = nil, false, true, h.replied
}

// doubt keeps a message of which it is not known whether the agent has it, for a later
// event. The caller holds the guest's turn.
func (g *guest) doubt(m handout) {
	attempt := relay.Attempt{Text: m.text, Session: g.p.Session, Transcript: g.p.Transcript, How: "hook", At: time.Now()}
	g.kept = append(g.kept, relay.Taken{Message: m.Message, Again: &attempt})
}

// takeBack lets a later event have the messages of an answer that nobody gets. The
// caller holds the guest's turn.
func (h *hearing) takeBack(g *guest) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	for _, m := range h.handing {
		switch {
		case m.repeat: // an earlier answer may have had it
			g.doubt(m)
		case g.seat != nil:
			h.notice(g.seat.Release(ctx, m.ID))
		}
	}
	h.handing, g.out = nil, false
}
