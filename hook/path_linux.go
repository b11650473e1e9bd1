package hook

import "syscall"

// isProcess reports whether a folder is in a file system of processes, wherever
// that is mounted.
func isProcess(dir string) bool {
	const procSuperMagic = 0x9fa0
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && s.Type == procSuperMagic
}
