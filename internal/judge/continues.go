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

	"github.com/hookway/hookway/hook"
)

// limitContinues bounds how often in a row hooks make an agent go on. An engine
// counts that itself, but where each event has a process of its own, the count
// is kept in a small file for each session.
func (h *hearing) limitContinues(out *hook.Outcome[any]) error {
	who, again, ok := stops(h.ev)
	if !ok || h.Continues == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(who))
	file := filepath.Join(h.Continues, hex.EncodeToString(sum[:8]))
	held := out.Action == hook.ActionBlock || out.Inject != "" // there are agents that go on if they are given text
	if !held || !again {                                       // the row of continues ends here, or begins
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
	if limit := h.w.set.Settings.MaxContinues; n > limit {
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

// stops says who is about to stop, and whether it goes on already because of a
// hook. A sub-agent does not say so, but it has an id, and stops once if it is let.
func stops(ev hook.AnyEvent) (who string, again, ok bool) {
	head := ev.Head()
	switch p := ev.Body().(type) {
	case hook.AgentResult:
		return head.Session, p.StopHookActive, true
	case hook.Subagent:
		id, ok := head.Metadata["agent_id"].(string)
		if native, _ := head.Metadata["native"].(map[string]any); !ok {
			id, _ = native["agent_id"].(string)
		}
		return head.Session + "\x00" + id, true, id != "" && ev.Info() == hook.SubagentStop.Info()
	}
	return "", false, false
}

func writeCount(file string, n int) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	next := file + ".new"
	if err := os.WriteFile(next, []byte(strconv.Itoa(n)), 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}
