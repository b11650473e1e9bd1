//go:build unix

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownedByOther says who else may write a folder, and what to do about it.
func ownedByOther(path string, info fs.FileInfo) (why, mend string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("belongs to user %d, not to you (%d)", st.Uid, os.Geteuid()), fmt.Sprintf("sudo chown -R %d %s", os.Geteuid(), path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("can be written by others (mode %04o)", info.Mode().Perm()), "chmod 700 " + path
	}
	return "", ""
}

// free is how much room a disk has for us.
func free(path string) (uint64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}

func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
