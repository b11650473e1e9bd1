// Package terminal runs a program in a pseudo-terminal of its own, between
// the program and the user. It knows bytes and lines, nothing of what they
// mean.
//
// The user comes first. What the program prints goes to the user's screen
// unmodified, before anything else looks at it; what the user types goes to
// the program. The user's terminal is in raw mode meanwhile and is restored
// when the program ends, on Close, and when a goroutine of this package
// panics.
//
// A copy of the output goes through a bounded buffer to Next, which returns
// it as lines. A consumer that is too slow for the buffer loses output and
// never delays the user: when the buffer is full its older half is dropped, with
// the line in which that happened (no line is made of two halves), the line after
// it has Lost set, and Dropped counts the bytes. How a flood ends is always read.
//
// # Lines
//
// Next reports every line of text once, when it is finished. What a line is, and
// when it is finished, depends on how the program writes:
//
// It prints, as compilers, shells and most commands do: text, line feeds, and
// movements within the line. A line is what stands between two line feeds,
// whatever the width of the terminal; a line feed finishes it. Of a progress bar
// that is its last state. A line that the output pauses in is reported as it
// is, marked Partial. Printing the same text again is another line.
//
// It paints, as the screens of agents and editors are: it moves the cursor to
// other rows, erases, scrolls a part of the screen, or uses the alternate one.
// From the first such sequence on its bytes say little, so an emulator draws
// them, and the screen is looked at, at most every 50 ms, and at every second one of
// the announced frames that come at once:
//
//   - Rows are put together to lines. A row goes on in the next one if its last
//     column is used and the next begins at the left; or if the next begins in the
//     column of its text, without a list mark or glyph, and the first word of the
//     next would not have fitted, up to 3 columns from the edge or the closing
//     border, as programs wrap words themselves. A row that begins with @ is only
//     taken for the rest of a sentence if the row above ends within one: with
//     a letter, digit or comma.
//   - Looks are compared. A line that has the text of one at the last look, in the
//     same order, is that line, wherever it has gone. One that begins with the
//     text of the line in its place has grown; one that shares half of its text
//     was rewritten, as a clock is. What is left is compared with what was reported
//     before, between the lines around it, most recent 1000: so a screen that
//     comes back after a dialog, or is scrolled back, is known again. A line that
//     is known by itself only, without a neighbour or half of the lines it came
//     with, is another one that says the same.
//   - A line is finished when it has scrolled from the screen, or has stood for
//     0.4 s, doubled each time it was rewritten up to 6.4 s, four times as long in
//     the row of the cursor; and when the lines below it, up to the next blank
//     row, are too, or 2 s have passed. Before the screen is erased or left, that
//     is decided at once; if the output came without a pause, as when a recording
//     is printed, all that was to be seen is finished. So what is shown for a
//     moment is not reported, and what grows word by word is reported whole.
//   - Rows that were wrapped anew, for two seconds after a change of the terminal's
//     size or in place of what they were, are not reported again.
//   - Lines of nothing but frames, marks and blanks are not text. Faint text in the
//     row of the cursor is a suggestion, and not text of the program.
//
// The program prints again when it has printed two screens of lines without
// painting, or when it is still and the cursor stands below all text of the main
// screen.
//
// An identical screen that is drawn again, after it was blank or showed something
// else, is a repaint, even if the program means it as news: the two cannot be told
// apart.
//
// # Echo
//
// A terminal prints what is typed, so typed text comes back as output. Next
// marks such a line Echo. The rule for a printed line: it is a prompt followed by exactly
// the text of a line that Type or the user typed in the last ten seconds;
// every typed line marks one line of output. A prompt is nothing, text without
// a letter or digit (> ❯ -), text that ends in one of $ % # > ❯ › », or what
// Next has reported as partial line. A partial line is also Echo when its end is what the user has typed so
// far without Enter. What is drawn by editing keys beyond backspace, ^U, ^C,
// left and right (history, completion) is not recognised. A painted line is
// echo if it is, after marks, a whole line that was typed in the last ten minutes
// or its beginning, or what follows such a beginning; each typed line is known once.
//
// # Typing
//
// Put writes a whole text at once, never in between two bytes of one write of the
// user, and asks right before whether it is safe. User says what the user has
// begun to type, by following their keys; Input whether the program has read what
// was typed, and who is in the foreground; Screen what there is to see. Type waits
// for the end of the line that the user is in the middle of.
package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Config says what to run and where the user is. Only Command is required.
type Config struct {
	Command []string // program and arguments; the program is looked up in PATH
	Dir     string   // working directory; empty is the current one
	Env     []string // "key=value"; nil is the environment of this process

	// Stdin is where the user types. If it is a terminal it is put in raw
	// mode. At its end one EOT (^D) is sent, two if the last line has no
	// end, so that programs reading lines see the end too; the program is
	// not ended. Nil: there is no user, and no end is sent.
	//
	// A reader that is not an *os.File cannot be interrupted: its last Read
	// may outlive the program, and must return for its goroutine to end.
	Stdin io.Reader

	// End, if not nil, is called at the end of Stdin, and the EOT waits for its
	// return. The context ends with the program. If the last line has no end
	// it gets Enter before, so that what Type types meanwhile is not added to it.
	End func(context.Context)

	// Stdout is the user's screen; nil discards. If a write fails, the
	// program gets SIGHUP as if its terminal was gone, and Wait returns the
	// error.
	Stdout io.Writer

	// Leaving, if not nil, is called when the user presses Ctrl-C in a program that
	// reads keys and says on its screen that the next one ends it. The key waits for
	// its return; pressed again, it is passed on and the context ends, as with
	// the program.
	Leaving func(context.Context)

	// Hangup, if not nil, is called once when the user's terminal is gone: it takes
	// no output, gives no keys, or SIGHUP has come. The program gets SIGHUP after its
	// return. The context ends with the program.
	Hangup func(context.Context)

	// Signals that this process gets are passed on to the program's process
	// group. Nil: SIGINT, SIGTERM, SIGHUP and SIGQUIT; empty: none.
	Signals []os.Signal

	Buffer int           // bytes kept for Next; 0 is 1 MiB
	Grace  time.Duration // between SIGTERM and SIGKILL; 0 is 2 s
}

const (
	defaultBuffer = 1 << 20
	defaultGrace  = 2 * time.Second
)

func (c Config) buffer() int {
	if c.Buffer > 0 {
		return c.Buffer
	}
	return defaultBuffer
}

func (c Config) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return defaultGrace
}

// ExitStatus is how a program ended.
type ExitStatus struct {
	Code   int       // exit code; 128 + the signal's number if a signal ended it
	Signal os.Signal // the signal that ended it, or nil
}

var (
	// ErrStill is returned by Next when there was no output for a while.
	ErrStill = errors.New("terminal: the output is still")
	// ErrEnded is returned by Type after the program has ended.
	ErrEnded = errors.New("terminal: the program has ended")
)
