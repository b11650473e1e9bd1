package trust

import (
	"io/fs"
	"syscall"
)

// ChangeTime is when the kernel last saw the file change: unlike the time of
// modification, it cannot be set back.
func ChangeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano()
	}
	return 0
}
