package terminal

import (
	"context"
	"os"
	"syscall"
	"time"
)

// A Program runs in a pseudo-terminal. Its methods may be called by several
// goroutines at once, but Next only by one.
type Program struct {
	pty       *os.File
	canonical func() bool // whether the program reads whole lines
	intake    func() Input
	restore   func() // gives the user's terminal back; may be called often
	cancel    context.CancelFunc
	kill      func(os.Signal) // signals the program's process group
	titled    func(text string, ring bool)
	grace     time.Duration
	pid       int

	tap    *tap
	typed  *typed
	reader *reader
	turn   chan struct{} // held while writing to the program

	exited chan struct{} // closed when the program's process has ended
	done   chan struct{} // closed when everything has; guards what follows
	status ExitStatus
	err    error
}

// Wait waits until the program has ended, its process group is gone, its last
// output is on the user's screen and the user's terminal is restored. The
// error is about the running, not about the exit status: the context that
// ended the program, or the screen that could not be written to.
func (p *Program) Wait() (ExitStatus, error) {
	<-p.done
	return p.status, p.err
}

// PID is the program's process.
func (p *Program) PID() int { return p.pid }

// Done is closed when Wait would return.
func (p *Program) Done() <-chan struct{} { return p.done }

// Close gives the user's terminal back, ends the program (SIGTERM to its
// process group, SIGKILL after the grace) and waits for it. After the end it
// does nothing. Defer it right after Start: then a panic of the caller leaves
// a usable terminal too.
func (p *Program) Close() {
	p.restore()
	p.cancel()
	<-p.done
}

// Stop ends the program with a signal, and as Close does if that has not ended it
// after the grace.
func (p *Program) Stop(sig os.Signal) {
	if p.kill != nil {
		p.kill(sig)
		late := time.NewTimer(p.grace)
		defer late.Stop()
		select {
		case <-p.done:
		case <-late.C:
		}
	}
	p.Close()
}

// Kill ends the program at once. Stop, and Wait, return soon after it.
func (p *Program) Kill() {
	if p.kill != nil {
		p.kill(syscall.SIGKILL)
	}
}

// Title shows a title in the user's terminal in place of the program's own, and rings
// its bell if ring is set; "" gives the program's own back. It comes between two things
// that the program prints, so it may wait for the end of one. Without a user's terminal,
// and after the program's end, it does nothing.
func (p *Program) Title(text string, ring bool) {
	if p.titled != nil {
		p.titled(text, ring)
	}
}

// Next returns the lines that were finished since the last call, waiting for
// at least one. It returns ErrStill when there was no output for the time
// still, counted from the call; if a prompt or another unfinished line stands
// there that was not reported, it comes along with ErrStill, marked Partial.
// A still of 0 never ends the waiting. After the last line it returns io.EOF.
// When ctx ends, so does the waiting; no line is lost by that.
func (p *Program) Next(ctx context.Context, still time.Duration) ([]Line, error) {
	return p.reader.next(ctx, still)
}

// Screen is what the program shows now, all its output so far drawn. It keeps its
// last state after the end. Any goroutine may call it.
func (p *Program) Screen() Screen { return p.reader.screen() }

// LastChange is when the text on the screen last changed, as far as Next and
// Screen have read; zero is never. Repainting the same, colours, titles and ghost
// text do not count as a change.
func (p *Program) LastChange() time.Time { return p.reader.changed() }

// LastOutput is when the program last printed something; until then, when it
// was started.
func (p *Program) LastOutput() time.Time { return p.tap.lastWrite() }

// Dropped is how many bytes of output Next has missed by being too slow.
func (p *Program) Dropped() int64 { return p.tap.droppedBytes() }
