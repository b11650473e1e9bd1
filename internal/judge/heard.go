package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/hook"
)

// What the agent of a wrapped session has told, event by event: so run knows that
// the agent has gone on after it got a message, where its transcript is, and that
// somebody has prompted it. It is a file of JSON lines that begins anew when it is
// long; a reader who misses some of them knows a little less.
const (
	heardFile  = "heard"
	mostHeard  = 256 << 10 // bytes of the file
	mostPrompt = 1 << 10   // bytes that are kept of a prompt
)

// word is one event.
type word struct {
	At         time.Time `json:"at,omitzero"`
	Transcript string    `json:"transcript,omitempty"`
	Prompted   bool      `json:"prompted,omitempty"`
	Prompt     string    `json:"prompt,omitempty"`
}

// tell notes an event of the agent.
func (w wrapped) tell(ev hook.AnyEvent) error {
	said := word{At: time.Now(), Transcript: ev.Head().Transcript}
	if run, ok := ev.Body().(hook.AgentRun); ok {
		said.Prompted, said.Prompt = true, run.Prompt[:min(len(run.Prompt), mostPrompt)]
	}
	line, err := json.Marshal(said)
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, heardFile)
	how := os.O_APPEND | os.O_CREATE | os.O_WRONLY
	if info, err := os.Stat(path); err == nil && info.Size() > mostHeard {
		how |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n')) // one write, so that two processes do not mix
	return errors.Join(err, f.Close())
}

// Heard is what the agent's hooks have told.
type Heard struct {
	Events     int       // how many
	Last       time.Time // when the last of them came
	Transcript string    // the agent's own record of the session; "" if it is not known
	Prompts    int       // how many of the events were prompts
	Prompt     string    // how the last one begins
}

// ears read the file on.
type ears struct {
	heard Heard
	at    int64 // how much of the file is read
}

// Heard says what the agent's hooks have told so far. It is cheap.
func (w *Wrapped) Heard() Heard {
	w.listening.Lock()
	defer w.listening.Unlock()
	if err := w.ears.listen(filepath.Join(w.dir, heardFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.listenOnce.Do(func() { w.log("what the agent's hooks tell cannot be read: " + err.Error()) })
	}
	return w.ears.heard
}

func (e *ears) listen(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() == e.at {
		return err
	}
	if info.Size() < e.at {
		e.at = 0
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, e.at, 2*mostHeard))
	if err != nil {
		return err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // the last may be just being written
	e.at += int64(len(text))
	for line := range bytes.Lines(text) {
		var said word
		if json.Unmarshal(line, &said) != nil {
			continue
		}
		e.heard.Events++
		e.heard.Last = said.At
		if said.Transcript != "" {
			e.heard.Transcript = said.Transcript
		}
		if said.Prompted {
			e.heard.Prompts++
			e.heard.Prompt = said.Prompt
		}
	}
	return nil
}
