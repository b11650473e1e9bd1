package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// What the agent said, as it wrote it: its screen shows it without the marks of
// Markdown, so that nobody can see there what stood in a code fence. It is a file
// of JSON lines, and the one before it.
const (
	saidFile = "said"
	mostSaid = 512 << 10 // bytes of one file, but for the text that exceeds it
	mostText = 256 << 10 // bytes of one text; what is longer is left out
)

// saying is a text of the agent, or a part of one. The agent does not wait until
// one part is told before it tells the next, so they may come in another order.
type saying struct {
	ID    string `json:"id,omitempty"`
	Index int    `json:"index,omitempty"` // of the part
	Text  string `json:"text"`
}

// said gives what an event holds of what the agent said, if anything.
func (h *hearing) said(ev hook.AnyEvent) (s saying, ok bool) {
	if result, is := ev.Body().(hook.AgentResult); is {
		return saying{Text: result.LastMessage}, result.LastMessage != ""
	}
	if adapter.NativeName(ev) != "MessageDisplay" {
		return s, false
	}
	var shown struct {
		ID    string `json:"message_id"`
		Index int    `json:"index"`
		Delta string `json:"delta"`
	}
	err := json.Unmarshal(h.request.Stdin, &shown)
	return saying{shown.ID, shown.Index, shown.Delta}, err == nil && shown.Delta != ""
}

// keep puts a text into the session's file.
func (w wrapped) keep(s saying) error {
	if len(s.Text) > mostText {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	file := filepath.Join(w.dir, saidFile)
	if info, err := os.Stat(file); err == nil && info.Size() > mostSaid {
		if err := os.Rename(file, file+".old"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil { // one write, so that two processes do not mix
		f.Close()
		return err
	}
	return f.Close()
}

// Said gives what the agent has said lately, as far as its hooks have told: whole
// texts as the agent wrote them, the oldest first.
func (w *Wrapped) Said() (texts []string) {
	var all [][]saying // the parts of each text
	byID := map[string]int{}
	for _, name := range []string{saidFile + ".old", saidFile} {
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			continue
		}
		for line := range bytes.Lines(data) {
			var s saying
			if json.Unmarshal(line, &s) != nil {
				continue // it is just being written
			}
			if i, known := byID[s.ID]; known && s.ID != "" {
				all[i] = append(all[i], s)
				continue
			}
			byID[s.ID] = len(all)
			all = append(all, []saying{s})
		}
	}
	for _, parts := range all {
		slices.SortStableFunc(parts, func(a, b saying) int { return cmp.Compare(a.Index, b.Index) })
		text := ""
		for _, s := range parts {
			text += s.Text
		}
		texts = append(texts, text)
	}
	return texts
}
