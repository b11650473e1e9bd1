package owner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Terminal is a terminal of the owner's own, in which they can be asked.
type Terminal struct {
	Name string // such as /dev/pts/3

	in, out *os.File // nil out: in is both
	typing  typing
	rule    Rule
}

// typing knows whether keys were pressed by a person; nil where that cannot be found out.
type typing interface {
	// pressed reports whether a key was pressed since a time.
	pressed(since time.Time) bool
}

// Open checks that this process runs in a terminal of the owner's own, in which no agent
// has a hand. in and out are what the command reads and writes. If it does not, the
// error is a *NotOwner.
func (r Rule) Open(in, out *os.File) (*Terminal, error) {
	if err := r.Agent(); err != nil {
		return nil, err
	}
	if err := r.apart(r.machine()); err != nil {
		return nil, err
	}
	if !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil, notOwner("there is no terminal here in which a person could be asked; run it in one, without pipes")
	}
	t, err := openTerminal(in, out)
	if err != nil {
		return nil, err
	}
	t.rule = r
	m := r.machine()
	if err := r.terminal(m); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if t.typing, err = r.multiplexer(m, t.Name); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close gives the terminal back.
func (t *Terminal) Close() error {
	err := t.in.Close()
	if t.out != nil {
		err = errors.Join(err, t.out.Close())
	}
	return err
}

// Write writes to the terminal; the text must be safe to show.
func (t *Terminal) Write(text []byte) (int, error) {
	if t.out != nil {
		return t.out.Write(text)
	}
	return t.in.Write(text)
}

// Confirm asks a question that is answered with yes or no; no answer is no. What was
// typed before the question was there does not count. An answer that nobody typed is a
// *NotOwner.
func (t *Terminal) Confirm(question string) (bool, error) {
	asked := time.Now()
	if err := discard(t.in); err != nil {
		return false, err
	}
	if _, err := fmt.Fprintf(t, "%s [y/N] ", question); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(io.LimitReader(t.in, 1000)).ReadString('\n')
	if err != nil {
		return false, nil
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	if answer != "y" && answer != "yes" {
		return false, nil
	}
	if t.typing != nil && !t.typing.pressed(asked) {
		return false, notOwner("nobody typed that answer: the terminal that shows this one had no key pressed")
	}
	return true, nil
}
