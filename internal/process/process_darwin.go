package process

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Look reads what the kernel tells of a process.
func Look(pid int) (Process, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Process{}, false
	}
	p := Process{PID: pid, Parent: int(info.Eproc.Ppid)}
	if terminal := info.Eproc.Tdev; terminal != -1 {
		p.Terminal = int(terminal)
	}
	p.Exe, p.Args, _ = started(pid)
	if len(p.Args) == 0 { // another user's
		p.Args = []string{string(bytes.TrimRight(info.Proc.P_comm[:], "\x00"))}
	}
	return p, true
}

// started reads with what a process was started: the number of arguments, the path of
// the program, the arguments, and the environment.
func started(pid int) (exe string, args, environ []string) {
	text, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(text) < 4 {
		return "", nil, nil
	}
	n := int(binary.NativeEndian.Uint32(text))
	path, rest, _ := bytes.Cut(text[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for len(rest) > 0 && (len(args) < n || rest[0] != 0) {
		var one []byte
		one, rest, _ = bytes.Cut(rest, []byte{0})
		if len(args) < n {
			args = append(args, string(one))
			continue
		}
		environ = append(environ, string(one))
	}
	return string(path), args, environ
}

// Environ is the environment with which a process began. Those of other users, and of
// programs of the system, are not told.
func Environ(pid int) []string {
	_, _, environ := started(pid)
	return environ
}

// All are the processes that run now.
func All() []int {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var pids []int
	for _, one := range list {
		pids = append(pids, int(one.Proc.P_pid))
	}
	return pids
}

// Tracer is not told here.
func Tracer(int) int { return 0 }

// Holders is not told here.
func Holders(int) []int { return nil }

// Namespaces are not there.
func Namespaces() string { return "" }

// NamespacesOf are those of a process: there are none here.
func NamespacesOf(int) string { return "" }

// FirstNamespaces are those that the machine itself begins with.
const FirstNamespaces = ""
