package hookway_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoProgramIsCheckedIn: what is built stays out of the tree; a clone is small.
func TestNoProgramIsCheckedIn(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no checkout of git: ", err)
	}
	const most = 1 << 20
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(name); err == nil && info.Size() > most {
			t.Errorf("%s has %d bytes, want %d at most: take it out with git rm --cached", name, info.Size(), most)
		}
	}
}
