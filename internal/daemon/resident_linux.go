package daemon

import (
	"bytes"
	"os"
	"strconv"
)

// resident is how much memory the process has in use; 0 if it is not known.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}
