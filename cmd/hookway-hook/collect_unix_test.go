//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A machine may be so busy that nothing of an answer was read when the child had
// ended and the time to wait was over. A grandchild may hold the pipe meanwhile.
func TestWhatTheFullBinarySaidCountsHoweverLateItIsRead(t *testing.T) {
	for _, want := range []string{"", "{}", strings.Repeat("x", 40_000)} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close() // stays open: the grandchild's
		if _, err := w.WriteString(want); err != nil {
			t.Fatal(err)
		}
		if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil { // it was over before anything was read
			t.Fatal(err)
		}
		s := &shim{deadline: time.Now().Add(time.Minute)}
		if got := string(s.collect(r, 1<<20)()); got != want {
			t.Errorf("of %d bytes came %d", len(want), len(got))
		}
	}
}
