//go:build !linux

package daemon

// resident is not known here.
func resident() uint64 { return 0 }
