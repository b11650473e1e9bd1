package call

import (
	"os"
	"syscall"
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

// detached is DETACHED_PROCESS: a program without a console.
const detached = 0x8

// spawn starts the daemon with nothing of ours, and waits until it takes calls
// or ends. A pipe beyond the three standard ones cannot be handed on here.
func (s *Starter) spawn() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := os.StartProcess(s.Program, []string{s.Program, "serve", "--on-demand"}, &os.ProcAttr{
		Dir: s.Places.Dir, Env: s.environ(""), Files: []*os.File{null, null, null},
		Sys: &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detached},
	})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = p.Wait()
		close(ended)
	}()
	for pause := (backoff.Backoff{First: time.Millisecond, Most: 16 * time.Millisecond}); time.Until(s.Deadline) > 0; {
		if s.Up() {
			return nil
		}
		select {
		case <-ended:
			if s.Up() {
				return nil
			}
			return ErrNotUp
		case <-time.After(pause.Next()):
		}
	}
	return ErrSlowStart
}
