package owner

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// openTerminal opens the console that this process belongs to.
func openTerminal(_, _ *os.File) (*Terminal, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, notOwner("this command belongs to no console; run it in one that you opened yourself")
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &Terminal{Name: "console", in: in, out: out}, nil
}

// discard drops what was typed and not read.
func discard(tty *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(tty.Fd())) }

// canType reports whether a process can put text into what was typed at its terminal: no
// process has one that is told.
func canType() bool { return false }
