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
// never delays the user: bytes that do not fit are dropped until Next has
// taken what the buffer holds, the line in which that happened is dropped
// whole (no line is made of two halves), the line after it has Lost set, and
// Dropped counts the bytes.
//
// # Echo
//
// A terminal prints what is typed, so typed text comes back as output. Next
// marks such a line Echo. The rule: the line is a prompt followed by exactly
// the text of a line that Type or the user typed in the last ten seconds;
// every typed line marks one line of output. A prompt is nothing, text without
// a letter or digit (> ❯ -), text that ends in one of $ % # > ❯ › », or what
// Next has reported as partial line. A partial line is also Echo when its end is what the user has typed so
// far without Enter. What is drawn by editing keys beyond backspace, ^U, ^C,
// left and right (history, completion) is not recognised.
//
// # Typing
//
// Type writes a whole line at once and never in between two bytes of one
// write of the user. While the user is in the middle of a line it waits, until
// Enter or until no key was pressed for two seconds.
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
	// not ended. Nil: nobody types, and no end is sent.
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
