package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Serve answers calls until the context ends, somebody asks it to stop, or
// there was no call for the idle time. It gives a *RunningError if another
// process serves the socket, and ErrReplaced if it ended because its program was
// replaced.
//
// When it stops, it first gives the socket and the lock back, so that the next
// call finds room for a new daemon, and then lets the requests under way end.
func Serve(ctx context.Context, c Config) error {
	l, err := listen(c.Places)
	if err != nil {
		return c.abandon(err)
	}
	others, err := c.openListeners()
	if err != nil {
		return c.abandon(errors.Join(err, l.Close()))
	}
	s := newServer(c)
	s.socket, _ = os.Lstat(c.Places.Socket) // a pipe of Windows is not a file, and cannot be taken away
	if c.API != nil {
		c.API.Begin(apiHost{s})
	}
	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(l, s.admit) })
	for _, l := range others {
		accepting.Go(func() { s.accept(l, func(nc net.Conn) { s.admitElsewhere(nc, l) }) })
	}
	keeping := make(chan struct{})
	go func() {
		defer close(keeping)
		s.keep()
	}()
	if c.Ready != nil {
		c.Ready()
	}
	select {
	case <-ctx.Done():
		s.stop("it was told to")
	case <-s.stopping:
	}
	s.announceEnd()
	for _, l := range others { // before the lock is given back: the next daemon may have the same
		err = errors.Join(err, l.Close())
	}
	err = errors.Join(err, l.Close())
	accepting.Wait()
	s.drain(drainTime)
	<-keeping
	s.easing.stop()
	return errors.Join(err, s.reason)
}

// announceEnd says that the server ends, without waiting until that is known.
func (s *server) announceEnd() {
	s.said = make(chan struct{})
	go func() {
		defer close(s.said)
		if s.c.Stopping != nil {
			s.c.Stopping(s.why)
		}
	}()
}

// abandon closes what a server that cannot begin was given.
func (c *Config) abandon(err error) error {
	if c.Close != nil {
		c.Close()
	}
	return err
}

// openListeners opens the other listeners: all, or none.
func (c *Config) openListeners() ([]net.Listener, error) {
	if c.Listeners == nil || c.API == nil {
		return nil, nil
	}
	others, err := c.Listeners()
	if err == nil {
		return others, nil
	}
	for _, l := range others {
		l.Close()
	}
	return nil, err
}

// ErrReplaced says that a daemon has ended because its program was replaced.
var ErrReplaced = errors.New("the daemon's program was replaced; the next call starts the new one")

// server is the state of one Serve.
type server struct {
	c        Config
	uid      int // whose calls are answered
	started  time.Time
	file     *program
	socket   os.FileInfo // the socket; nil where that is not a file
	activity activity
	large    chan struct{} // one for each request that may be large at a time
	easing   *easing

	base   context.Context // of all requests
	cancel context.CancelCauseFunc

	stopOnce sync.Once
	stopping chan struct{} // closed when no more is begun
	reason   error         // what Serve gives; read after stopping
	why      string        // it stops; read after stopping
	said     chan struct{} // closed when Stopping has returned; nil before
	ended    chan struct{} // closed when everything but the last replies is over

	mu        sync.Mutex
	conns     map[*conn]struct{}
	refused   int
	elsewhere int            // connections of other listeners
	under     sync.WaitGroup // connections
}

func newServer(c Config) *server {
	s := &server{
		c: c, uid: ownUID(), started: time.Now(), file: newProgram(c.Executable), large: make(chan struct{}, maxLarge),
		stopping: make(chan struct{}), ended: make(chan struct{}), conns: map[*conn]struct{}{},
	}
	s.base, s.cancel = context.WithCancelCause(context.Background())
	s.activity.note()
	s.easing = newEasing(s)
	return s
}

// errStopped is why requests are cancelled that outlast the server.
var errStopped = errors.New("the daemon stops")

// stop makes the server begin nothing more.
func (s *server) stop(why string) {
	s.stopOnce.Do(func() {
		s.c.log("the daemon ends: %s", why)
		s.why = why
		close(s.stopping)
	})
}

// stopReplaced is stop for the sake of a new program.
func (s *server) stopReplaced() {
	s.stopOnce.Do(func() {
		s.reason, s.why = ErrReplaced, "its program was replaced"
		close(s.stopping)
	})
}

// accept takes connections until the listener is closed.
func (s *server) accept(l net.Listener, admit func(net.Conn)) {
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many open files, most likely
			s.c.log("a connection cannot be accepted: %v", err)
			if !s.pause(100 * time.Millisecond) {
				return
			}
		default:
			admit(c)
		}
	}
}

// pause waits, and reports whether the server still runs.
func (s *server) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stopping:
		return false
	}
}

// admit serves a connection, if it is one of this user and there is room.
func (s *server) admit(nc net.Conn) {
	peer, err := peerOf(nc)
	if err == nil && peer.UID != s.uid {
		err = fmt.Errorf("it is of user %d; calls are answered of user %d only", peer.UID, s.uid)
	}
	if err != nil {
		s.c.log("a connection is refused: %v", err)
		s.refuse(nc, "the daemon does not know who calls, or belongs to another user")
		return
	}
	c := &conn{s: s, nc: nc, peer: peer}
	s.mu.Lock()
	full := len(s.conns)-s.elsewhere >= maxConns // those of other listeners take no agent's place
	if !full {
		s.conns[c] = struct{}{}
		s.under.Add(1)
	}
	s.mu.Unlock()
	if full {
		s.refuse(nc, fmt.Sprintf("the daemon has %d connections open and takes no more", maxConns))
		return
	}
	go func() {
		defer s.under.Done()
		c.serve()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
}

// refuse answers one request with an error. The request is read first: who writes
// to a closed socket may not come to reading the answer.
func (s *server) refuse(nc net.Conn, why string) {
	s.mu.Lock()
	many := s.refused >= maxRefused
	if !many {
		s.refused++
		s.under.Add(1)
	}
	s.mu.Unlock()
	if many {
		nc.Close()
		return
	}
	go func() {
		defer s.under.Done()
		defer nc.Close()
		_ = nc.SetDeadline(time.Now().Add(time.Second))
		s.sayNo(nc, why)
		s.mu.Lock()
		s.refused--
		s.mu.Unlock()
	}()
}

// sayNo answers in the language in which it is asked.
func (s *server) sayNo(nc net.Conn, why string) {
	c := &conn{s: s, nc: nc, in: bufio.NewReader(nc)}
	frame, err := c.isFrame()
	switch {
	case err != nil:
	case !frame && s.c.API != nil:
		s.c.API.Refuse(&APIConn{Conn: nc, in: c.in, gone: make(chan struct{})}, why)
	default:
		if _, err := call.ReadRequest(c.in); err == nil {
			_ = call.WriteReply(nc, &call.Reply{Err: why})
		}
	}
}

// drain lets requests under way end for a time, then cancels them, and returns
// when no connection is left.
func (s *server) drain(grace time.Duration) {
	s.mu.Lock()
	for c := range s.conns {
		c.closeIfQuiet()
	}
	s.mu.Unlock()
	s.activity.beginNoMore()
	if s.c.API != nil {
		s.c.API.End()
	}
	t := time.AfterFunc(grace, func() { s.cancel(errStopped) })
	s.activity.awaitNone()
	t.Stop()
	if s.said != nil {
		<-s.said
	}
	s.cancel(errStopped)
	if s.c.Close != nil {
		s.c.Close()
	}
	close(s.ended)
	s.closeAPI()
	s.under.Wait()
}
