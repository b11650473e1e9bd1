//go:build unix

package command

import (
	"os"
	"syscall"

	"github.com/hookway/hookway/internal/procgroup"
)

// group is the process group that a program leads.
type group struct{ id int }

func groupAttr() *syscall.SysProcAttr { return procgroup.Attr() }

func newGroup(p *os.Process) group {
	procgroup.Note(p.Pid)
	return group{p.Pid}
}

// terminate asks all processes of the group to end.
func (g group) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

// kill ends all processes of the group. The group's number cannot belong to
// anybody else while one of its processes is left, and numbers are handed out
// in turn, so that a group that has just emptied is not hit under a new owner.
func (g group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// gone reports whether no process of the group runs any more.
func (g group) gone() bool { return !procgroup.Populated(g.id) }

// leave lets the group live on by itself; false: too many do.
func (g group) leave() bool { return procgroup.Leave(g.id) }

// close is called when nothing of the group is left.
func (g group) close() { procgroup.Forget(g.id) }

// signalOf returns the signal that killed a process.
func signalOf(state *os.ProcessState) (number int, name string, ok bool) {
	status, is := state.Sys().(syscall.WaitStatus)
	if !is || !status.Signaled() {
		return 0, "", false
	}
	return int(status.Signal()), status.Signal().String(), true
}

// shellArgv runs a line in the system's shell.
func shellArgv(line string) []string { return []string{"/bin/sh", "-c", line} }

// executable reports whether a file may be run as it is.
func executable(_ string, info os.FileInfo) bool { return info.Mode()&0o111 != 0 }
