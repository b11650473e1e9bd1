package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/relay"
)

// What must outlive the process that answers an agent's hooks is in small files beside
// the messages: for each session its profile, and for each name what is unconfirmed.
const (
	profileFolder   = "guests"
	keepProfiles    = 90 * 24 * time.Hour // after the last change
	mostProfile     = 4 << 10             // bytes of one
	mostUnconfirmed = 64 << 10            // bytes of the file of one name: what is older goes
)

// profile is what is known of a session that is not wrapped.
type profile struct {
	Name     string    `json:"name,omitempty"`     // what others call its agent
	Answered string    `json:"answered,omitempty"` // sum of the last event that was answered with messages
	At       time.Time `json:"at,omitzero"`        // when
}

func (n *Native) profileFile(s *subscriber) string {
	sum := sha256.Sum256([]byte(s.p.Program + "\x00" + s.p.Session))
	return filepath.Join(n.Relay.Dir, profileFolder, hex.EncodeToString(sum[:12]))
}

// readProfile gives what is known; nothing is not an error. A file that is damaged says
// nothing.
func readProfile(file string) (p profile, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > mostProfile {
		return p, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return p, fmt.Errorf("what is known of a session cannot be read: %w", err)
	}
	_ = json.Unmarshal(text, &p)
	return p, nil
}

func (p profile) write(file string) error {
	text, err := json.Marshal(p)
	if err == nil {
		err = disk.WriteState(file, text)
	}
	if err != nil {
		return fmt.Errorf("what is known of a session cannot be kept: %w", err)
	}
	return nil
}

// sweepProfiles removes the files of sessions that ended long ago.
func sweepProfiles(dir string) {
	files, _ := os.ReadDir(filepath.Join(dir, profileFolder))
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > keepProfiles {
			_ = os.Remove(filepath.Join(dir, profileFolder, f.Name()))
		}
	}
}

// A message counts as injected when an answer with it was printed. But an agent may
// be killed before it has made anything of that, or end before its model is asked
// for the first time. So what was printed last is kept until the next event of the
// session proves that it goes on, and is given again if it does not.

// unconfirmed is a message that was printed, and since which nothing has happened.
type unconfirmed struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript,omitempty"`
	At         time.Time `json:"at"`
	Begin      bool      `json:"begin,omitempty"` // it was in the answer to the session's begin
	Ended      bool      `json:"ended,omitempty"` // that was all of the session
}

// writesAll are the agents whose transcripts are known to have all that hooks tell.
var writesAll = []string{"claude", "codex"}

func (n *Native) unconfirmedFile(s *subscriber) string {
	sum := sha256.Sum256([]byte(strings.ToLower(s.p.Name)))
	return filepath.Join(n.Relay.Dir, profileFolder, "to-"+hex.EncodeToString(sum[:12]))
}

func readUnconfirmed(file string) (all []unconfirmed) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostUnconfirmed {
		return nil
	}
	if text, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(text, &all) // one that is damaged says nothing
	}
	return all
}

func writeUnconfirmed(file string, all []unconfirmed) error {
	if len(all) == 0 {
		err := os.Remove(file)
		if os.IsNotExist(err) {
			err = nil
		}
		return err
	}
	text, err := json.Marshal(all)
	for err == nil && len(text) > mostUnconfirmed && len(all) > 1 { // else nothing of it would be read
		all = all[1:]
		text, err = json.Marshal(all)
	}
	if err != nil {
		return err
	}
	return disk.WriteState(file, text)
}

// changeUnconfirmed changes what is unconfirmed for the subscriber's name, and notes
// whether something is left.
func (a *Answer) changeUnconfirmed(change func([]unconfirmed) []unconfirmed) {
	n, s := a.native, a.sub
	n.noting.Lock()
	defer n.noting.Unlock()
	file := n.unconfirmedFile(s)
	all := readUnconfirmed(file)
	now := change(slices.Clone(all))
	s.printed = len(now) > 0
	if !slices.Equal(all, now) {
		n.notice(writeUnconfirmed(file, now))
	}
}

// printed keeps what was printed. The caller holds the subscriber's turn.
func (a *Answer) printed(items []Item) {
	if len(items) == 0 {
		return
	}
	a.changeUnconfirmed(func(all []unconfirmed) []unconfirmed {
		for _, item := range items {
			all = append(all, a.unconfirmed(unconfirmed{ID: item.ID, Text: item.shown}))
		}
		return all
	})
}

// unconfirmed is a message that was printed now, in this answer.
func (a *Answer) unconfirmed(u unconfirmed) unconfirmed {
	u.Session, u.Transcript, u.At = a.sub.p.Session, a.sub.p.Transcript, time.Now()
	u.Begin, u.Ended = a.event.is(hook.SessionStart.Info()), false
	return u
}

// confirm drops what the event proves to have reached the agent. The caller holds the
// subscriber's turn.
func (a *Answer) confirm() {
	s := a.sub
	if !s.printed || a.event.is(hook.SessionStart.Info()) {
		return
	}
	a.changeUnconfirmed(func(all []unconfirmed) []unconfirmed {
		if a.event.is(hook.SessionEnd.Info()) {
			for i := range all {
				all[i].Ended = all[i].Ended || all[i].Begin && all[i].Session == s.p.Session
			}
		}
		return slices.DeleteFunc(all, func(u unconfirmed) bool { return u.Session == s.p.Session && !u.Ended && u.At.Before(a.event.Began) })
	})
}

// lost gives what the agent was given, and does not know: its session was resumed
// after it was killed, or another one ended before anything was asked in it. The
// caller holds the subscriber's turn, and gives the texts.
func (a *Answer) lost(ctx context.Context, room int) (texts []string) {
	if !a.sub.printed {
		return nil
	}
	if leads, err := a.sub.consumer.Leads(ctx); err != nil || !leads { // it is another session's of the same name
		a.native.notice(err)
		return nil
	}
	a.changeUnconfirmed(func(all []unconfirmed) []unconfirmed {
		return slices.DeleteFunc(all, func(u unconfirmed) bool {
			if len(u.Text) > room || !a.isLost(u) {
				return false
			}
			room -= len(u.Text)
			texts = append(texts, u.Text)
			a.again = append(a.again, u)
			return true
		})
	})
	return texts
}

func (a *Answer) isLost(u unconfirmed) bool {
	begin, _ := a.event.Body().(hook.SessionInfo)
	switch {
	case u.Session != a.sub.p.Session:
		return u.Ended
	case !a.event.is(hook.SessionStart.Info()) || begin.Source != "resume" || !slices.Contains(writesAll, a.sub.p.Program):
		return false
	}
	attempt := relay.Attempt{Text: u.Text, Session: u.Session, Transcript: u.Transcript, How: "hook", At: u.At}
	return Look(attempt, u.ID) == Absent
}

// noteRepeated keeps what was given again, as if it was for the first time, or as it was
// if the answer was not printed. The caller holds the subscriber's turn.
func (a *Answer) noteRepeated(f Fate) {
	if len(a.again) == 0 {
		return
	}
	a.changeUnconfirmed(func(all []unconfirmed) []unconfirmed {
		for _, u := range a.again {
			if f == Delivered {
				u = a.unconfirmed(u)
			}
			all = append(all, u)
		}
		return all
	})
	a.again = nil
}
