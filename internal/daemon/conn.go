package daemon

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/stack"
	"github.com/hookway/hookway/wire/call"
)

// conn is one connection. Two goroutines take turns on it: one reads, and sees
// the client go while a request runs; the other runs the requests and answers.
type conn struct {
	s        *server
	nc       net.Conn
	peer     Peer
	listener net.Listener // where it came in; nil: the daemon's own socket
	in       *bufio.Reader
	out      *bufio.Writer

	mu      sync.Mutex
	running bool // a request is under way, or its answer
	closed  bool
	api     *APIConn // who has the connection; nil: this one
}

// job is a request on its way from the reader to the runner.
type job struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	request *call.Request
	said    chan struct{} // closed when more comes of the client
	release func()        // of what the size of the request took
}

// errGone is why a request is cancelled whose client does not wait any more.
var errGone = errors.New("the client has gone")

// serve answers requests until the connection ends.
func (c *conn) serve() {
	c.in = bufio.NewReader(c.nc)
	defer c.close()
	frame, err := c.firstBytes()
	if err != nil {
		return
	}
	if !frame {
		_ = c.nc.SetReadDeadline(time.Time{})
		c.host()
		return
	}
	c.out = bufio.NewWriter(c.nc)
	jobs, done := make(chan job), make(chan struct{}, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		stack.Grow16() // else it is copied three times, which takes longer than the hooks
		for j := range jobs {
			size := len(j.request.Stdin)
			c.run(j)
			c.s.easing.ended(size)
			done <- struct{}{}
		}
	}()
	c.read(jobs, done)
	close(jobs)
	<-over
}

// read hands requests over, one after the other. The first has begun to arrive.
func (c *conn) read(jobs chan<- job, done <-chan struct{}) {
	for {
		r, release, err := c.readRequest()
		if err != nil {
			c.refuse(err)
			return
		}
		if !c.begin() {
			release()
			return
		}
		ctx, cancel := context.WithCancelCause(c.s.base)
		said := make(chan struct{})
		jobs <- job{ctx, cancel, r, said, release}
		if why := c.left(); why != nil {
			cancel(why)
			return
		}
		close(said)
		<-done
	}
}

// left waits for more of the client while its request runs, and says why the
// client does not wait for the answer any more, if so.
func (c *conn) left() error {
	if _, err := c.in.Peek(1); err != nil {
		return errGone
	}
	_ = c.nc.SetReadDeadline(time.Now().Add(frameTime))
	defer func() { _ = c.nc.SetReadDeadline(time.Time{}) }()
	b, err := c.in.Peek(call.KindSize)
	if err != nil {
		return errGone // in the middle of a word
	}
	if call.KindAt(b) != call.KindGaveUp {
		return nil
	}
	r, release, err := c.readRequest()
	if err != nil {
		return errGone
	}
	defer release()
	return &call.GaveUpError{Why: r.Event, Policy: r.Policy}
}

// readRequest reads one frame, which has begun to arrive.
func (c *conn) readRequest() (*call.Request, func(), error) {
	_ = c.nc.SetReadDeadline(time.Now().Add(frameTime))
	if c.leaves() {
		return nil, nil, errOwnProcess
	}
	m := &meter{from: c.in, large: c.s.large, within: frameTime}
	r, err := call.ReadRequest(m)
	if err != nil {
		m.release()
		return nil, nil, err
	}
	_ = c.nc.SetReadDeadline(time.Time{})
	return r, m.release, nil
}

// errOwnProcess is of a request that is left to a process of its own.
var errOwnProcess = errors.New(call.OwnProcess)

// leaves reports whether the request that begins to arrive is left to a process of its
// own. It is taken from the stream, but not kept.
func (c *conn) leaves() bool {
	if c.s.c.Leaves == nil || !c.s.c.Leaves() {
		return false
	}
	begin, err := c.in.Peek(call.KindSize)
	size := call.SizeAt(begin)
	if err != nil || size <= call.MaxShared {
		return false
	}
	_, err = io.CopyN(io.Discard, c.in, size)
	return err == nil
}

