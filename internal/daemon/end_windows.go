package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/windows"
)

// serverOf is the process that made the pipe.
func serverOf(nc net.Conn) (int, error) {
	c, ok := nc.(*pipeConn)
	if !ok {
		return 0, fmt.Errorf("%T is not a pipe", nc)
	}
	var pid uint32
	err := windows.GetNamedPipeServerProcessId(c.handle, &pid)
	return int(pid), err
}

// terminate cannot ask a process without a window here.
func terminate(*os.Process) error { return errors.ErrUnsupported }

// serves makes certain that a process is the daemon: the pipe is still open, and
// it is this process's. That the pipe is the user's own was seen to before.
func serves(pid int, _ string, nc net.Conn) error {
	if nc == nil {
		return errors.New("its pipe cannot be opened")
	}
	server, err := serverOf(nc)
	if err != nil {
		return err
	}
	if server != pid {
		return fmt.Errorf("the pipe is process %d's", server)
	}
	return nil
}
