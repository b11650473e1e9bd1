package daemon

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// API answer connections that speak another language than that of frames.
type APIServer interface {
	// Begin is called once, before the first connection.
	Begin(h Host)

	// Serve takes a connection over and need not wait for its end: the daemon
	// counts it until somebody closes it.
	Serve(g *APIConn)

	// Refuse answers a connection for which there is no room, within the deadline
	// that it has. The daemon closes it then.
	Refuse(nc net.Conn, why string)

	// End is called once, when the daemon stops: connections on which nothing runs
	// are closed, and requests that only listen are ended. It does not wait.
	End()
}

// Host is the daemon as its API sees it. Its methods may be
// called from many goroutines.
type Host interface {
	// Context ends some time after the daemon was asked to stop: that of every request.
	Context() context.Context

	// Work counts a request in, so that the daemon stays until it is done. It
	// reports false when the daemon stops: then there is nothing to be done.
	Work() bool

	// Done counts it out; size is how many bytes its event had.
	Done(size int)

	// Large waits for a turn of a request that is a large one; there are few of
	// them at a time. The caller gives it back.
	Large(ctx context.Context) (giveBack func(), err error)

	// Status is what the daemon says of itself.
	Status() Status
}

// APIConn is a connection that does not begin like a frame, or came in at one of
// Config.Listeners. What was read of it already is read again.
type APIConn struct {
	net.Conn
	Peer     Peer         // the zero value if it came from one of Config.Listeners
	Listener net.Listener // nil: the daemon's own socket

	in   *bufio.Reader
	once sync.Once
	gone chan struct{} // closed when the connection is
}

// Read gives what was looked at first.
func (g *APIConn) Read(p []byte) (int, error) {
	if g.in.Buffered() > 0 {
		return g.in.Read(p)
	}
	return g.Conn.Read(p)
}

// Begins gives the first bytes, without taking them; fewer if it ends or is
// silent before.
func (g *APIConn) Begins(n int) []byte {
	first, _ := g.in.Peek(n)
	return first
}

// Close ends the connection.
func (g *APIConn) Close() error {
	err := g.Conn.Close()
	g.once.Do(func() { close(g.gone) })
	return err
}

// isFrame looks how a connection begins. The error means that it does not.
func (c *conn) isFrame() (bool, error) {
	first, err := c.in.Peek(1)
	if err != nil || first[0] != call.Magic[0] {
		return false, err
	}
	first, err = c.in.Peek(len(call.Magic))
	return string(first) == call.Magic, err
}

// host hands the connection to the API, and returns when it is closed.
func (c *conn) host() {
	g := &APIConn{Conn: c.nc, Peer: c.peer, Listener: c.listener, in: c.in, gone: make(chan struct{})}
	c.mu.Lock()
	if c.closed { // the server stops
		c.mu.Unlock()
		return
	}
	c.api = g
	c.mu.Unlock()
	c.s.c.API.Serve(g)
	<-g.gone
}

// apiHost is a server as the Host of its API.
type apiHost struct{ s *server }

func (h apiHost) Context() context.Context { return h.s.base }
func (h apiHost) Status() Status           { return h.s.statusNow(0) }

func (h apiHost) Work() bool {
	if !h.s.activity.tryBegin() {
		return false
	}
	h.s.activity.count()
	return true
}

func (h apiHost) Done(size int) {
	h.s.activity.end()
	h.s.easing.ended(size)
}

func (h apiHost) Large(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, frameTime)
	defer cancel()
	select {
	case h.s.large <- struct{}{}:
		return func() { <-h.s.large }, nil
	case <-ctx.Done():
		return nil, errLarge(frameTime)
	}
}

// admitElsewhere serves a connection of another listener, if there is room.
func (s *server) admitElsewhere(nc net.Conn, listener net.Listener) {
	c := &conn{s: s, nc: nc, listener: listener}
	s.mu.Lock()
	full := s.elsewhere >= maxElsewhere
	if !full {
		s.elsewhere++
		s.conns[c] = struct{}{}
		s.under.Add(1)
	}
	s.mu.Unlock()
	if full {
		s.refuse(nc, "too many connections are open here; try again later")
		return
	}
	go func() {
		defer s.under.Done()
		c.serve()
		s.mu.Lock()
		s.elsewhere--
		delete(s.conns, c)
		s.mu.Unlock()
	}()
}

// closeAPI closes the connections of the API that are still open.
func (s *server) closeAPI() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.mu.Lock()
		if c.api != nil {
			c.api.Close()
		}
		c.mu.Unlock()
	}
}

// firstBytes waits for what a connection says first, for a bounded time.
func (c *conn) firstBytes() (frame bool, err error) {
	_ = c.nc.SetReadDeadline(time.Now().Add(firstTime))
	if c.s.c.API == nil {
		_, err = c.in.Peek(1)
		return true, err
	}
	frame, err = c.isFrame()
	return frame && c.listener == nil, err
}
