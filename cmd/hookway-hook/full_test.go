package main

import (
	"strings"
	"testing"
)

func TestLastWords(t *testing.T) {
	long := strings.Repeat("x", 600)
	for said, want := range map[string]string{
		"":                               "",
		"the disk is full":               ": the disk is full",
		long + "end":                     ": " + long[:497] + "end",
		"notes\npanic: why\n\ngoroutine": ": panic: why",
		"fatal error: stack overflow\n\nruntime stack:\n" + long: ": fatal error: stack overflow",
	} {
		if got := lastWords([]byte(said)); got != want {
			t.Errorf("lastWords(%q) = %q, want %q", said, got, want)
		}
	}
}
