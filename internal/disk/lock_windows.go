package disk

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var (
	kernel       = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx   = kernel.NewProc("LockFileEx")
	unlockFileEx = kernel.NewProc("UnlockFileEx")
)

// TryLock takes the lock on an open file, or reports that another process has it.
func TryLock(f *os.File) (bool, error) {
	const (
		exclusiveNow = 3                 // LOCKFILE_EXCLUSIVE_LOCK and LOCKFILE_FAIL_IMMEDIATELY
		held         = syscall.Errno(33) // ERROR_LOCK_VIOLATION
	)
	done, _, err := lockFileEx.Call(f.Fd(), exclusiveNow, 0, 1, 0, uintptr(unsafe.Pointer(new(syscall.Overlapped))))
	if done != 0 {
		return true, nil
	}
	if errors.Is(err, held) {
		return false, nil
	}
	return false, err
}

// Unlock gives the lock back; the file stays open.
func Unlock(f *os.File) {
	_, _, _ = unlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(new(syscall.Overlapped))))
}
