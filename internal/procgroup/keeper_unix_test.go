//go:build unix

package procgroup

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
)

const playParent = "PROCGROUP_TEST_PARENT"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(playParent) != "" {
		parent()
	}
	os.Exit(m.Run())
}

// parent starts two groups, of which one ends, prints both with the keeper's
// number, and waits for its end.
func parent() {
	Keep()
	shell := func(line string) *exec.Cmd {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.SysProcAttr = Attr()
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		Note(cmd.Process.Pid)
		return cmd
	}
	kept := shell("sleep 1000 & sleep 1000; :")
	if os.Getenv(playParent) == "killed before it could say" {
		Forget(kept.Process.Pid)
	}
	over := shell("exit 0")
	_ = over.Wait()
	Forget(over.Process.Pid)
	switch os.Getenv(playParent) {
	case "keeper killed":
		_ = keeper.cmd.Process.Kill()
		<-keeper.ended
		Note(kept.Process.Pid)
	case "keeper stopped":
		_ = syscall.Kill(keeper.cmd.Process.Pid, syscall.SIGSTOP)
		for first := keeper.cmd; keeper.cmd == first; { // until it does not hear any more
			Note(kept.Process.Pid)
		}
	case "keeper interrupted":
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			_ = keeper.cmd.Process.Signal(sig)
		}
	}
	fmt.Println(kept.Process.Pid, keeper.cmd.Process.Pid)
	select {}
}

func TestNoGroupOutlivesAKilledProcess(t *testing.T) {
	for _, how := range []string{"plain", "keeper killed", "keeper stopped", "keeper interrupted", "killed before it could say"} {
		t.Run(how, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			if how == "killed before it could say" {
				if runtime.GOOS != "linux" {
					t.Skip("the keeper finds a session's processes on Linux only")
				}
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as a daemon has it
			}
			cmd.Env = append(os.Environ(), playParent+"="+how)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var group, keeperPID int
			if _, err := fmt.Sscan(line, &group, &keeperPID); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if !Populated(group) {
				t.Fatal("the group does not run; the test shows nothing")
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			eventually.True(t, "the group is empty", func() bool { return !Populated(group) })
			eventually.True(t, "the keeper has ended", func() bool { return !Populated(keeperPID) })
		})
	}
}

func TestReleaseEndsTheKeeperAndNothingElse(t *testing.T) {
	release := Keep()
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = Attr()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := cmd.Process.Pid
	Note(group)
	keeperPID := keeper.cmd.Process.Pid
	release()
	eventually.True(t, "the keeper has ended", func() bool { return !Populated(keeperPID) })
	if !Populated(group) {
		t.Error("the group was ended, too")
	}
	Note(group) // nobody keeps any more: it does nothing
	Forget(group)
	_ = syscall.Kill(-group, syscall.SIGKILL)
	_ = cmd.Wait()
}

// TestTheKeeperForgets runs its script alone, with a kill that only says whom.
func TestTheKeeperForgets(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `kill() { echo "$@"; }; `+script)
	cmd.Stdin = strings.NewReader("+ 1\n+ 12\n+ 2\n- 12\n+ 3\n- 1\n+ 12\n- 3\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), "-9 -2\n-9 -12\n"; got != want {
		t.Errorf("it kills %q, want %q", got, want)
	}
}
