package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// result is what a program left when it ended by itself.
type result struct {
	stdout []byte
	stderr []byte
	state  *os.ProcessState // nil: it goes on in the background
}

// ErrClosed is the cause of a failure when the handler was closed.
var ErrClosed = errors.New("the handler is closed")

// runner runs programs to their end, and keeps count of them until they are reaped.
type runner struct {
	grace time.Duration
	under tally
	abort chan struct{} // closed when calls under way must end
}

func newRunner(grace time.Duration) *runner {
	return &runner{grace: grace, abort: make(chan struct{})}
}

// run starts a program, feeds it and waits for its end. When the context ends
// first, it returns at once with the context's error, and the program is ended
// and reaped in the background.
func (r *runner) run(ctx context.Context, s spec, input [][]byte) (result, error) {
	if err := ctx.Err(); err != nil {
		return result{}, err
	}
	if !r.under.begin() {
		return result{}, ErrClosed
	}
	p, err := start(ctx, s)
	if err != nil {
		r.under.end()
		return result{}, err
	}
	out, errs := newCapture(), newHeadTail()
	out.lookout = s.left
	go func() {
		defer p.stdout.ended()
		out.read(p.stdout)
	}()
	go func() {
		defer p.stderr.ended()
		errs.read(p.stderr)
	}()
	p.feed(input)

	select {
	case <-p.exited:
		if p.settle(); !s.left || !p.leave() {
			p.release()
		}
		r.under.end()
		if _, ok := background(out.bytes()); ok && s.left {
			return result{stderr: errs.bytes()}, nil
		}
	case <-out.async:
		limit, _ := background(out.bytes())
		return result{}, r.goesOn(ctx, p, limit)
	case <-ctx.Done():
		r.endLater(p, r.grace)
		return result{}, ctx.Err()
	case <-r.abort:
		r.endLater(p, r.grace)
		return result{}, ErrClosed
	case <-out.over:
		r.endLater(p, 0)
	}
	select {
	case <-out.over:
		return result{}, fmt.Errorf("it wrote more than %d MiB to stdout; an answer is one JSON object, logs belong on stderr", maxAnswer>>20)
	default:
	}
	return result{stdout: out.bytes(), stderr: errs.bytes(), state: p.state}, nil
}

func (r *runner) endLater(p *process, grace time.Duration) {
	go func() {
		defer r.under.end()
		p.end(grace)
	}()
}

// close lets what is under way finish for a grace, then ends it. It gives an
// error if something could not be ended.
func (r *runner) close() error {
	idle := r.under.close()
	if waitFor(idle, r.grace) {
		return nil
	}
	close(r.abort)
	if waitFor(idle, r.grace+lastWait) {
		return nil
	}
	return errors.New("a program could not be ended; look for a process that ignores even SIGKILL")
}

// lastWait is how long the system may take to end what it was asked to kill.
const lastWait = 5 * time.Second

func waitFor(done <-chan struct{}, atMost time.Duration) bool {
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// settle waits until the pipes of a program that has ended have ended too. Its
// children may hold them open for ever: after a short time only what is in them
// is read. A machine that is so busy that nothing was read in that time loses no
// answer.
func (p *process) settle() {
	if waitBoth(p.stdout.done, p.stderr.done, settleTime) {
		return
	}
	now := time.Now()
	if errors.Join(p.stdout.SetReadDeadline(now), p.stderr.SetReadDeadline(now)) == nil {
		waitBoth(p.stdout.done, p.stderr.done, lastWait)
	}
}
