package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// A message counts as injected when an answer with it was printed. But an agent may
// be killed before it has made anything of that, or end before its model is asked
// for the first time. So what was printed last is kept until the next event of the
// session proves that it goes on, and is told again if it does not.

// unproven is a message that was printed, and since which nothing has happened.
type unproven struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript,omitempty"`
	At         time.Time `json:"at"`
	Begin      bool      `json:"begin,omitempty"` // it was in the answer to the session's begin
	Ended      bool      `json:"ended,omitempty"` // that was all of the session
}

// mostUnproven bounds the file of one agent: what is older goes.
const mostUnproven = 64 << 10

// writesAll are the agents whose transcripts are known to have all that hooks tell.
var writesAll = []string{"claude", "codex"}

func (j *Judge) unprovenOf(g *guest) string {
	sum := sha256.Sum256([]byte(strings.ToLower(g.p.Name)))
	return filepath.Join(j.Relay.Dir, cardFolder, "to-"+hex.EncodeToString(sum[:12]))
}

func readUnproven(file string) (all []unproven) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostUnproven {
		return nil
	}
	if text, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(text, &all) // one that is damaged says nothing
	}
	return all
}

func writeUnproven(file string, all []unproven) error {
	if len(all) == 0 {
		err := os.Remove(file)
		if os.IsNotExist(err) {
			err = nil
		}
		return err
	}
	text, err := json.Marshal(all)
	for err == nil && len(text) > mostUnproven && len(all) > 1 { // else nothing of it would be read
		all = all[1:]
		text, err = json.Marshal(all)
	}
	if err != nil {
		return err
	}
	return replace(file, text)
}

// printed keeps what was printed. The caller holds the guest's turn.
func (h *hearing) printed(g *guest) {
	if len(h.handing) == 0 {
		return
	}
	h.mail.noting.Lock()
	defer h.mail.noting.Unlock()
	file := h.unprovenOf(g)
	all := readUnproven(file)
	for _, m := range h.handing {
		all = append(all, unproven{
			ID: m.ID, Text: m.text, Session: g.p.Session, Transcript: g.p.Transcript, At: time.Now(),
			Begin: h.ev.Info() == hook.SessionStart.Info(),
		})
	}
	h.notice(writeUnproven(file, all))
	g.printed = true
}

// proves drops what an event proves to have reached the agent. The caller holds the
// guest's turn.
func (h *hearing) proves(g *guest, ev hook.AnyEvent) {
	if !g.printed || ev.Info() == hook.SessionStart.Info() {
		return
	}
	h.mail.noting.Lock()
	defer h.mail.noting.Unlock()
	file := h.unprovenOf(g)
	all := readUnproven(file)
	if len(all) == 0 {
		return
	}
	if ev.Info() == hook.SessionEnd.Info() {
		for i := range all {
			all[i].Ended = all[i].Ended || all[i].Begin && all[i].Session == g.p.Session
		}
	}
	all = slices.DeleteFunc(all, func(u unproven) bool { return u.Session == g.p.Session && !u.Ended && u.At.Before(h.began) })
	g.printed = len(all) > 0
	h.notice(writeUnproven(file, all))
}

// lost gives what the agent was told, and does not know: its session was resumed
// after it was killed, or another one ended before anything was asked in it. The
// caller holds the guest's turn, and gives the texts.
func (h *hearing) lost(ctx context.Context, g *guest, room int) (texts []string) {
	if !g.printed {
		return nil
	}
	if leads, err := g.seat.Leads(ctx); err != nil || !leads { // it is another session's of the same name
		h.notice(err)
		return nil
	}
	h.mail.noting.Lock()
	defer h.mail.noting.Unlock()
	file := h.unprovenOf(g)
	all := readUnproven(file)
	left := slices.DeleteFunc(slices.Clone(all), func(u unproven) bool {
		if len(u.Text) > room || !h.isLost(g, u) {
			return false
		}
		room -= len(u.Text)
		texts = append(texts, u.Text)
		h.retold = append(h.retold, u)
		return true
	})
	if len(texts) > 0 {
		h.notice(writeUnproven(file, left))
	}
	return texts
}

func (h *hearing) isLost(g *guest, u unproven) bool {
	begin, _ := h.ev.Body().(hook.SessionInfo)
	switch {
	case u.Session != g.p.Session:
		return u.Ended
	case h.ev.Info() != hook.SessionStart.Info() || begin.Source != "resume" || !slices.Contains(writesAll, g.p.Program):
		return false
	}
	a := relay.Attempt{Text: u.Text, Session: u.Session, Transcript: u.Transcript, How: "hook", At: u.At}
	return delivery.Look(a, u.ID) == delivery.Absent
}

// retell keeps what was told again, as if it was for the first time, or as it was if
// the answer was not printed. The caller holds the guest's turn.
func (h *hearing) retell(g *guest, err error) {
	if len(h.retold) == 0 {
		return
	}
	h.mail.noting.Lock()
	defer h.mail.noting.Unlock()
	file := h.unprovenOf(g)
	all := readUnproven(file)
	for _, u := range h.retold {
		if err == nil {
			u.Session, u.Transcript, u.At, u.Ended, u.Begin = g.p.Session, g.p.Transcript, time.Now(), false, h.ev.Info() == hook.SessionStart.Info()
		}
		all = append(all, u)
	}
	h.retold = nil
	h.notice(writeUnproven(file, all))
	g.printed = true
}