// refuse answers what is not a request. The connection is of no use then.
func (c *conn) refuse(err error) {
	if errors.Is(err, errOwnProcess) {
		_ = c.reply(call.Reply{Err: call.OwnProcess})
		return
	}
	c.s.c.log("a request cannot be read: %v", err)
	_ = c.reply(call.Reply{Err: fmt.Sprintf("the request cannot be read: %v", err)})
}

// begin makes the connection one with a request under way, unless it is closed.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running = true
	c.s.activity.begin()
	return true
}

// finish makes the connection quiet again, or closes it if the server stops.
func (c *conn) finish() {
	c.mu.Lock()
	c.running = false
	c.mu.Unlock()
	c.s.activity.end()
	select {
	case <-c.s.stopping:
		c.close()
	default:
		_ = c.nc.SetReadDeadline(time.Now().Add(quietTime))
	}
}

func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.nc.Close()
	}
}

// closeIfQuiet closes the connection unless a request is under way.
func (c *conn) closeIfQuiet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running && !c.closed && c.api == nil {
		c.closed = true
		c.nc.Close()
	}
}

// run answers one request.
func (c *conn) run(j job) {
	defer j.release()
	defer j.cancel(nil)
	ctx := j.ctx
	if j.request.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.request.Timeout)
		defer cancel()
	}
	if j.request.Kind == call.KindShown { // its coming was what counts; see shown
		c.finish()
		return
	}
	reply := c.s.answer(ctx, c.peer, j.request)
	reply.Ask = reply.Sent != nil && j.request.Kind == call.KindTold
	err := c.reply(reply)
	reply.Pass(c.shown(j, reply, err))
	if j.request.Kind == call.KindStop {
		c.lastReply()
		return
	}
	c.finish()
	if err != nil {
		c.close()
	}
}

// showTime bounds how long a client may take to print a reply.
const showTime = 10 * time.Second

// goneTime bounds how long the reason of a client is waited for that took no reply.
const goneTime = time.Second

// shown waits until a client that was asked to say so has printed its reply.
func (c *conn) shown(j job, reply call.Reply, err error) error {
	if !reply.Ask {
		return err
	}
	within := showTime
	if err != nil { // it has gone, and may have said why
		within = goneTime
	}
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-j.said:
		return err
	case <-j.ctx.Done(): // it has gone, or said something just before
		var gaveUp *call.GaveUpError
		if errors.As(context.Cause(j.ctx), &gaveUp) {
			return gaveUp
		}
		select {
		case <-j.said:
			return err
		default:
		}
	case <-limit.C:
	}
	return cmp.Or(err, call.ErrUnshown)
}

// lastReply asks the server to stop, and keeps the connection open until it has:
// its end tells the client.
func (c *conn) lastReply() {
	c.s.stop(fmt.Sprintf("process %d asked for it", c.peer.PID))
	c.s.activity.end()
	<-c.s.ended
	c.close()
}

func (c *conn) reply(r call.Reply) error {
	_ = c.nc.SetWriteDeadline(time.Now().Add(frameTime))
	if err := call.WriteReply(c.out, &r); err != nil {
		return err
	}
	return c.out.Flush()
}

// answer gives the reply to a request, whatever the handler does.
func (s *server) answer(ctx context.Context, peer Peer, r *call.Request) (reply call.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply = call.Reply{Err: fmt.Sprintf("hookway panicked: %v", p)}
			s.c.log("panic: %v", p)
			for line := range strings.Lines(string(debug.Stack())) {
				s.c.log("%s", line)
			}
		}
	}()
	s.activity.count()
	if r.Version != s.c.Version {
		s.file.look()
	}
	switch r.Kind {
	case call.KindPing:
		return call.Reply{Stdout: []byte(s.c.Version)}
	case call.KindStatus:
		return s.status()
	case call.KindStop:
		return s.status() // it names the process that ends
	}
	return s.c.Handle(ctx, peer, r)
}
