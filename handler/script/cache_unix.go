//go:build unix

package script

import (
	"io/fs"
	"os"
	"syscall"
)

// ownersOnly reports whether a folder is this user's, and others cannot write to it.
func ownersOnly(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
