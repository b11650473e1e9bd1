package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/logline"
)

// Two sides report of a session that hookway run wraps: run, which has the terminal,
// and the agent's own hooks, each of which another process may judge. What they must
// agree on is in a small folder of hookway's state, which outlives any daemon and needs
// none: whether the session has begun and ended, whether the agent works, and the items
// that wait for one of its events. Every change is one step under a lock of the system,
// which no dead process holds.

// Bounds of the items that wait in a session.
const (
	mostItems = 64
	mostItem  = 8 << 10 // bytes of one; agents cut what their hooks inject
	mostTaken = 9000    // bytes that one event takes
)

// folder is the folder of one session.
type folder struct{ dir string }

// folderOf is where the folder of a session is. Its agent belongs to it: an
// agent may run hookway run itself, and the session's id is inherited.
func folderOf(state, session, name string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + name))
	return filepath.Join(state, "wrapped", hex.EncodeToString(sum[:12]))
}

// sessionState is what both sides know of a wrapped session.
type sessionState struct {
	Name  string `json:"name"`  // what the user calls the agent
	Agent string `json:"agent"` // whose hooks report of it: claude, codex, …

	Own      string `json:"own,omitempty"` // the session's id in the agent's words
	Reported bool   `json:"heard"`         // an event of the agent came
	Open     bool   `json:"open"`          // SessionStart was fired, and no SessionEnd after it
	Busy     bool   `json:"busy"`          // the agent works

	Next  int          `json:"next"`
	Items []sharedItem `json:"letters,omitempty"`
}

// sharedItem is a text on its way to the agent.
type sharedItem struct {
	ID    int       `json:"id"`
	Body  string    `json:"body"`
	Start bool      `json:"start,omitempty"` // SessionStart's hooks injected it
	Since time.Time `json:"since"`           // when it came to its state
	State string    `json:"state"`

	// Who has claimed it: the answer to an event of these bytes.
	By  string `json:"by,omitempty"`
	Sum string `json:"sum,omitempty"`
}

// The states of an item, as the file has them.
const (
	stateWaiting  = "waiting"
	stateClaimed  = "taken" // it is in an answer that is on its way
	stateShown    = "given" // the answer was sent
	stateReturned = "back"  // no event has it, and none gets it: one before it goes another way
)

func (s *sessionState) find(id int) *sharedItem {
	for i := range s.Items {
		if s.Items[i].ID == id {
			return &s.Items[i]
		}
	}
	return nil
}

// recall keeps what waits behind an item from being claimed: it must not come first.
func (s *sessionState) recall(id int, now time.Time) {
	for i := range s.Items {
		if l := &s.Items[i]; l.ID > id && l.State == stateWaiting && !l.Start {
			l.become(stateReturned, now)
		}
	}
}

func (s *sessionState) remove(id int) {
	s.Items = slices.DeleteFunc(s.Items, func(l sharedItem) bool { return l.ID == id })
}

func (l *sharedItem) become(state string, now time.Time) { l.State, l.Since = state, now }

// maxState bounds the file that is read.
const maxState = 4 << 20

// read gives the state as it is now; the file is always whole.
func (w folder) read() (*sessionState, error) {
	file := filepath.Join(w.dir, "state.json")
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxState {
		return nil, fmt.Errorf("%s is too large", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := new(sessionState)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", file, err)
	}
	return s, nil
}

func (w folder) write(s *sessionState) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return disk.ReplaceUnsynced(filepath.Join(w.dir, "state.json"), text, 0o600)
}

// stepTime bounds how long a step waits for those of others, which are short.
const stepTime = time.Second

// step changes the state, in one step that is never seen half done. do reports
// whether it changed something.
func (w folder) step(do func(*sessionState) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	unlock, err := w.lock(ctx, "lock")
	if err != nil {
		return err
	}
	defer unlock()
	s, err := w.read()
	if err != nil || !do(s) {
		return err
	}
	return w.write(s)
}

// errHeld says that another process has the lock for too long.
var errHeld = errors.New("another process holds it")

// lock takes a lock of the session. The file must stay: a process that made a new one
// would not see the other's lock.
func (w folder) lock(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for pause := (backoff.Backoff{First: 100 * time.Microsecond, Most: 10 * time.Millisecond}); ; {
		got, err := disk.TryLock(f)
		if got {
			return func() { f.Close() }, nil
		}
		if err == nil && pause.Wait(ctx, nil) != nil {
			err = errHeld
		}
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s cannot be locked: %w", f.Name(), err)
		}
	}
}

