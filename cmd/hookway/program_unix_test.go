//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
)

// placeSelf puts this test binary somewhere else. A symbolic link would be
// followed by whoever asks for the program that runs.
func placeSelf(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Link(self, path) == nil {
		return
	}
	text, err := os.ReadFile(self)
	if err == nil {
		err = writeProgram(path, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeProgram writes a file that is to be run. No test beside it starts a process
// meanwhile, which would have the file open for writing for a moment longer: such a
// file cannot be run.
func writeProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o700)
}
