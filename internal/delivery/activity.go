package delivery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// What the agent of a wrapped session has reported, event by event: so run knows that
// the agent has gone on after it got a message, where its transcript is, and that
// somebody has prompted it. It is a file of JSON lines that begins anew when it is
// long; a reader who misses some of them knows a little less.
const (
	reportsFile = "heard"
	mostReports = 256 << 10 // bytes of the file
	mostPrompt  = 1 << 10   // bytes that are kept of a prompt
)

// report is one event.
type report struct {
	At         time.Time `json:"at,omitzero"`
	Transcript string    `json:"transcript,omitempty"`
	Prompted   bool      `json:"prompted,omitempty"`
	Prompt     string    `json:"prompt,omitempty"`
}

// report notes an event of the agent.
func (w folder) report(ev hook.AnyEvent) error {
	r := report{At: time.Now(), Transcript: ev.Head().Transcript}
	if run, ok := ev.Body().(hook.AgentRun); ok {
		r.Prompted, r.Prompt = true, run.Prompt[:min(len(run.Prompt), mostPrompt)]
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, reportsFile)
	how := os.O_APPEND | os.O_CREATE | os.O_WRONLY
	if info, err := os.Stat(path); err == nil && info.Size() > mostReports {
		how |= os.O_TRUNC
	}
	return writeLine(path, how, line)
}

// writeLine writes a line at once, so that two processes do not mix.
func writeLine(path string, how int, line []byte) error {
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Activity is what the agent's hooks have reported.
type Activity struct {
	Events     int       // how many
	Last       time.Time // when the last of them came
	Transcript string    // the agent's own record of the session; "" if it is not known
	Prompts    int       // how many of the events were prompts
	Prompt     string    // how the last one begins
}

// reports reads the file on.
type reports struct {
	activity Activity
	at       int64 // how much of the file is read
}

// Activity says what the agent's hooks have reported so far. It is cheap.
func (w *Shared) Activity() Activity {
	w.reading.Lock()
	defer w.reading.Unlock()
	if err := w.reports.read(filepath.Join(w.dir, reportsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.readOnce.Do(func() { w.log.Warn("what the agent's hooks tell cannot be read", logline.Err, err) })
	}
	return w.reports.activity
}

func (r *reports) read(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() == r.at {
		return err
	}
	if info.Size() < r.at {
		r.at = 0
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, r.at, 2*mostReports))
	if err != nil {
		return err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // the last may be just being written
	r.at += int64(len(text))
	for line := range bytes.Lines(text) {
		var one report
		if json.Unmarshal(line, &one) != nil {
			continue
		}
		r.activity.Events++
		r.activity.Last = one.At
		if one.Transcript != "" {
			r.activity.Transcript = one.Transcript
		}
		if one.Prompted {
			r.activity.Prompts++
			r.activity.Prompt = one.Prompt
		}
	}
	return nil
}

// What the agent wrote, without the changes that its screen makes: the screen shows it
// without the marks of Markdown, so that it does not show what stood in a code
// fence. It is a file of JSON lines, and the one before it.
const (
	writtenFile = "said"
	mostWritten = 512 << 10 // bytes of one file, but for the text that exceeds it
	mostText    = 256 << 10 // bytes of one text; what is longer is left out
)

// written is a text of the agent, or a part of one. The agent does not wait until
// one part is reported before it reports the next, so they may come in another order.
type written struct {
	ID    string `json:"id,omitempty"`
	Index int    `json:"index,omitempty"` // of the part
	Text  string `json:"text"`
}

// writtenIn gives what an event holds of what the agent wrote, if anything.
func writtenIn(e *Event) (t written, ok bool) {
	if result, is := e.Body().(hook.AgentResult); is {
		return written{Text: result.LastMessage}, result.LastMessage != ""
	}
	if e.Native != "MessageDisplay" {
		return t, false
	}
	var shown struct {
		ID    string `json:"message_id"`
		Index int    `json:"index"`
		Delta string `json:"delta"`
	}
	err := json.Unmarshal(e.Raw, &shown)
	return written{shown.ID, shown.Index, shown.Delta}, err == nil && shown.Delta != ""
}

// keep puts a text into the session's file.
func (w folder) keep(t written) error {
	if len(t.Text) > mostText {
		return nil
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	file := filepath.Join(w.dir, writtenFile)
	if info, err := os.Stat(file); err == nil && info.Size() > mostWritten {
		if err := os.Rename(file, file+".old"); err != nil {
			return err
		}
	}
	return writeLine(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, line)
}

// Written gives what the agent wrote lately, as far as its hooks have reported it: whole
// texts, the oldest first.
func (w *Shared) Written() (texts []string) {
	var all [][]written // the parts of each text
	byID := map[string]int{}
	for _, name := range []string{writtenFile + ".old", writtenFile} {
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			continue
		}
		for line := range bytes.Lines(data) {
			var t written
			if json.Unmarshal(line, &t) != nil {
				continue // it is just being written
			}
			if i, known := byID[t.ID]; known && t.ID != "" {
				all[i] = append(all[i], t)
				continue
			}
			byID[t.ID] = len(all)
			all = append(all, []written{t})
		}
	}
	for _, parts := range all {
		slices.SortStableFunc(parts, func(a, b written) int { return cmp.Compare(a.Index, b.Index) })
		text := ""
		for _, t := range parts {
			text += t.Text
		}
		texts = append(texts, text)
	}
	return texts
}
