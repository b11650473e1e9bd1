package script

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shell hands the line over as it stands: cmd.exe has rules of its own for quotes.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`, HideWindow: true}
	cmd.WaitDelay = execGrace
	return cmd
}

func inGroup(cmd *exec.Cmd, _ bool) { cmd.WaitDelay = execGrace }

// startInGroup starts a program; what it gives waits for its end, and ends what is left
// of its job: that is the program and all that it starts, but for what it starts in the
// instant before it is put into the job.
func startInGroup(cmd *exec.Cmd) (func() error, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.Cancel = func() error {
		_ = windows.TerminateJobObject(job, 1)
		return cmd.Process.Kill()
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	_ = assign(job, cmd.Process.Pid) // it may have ended already
	return func() error {
		defer windows.CloseHandle(job) // ends all that is in it
		return cmd.Wait()
	}, nil
}

// signals are the names of those that a script may send: each ends a program here.
var signals = map[string]syscall.Signal{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGKILL": 9, "SIGTERM": 15}

func signalOf(*os.ProcessState) string { return "" }

func signalChild(cmd *exec.Cmd, name string) bool {
	if _, ok := signals[name]; !ok {
		return false
	}
	return cmd.Process.Kill() == nil
}

func signalProcess(pid int, _ syscall.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// newJob makes a job whose programs end with it.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}
