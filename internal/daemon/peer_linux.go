package daemon

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel who is at the other end.
func peerOf(nc net.Conn) (p Peer, err error) {
	err = control(nc, func(fd int) error {
		cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p = Peer{UID: int(cred.Uid), PID: int(cred.Pid)}
		}
		return err
	})
	return p, err
}
