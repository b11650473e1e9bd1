//go:build !linux

package hook

// isProcess reports whether a folder is in a file system of processes: only Linux
// has links there.
func isProcess(string) bool { return false }
