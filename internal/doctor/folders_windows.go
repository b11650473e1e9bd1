package doctor

import (
	"errors"
	"io/fs"
	"syscall"
)

// ownedByOther: what is in a user's profile is the user's there.
func ownedByOther(string, fs.FileInfo) (why, mend string) { return "", "" }

func free(string) (uint64, bool) { return 0, false }

func full(err error) bool {
	const noRoom = syscall.Errno(112) // ERROR_DISK_FULL
	return errors.Is(err, noRoom)
}
