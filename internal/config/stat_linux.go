package config

import (
	"io/fs"
	"syscall"
)

// changeTime is when the kernel last saw the file change: unlike the time of
// modification, it cannot be set back.
func changeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
