package roster

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hookway/hookway/hook"
)

const (
	whoTime    = 2 * time.Second  // for a session to say how it is
	answerTime = 10 * time.Second // for everything without a caller that waits
)

// Remote is a session of this or another process.
type Remote struct {
	Member
	socket string
}

// All gives the sessions that run, the oldest first, without asking them
// anything. A folder that is not there has none.
func All(dir string) ([]*Remote, error) {
	all, err := look(dir)
	if err != nil {
		return nil, err
	}
	remotes := make([]*Remote, len(all))
	for i, f := range all {
		remotes[i] = &Remote{f.Member, f.socket}
	}
	slices.SortFunc(remotes, func(a, b *Remote) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Session, b.Session))
	})
	return remotes, nil
}

// List is All, with what the sessions say of themselves: Held and Mute.
func List(ctx context.Context, dir string) ([]*Remote, error) {
	all, err := All(dir)
	if err != nil {
		return nil, err
	}
	ended := make([]bool, len(all))
	var asking sync.WaitGroup
	for i, r := range all {
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, whoTime)
			defer cancel()
			a, err := r.ask(ctx, Request{Op: OpWho})
			r.Held, r.Mute = a.Held, err != nil
			ended[i] = errors.Is(err, errEnded)
		})
	}
	asking.Wait()
	left := all[:0]
	for i, r := range all {
		if !ended[i] {
			left = append(left, r)
		}
	}
	return left, ctx.Err()
}

// Hold keeps everything from being typed until Release.
func (r *Remote) Hold(ctx context.Context) error { return r.hold(ctx, OpHold) }

// Release lets texts be typed again.
func (r *Remote) Release(ctx context.Context) error { return r.hold(ctx, OpRelease) }

func (r *Remote) hold(ctx context.Context, op Op) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	a, err := r.ask(ctx, Request{Op: op})
	if err == nil {
		r.Held = a.Held
	}
	return err
}

// Inject has a text typed to the program and gives its state: the final one if
// it is to be waited for, which takes as long as it takes.
func (r *Remote) Inject(ctx context.Context, text string, wait bool) (state, reason string, err error) {
	if !wait {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerTime)
		defer cancel()
	}
	a, err := r.ask(ctx, Request{Op: OpInject, Text: text, Wait: wait})
	return a.State, a.Reason, err
}

// Notify tells the session that there may be messages for it. What goes wrong is not
// said: it looks for them now and then all the same.
func (r *Remote) Notify(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	_, _ = r.ask(ctx, Request{Op: OpNotify})
}

// Notify notifies the sessions of agents, and those whose ids these are.
func Notify(ctx context.Context, dir string, agents []string) {
	all, err := All(dir)
	if err != nil {
		return
	}
	var notifying sync.WaitGroup
	for _, r := range all {
		if slices.ContainsFunc(agents, func(name string) bool { return name == r.Session || strings.EqualFold(name, r.Name) }) {
			notifying.Go(func() { r.Notify(ctx) })
		}
	}
	notifying.Wait()
}

// Messages gives the messages that the session has sent and received, as far as
// it remembers them.
func (r *Remote) Messages(ctx context.Context) ([]hook.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	a, err := r.ask(ctx, Request{Op: OpMessages})
	return a.Messages, err
}

// Output writes what the program has printed: the last lines of it, or with a
// tail of 0 all that is kept.
func (r *Remote) Output(ctx context.Context, w io.Writer, tail int) error {
	return r.exchange(ctx, Request{Op: OpOutput, Tail: tail}, func(a Reply, body io.Reader) error {
		n, err := io.Copy(w, io.LimitReader(body, a.Size))
		if err == nil && n < a.Size {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
}

// ask gives the answer to a request.
func (r *Remote) ask(ctx context.Context, q Request) (answer Reply, err error) {
	err = r.exchange(ctx, q, func(a Reply, _ io.Reader) error {
		answer = a
		return nil
	})
	return answer, err
}

// exchange asks, and hands what is answered to take.
func (r *Remote) exchange(ctx context.Context, q Request, take func(Reply, io.Reader) error) error {
	if len(q.Text) > MaxText {
		return fmt.Errorf("the text is longer than %d bytes", MaxText)
	}
	if err := r.talk(ctx, q, take); err != nil {
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil:
			err = ErrMute
		case ctx.Err() != nil:
			err = ctx.Err()
		}
		return fmt.Errorf("session %s (%s): %w", r.Name, r.Session, err)
	}
	return nil
}

// errEnded says that the session has ended since it was found.
var errEnded = errors.New("it has ended")

func (r *Remote) talk(ctx context.Context, q Request, take func(Reply, io.Reader) error) error {
	text, err := json.Marshal(q)
	if err != nil {
		return err
	}
	if len(text) >= maxRequest {
		return fmt.Errorf("the request is longer than %d bytes", maxRequest)
	}
	c, err := dial(ctx, r.socket)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return errEnded
	} else if err != nil {
		return err
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if _, err := (patient{ctx, c}).Write(append(text, '\n')); err != nil {
		return busy(err)
	}
	in := bufio.NewReader(c)
	line, err := boundedLine(in, maxReply)
	if err != nil {
		return busy(err)
	}
	var a Reply
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("its answer is not understood: %w", err)
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return take(a, in)
}

// boundedLine reads a line and leaves what follows it in the reader.
func boundedLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, fmt.Errorf("its answer is longer than %d bytes", most)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// busy explains a connection that was closed without an answer.
func busy(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) {
		return errors.New("it has hung up: it is busy, or ends; try again")
	}
	return err
}
