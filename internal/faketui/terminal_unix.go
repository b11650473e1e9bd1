//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package faketui

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// Main runs the TUI on this process's own terminal, which it puts in raw mode
// and gives back as it was.
func (t TUI) Main() (code int, err error) {
	in := os.Stdin.Fd()
	var before syscall.Termios
	if err := ioctl(in, getTermios, unsafe.Pointer(&before)); err != nil {
		return 1, fmt.Errorf("a TUI needs a terminal on its standard input: %w", err)
	}
	raw := before
	raw.Iflag &^= syscall.BRKINT | syscall.ICRNL | syscall.INLCR | syscall.IGNCR | syscall.ISTRIP | syscall.IXON
	raw.Oflag &^= syscall.OPOST
	raw.Lflag &^= syscall.ECHO | syscall.ECHONL | syscall.ICANON | syscall.ISIG | syscall.IEXTEN
	raw.Cc[syscall.VMIN], raw.Cc[syscall.VTIME] = 1, 0
	if err := ioctl(in, setTermios, unsafe.Pointer(&raw)); err != nil {
		return 1, fmt.Errorf("set the terminal to raw mode: %w", err)
	}
	defer func() { _ = ioctl(in, setTermios, unsafe.Pointer(&before)) }() // it may be gone by now

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	defer signal.Stop(signals)
	resized, ended := make(chan struct{}), make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case <-signals:
			case <-ended:
				return
			}
			select {
			case resized <- struct{}{}:
			case <-ended:
				return
			}
		}
	}()
	return t.Run(context.Background(), Terminal{In: os.Stdin, Out: os.Stdout, Size: terminalSize, Resized: resized})
}

// terminalSize is the size of this process's terminal; 80×24 if it has none.
func terminalSize() (cols, rows int) {
	var size struct{ rows, cols, x, y uint16 }
	if err := ioctl(os.Stdout.Fd(), syscall.TIOCGWINSZ, unsafe.Pointer(&size)); err != nil || size.cols == 0 || size.rows == 0 {
		return 80, 24
	}
	return int(size.cols), int(size.rows)
}

func ioctl(fd, request uintptr, into unsafe.Pointer) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(into)); errno != 0 {
		return errno
	}
	return nil
}
