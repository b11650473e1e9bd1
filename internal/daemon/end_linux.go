package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func processDir(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

func userOf(pid int) (int, error) {
	info, err := os.Stat(processDir(pid))
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errors.New("/proc does not say whose it is")
	}
	return int(st.Uid), nil
}

// holds is an error unless the process has the file open.
func holds(pid int, path string) error {
	want, err := os.Stat(path)
	if err != nil {
		return err
	}
	dir := filepath.Join(processDir(pid), "fd")
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if got, err := os.Stat(filepath.Join(dir, name.Name())); err == nil && os.SameFile(got, want) {
			return nil
		}
	}
	return errors.New("it has not opened the lock " + path)
}
