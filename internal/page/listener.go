package page

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
)

// UsualPort is where the page is, unless another program has the port.
const UsualPort = 4665

// Listener is the port of the page. It is a listener before the port is open: until then
// nobody comes.
type Listener struct {
	mu     sync.Mutex
	inner  net.Listener
	closed bool
	change chan struct{} // closed when inner is there, or closed is
}

// NewListener makes a listener without a port.
func NewListener() *Listener { return &Listener{change: make(chan struct{})} }

// ErrTaken says that another program has the port.
var ErrTaken = errors.New("another program has the port")

// Open opens a port of the loopback, unless one is open, and says which it is.
func (l *Listener) Open(port int) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return 0, net.ErrClosed
	case l.inner != nil:
		return portOf(l.inner), nil
	}
	inner, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return 0, fmt.Errorf("%w %d, or it cannot be had: %w", ErrTaken, port, err)
	}
	l.inner = inner
	close(l.change)
	return portOf(inner), nil
}

// Port is the one that is open; 0 if none is.
func (l *Listener) Port() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner == nil || l.closed {
		return 0
	}
	return portOf(l.inner)
}

func portOf(l net.Listener) int {
	at, _ := l.Addr().(*net.TCPAddr)
	return at.Port
}

// Accept waits for the port, and then for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	<-l.change
	l.mu.Lock()
	inner := l.inner
	l.mu.Unlock()
	if inner == nil {
		return nil, net.ErrClosed
	}
	return inner.Accept()
}

// Close gives the port back.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.inner != nil {
		return l.inner.Close()
	}
	close(l.change)
	return nil
}

// Addr is the port's, or none yet.
func (l *Listener) Addr() net.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner == nil {
		return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	}
	return l.inner.Addr()
}

// At is the address of the page at a port.
func At(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) + "/" }
