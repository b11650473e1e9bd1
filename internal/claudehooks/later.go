package claudehooks

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

// Texts are the texts that wait for sessions: a file for each.
type Texts struct{ Dir string }

// latersBusy has one of a process at a time wait for the lock.
var latersBusy sync.Mutex

// lock has one at a time, of all processes, look at the files: a text is there whole,
// or not.
func (l Texts) lock() (unlock func(), err error) {
	latersBusy.Lock()
	open, err := trust.LockFile(l.Dir + ".lock")
	if err != nil {
		latersBusy.Unlock()
		return nil, err
	}
	return func() { open(); latersBusy.Unlock() }, nil
}

// makeRoom removes the oldest texts where one more file would be too many: mostly they
// are of sessions that are long over.
func (l Texts) makeRoom(next string) error {
	names, err := disk.Names(l.Dir, trust.MaxListed)
	if err != nil {
		return err
	}
	if disk.Exists(next) || len(names) < maxLaterFiles {
		return nil
	}
	age := map[string]int64{}
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(l.Dir, name)); err == nil {
			age[name] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(age[a], age[b]) })
	for _, name := range names[:len(names)-maxLaterFiles+1] {
		if err := os.Remove(filepath.Join(l.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Path is the file of a session, of a kind.
func (l Texts) Path(session, kind string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(l.Dir, hex.EncodeToString(sum[:8])+"."+kind)
}

// Kinds of texts.
const (
	ForNextEvent = "text" // for the next event that takes text
	ForStop      = "wake" // for the end of a turn, too
)

// Add keeps a text for a session.
func (l Texts) Add(session, kind, text string) error {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return err
	}
	unlock, err := l.lock()
	if err != nil {
		return err
	}
	defer unlock()
	path := l.Path(session, kind)
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
func (l Texts) take(session string, kinds ...string) string {
	if !slices.ContainsFunc(kinds, func(kind string) bool { return disk.Exists(l.Path(session, kind)) }) { // mostly there is none
		return ""
	}
	unlock, err := l.lock()
	if err != nil { // it waits for the next event
		return ""
	}
	defer unlock()
	var texts []string
	for _, kind := range kinds {
		path := l.Path(session, kind)
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

// InBackground runs a hook for which nobody waits, and keeps what it says.
type InBackground struct {
	Texts Texts
	Wakes bool   // code 2 is for the agent
	About string // what goes before what it says then
	Next  hook.Handler
}

// Handle runs the hook.
func (b InBackground) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	d, err := b.Next.Handle(ctx, ev)
	if err != nil {
		return d, err
	}
	kind, text := ForNextEvent, joinedTexts(d.UserMessage, d.Inject)
	if b.Wakes && d.Action == hook.ActionBlock {
		kind, text = ForStop, joinedTexts(b.About, d.Reason)
	}
	session := ev.Head().Session
	if text == "" || session == "" {
		return hook.Decision{}, nil
	}
	if err := b.Texts.Add(session, kind, text); err != nil {
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

// TellLater tells an agent what hooks said that have ended meanwhile.
type TellLater struct{ Texts Texts }

// Handle tells it.
func (t TellLater) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	session := ev.Head().Session
	if ev.Info() != hook.AgentStop.Info() {
		return hook.Inject(t.Texts.take(session, ForNextEvent, ForStop)), nil
	}
	if text := t.Texts.take(session, ForStop); text != "" {
		return hook.Block(text), nil
	}
	return hook.Decision{}, nil
}

// ToldAt are those with which an agent is told what hooks said in the background.
var ToldAt = []*hook.EventInfo{hook.AgentStart.Info(), hook.PostToolUse.Info(), hook.AgentStop.Info()}
