package procgroup

import (
	"os/exec"
	"syscall"
	"testing"
)

func TestAGroupIsPopulatedUntilItsLastProcessHasEnded(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	keyboard, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	screen, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := cmd.Process.Pid
	if !Populated(group) {
		t.Error("the group of a running process is empty")
	}
	keyboard.Close()
	_, _ = screen.Read(make([]byte, 1)) // the end: cat is over, and a zombie until it is waited for
	for Populated(group) {              // between closing its output and being over it still runs
	}
	if syscall.Kill(-group, 0) != nil {
		t.Error("there is no zombie; the test shows nothing")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if Populated(group) {
		t.Error("a group without processes is populated")
	}
}

func TestStatesOfProcesses(t *testing.T) {
	for _, tt := range []struct {
		stat string
		want bool
	}{
		{"10 (cat) S 1 77 77 0", true},
		{"10 (cat) Z 1 77 77 0", false},
		{"10 (cat) X 1 77 77 0", false},
		{"10 (cat) R 1 78 77 0", false},
		{"10 (a) Z 1 77 (b) R 1 77 77 0", true}, // the name is "a) Z 1 77 (b"
		{"10 (cat)", false},
		{"", false},
	} {
		if got := runsIn([]byte(tt.stat), 77); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.stat, got, tt.want)
		}
	}
}
