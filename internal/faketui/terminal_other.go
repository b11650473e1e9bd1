//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package faketui

import "errors"

// Main runs the TUI on this process's own terminal. It cannot on this system;
// Run can, on a terminal that is given to it.
func (t TUI) Main() (code int, err error) {
	return 1, errors.New("a TUI runs on Unix terminals only; use Run on this system")
}
