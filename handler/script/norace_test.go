//go:build !race

package script

// raced says that the race detector is there, whose own memory cannot be distinguished from
// what is measured.
const raced = false
