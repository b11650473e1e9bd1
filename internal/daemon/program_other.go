//go:build !linux

package daemon

// forgetProgram does nothing: these systems take the pages back themselves.
func forgetProgram() {}
