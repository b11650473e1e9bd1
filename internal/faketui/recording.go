package faketui

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Recording is what happened on a terminal. As a file it is an asciicast of
// version 2, which players of such files show.
type Recording struct {
	Cols, Rows int // at the start
	Frames     []Frame
}

// Frame is one thing that happened: output, input, or a new size.
type Frame struct {
	At         time.Duration // since the start
	Out        string
	Typed      string
	Cols, Rows int
}

// Step is what a user does with a TUI: type, or change the size of the terminal.
type Step struct {
	After      time.Duration // the step before
	Type       string        // in one write
	Cols, Rows int
}

// Rehearse runs the TUI in a synctest bubble with a user that does these steps,
// and then hangs up, if it has not ended by itself. It takes no real time, and
// the same steps give the same recording, if no two things happen at the same
// instant: let steps be at odd milliseconds.
func (t TUI) Rehearse(tb *testing.T, cols, rows int, steps ...Step) (r Recording, code int) {
	tb.Helper()
	r = Recording{Cols: cols, Rows: rows}
	synctest.Test(tb, func(tb *testing.T) {
		start := time.Now()
		var mu sync.Mutex // of the recording and the size
		add := func(f Frame) {
			mu.Lock()
			defer mu.Unlock()
			f.At = time.Since(start)
			r.Frames = append(r.Frames, f)
		}
		in, user := io.Pipe()
		resized := make(chan struct{}, 1)
		ended := make(chan struct{})
		go func() {
			defer user.Close()
			for _, s := range steps {
				select {
				case <-time.After(s.After):
				case <-ended:
					return
				}
				if s.Cols > 0 {
					mu.Lock()
					cols, rows = s.Cols, s.Rows
					mu.Unlock()
					add(Frame{Cols: s.Cols, Rows: s.Rows})
					resized <- struct{}{}
				}
				if s.Type != "" {
					add(Frame{Typed: s.Type})
					_, _ = io.WriteString(user, s.Type) // an error says that the TUI has ended
				}
			}
		}()
		var err error
		code, err = t.Run(tb.Context(), Terminal{
			In: in, Out: recorder(func(p []byte) { add(Frame{Out: string(p)}) }), Resized: resized,
			Size: func() (int, int) {
				mu.Lock()
				defer mu.Unlock()
				return cols, rows
			},
		})
		close(ended)
		_ = in.Close()
		if err != nil {
			tb.Error(err)
		}
	})
	return r, code
}

// recorder is a writer that is one function.
type recorder func([]byte)

func (r recorder) Write(p []byte) (int, error) {
	r(p)
	return len(p), nil
}

// Output is all output of the recording.
func (r Recording) Output() string {
	var all bytes.Buffer
	for _, f := range r.Frames {
		all.WriteString(f.Out)
	}
	return all.String()
}

// WriteFile writes the recording as an asciicast.
func (r Recording) WriteFile(name string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]int{"version": 2, "width": r.Cols, "height": r.Rows})
	for _, f := range r.Frames {
		kind, data := "o", f.Out
		switch {
		case f.Cols > 0:
			kind, data = "r", fmt.Sprintf("%dx%d", f.Cols, f.Rows)
		case f.Typed != "":
			kind, data = "i", f.Typed
		}
		err = errors.Join(err, e.Encode([]any{f.At.Seconds(), kind, data}))
	}
	if err != nil {
		return fmt.Errorf("write the recording down: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("keep the recording: %w", err)
	}
	if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("keep the recording: %w", err)
	}
	return nil
}

// ReadRecording reads an asciicast.
func ReadRecording(name string) (Recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return Recording{}, fmt.Errorf("read a recording: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	var head struct{ Version, Width, Height int }
	if err := d.Decode(&head); err != nil || head.Version != 2 {
		return Recording{}, fmt.Errorf("%s is not an asciicast of version 2: %w", name, errors.Join(err, errors.ErrUnsupported))
	}
	r := Recording{Cols: head.Width, Rows: head.Height}
	for {
		var event [3]any
		if err := d.Decode(&event); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return r, fmt.Errorf("read %s: %w", name, err)
		}
		at, _ := event[0].(float64)
		kind, _ := event[1].(string)
		data, _ := event[2].(string)
		frame := Frame{At: time.Duration(at * float64(time.Second)).Round(time.Millisecond)}
		switch kind {
		case "o":
			frame.Out = data
		case "i":
			frame.Typed = data
		case "r":
			if _, err := fmt.Sscanf(data, "%dx%d", &frame.Cols, &frame.Rows); err != nil {
				return r, fmt.Errorf("read %s: the size %q: %w", name, data, err)
			}
		default: // markers and what may come
			continue
		}
		r.Frames = append(r.Frames, frame)
	}
}
