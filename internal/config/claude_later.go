package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// Hooks of Claude Code that run in the background say what they have to say when they
// end. Another agent is told it with its next event that takes text; of one that wakes
// its agent, the end of a turn is such an event too.

// maxLater bounds what waits for a session, in bytes.
const maxLater = 64 << 10

// laters are the texts that wait for sessions: a file for each.
type laters struct{ dir string }

// latersBusy has one at a time look at the files: a text is there whole, or not.
var latersBusy sync.Mutex

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
	latersBusy.Lock()
	defer latersBusy.Unlock()
	if names, err := disk.Names(l.dir, maxEnvFiles); err != nil && exists(l.dir) || len(names) >= maxEnvFiles { // those of sessions that are long over
		_ = os.RemoveAll(l.dir)
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	path := l.path(session, kind)
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
	latersBusy.Lock()
	defer latersBusy.Unlock()
	var texts []string
	for _, kind := range kinds {
		path := l.path(session, kind)
		taken := path + ".taken"
		if os.Rename(path, taken) != nil { // mostly there is none
			continue
		}
		data, err := disk.Read(taken, maxLater)
		_ = os.Remove(taken)
		if text := strings.TrimSpace(string(data)); err == nil && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// inBackground runs a hook for which nobody waits, and keeps what it says.
type inBackground struct {
	laters
	wakes bool   // code 2 is for the agent
	about string // what goes before what it says then
	next  hook.Handler
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
	if err := b.add(session, kind, text); err != nil {
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
type tellLater struct{ laters }

// Handle tells it.
func (t tellLater) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	session := ev.Head().Session
	if ev.Info() != hook.AgentStop.Info() {
		return hook.Inject(t.take(session, laterText, laterWake)), nil
	}
	if text := t.take(session, laterWake); text != "" {
		return hook.Block(text), nil
	}
	return hook.Decision{}, nil
}

// laterEvents are those with which an agent is told what hooks said in the background.
var laterEvents = []*hook.EventInfo{hook.AgentStart.Info(), hook.PostToolUse.Info(), hook.AgentStop.Info()}

// laterHook adds the hook that tells agents what imported hooks say in the background.
func (l *loader) laterHook() {
	for i := range l.set.Hooks {
		h := &l.set.Hooks[i]
		if h.Profile.Name != hook.ProfileClaude.Name || h.Lane != hook.Observe || h.State != Active {
			continue
		}
		options := []hook.Option{hook.Origin(h.Origin), hook.Timeout(memoryTimeout), hook.Priority(hook.DefaultPriority + 1), hook.Matching(hook.Match{Not: &hook.Match{Source: claudeReaders}})}
		for _, info := range laterEvents {
			options = append(options, hook.For(info.Name))
		}
		const id = "claude:later"
		told := Hook{Hook: hook.New("", tellLater{l.laters()}, options...), State: Active, Layer: h.Layer, File: h.File, Kind: "command", Command: "hookway",
			Description: "tells agents what hooks in the background have said", name: id, source: h.source, rank: h.rank, mark: id + l.stateDir}
		l.set.Hooks = append(l.set.Hooks, told)
		return
	}
}

func (l *loader) laters() laters { return laters{filepath.Join(l.stateDir, "claude-later")} }
