//go:build !linux

package terminal

// Behind makes the goroutine that calls it one that leaves the processor to
// others, where threads can have a rank of their own: not here.
func Behind() {}
