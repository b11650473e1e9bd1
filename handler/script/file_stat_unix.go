//go:build unix

package script

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// addSystem adds what only the system knows of a file.
func addSystem(s map[string]any, info fs.FileInfo) {
	if t, ok := info.Sys().(*syscall.Stat_t); ok {
		s["dev"], s["ino"], s["nlink"], s["uid"], s["gid"], s["rdev"], s["blksize"], s["blocks"] = t.Dev, t.Ino, t.Nlink, t.Uid, t.Gid, t.Rdev, t.Blksize, t.Blocks
	}
}

// mayAccess reports whether this process may do with a file what the bits say.
func mayAccess(path string, _ fs.FileInfo, mode int64) error {
	if mode == 0 {
		return nil
	}
	return unix.Access(path, uint32(mode))
}
