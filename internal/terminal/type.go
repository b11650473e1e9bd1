package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/visible"
)

const eot = 0x04

// stalled is how long a program may take none of what is typed to it. The user
// cannot type meanwhile, so it is short.
const stalled = 2 * time.Second

// ErrStalled is returned by Put when the program has stopped reading what is
// typed. A part of it may have been typed.
var ErrStalled = errors.New("terminal: the program does not read what is typed")

// Text is what Put puts into a program. Only Body is required.
type Text struct {
	// Body is what to type. Of the control characters only line breaks and tabs
	// are typed, escape sequences are taken out as a whole, and invalid UTF-8
	// becomes U+FFFD.
	Body string

	// Paste marks the body as pasted, for a program that has asked for that: its
	// line breaks and tabs are then text. Otherwise a line break becomes Newline
	// and a tab a space, because both are keys.
	Paste   bool
	Newline string // empty is a space

	// Before and Submit are keys that are typed around the body, as they are.
	// An empty Submit is Enter.
	Before, Submit string

	// Pause is between a pasted body and Submit, for programs that take an Enter
	// right after a paste for a line break. The user's keys wait meanwhile.
	Pause time.Duration

	// Safe, if not nil, is asked last, when no key of the user can come between
	// its answer and the text. An error means that nothing is typed; Put
	// returns it.
	Safe func() error
}

// Type types text to the program, and Enter. Line breaks and tabs become
// spaces, because Enter ends what is typed; see Put for the rest. It waits
// until the user is not in the middle of a line, as far as the keys tell.
//
// It returns the error of ctx if that ends first (part of the text may then be
// typed) and ErrEnded after the program's end. A nil error means that the
// terminal took the text, not that the program has read it.
func (p *Program) Type(ctx context.Context, text string) error {
	for {
		err := p.Put(ctx, Text{Body: text, Safe: func() error {
			if line, _ := p.User(); line.Begun() {
				return errBegun
			}
			return nil
		}})
		if !errors.Is(err, errBegun) {
			return err
		}
		select {
		case <-p.typed.enter:
		case <-p.exited:
		case <-ctx.Done():
			return fmt.Errorf("type to the program: %w", ctx.Err())
		}
	}
}

var errBegun = errors.New("the user is in the middle of a line")

// Put puts a text into the program as if it was typed, all of it between two
// writes of the user and, for programs that read keys, in one write. What is
// longer than a terminal collects of one line (4000 bytes, 1000 on macOS) is
// written in pieces to a program that reads whole lines, and an EOT after each
// passes it on before the terminal's line buffer is full.
//
// The errors are those of Type, that of Safe, and ErrStalled.
func (p *Program) Put(ctx context.Context, text Text) error {
	if err := p.acquire(ctx); err != nil {
		return fmt.Errorf("type to the program: %w", err)
	}
	defer func() { <-p.turn }()
	if text.Safe != nil {
		if err := text.Safe(); err != nil {
			return err
		}
	}
	body := visible.Strip(text.Body)
	p.typed.line(body)
	if err := p.writeParts(ctx, text, body); err != nil {
		return fmt.Errorf("type to the program: %w", err)
	}
	return nil
}

// writeParts writes a text with its keys, at once where the program allows that.
func (p *Program) writeParts(ctx context.Context, text Text, body string) error {
	before, after := text.Before+text.around(body), text.submit()
	if !text.Paste || text.Pause <= 0 {
		return p.writeText(ctx, before+after)
	}
	if err := p.writeText(ctx, before); err != nil {
		return err
	}
	pause := time.NewTimer(text.Pause)
	defer pause.Stop()
	select {
	case <-pause.C:
		return p.writeText(ctx, after)
	case <-p.exited:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t Text) submit() string {
	if t.Submit == "" {
		return "\r"
	}
	return t.Submit
}

// around is the clean body as it is typed.
func (t Text) around(body string) string {
	switch {
	case body == "":
		return ""
	case t.Paste:
		return "\x1b[200~" + body + "\x1b[201~"
	}
	return oneLine(body, t.Newline)
}

// User returns what the user has begun to type, as far as the keys tell, and
// when the last key came.
func (p *Program) User() (line UserLine, last time.Time) { return p.typed.user() }

// UserLines is how often the user has ended a line so far: with Enter, or by giving
// it up.
func (p *Program) UserLines() int64 { return p.typed.userLines() }

// canonLine is what a terminal surely takes of one line while the program
// reads whole lines: the kernels stop at 4095 (Linux) and 1023 bytes (macOS).
func canonLine() int {
	if runtime.GOOS == "linux" {
		return 4000
	}
	return 1000
}

// acquire takes the turn to write.
func (p *Program) acquire(ctx context.Context) error {
	select {
	case <-p.exited:
		return ErrEnded
	default:
	}
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-p.exited:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeText writes what is typed, in pieces if the terminal collects lines and
// it is long for that. The caller holds the turn.
func (p *Program) writeText(ctx context.Context, text string) error {
	for limit := canonLine(); len(text) > limit && p.canonical(); {
		n := limit
		for !utf8.RuneStart(text[n]) {
			n--
		}
		if err := p.writeAll(ctx, append([]byte(text[:n]), eot)); err != nil {
			return err
		}
		text = text[n:]
	}
	return p.writeAll(ctx, []byte(text))
}

// writeAll writes while the program reads. The caller holds the turn.
func (p *Program) writeAll(ctx context.Context, b []byte) error {
	for {
		try, stop := context.WithTimeout(ctx, stalled)
		n, err := p.writeSome(try, b)
		stop()
		b = b[n:]
		switch {
		case len(b) == 0:
			return nil
		case err == nil:
			return io.ErrShortWrite
		case !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
			return err
		case n == 0:
			return ErrStalled
		}
	}
}

// write hands the user's keys to the terminal. The caller holds the turn.
func (p *Program) write(ctx context.Context, b []byte) error {
	_, err := p.writeSome(ctx, b)
	return err
}

// oneLine is a clean text as keys that end no line.
func oneLine(text, newline string) string {
	if newline == "" {
		newline = " "
	}
	return strings.NewReplacer("\n", newline, "\t", " ").Replace(text)
}

// Input is how a program's terminal handles what is typed, at one moment.
type Input struct {
	Lines  bool // the terminal collects whole lines for the program
	Echo   bool // the terminal prints what is typed
	Unread int  // bytes that the program has not read; unfinished lines aside

	// Gone says that the terminal tells nothing any more: its program has ended, or
	// is just ending. What it has not read is lost.
	Gone bool

	// Front is the command line of the program in the foreground, if that is not
	// the one that was started, as when a shell runs another. It is just the
	// empty string where the system does not tell which it is.
	Front []string

	// Leader is the command line of the program that was started, which may have
	// become another one since; nil where the system does not tell.
	Leader []string
}

// Input looks at the program's terminal. After the program's end it is gone.
func (p *Program) Input() Input {
	if p.intake == nil {
		return Input{Gone: true}
	}
	return p.intake()
}
