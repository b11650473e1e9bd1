//go:build unix

package install

import (
	"os"
	"path/filepath"
	"syscall"
)

// rootsOnly reports whether only root can write a file, or a folder above it.
func rootsOnly(path string) bool {
	for {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o022 != 0 {
			return false
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || s.Uid != 0 {
			return false
		}
		if path == filepath.Dir(path) {
			return true
		}
		path = filepath.Dir(path)
	}
}