// attended reports whether run lives: what it has left for the agent may be claimed
// only as long as run can see that.
func (w folder) attended() bool {
	f, err := os.OpenFile(filepath.Join(w.dir, "alive"), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	dead, err := disk.TryLock(f)
	return err == nil && !dead
}

// Shared is run's side of a wrapped session whose agent has hooks of its own. Its methods
// may be called from many goroutines.
type Shared struct {
	folder
	alive *os.File // locked as long as run lives
	begun time.Time
	late  bool // the agent reports its start with its first prompt only
	log   *slog.Logger

	reading  sync.Mutex // guards reports
	readOnce sync.Once  // an error of reading them is logged once
	reports  reports
}

// Share says that the session of this id begins: SessionStart was fired for it, or is
// about to be, and its program is not running yet. name is what the user calls the agent,
// and agent whose hooks will report of it. state is hookway's folder.
func Share(state, session, name, agent string, log *slog.Logger) (*Shared, error) {
	w := &Shared{
		folder: folder{folderOf(state, session, name)}, begun: time.Now(), log: logline.Or(log),
		late: agent == "codex" || agent == "copilot" || agent == "opencode",
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the session cannot be shared with the agent's hooks: %w", err)
	}
	sweep(filepath.Dir(w.dir))
	f, err := os.OpenFile(filepath.Join(w.dir, "alive"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		var got bool
		if got, err = disk.TryLock(f); err == nil && !got {
			err = errors.New("another hookway run has a session of this id and agent")
		}
		if err == nil {
			err = w.write(&sessionState{Name: name, Agent: agent, Open: true})
		}
		if err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the session cannot be shared with the agent's hooks: %w", err)
	}
	w.alive = f
	return w, nil
}

// Close ends run's part. What it says of the session stays for a while: the
// agent may still report that it ended.
func (w *Shared) Close() error { return w.alive.Close() }

// keepWrapped is how long the folder of a session stays after its last change.
const keepWrapped = time.Hour

// sweep removes the folders of sessions that ended long ago.
func sweep(all string) {
	dirs, _ := os.ReadDir(all)
	for _, d := range dirs {
		dir := filepath.Join(all, d.Name())
		info, err := os.Stat(filepath.Join(dir, "state.json"))
		if err == nil && time.Since(info.ModTime()) < keepWrapped {
			continue
		}
		if err != nil { // it is just being made, or was never finished
			if info, err = os.Stat(dir); err != nil || time.Since(info.ModTime()) < keepWrapped {
				continue
			}
		}
		f, err := os.OpenFile(filepath.Join(dir, "alive"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			continue
		}
		if got, err := disk.TryLock(f); err == nil && got {
			_ = os.RemoveAll(dir)
		}
		f.Close()
	}
}

// Begin leaves what SessionStart's hooks injected for the agent's first event
// that takes text. Nil: it is not left there.
func (w *Shared) Begin(text string) Offer {
	return w.leave(text, true, func(*sessionState) bool { return true })
}

// Offer leaves a text for the agent's next event that takes one, if the agent works. It
// does not wait. Nil: the agent has nothing to do, or its screen has not changed for so
// long that it seems so. A text behind another one goes to the same event or a later
// one, and is left only as long as no other way was found for that one. still is for how
// long the agent's screen has not changed. first is called just before anybody can have
// the text; if it is false, the text is not left.
func (w *Shared) Offer(text string, behind Offer, still time.Duration, first func() bool) Offer {
	works := func(s *sessionState) bool {
		if before, ok := behind.(*offer); ok {
			if it := s.find(before.id); it == nil || it.State == stateReturned {
				return false
			}
		}
		return s.Reported && s.Open && s.works(still)
	}
	if s, err := w.read(); err != nil || !works(s) || len(s.Items) >= mostItems || len(text) > mostItem { // the usual case needs no lock
		return nil
	}
	if !first() {
		return nil
	}
	return w.leave(text, false, works)
}

func (w *Shared) leave(text string, start bool, allowed func(*sessionState) bool) Offer {
	if text == "" || len(text) > mostItem {
		return nil
	}
	var left Offer
	err := w.step(func(s *sessionState) bool {
		if !allowed(s) || len(s.Items) >= mostItems {
			return false
		}
		s.Next++
		s.Items = append(s.Items, sharedItem{ID: s.Next, Body: text, Start: start, State: stateWaiting, Since: time.Now()})
		left = &offer{w: w, id: s.Next}
		return true
	})
	if err != nil {
		w.log.Warn("a text cannot be left to the agent's hooks", logline.Err, err)
		return nil
	}
	return left
}

// End calls fire, unless the end of the session was fired already, or is just
// now: then it waits for that.
func (w *Shared) End(ctx context.Context, fire func(context.Context)) {
	unlock, err := w.lock(ctx, "ending")
	switch {
	case errors.Is(err, errHeld): // the hooks of the end run since long
		return
	case err == nil:
		defer unlock()
	}
	if s, err := w.read(); err == nil && !s.Open {
		return
	}
	fire(ctx)
	if err := w.closed(); err != nil {
		w.log.Warn("the end of the session is not noted", logline.Err, err)
	}
}

// closed notes that SessionEnd was fired.
func (w folder) closed() error {
	return w.step(func(s *sessionState) bool {
		s.Open, s.Busy = false, false
		return true
	})
}

// Offer is a text that was left to the agent's own hooks.
type Offer interface {
	// Await waits until an event has taken the text, or takes it back: when the agent
	// has nothing more to do, when it gives no sign of life, and when ctx ends. still
	// says for how long its screen has not changed.
	Await(ctx context.Context, still func() time.Duration) Fate

	// At is when the answer with the text was sent, if Await has said so.
	At() time.Time
}

// Fate is what became of an offer.
type Fate int

// The fates of an offer.
const (
	Returned    Fate = iota // it is free again
	Delivered               // an event took it, and its answer was sent
	Unconfirmed             // an event took it, and it is not known whether its answer was sent
)

// offer is an item of the shared folder.
type offer struct {
	w  *Shared
	id int
	at time.Time
}

func (l *offer) At() time.Time { return l.at }

// Bounds of waiting.
const (
	noSign           = 10 * time.Second // an input at which nothing moves for so long is not that of a working agent
	unconfirmedAfter = 10 * time.Second // an answer is sent as soon as it is there
	lastLook         = time.Second      // the same when the session ends
)

// Await waits as Offer says.
func (l *offer) Await(ctx context.Context, still func() time.Duration) Fate {
	for pause := (backoff.Backoff{First: 5 * time.Millisecond, Most: 100 * time.Millisecond}); ; {
		fate, done, err := l.look(ctx.Err() != nil, still())
		if done {
			return fate
		}
		if err != nil { // the folder is gone, or cannot be locked
			l.w.log.Warn("it is not known what became of a text", logline.Err, err)
			return Unconfirmed
		}
		if pause.Wait(ctx, nil) != nil {
			time.Sleep(pause.Next()) // of an item that is just being claimed; see lastLook
		}
	}
}

// look decides about the item as it is now.
func (l *offer) look(ends bool, still time.Duration) (fate Fate, done bool, err error) {
	s, err := l.w.read()
	if err != nil {
		return 0, false, err
	}
	if _, over := l.judge(s, ends, still); !over {
		return 0, false, nil
	}
	err = l.w.step(func(s *sessionState) bool { // it may have changed
		if fate, done = l.judge(s, ends, still); done {
			if it := s.find(l.id); it != nil {
				l.at = it.Since
			}
			s.remove(l.id)
			if fate != Delivered {
				s.recall(l.id, time.Now())
			}
		}
		return done
	})
	return fate, done && err == nil, err
}

func (l *offer) judge(s *sessionState, ends bool, still time.Duration) (fate Fate, over bool) {
	it := s.find(l.id)
	if it == nil {
		return Unconfirmed, true
	}
	switch it.State {
	case stateShown:
		return Delivered, true
	case stateReturned:
		return Returned, true
	case stateClaimed:
		age := time.Since(it.Since)
		return Unconfirmed, age >= unconfirmedAfter || ends && age >= lastLook
	}
	switch {
	case ends:
		return Returned, true
	case it.Start && s.Reported, it.Start && l.w.late:
		return Returned, false // it is for the first turn, whenever that comes
	case it.Start:
		return Returned, still >= noSign && time.Since(l.w.begun) >= noSign
	}
	return Returned, !s.works(still)
}

// works reports whether the agent works, as far as it tells and its screen shows.
func (s *sessionState) works(still time.Duration) bool {
	return s.Busy && still < noSign
}
