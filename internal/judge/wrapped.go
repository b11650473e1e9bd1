package judge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/filelock"
	"github.com/hookway/hookway/internal/sleep"
)

// A session that hookway run wraps is told of from two sides: by run, which has
// the terminal, and by the agent's own hooks, each of which may be judged by
// another process. What they must agree on is in a small folder of hookway's
// state, which outlives any daemon and needs none: whether the session has begun
// and ended, whether the agent works, and the texts that wait for one of its
// events. Every change is one step under a lock of the system, which no dead
// process holds.

// Bounds of the texts that wait in a session.
const (
	maxLetters = 64
	maxLetter  = 8 << 10 // bytes of one; agents cut what their hooks inject
	mostTaken  = 9000    // bytes that one event takes
)

// wrapped is the folder of one session.
type wrapped struct{ dir string }

// wrappedDir is where the folder of a session is. Its agent belongs to it: an
// agent may run hookway run itself, and the session's id is inherited.
func wrappedDir(state, session, name string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + name))
	return filepath.Join(state, "wrapped", hex.EncodeToString(sum[:12]))
}

// standing is how a wrapped session stands.
type standing struct {
	Name  string `json:"name"`  // what the user calls the agent
	Agent string `json:"agent"` // whose hooks report of it: claude, codex, …

	Own   string `json:"own,omitempty"` // the session's id in the agent's words
	Heard bool   `json:"heard"`         // an event of the agent came
	Open  bool   `json:"open"`          // SessionStart was fired, and no SessionEnd after it
	Busy  bool   `json:"busy"`          // the agent works

	Next    int      `json:"next"`
	Letters []letter `json:"letters,omitempty"`
}

// letter is a text on its way to the agent.
type letter struct {
	ID    int       `json:"id"`
	Body  string    `json:"body"`
	Start bool      `json:"start,omitempty"` // SessionStart's hooks injected it
	Since time.Time `json:"since"`           // when it came to its state
	State string    `json:"state"`

	// What took it: one hearing, of an event of these bytes.
	By  string `json:"by,omitempty"`
	Sum string `json:"sum,omitempty"`
}

// The states of a letter.
const (
	waiting = "waiting"
	taken   = "taken" // it is in an answer that is on its way
	given   = "given" // the answer was sent
	back    = "back"  // no event has it, and none gets it: one before it goes another way
)

func (s *standing) find(id int) *letter {
	for i := range s.Letters {
		if s.Letters[i].ID == id {
			return &s.Letters[i]
		}
	}
	return nil
}

// recall keeps what waits behind a letter from being taken: it must not come first.
func (s *standing) recall(id int, now time.Time) {
	for i := range s.Letters {
		if l := &s.Letters[i]; l.ID > id && l.State == waiting && !l.Start {
			l.become(back, now)
		}
	}
}

func (s *standing) remove(id int) {
	s.Letters = slices.DeleteFunc(s.Letters, func(l letter) bool { return l.ID == id })
}

func (l *letter) become(state string, now time.Time) { l.State, l.Since = state, now }

// maxStanding bounds what is read as a standing.
const maxStanding = 4 << 20

// read gives the standing as it is now; the file is always whole.
func (w wrapped) read() (*standing, error) {
	file := filepath.Join(w.dir, "state.json")
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxStanding {
		return nil, fmt.Errorf("%s is too large", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := new(standing)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", file, err)
	}
	return s, nil
}

func (w wrapped) write(s *standing) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return disk.ReplaceUnsynced(filepath.Join(w.dir, "state.json"), text, 0o600)
}

// stepTime bounds how long a step waits for those of others, which are short.
const stepTime = time.Second

// step changes the standing, in one step that nobody sees half. do reports
// whether it changed something.
func (w wrapped) step(do func(*standing) bool) error {
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

// lock takes a lock of the session. The file must stay: whoever made a new one
// would not see the other's lock.
func (w wrapped) lock(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		got, err := filelock.Try(f)
		if got {
			return func() { f.Close() }, nil
		}
		if err == nil && sleep.For(ctx, pause) != nil {
			err = errHeld
		}
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s cannot be locked: %w", f.Name(), err)
		}
	}
}

// attended reports whether run lives: what it has left for the agent may be taken
// only as long as it sees that.
func (w wrapped) attended() bool {
	f, err := os.OpenFile(filepath.Join(w.dir, "alive"), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	dead, err := filelock.Try(f)
	return err == nil && !dead
}

// taker is one hearing that takes texts. As long as its answer is on its way it
// has a lock, so that everybody sees when it died.
type taker struct {
	wrapped
	token string
	sum   string // of the event
	file  *os.File
}

func (w wrapped) newTaker(event []byte) (*taker, error) {
	sum := sha256.Sum256(event)
	t := &taker{wrapped: w, token: rand.Text(), sum: hex.EncodeToString(sum[:])}
	f, err := os.OpenFile(t.path(t.token), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	t.file = f
	if got, err := filelock.Try(f); err != nil || !got {
		t.end()
		return nil, fmt.Errorf("%s cannot be locked: %w", f.Name(), err)
	}
	return t, nil
}

func (w wrapped) path(token string) string { return filepath.Join(w.dir, "by-"+filepath.Base(token)) }

// may reports whether the taker may have a letter: one that nobody has, or that
// was in an answer to the same event of somebody who died before it was sent.
func (t *taker) may(l *letter) bool {
	if l.State != taken || l.Sum != t.sum || l.By == t.token {
		return l.State == waiting
	}
	f, err := os.OpenFile(t.path(l.By), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	dead, err := filelock.Try(f)
	if err != nil || !dead {
		return false
	}
	_ = os.Remove(f.Name())
	return true
}

// end says that the answer is not on its way any more.
func (t *taker) end() {
	t.file.Close()
	_ = os.Remove(t.path(t.token))
}
