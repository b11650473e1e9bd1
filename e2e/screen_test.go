//go:build unix

package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/hookway/hookway/internal/bench/model"
)

// screen is how an agent is in a terminal.
type screen struct {
	argv  []string // its command line for that, without the program
	ready string   // what it shows when it takes a prompt
	slow  bool     // an Enter right after a paste is a line break to it
	once  bool     // one Ctrl-C ends it where it rests; another one kills it while it ends

	freely []string // more of its command line, with which it runs commands unasked
	resume []string // the same, with which it goes on with the last session; nil: unknown

	// How it is made to ask its user whether it may run touch ./made: its command
	// line, what the model calls, and what it asks. Nil: unknown.
	asking   []string
	call     model.Turn
	question string
}

const (
	startCols, startRows = 120, 40
	toAct                = 2 * time.Minute // an agent has to react to something
)

// window is a terminal with a program in it: an emulator, which answers what
// programs ask their terminal, and a user who looks and types.
type window struct {
	w     *world
	cmd   *exec.Cmd
	pty   *os.File
	ended chan struct{} // closed when the program has ended and all is drawn
	code  int

	mu      sync.Mutex
	vt      *vt.Emulator
	changed chan struct{} // closed at the next output
	drawn   int           // bytes
	title   byte          // see untitled
}

// open starts a program in the project in a terminal of its own. When the test
// ends, it is killed with its children.
func (w *world) open(t *testing.T, argv ...string) *window {
	t.Helper()
	x := &window{w: w, vt: vt.NewEmulator(startCols, startRows), changed: make(chan struct{}), ended: make(chan struct{})}
	x.cmd = exec.Command(argv[0], argv[1:]...)
	x.cmd.Dir, x.cmd.Env = w.project, append(w.env[:len(w.env):len(w.env)], "TERM=xterm-256color")
	var err error
	x.pty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Cols: startCols, Rows: startRows})
	check(t, err)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(x.pty, x.vt)
	}()
	go x.draw(answered)
	t.Cleanup(func() {
		_ = syscall.Kill(-x.cmd.Process.Pid, syscall.SIGKILL)
		<-x.ended
		if !t.Failed() {
			return
		}
		t.Logf("at the end it shows:\n%s", x.shows())
		for i, q := range w.model.Requests() {
			t.Logf("request %d to the model ends with %q", i+1, q.Said[max(0, len(q.Said)-3):])
		}
		t.Logf("hookway log:\n%s", w.hookway(t, "log"))
	})
	return x
}

// draw draws what the program prints, until it has ended.
func (x *window) draw(answered <-chan struct{}) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := x.pty.Read(buffer)
		x.mu.Lock()
		_, _ = x.vt.Write(untitled(buffer[:n], &x.title))
		x.drawn += n
		close(x.changed)
		x.changed = make(chan struct{})
		x.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = x.cmd.Wait() // its code says all
	x.code = x.cmd.ProcessState.ExitCode()
	_ = syscall.Kill(-x.cmd.Process.Pid, syscall.SIGKILL) // whoever is left
	_ = x.pty.Close()
	if answers, ok := x.vt.InputPipe().(io.Closer); ok {
		_ = answers.Close()
		<-answered
	}
	close(x.ended)
}

// untitled takes OSC sequences out of a stream: the emulator would end the title
// of Claude Code in the middle of a character, and draw the rest. The state is 0,
// ESC after an ESC, ] within a sequence, and \ after an ESC in it.
func untitled(p []byte, state *byte) []byte {
	kept := p[:0:0]
	for _, c := range p {
		switch {
		case *state == 0 && c == 0x1b:
			*state = c
		case *state == 0:
			kept = append(kept, c)
		case *state == 0x1b && c == ']':
			*state = c
		case *state == 0x1b:
			kept = append(kept, 0x1b, c)
			*state = 0
		case *state == ']' && c == 0x1b:
			*state = '\\'
		case *state == '\\' || c == 0x07:
			*state = 0
		}
	}
	return kept
}

// shows is the text on the screen.
func (x *window) shows() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var rows []string
	for _, row := range strings.Split(x.vt.String(), "\n") {
		rows = append(rows, strings.TrimRight(row, " \u00a0"))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// until waits until something is so; it is asked again with every output. What
// is waited for says what it is.
func (x *window) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	late := time.NewTimer(toAct)
	defer late.Stop()
	for {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		if is() {
			return
		}
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond): // what is waited for may be elsewhere, as at the model
		case <-x.ended:
			if is() {
				return
			}
			t.Fatalf("the program has ended with %d; want %s; it shows:\n%s", x.code, what, x.shows())
		case <-late.C:
			t.Fatalf("after %v: no %s; it shows:\n%s", toAct, what, x.shows())
		}
	}
}

// sees waits for a text on the screen.
func (x *window) sees(t *testing.T, text string) {
	t.Helper()
	x.until(t, fmt.Sprintf("%q on the screen", text), func() bool { return strings.Contains(x.shows(), text) })
}

// types types as a user does: what is not in one argument is not in one write.
func (x *window) types(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := io.WriteString(x.pty, text)
		check(t, err)
	}
}

// prompts types a prompt, looks whether it is in the box, and presses Enter. It
// is pasted, so that a / or @ in it calls no menu.
func (x *window) prompts(t *testing.T, text string) {
	t.Helper()
	x.types(t, "\x1b[200~"+text+"\x1b[201~")
	last := text[strings.LastIndex(text, "\n")+1:]
	x.until(t, fmt.Sprintf("%q in the box", last), func() bool {
		shows := x.shows()
		return strings.Contains(shows, last) || strings.Contains(shows, "[Pasted")
	})
	x.enter(t)
}

// enter presses Enter, as soon as the agent takes it for that.
func (x *window) enter(t *testing.T) {
	t.Helper()
	if x.w.agent.screen.slow {
		x.rests(t)
	}
	x.types(t, "\r")
}

// resize gives the terminal another size and waits until the program has drawn.
func (x *window) resize(t *testing.T, cols, rows int) {
	t.Helper()
	x.mu.Lock()
	before := x.drawn
	x.vt.Resize(cols, rows)
	x.mu.Unlock()
	check(t, pty.Setsize(x.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}))
	x.until(t, "drawing after the resize", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.drawn > before
	})
}

// rests waits until the program draws nothing for a while, or has ended.
func (x *window) rests(t *testing.T) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < toAct; {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		select {
		case <-changed:
		case <-x.ended:
			return
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
	t.Fatalf("the program draws for %v", toAct)
}

// leaves presses Ctrl-C until the program has ended, and returns its exit code. The first
// one may end a turn. Some programs want two, the second as soon as they ask for it: on a
// busy machine a pause between them is too long.
func (x *window) leaves(t *testing.T) int {
	t.Helper()
	presses, pause := 2, 500*time.Millisecond
	if a := x.w.agent; a.screen != nil && a.screen.once {
		presses, pause = 1, toAct/4
	}
	for range 4 {
		x.rests(t)
		for range presses {
			x.mu.Lock()
			changed := x.changed
			x.mu.Unlock()
			if presses == 1 { // what it draws now is its end
				changed = nil
			}
			select {
			case <-x.ended:
				return x.code
			default:
				x.types(t, "\x03")
			}
			select {
			case <-x.ended:
			case <-changed:
			case <-time.After(pause):
			}
		}
	}
	select {
	case <-x.ended:
	case <-time.After(toAct):
		t.Fatalf("%v after the last Ctrl-C the program has not ended", toAct)
	}
	return x.code
}
