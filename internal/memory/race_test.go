//go:build race

package memory

// raced says that the race detector is there, which makes SQLite, translated to
// Go, twenty times slower.
const raced = true
