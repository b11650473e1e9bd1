package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object that holds a program and everything it starts. What the
// program starts in the instant before it is put into the job is not in it.
type group struct {
	job windows.Handle
	pid int
}

func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func newGroup(p *os.Process) group {
	g := group{pid: p.Pid}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, p.Pid)
	}
	if err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// terminate sends a console break, the nearest there is to SIGTERM.
func (g group) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.pid))
}

// kill ends the job, or the program alone if there is no job.
func (g group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	if process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(g.pid)); err == nil {
		_ = windows.TerminateProcess(process, 1)
		windows.CloseHandle(process)
	}
}

// gone is asked when the program itself has ended; the rest of the job is then
// not given the grace.
func (g group) gone() bool { return true }

// leave is not to be had: a job ends with who holds it.
func (g group) leave() bool { return false }

func (g group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

// signalOf: there are no signals here.
func signalOf(*os.ProcessState) (number int, name string, ok bool) { return 0, "", false }

// shellArgv runs a line in the system's shell.
func shellArgv(line string) []string { return []string{"cmd.exe", "/d", "/s", "/c", line} }

// executable reports whether a file may be run as it is.
func executable(path string, _ os.FileInfo) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".exe", ".com", ".bat", ".cmd":
		return true
	}
	return false
}
