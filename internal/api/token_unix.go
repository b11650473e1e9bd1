//go:build unix

package api

import (
	"os"
	"syscall"
)

// alone reports whether a file is the user's, and only the user's to read.
func alone(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
