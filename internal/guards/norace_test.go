//go:build !race

package guards

// raced says that the race detector is there, which makes the analysis ten times slower.
const raced = false
