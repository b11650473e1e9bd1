// Package faketui is an agent in a terminal for tests and measurements: a program whose
// model is a script, and that repaints as the real ones do. No product links it.
package faketui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// TUI is an agent in a terminal whose model is a script: a program that draws
// its transcript, an input box and a spinner again and again, as the real ones
// do. It is plain data, so that it can be handed to a process of its own: see
// [TUI.Command]. A prompt is what is in the input box at Enter; bracketed paste
// is understood. Ctrl-C clears the box, ends an answer, and typed twice on an
// empty box ends the program with 130; the prompt /exit ends it with 0.
type TUI struct {
	Style  Style
	Script []Reply // what it answers; without a reply that fits it says "Done."

	// Ghost is faint text in the empty input box: a suggestion, which is not input.
	Ghost string

	// BurstEnter: an Enter in the same read as plain text before it is a line
	// break in the box, as Codex has it. After a bracketed paste it is Enter.
	BurstEnter bool
	// PasteEnter: an Enter that comes sooner after a bracketed paste is a line
	// break in the box, as Gemini CLI has it.
	PasteEnter time.Duration

	// Record is a file that gets every prompt and every answer to a dialog, one
	// [Submission] a line; empty keeps none.
	Record string
}

// Style is how a TUI draws.
type Style string

const (
	// Ink draws on the main screen: what is finished is printed once and scrolls
	// away; below it, everything is erased and printed again with every frame.
	// When that is higher than the screen, or the size changes, it clears the
	// screen with its history and prints all that was ever said.
	Ink Style = "ink"
	// Alternate draws on the alternate screen, row by row to absolute places, in
	// synchronized updates, and scrolls its transcript itself.
	Alternate Style = "alternate"
	// Inline keeps a box on the main screen and inserts lines above it, with
	// scroll regions and reverse index.
	Inline Style = "inline"
	// Plain prints lines after a prompt, as an interpreter does.
	Plain Style = "plain"
)

// Styles are all styles.
var Styles = []Style{Ink, Alternate, Inline, Plain}

// Reply is what a TUI does with a prompt: it thinks, calls a tool, asks, and
// streams its text word by word.
type Reply struct {
	To string // a part of the prompts that it answers, each reply one; empty: any

	Think  time.Duration // with a spinner that turns ten times a second
	Tool   []string      // rows of a box that shows a tool call
	Ask    *Question     // a dialog, which takes the place of the input box
	Text   string        // the answer; its long lines are wrapped at words
	Word   time.Duration // between two words; 0 is 10 ms
	Redraw int           // how often everything is drawn again afterwards, without need
	Clear  bool          // the transcript before the answer is gone, as after /clear
	Exit   *int          // the program ends after the answer, with this code
}

// Question is a dialog. A digit takes a choice, Enter the first one, Esc the last.
type Question struct {
	Text    string
	Choices []string
}

// Submission is one entry of [TUI.Record].
type Submission struct {
	Prompt string `json:"prompt,omitempty"`
	Choice int    `json:"choice,omitempty"` // of a dialog, from 1
}

// Terminal is where a TUI runs.
type Terminal struct {
	In      io.Reader // in raw mode; Run's reader ends with it
	Out     io.Writer
	Size    func() (cols, rows int)
	Resized <-chan struct{} // gets a token when Size has changed; nil: it never does
}

// variable holds a TUI in JSON for the process that is to be it.
const variable = "FAKE_TUI"

// Command is the command line and the environment, added to that of this
// process, that run the TUI in a terminal. The program is this test binary,
// whose TestMain must call [Main] first.
func (t TUI) Command() (argv, env []string, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find the test binary: %w", err)
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, nil, fmt.Errorf("write the TUI down: %w", err)
	}
	return []string{program}, append(os.Environ(), variable+"="+string(text)), nil
}

// Main makes this process the TUI that [TUI.Command] asks for, on its standard
// input and output, and does not return then. Otherwise it does nothing.
func Main() {
	text, asked := os.LookupEnv(variable)
	if !asked {
		return
	}
	var t TUI
	code := 1
	err := json.Unmarshal([]byte(text), &t)
	if err == nil {
		code, err = t.Main()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faketui:", err)
	}
	os.Exit(code)
}

// Submitted reads what a TUI has recorded. Without a file there are no entries.
func Submitted(record string) ([]Submission, error) {
	text, err := os.ReadFile(record)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the input of the TUI: %w", err)
	}
	var all []Submission
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var s Submission
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("read the input of the TUI: %w", err)
		}
		all = append(all, s)
	}
}

// record keeps an entry; it is in the file before the TUI acts on it.
func (t TUI) record(s Submission) error {
	if t.Record == "" {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.Record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("record the input of the TUI: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// check says what is wrong with the TUI.
func (t TUI) check() error {
	if !slices.Contains(Styles, t.Style) {
		return fmt.Errorf("unknown style %q; the styles are %v", t.Style, Styles)
	}
	return nil
}
