package owner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Keys are the keys of a terminal, each as it is pressed. Nothing of what is typed is
// shown but by [Keys.Line]; Ctrl-C is a key, too.
type Keys struct {
	t      *Terminal
	pieces chan []byte // what was read at once; closed at the end of the terminal
	state  *term.State
	escape time.Time // when a lone Escape came, which may begin the sequence of a key
}

// ErrInterrupted is Ctrl-C, or the end of a terminal.
var ErrInterrupted = errors.New("interrupted")

// Keys takes the terminal's keys. The terminal is given back with Close of them; of the
// two, only they may be read from then on.
func (t *Terminal) Keys() (*Keys, error) {
	state, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, err
	}
	k := &Keys{t: t, pieces: make(chan []byte), state: state}
	go k.read()
	return k, nil
}

// read reads until the terminal's end. It is left behind in a read if that does not come:
// this process is about to end then.
func (k *Keys) read() {
	defer close(k.pieces)
	buf := make([]byte, 4096)
	for {
		n, err := k.t.in.Read(buf)
		if n > 0 {
			k.pieces <- bytes.Clone(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// Close gives the terminal back as it was.
func (k *Keys) Close() error { return term.Restore(int(k.t.in.Fd()), k.state) }

// Write writes to the terminal, whose lines now end in CR LF. The text must be safe to
// show.
func (k *Keys) Write(text []byte) (int, error) {
	if _, err := k.t.Write(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Discard drops what was typed so far and not read.
func (k *Keys) Discard() error {
	for {
		select {
		case _, ok := <-k.pieces:
			if !ok {
				return ErrInterrupted
			}
			continue
		default:
		}
		return discard(k.t.in)
	}
}

// Pieces has what is typed. See Key.
func (k *Keys) Pieces() <-chan []byte { return k.pieces }

// Key is the key that a piece is: a single character. A piece of several is a pasted
// text, or the sequence of another key, and none.
func (k *Keys) Key(piece []byte) (key rune, ok bool) {
	key, size := utf8.DecodeRune(piece)
	if size != len(piece) || key == utf8.RuneError {
		return 0, false
	}
	if key == '\x1b' {
		k.escape = time.Now()
		return 0, false
	}
	return key, time.Since(k.escape) > escapeTime
}

// escapeTime is how long the rest of a key's sequence may take.
const escapeTime = 100 * time.Millisecond

// Line asks for a line. A hidden one is shown as nothing, and is not trimmed.
func (k *Keys) Line(ctx context.Context, question string, hidden bool) (string, error) {
	if _, err := io.WriteString(k, question); err != nil {
		return "", err
	}
	l := line{}
	for !l.ended {
		select {
		case piece, ok := <-k.pieces:
			if !ok {
				return "", ErrInterrupted
			}
			shown := l.take(piece)
			if hidden {
				continue
			}
			if _, err := io.WriteString(k, shown); err != nil {
				return "", err
			}
		case <-ctx.Done():
			l.ended, l.broken = true, true
		}
	}
	_, err := io.WriteString(k, "\n")
	if l.broken {
		return "", errors.Join(ErrInterrupted, err)
	}
	if hidden {
		return string(l.text), err
	}
	return strings.TrimSpace(string(l.text)), err
}

// mostLine bounds a line, in characters.
const mostLine = 2000

// line is one that is being typed.
type line struct {
	text          []rune
	ended, broken bool
}

// take takes keys, and gives what shows them.
func (l *line) take(piece []byte) string {
	if len(piece) > 1 && piece[0] == '\x1b' {
		return "" // an arrow, say
	}
	var shown strings.Builder
	for _, r := range string(piece) {
		switch {
		case l.ended:
		case r == '\r' || r == '\n':
			l.ended = true
		case r == 3 || r == 4 && len(l.text) == 0: // ^C, ^D
			l.ended, l.broken = true, true
		case (r == 0x7f || r == '\b') && len(l.text) > 0:
			l.text = l.text[:len(l.text)-1]
			shown.WriteString("\b \b")
		case r == 0x15: // ^U
			shown.WriteString(strings.Repeat("\b \b", len(l.text)))
			l.text = l.text[:0]
		case r != utf8.RuneError && unicode.IsPrint(r) && len(l.text) < mostLine:
			l.text = append(l.text, r)
			shown.WriteRune(r)
		}
	}
	return shown.String()
}

// Typed checks that a person may have pressed the key that was read: since a time that
// [Terminal.Asks] gave, where that can be told, and in a terminal that is still the owner's own. If not, the error is
// a *NotOwner.
func (t *Terminal) Typed(since time.Time) error {
	if err := t.rule.Agent(); err != nil {
		return err
	}
	if err := t.rule.terminal(t.rule.machine()); err != nil {
		return err
	}
	if t.typing != nil && !t.typing.pressed(since) {
		return notOwner("nobody typed that answer: the terminal that shows this one had no key pressed")
	}
	return nil
}

// Secret asks for a line that is not shown. The terminal can be read no more then.
func (t *Terminal) Secret(ctx context.Context, question string) (text string, err error) {
	asked, err := t.Asks(ctx)
	if err != nil {
		return "", err
	}
	k, err := t.Keys()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	if text, err = k.Line(ctx, question, true); err != nil {
		return "", err
	}
	return text, t.Typed(asked)
}
