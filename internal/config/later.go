package config

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// Hooks of Claude Code that run in the background say what they have to say when they
// end. Another agent is told it with its next event that takes text; of one that wakes
// its agent, the end of a turn is such an event too.

// maxLater bounds what waits for a session, in bytes.
const maxLater = 64 << 10

// maxLaterFiles bounds how many files of texts there are.
const maxLaterFiles = 256

// laters are the texts that wait for sessions: a file for each.
type laters struct{ dir string }

// latersBusy has one of a process at a time wait for the lock.
var latersBusy sync.Mutex

// lock has one at a time, of all processes, look at the files: a text is there whole,
// or not.
func (l laters) lock() (unlock func(), err error) {
	latersBusy.Lock()
	open, err := trust.LockFile(l.dir + ".lock")
	if err != nil {
		latersBusy.Unlock()
		return nil, err
	}
	return func() { open(); latersBusy.Unlock() }, nil
}

// makeRoom removes the oldest texts where one more file would be too many: mostly they
// are of sessions that are long over.
func (l laters) makeRoom(next string) error {
	names, err := disk.Names(l.dir, trust.MaxListed)
	if err != nil {
		return err
	}
	if disk.Exists(next) || len(names) < maxLaterFiles {
		return nil
	}
	age := map[string]int64{}
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(l.dir, name)); err == nil {
			age[name] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(age[a], age[b]) })
	for _, name := range names[:len(names)-maxLaterFiles+1] {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// path is the file of a session, of a kind.
func (l laters) path(session, kind string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(l.dir, hex.EncodeToString(sum[:8])+"."+kind)
}

// Kinds of texts.
const (
	laterText = "text" // for the next event that takes text
	laterWake = "wake" // for the end of a turn, too
)

// add keeps a text for a session.
func (l laters) add(session, kind, text string) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	unlock, err := l.lock()
	if err != nil {
		return err
	}
	defer unlock()
	path := l.path(session, kind)
	if err := l.makeRoom(path); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Size()+int64(len(text)) > maxLater {
		return fmt.Errorf("%d bytes wait for the session already", info.Size())
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n\n")
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

// take gives what waits for a session, once.
func (l laters) take(session string, kinds ...string) string {
	if !slices.ContainsFunc(kinds, func(kind string) bool { return disk.Exists(l.path(session, kind)) }) { // mostly there is none
		return ""
	}
	unlock, err := l.lock()
	if err != nil { // it waits for the next event
		return ""
	}
	defer unlock()
	var texts []string
	for _, kind := range kinds {
		path := l.path(session, kind)
		data, err := disk.Read(path, maxLater)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if os.Remove(path) != nil {
			continue // else it would be told again and again
		}
		if text := strings.TrimSpace(string(data)); err == nil && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// inBackground runs a hook for which nobody waits, and keeps what it says.
type inBackground struct {
	laters laters
	wakes  bool   // code 2 is for the agent
	about  string // what goes before what it says then
	next   hook.Handler
}

// Handle runs the hook.
func (b inBackground) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	d, err := b.next.Handle(ctx, ev)
	if err != nil {
		return d, err
	}
	kind, text := laterText, joinedTexts(d.UserMessage, d.Inject)
	if b.wakes && d.Action == hook.ActionBlock {
		kind, text = laterWake, joinedTexts(b.about, d.Reason)
	}
	session := ev.Head().Session
	if text == "" || session == "" {
		return hook.Decision{}, nil
	}
	if err := b.laters.add(session, kind, text); err != nil {
		return hook.Decision{}, fmt.Errorf("what the hook says cannot be kept for its session: %w", err)
	}
	return hook.Decision{Note: "what it says is kept for the agent's next event"}, nil
}

func joinedTexts(texts ...string) string {
	var some []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			some = append(some, t)
		}
	}
	return strings.Join(some, "\n")
}

// tellLater tells an agent what hooks said that have ended meanwhile.
type tellLater struct{ laters laters }

// Handle tells it.
func (t tellLater) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	session := ev.Head().Session
	if ev.Info() != hook.AgentStop.Info() {
		return hook.Inject(t.laters.take(session, laterText, laterWake)), nil
	}
	if text := t.laters.take(session, laterWake); text != "" {
		return hook.Block(text), nil
	}
	return hook.Decision{}, nil
}

// laterEvents are those with which an agent is told what hooks said in the background.
var laterEvents = []*hook.EventInfo{hook.AgentStart.Info(), hook.PostToolUse.Info(), hook.AgentStop.Info()}
