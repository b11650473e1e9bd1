package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/filelock"
	"github.com/hookway/hookway/internal/sleep"
)

// Wrapped is a session whose agent has hooks of its own, as hookway run sees it.
// Its methods may be called from many goroutines.
type Wrapped struct {
	wrapped
	alive *os.File // locked as long as run lives
	begun time.Time
	late  bool // the agent reports its start with its first prompt only
	log   func(string)

	listening  sync.Mutex // guards ears
	listenOnce sync.Once  // an error of theirs is told once
	ears       ears
}

// Wrap says that the session of this id begins: it was fired SessionStart for, or
// is about to be, and its program is not running yet. name is what the user calls
// the agent, and agent whose hooks will report of it. state is hookway's folder.
func Wrap(state, session, name, agent string, log func(string)) (*Wrapped, error) {
	w := &Wrapped{
		wrapped: wrapped{wrappedDir(state, session, name)}, begun: time.Now(), log: log,
		late: agent == "codex" || agent == "copilot" || agent == "opencode",
	}
	if log == nil {
		w.log = func(string) {}
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the session cannot be shared with the agent's hooks: %w", err)
	}
	sweep(filepath.Dir(w.dir))
	f, err := os.OpenFile(filepath.Join(w.dir, "alive"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		var got bool
		if got, err = filelock.Try(f); err == nil && !got {
			err = errors.New("another hookway run has a session of this id and agent")
		}
		if err == nil {
			err = w.write(&standing{Name: name, Agent: agent, Open: true})
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
func (w *Wrapped) Close() error { return w.alive.Close() }

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
		if got, err := filelock.Try(f); err == nil && got {
			_ = os.RemoveAll(dir)
		}
		f.Close()
	}
}

// Begin leaves what SessionStart's hooks injected for the agent's first event
// that takes text. Nil: it is not left there.
func (w *Wrapped) Begin(text string) *Letter {
	return w.post(text, true, func(*standing) bool { return true })
}

// Offer leaves a text for the agent's next event that takes one, if the agent
// works. Nil: it is not left there. A text behind another one is taken with it or
// later, and is left only as long as no other way was found for that one. still is
// for how long the agent's screen has not changed. first is called just before; if
// it is false, the text is not left.
func (w *Wrapped) Offer(text string, behind *Letter, still time.Duration, first func() bool) *Letter {
	works := func(s *standing) bool {
		if behind != nil {
			if it := s.find(behind.id); it == nil || it.State == back {
				return false
			}
		}
		return s.Heard && s.Open && s.works(still)
	}
	if s, err := w.read(); err != nil || !works(s) || len(s.Letters) >= maxLetters || len(text) > maxLetter { // the usual case needs no lock
		return nil
	}
	if !first() {
		return nil
	}
	return w.post(text, false, works)
}

func (w *Wrapped) post(text string, start bool, allowed func(*standing) bool) *Letter {
	if text == "" || len(text) > maxLetter {
		return nil
	}
	var l *Letter
	err := w.step(func(s *standing) bool {
		if !allowed(s) || len(s.Letters) >= maxLetters {
			return false
		}
		s.Next++
		s.Letters = append(s.Letters, letter{ID: s.Next, Body: text, Start: start, State: waiting, Since: time.Now()})
		l = &Letter{w: w, id: s.Next}
		return true
	})
	if err != nil {
		w.log(fmt.Sprintf("a text cannot be left to the agent's hooks: %v", err))
		return nil
	}
	return l
}

// End calls fire, unless the end of the session was fired already, or is just
// now: then it waits for that.
func (w *Wrapped) End(ctx context.Context, fire func(context.Context)) {
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
		w.log(fmt.Sprintf("the end of the session is not noted: %v", err))
	}
}

// closed notes that SessionEnd was fired.
func (w wrapped) closed() error {
	return w.step(func(s *standing) bool {
		s.Open, s.Busy = false, false
		return true
	})
}

// Letter is a text that was left for an event of the agent.
type Letter struct {
	w  *Wrapped
	id int
	at time.Time // when it was given; holds after Await
}

// At is when the answer with the letter was sent, if it is Taken.
func (l *Letter) At() time.Time { return l.at }

// Fate is what became of a letter.
type Fate int

// The fates of a letter.
const (
	Returned Fate = iota // nobody has it
	Taken                // an event took it, and its answer was sent
	Doubtful             // an event took it, and nobody knows whether its answer was sent
)

// Bounds of waiting.
const (
	noSign     = 10 * time.Second // an input at which nothing moves for so long is not that of a working agent
	doubtAfter = 10 * time.Second // an answer is sent as soon as it is there
	lastLook   = time.Second      // the same when the session ends
)

// Await waits until an event has taken the letter, or takes it back: when the
// agent has nothing more to do, when it gives no sign of life, and when ctx ends.
// still says for how long its screen has not changed.
func (l *Letter) Await(ctx context.Context, still func() time.Duration) Fate {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		fate, done, err := l.look(ctx.Err() != nil, still())
		if done {
			return fate
		}
		if err != nil { // the folder is gone, or cannot be locked
			l.w.log(fmt.Sprintf("nobody can say what became of a text: %v", err))
			return Doubtful
		}
		if sleep.For(ctx, pause) != nil {
			time.Sleep(pause) // of a letter that is just being taken; see lastLook
		}
	}
}

// look decides about the letter as it is now.
func (l *Letter) look(ends bool, still time.Duration) (fate Fate, done bool, err error) {
	s, err := l.w.read()
	if err != nil {
		return 0, false, err
	}
	if _, over := l.judge(s, ends, still); !over {
		return 0, false, nil
	}
	err = l.w.step(func(s *standing) bool { // it may have changed
		if fate, done = l.judge(s, ends, still); done {
			if it := s.find(l.id); it != nil {
				l.at = it.Since
			}
			s.remove(l.id)
			if fate != Taken {
				s.recall(l.id, time.Now())
			}
		}
		return done
	})
	return fate, done && err == nil, err
}

func (l *Letter) judge(s *standing, ends bool, still time.Duration) (fate Fate, over bool) {
	it := s.find(l.id)
	if it == nil {
		return Doubtful, true
	}
	switch it.State {
	case given:
		return Taken, true
	case back:
		return Returned, true
	case taken:
		age := time.Since(it.Since)
		return Doubtful, age >= doubtAfter || ends && age >= lastLook
	}
	switch {
	case ends:
		return Returned, true
	case it.Start && s.Heard, it.Start && l.w.late:
		return Returned, false // it is for the first turn, whenever that comes
	case it.Start:
		return Returned, still >= noSign && time.Since(l.w.begun) >= noSign
	}
	return Returned, !s.works(still)
}

// works reports whether the agent works, as far as it tells and its screen shows.
func (s *standing) works(still time.Duration) bool {
	return s.Busy && still < noSign
}
