//go:build !race

package terminal

// raced says that the race detector is there, with the memory and time it needs.
const raced = false
