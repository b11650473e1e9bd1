package terminal

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

const eot = 0x04

// canonLine is what a terminal surely takes of one line while the program
// reads whole lines: the kernels stop at 4095 (Linux) and 1023 bytes (macOS).
func canonLine() int {
	if runtime.GOOS == "linux" {
		return 4000
	}
	return 1000
}

// Type types text to the program, and Enter. Line breaks and tabs become
// spaces, because Enter ends what is typed; other control characters are
// removed; invalid UTF-8 becomes U+FFFD. A text of up to 4000 bytes (1000 on
// macOS) is one write together with its Enter. A longer one is written in
// pieces, and if the program reads whole lines, an EOT after each piece
// passes it on before the terminal's line buffer is full.
//
// Type waits for its turn: see the package comment. It returns the error of
// ctx if that ends first (part of the text may then be typed) and ErrEnded
// after the program's end. A nil error means that the terminal took the text,
// not that the program has read it.
func (p *Program) Type(ctx context.Context, text string) error {
	text = clean(text)
	if err := p.acquire(ctx); err != nil {
		return fmt.Errorf("type to the program: %w", err)
	}
	defer func() { <-p.turn }()
	p.typed.line(text)
	if err := p.writeLine(ctx, text+"\r"); err != nil {
		return fmt.Errorf("type to the program: %w", err)
	}
	return nil
}

// clean makes one line of text that holds nothing a terminal acts on.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", " ")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, text)
}

// acquire takes the turn to write when the user is not in the middle of a
// line.
func (p *Program) acquire(ctx context.Context) error {
	for {
		select {
		case <-p.exited:
			return ErrEnded
		default:
		}
		select {
		case p.turn <- struct{}{}:
		case <-p.exited:
			return ErrEnded
		case <-ctx.Done():
			return ctx.Err()
		}
		busy := p.typed.busy()
		if busy <= 0 {
			return nil
		}
		<-p.turn
		pause := time.NewTimer(busy)
		select {
		case <-pause.C:
		case <-p.typed.enter:
		case <-p.exited:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// writeLine writes a line with its Enter, in pieces if it is long. The caller
// holds the turn.
func (p *Program) writeLine(ctx context.Context, line string) error {
	for limit := canonLine(); len(line) > limit; {
		n := limit
		for !utf8.RuneStart(line[n]) {
			n--
		}
		piece := []byte(line[:n])
		if p.canonical() {
			piece = append(piece, eot)
		}
		if err := p.write(ctx, piece); err != nil {
			return err
		}
		line = line[n:]
	}
	return p.write(ctx, []byte(line))
}

// write hands bytes to the terminal and gives up when ctx ends: a program
// that does not read fills the terminal's buffer. The caller holds the turn.
func (p *Program) write(ctx context.Context, b []byte) error {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = p.pty.SetWriteDeadline(time.Now())
	})
	_, err := p.pty.Write(b)
	if stop() {
		if err != nil {
			return p.writeError(err)
		}
		return nil
	}
	<-interrupted
	_ = p.pty.SetWriteDeadline(time.Time{})
	select {
	case <-p.exited: // the end has set a deadline too
		_ = p.pty.SetWriteDeadline(time.Now())
	default:
	}
	if err != nil {
		return ctx.Err()
	}
	return nil
}

func (p *Program) writeError(err error) error {
	select {
	case <-p.exited:
		return ErrEnded
	default:
		return err
	}
}
