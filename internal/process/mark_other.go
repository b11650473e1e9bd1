//go:build !linux

package process

// Marked is false here: no process can be marked.
func Marked(int) bool { return false }

// Mark does nothing here.
func Mark(int) {}
