package daemon

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Guests answer connections that speak another language than that of frames.
type Guests interface {
	// Begin is called once, before the first connection.
	Begin(h Host)

	// Welcome takes a connection over and need not wait for its end: the daemon
	// counts it until somebody closes it.
	Welcome(g *Guest)

	// Refuse answers a connection for which there is no room, within the deadline
	// that it has. The daemon closes it then.
	Refuse(nc net.Conn, why string)

	// End is called once, when the daemon stops: connections on which nothing runs
	// are closed, and requests that only listen are ended. It does not wait.
	End()
}

// Host is what guests know of the daemon that they are in. Its methods may be
// called from many goroutines.
type Host interface {
	// Context ends some time after the daemon was told to stop: that of every request.
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

// Guest is a connection that does not begin like a frame, or came in at one of
// Config.Doors. What was read of it already is read again.
type Guest struct {
	net.Conn
	Peer Peer         // the zero value if it came in at a door
	Door net.Listener // nil: the daemon's own socket

	in   *bufio.Reader
	once sync.Once
	gone chan struct{} // closed when the connection is
}

// Read gives what was looked at first.
func (g *Guest) Read(p []byte) (int, error) {
	if g.in.Buffered() > 0 {
		return g.in.Read(p)
	}
	return g.Conn.Read(p)
}

// Begins gives the first bytes, without taking them; fewer if it ends or is
// silent before.
func (g *Guest) Begins(n int) []byte {
	first, _ := g.in.Peek(n)
	return first
}

// Close ends the connection.
func (g *Guest) Close() error {
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

// host hands the connection to the guests, and returns when it is closed.
func (c *conn) host() {
	g := &Guest{Conn: c.nc, Peer: c.peer, Door: c.door, in: c.in, gone: make(chan struct{})}
	c.mu.Lock()
	if c.closed { // the server stops
		c.mu.Unlock()
		return
	}
	c.guest = g
	c.mu.Unlock()
	c.s.c.Guests.Welcome(g)
	<-g.gone
}

// hosting is a server as the Host of its guests.
type hosting struct{ s *server }

func (h hosting) Context() context.Context { return h.s.base }
func (h hosting) Status() Status           { return h.s.statusNow(0) }

func (h hosting) Work() bool {
	if !h.s.activity.tryBegin() {
		return false
	}
	h.s.activity.count()
	return true
}

func (h hosting) Done(size int) {
	h.s.activity.end()
	h.s.easing.ended(size)
}

func (h hosting) Large(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, frameTime)
	defer cancel()
	select {
	case h.s.large <- struct{}{}:
		return func() { <-h.s.large }, nil
	case <-ctx.Done():
		return nil, errLarge(frameTime)
	}
}

// admitDoor serves a connection that came in at a door, if there is room.
func (s *server) admitDoor(nc net.Conn, door net.Listener) {
	c := &conn{s: s, nc: nc, door: door}
	s.mu.Lock()
	full := s.atDoors >= maxAtDoors
	if !full {
		s.atDoors++
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
		s.atDoors--
		delete(s.conns, c)
		s.mu.Unlock()
	}()
}

// seeOut closes the connections of guests that are still open.
func (s *server) seeOut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.mu.Lock()
		if c.guest != nil {
			c.guest.Close()
		}
		c.mu.Unlock()
	}
}

// firstBytes waits for what a connection says first, for a bounded time.
func (c *conn) firstBytes() (frame bool, err error) {
	_ = c.nc.SetReadDeadline(time.Now().Add(firstTime))
	if c.s.c.Guests == nil {
		_, err = c.in.Peek(1)
		return true, err
	}
	frame, err = c.isFrame()
	return frame && c.door == nil, err
}
