//go:build linux || darwin

package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// input reads what the user types and can be stopped.
type input struct {
	reader io.Reader
	wait   func() error // nil, or waits for something to read; an error stops
	stop   func()       // ends a waiting Read; nil if that cannot be done
	close  func()       // after the last Read
	front  func() bool  // nil, or whether the keys are meant for us
}

var errStopped = errors.New("stopped")

// openInput finds out how to interrupt a read of r.
func openInput(r io.Reader) (*input, error) {
	f, ok := r.(*os.File)
	if !ok {
		return &input{reader: r}, nil
	}
	if f.SetReadDeadline(time.Time{}) == nil {
		return &input{
			reader: f,
			stop:   func() { _ = f.SetReadDeadline(time.Now()) },
			close:  func() { _ = f.SetReadDeadline(time.Time{}) },
		}, nil
	}
	return selected(f)
}

// selected makes an input of a file that knows no deadlines, as the standard
// input mostly is: it asks the kernel before each read and is woken by a pipe.
func selected(f *os.File) (*input, error) {
	wakeR, wakeW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watch the input: %w", err)
	}
	in := &input{
		reader: f,
		stop:   func() { wakeW.Close() },
		close:  func() { wakeR.Close() },
	}
	in.wait = func() error {
		return withFd(wakeR, func(wake int) error {
			return withFd(f, func(fd int) error {
				_, woken, err := awaitBytes(fd, wake, -1)
				if err == nil && woken {
					err = errStopped
				}
				return err
			})
		})
	}
	return in, nil
}

// copyInput hands what the user types to the program, and its end.
func (r *run) copyInput(ctx context.Context, in *input) {
	buf := make([]byte, 4096)
	midLine := false
	for {
		in.awaitFront(ctx)
		n, err := in.read(buf)
		if n > 0 {
			if r.send(ctx, buf[:n]) != nil {
				return
			}
			midLine = buf[n-1] != '\n' && buf[n-1] != '\r'
		}
		if errors.Is(err, errStopped) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil { // the end, or a closed file: nothing more will come
			if r.gone(err) {
				r.hangUp()
				return
			}
			r.endInput(ctx, midLine)
			return
		}
	}
}

// endInput tells the program that the user types no more.
func (r *run) endInput(ctx context.Context, midLine bool) {
	hold := r.cfg.End != nil
	if hold && midLine {
		_ = r.send(ctx, []byte("\r"))
		midLine = false
	}
	r.typed.close()
	if hold {
		r.cfg.End(ctx)
	}
	end := []byte{eot}
	if midLine && r.canonical() {
		end = append(end, eot) // the first one only ends the line
	}
	_ = r.send(ctx, end)
}

func (in *input) read(buf []byte) (int, error) {
	if in.wait != nil {
		if err := in.wait(); err != nil {
			return 0, err
		}
	}
	return in.reader.Read(buf)
}

// awaitFront waits until the keys are meant for us: a process in the background
// that reads its terminal is stopped for it.
func (in *input) awaitFront(ctx context.Context) {
	for in.front != nil && !in.front() && ctx.Err() == nil {
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
		}
	}
}

// send writes the user's keys, unless one of them has to wait.
func (r *run) send(ctx context.Context, b []byte) error {
	if r.hold(b) {
		return nil
	}
	return r.pass(ctx, b)
}

// pass writes the user's keys when it is their turn.
func (r *run) pass(ctx context.Context, b []byte) error {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-r.exited:
		return ErrEnded
	}
	r.typed.key(b)
	return r.write(ctx, b)
}
