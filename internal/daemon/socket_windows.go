package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
	"unsafe"

	"github.com/hookway/hookway/internal/backoff"
	"golang.org/x/sys/windows"
)

// ownUID is that of every peer here: the pipe lets only its owner in.
func ownUID() int { return -1 }

// clear has nothing to clear: a pipe ends with the process that made it.
func clear(string) error { return nil }

// pipeBuffer is what a pipe takes before its writer waits.
const pipeBuffer = 64 << 10

// pipeListener makes one instance of the pipe after the other; each becomes a
// connection when a client opens it.
type pipeListener struct {
	name   string
	access *windows.SECURITY_DESCRIPTOR
	closed windows.Handle // an event, set by Close

	mu   sync.Mutex // of next, between Accept and Close
	next windows.Handle
	over bool
}

func listenSocket(name string) (net.Listener, error) {
	access, err := ownerOnly()
	if err != nil {
		return nil, err
	}
	closed, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, err
	}
	l := &pipeListener{name: name, access: access, closed: closed}
	// The first instance fails if anybody has made a pipe of that name before.
	if l.next, err = l.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		windows.CloseHandle(closed)
		return nil, err
	}
	return l, nil
}

// ownerOnly is an access list with one entry, and an owner: the user.
func ownerOnly() (*windows.SECURITY_DESCRIPTOR, error) {
	sid, err := ownSID()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString(fmt.Sprintf("O:%sD:P(A;;GA;;;%s)", sid, sid))
}

func ownSID() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid.Copy()
}

func (l *pipeListener) instance(flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(l.name)
	if err != nil {
		return 0, err
	}
	sa := windows.SecurityAttributes{SecurityDescriptor: l.access}
	sa.Length = uint32(unsafe.Sizeof(sa))
	return windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		windows.PIPE_UNLIMITED_INSTANCES, pipeBuffer, pipeBuffer, 0, &sa)
}

// Accept waits for a client. The next instance exists before it returns, so that
// there is always one to open.
func (l *pipeListener) Accept() (net.Conn, error) {
	for {
		switch came, err := l.connect(); {
		case err != nil:
			return nil, err
		case !came:
			continue
		}
		l.mu.Lock()
		if l.over {
			l.mu.Unlock()
			return nil, net.ErrClosed
		}
		next, err := l.instance(0)
		if err != nil {
			_ = windows.DisconnectNamedPipe(l.next) // its client is sent away, the instance stays
			l.mu.Unlock()
			return nil, err
		}
		h := l.next
		l.next = next
		l.mu.Unlock()
		return newPipeConn(h, l.name), nil
	}
}

// connect waits until a client has opened the next instance, and reports whether
// it is still there.
func (l *pipeListener) connect() (came bool, err error) {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return false, err
	}
	defer windows.CloseHandle(event)
	o := windows.Overlapped{HEvent: event}
	switch err := windows.ConnectNamedPipe(l.next, &o); {
	case err == nil || errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return true, nil
	case errors.Is(err, windows.ERROR_NO_DATA): // it came and went
		return false, windows.DisconnectNamedPipe(l.next)
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return false, err
	}
	which, err := windows.WaitForMultipleObjects([]windows.Handle{event, l.closed}, false, windows.INFINITE)
	var n uint32
	if err != nil || which != windows.WAIT_OBJECT_0 {
		_ = windows.CancelIoEx(l.next, &o)
		_ = windows.GetOverlappedResult(l.next, &o, &n, true) // o must live until then
		if err != nil {
			return false, err
		}
		return false, net.ErrClosed
	}
	return true, windows.GetOverlappedResult(l.next, &o, &n, false)
}

// Close ends Accept and takes the pipe away.
func (l *pipeListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return net.ErrClosed
	}
	l.over = true
	return errors.Join(windows.SetEvent(l.closed), windows.CloseHandle(l.next))
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.name) }

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }

// pipeConn is one end of a pipe. The runtime waits for its handle, which was made
// for overlapped use, so that deadlines hold.
type pipeConn struct {
	*os.File
	handle windows.Handle
	name   string
}

func newPipeConn(h windows.Handle, name string) *pipeConn {
	return &pipeConn{os.NewFile(uintptr(h), name), h, name}
}

func (c *pipeConn) LocalAddr() net.Addr  { return pipeAddr(c.name) }
func (c *pipeConn) RemoteAddr() net.Addr { return pipeAddr(c.name) }

// peerOf asks the system which process opened the pipe. That it is the user's
// own was seen to when it did.
func peerOf(nc net.Conn) (Peer, error) {
	c, ok := nc.(*pipeConn)
	if !ok {
		return Peer{}, fmt.Errorf("%T is not a pipe", nc)
	}
	var pid uint32
	if err := windows.GetNamedPipeClientProcessId(c.handle, &pid); err != nil {
		return Peer{}, err
	}
	return Peer{UID: ownUID(), PID: int(pid)}, nil
}

// busyPause is the time between two tries to open a pipe all of whose instances
// are taken, which lasts until the daemon has made the next.
const busyPause = 2 * time.Millisecond

// dialSocket connects to a daemon of this user, and to no other's. The daemon may
// ask who calls, but not act in the caller's name.
func dialSocket(ctx context.Context, name string) (net.Conn, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	for {
		h, err := windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_IDENTIFICATION, 0)
		if err == nil {
			if err := checkOwner(h, name); err != nil {
				windows.CloseHandle(h)
				return nil, err
			}
			return newPipeConn(h, name), nil
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		if err := backoff.Sleep(ctx, busyPause); err != nil {
			return nil, err
		}
	}
}

// checkOwner refuses a pipe that somebody else made under this name.
func checkOwner(h windows.Handle, name string) error {
	sd, err := windows.GetSecurityInfo(h, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return err
	}
	self, err := ownSID()
	if err != nil {
		return err
	}
	if !owner.Equals(self) {
		return fmt.Errorf("%s belongs to %s, not to you", name, owner)
	}
	return nil
}
