package daemon

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func userOf(pid int) (int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	if info.Proc.P_pid != int32(pid) {
		return 0, errors.New("it does not run")
	}
	return int(info.Eproc.Ucred.Uid), nil
}

// holds is an error unless the process may have written the lock, where its
// number stands: it is not younger than that.
func holds(pid int, path string) error {
	if holder(path) != pid {
		return errors.New("another number stands in the lock " + path)
	}
	lock, err := os.Stat(path)
	if err != nil {
		return err
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return err
	}
	began := time.Unix(info.Proc.P_starttime.Unix())
	if began.After(lock.ModTime().Add(time.Second)) { // file times may be coarse
		return errors.New("it was started after the lock was taken")
	}
	return nil
}
