package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/disk"
)

// limitContinues bounds how often in a row hooks make an agent go on. An engine
// counts that itself, but where each event has a process of its own, the count
// is kept in a small file for each session.
func (r *request) limitContinues(out *hook.Outcome[any]) error {
	stop, ok := hook.StopOf(r.ev)
	if !ok {
		return nil
	}
	if r.Continues == "" {
		r.held.note(stop.Who, out.Action == hook.ActionBlock)
		return nil
	}
	file := r.countOf(stop.Who)
	held := stop.Held(&out.Verdict)
	if !held || !stop.Again { // the row of continues ends here, or begins
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the count of continues cannot be reset: %w", err)
		}
	}
	if !held {
		return nil
	}
	n := 1
	if text, err := os.ReadFile(file); err == nil {
		if before, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			n += before
		}
	}
	if limit := r.w.set.Settings.MaxContinues; n > limit {
		by := "hooks"
		if out.By != "" {
			by = "hook " + out.By
		}
		out.UserMessage = strings.TrimSpace(out.UserMessage + "\n" + fmt.Sprintf("hookway let the agent stop: %s made it go on %d times in a row", by, limit))
		out.Action, out.Reason, out.Inject, out.By = hook.ActionContinue, "", "", ""
	}
	if err := writeCount(file, n); err != nil { // uncounted, the agent could go on for ever
		out.Action, out.Reason, out.Inject = hook.ActionContinue, "", ""
		return fmt.Errorf("the count of continues cannot be kept, so the agent may stop: %w", err)
	}
	return nil
}

// held tracks which agents went on because of a hook at its last stop.
type held struct {
	mu  sync.Mutex
	who map[string]bool
}

// note remembers what came of a stop.
func (s *held) note(who string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !on {
		delete(s.who, who)
		return
	}
	if s.who == nil || len(s.who) >= maxSessions {
		s.who = map[string]bool{}
	}
	s.who[who] = true
}

func (s *held) has(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.who[who]
}

// mark tells hooks that an agent goes on because of one, where it does not say so
// itself: without that, a row of continues has no end.
func (r *request) mark(ev hook.AnyEvent) (hook.AnyEvent, error) {
	result, ok := ev.Body().(hook.AgentResult)
	if !ok || !r.codec.About().Event(adapter.NativeName(ev)).Unmarked {
		return ev, nil
	}
	who := ev.Head().Session
	result.StopHookActive = r.held.has(who)
	if r.Continues != "" {
		_, err := os.Stat(r.countOf(who))
		result.StopHookActive = err == nil
	}
	return ev.Info().New(*ev.Head(), result)
}

// countOf is the file with the count of one who stops.
func (r *request) countOf(who string) string {
	sum := sha256.Sum256([]byte(who))
	return filepath.Join(r.Continues, hex.EncodeToString(sum[:8]))
}

func writeCount(file string, n int) error {
	return disk.WriteState(file, []byte(strconv.Itoa(n)))
}

// limit bounds how often in a row hooks make an agent go on.
func (r *request) limit(out *hook.Outcome[any]) {
	if err := r.limitContinues(out); err != nil {
		r.log(err.Error())
	}
}
