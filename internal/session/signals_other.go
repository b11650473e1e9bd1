//go:build !unix

package session

import "os"

// passedOn are the signals that are the program's: here are none.
var passedOn []os.Signal
