//go:build unix

package call

import (
	"errors"
	"os"
	"syscall"
)

// spawn starts the daemon in a session of its own, with nothing of ours, and
// waits until it takes calls or ends: either closes the pipe.
func (s *Starter) spawn() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	ready, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	p, err := os.StartProcess(s.Program, []string{s.Program, "serve", "--on-demand"}, &os.ProcAttr{
		Dir: "/", Env: s.environ("3"), Files: []*os.File{null, null, null, theirs}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	_ = theirs.Close()
	if err != nil {
		return err
	}
	go func() { _, _ = p.Wait() }() // a caller that lives on keeps no zombie
	if err := ready.SetReadDeadline(s.Deadline); err != nil {
		return err
	}
	var b [1]byte
	for {
		if _, err = ready.Read(b[:]); err != nil {
			break
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSlowStart
	}
	if !s.Up() {
		return ErrNotUp
	}
	return nil
}
