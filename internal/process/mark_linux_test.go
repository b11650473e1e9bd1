package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/process"
)

// What a process starts has its mark: what runs already, what comes later, and what outlives
// it without an environment and a parent.
func TestAMarkIsInherited(t *testing.T) {
	if process.Marked(os.Getpid()) {
		t.Skip("this test is marked itself")
	}
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo $!; read go; (env -i setsid sleep 60 </dev/null >/dev/null 2>&1 & echo $!)")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	child := func() (pid int) {
		t.Helper()
		if _, err := fmt.Fscanln(lines, &pid); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended
			}
		})
		return pid
	}
	before := child()
	if process.Marked(before) || process.Marked(cmd.Process.Pid) {
		t.Error("a process is marked before anybody marks it")
	}
	process.Mark(cmd.Process.Pid)
	if _, err := fmt.Fprintln(in, "go"); err != nil {
		t.Fatal(err)
	}
	after := child()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, pid := range map[string]int{"ran before": before, "came after": after} {
		eventually.True(t, "what "+name+" is marked", func() bool { return process.Marked(pid) })
	}
	if process.Marked(os.Getpid()) || process.Marked(0) || process.Marked(-1) {
		t.Error("got a mark of this process, or of none; want only those below")
	}
}
