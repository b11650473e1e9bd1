package process

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Look reads what the system tells of a process: who started it, and the name of its
// program.
func Look(pid int) (p Process, ok bool) {
	each(func(e *windows.ProcessEntry32) bool {
		if int(e.ProcessID) != pid {
			return true
		}
		name := strings.TrimSuffix(strings.ToLower(windows.UTF16ToString(e.ExeFile[:])), ".exe")
		p, ok = Process{PID: pid, Parent: int(e.ParentProcessID), Args: []string{name}}, true
		return false
	})
	return p, ok
}

func each(do func(*windows.ProcessEntry32) bool) {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return
	}
	defer windows.CloseHandle(list)
	e := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(list, &e); err == nil; err = windows.Process32Next(list, &e) {
		if !do(&e) {
			return
		}
	}
}

// Environ is not told here.
func Environ(int) []string { return nil }

// All are the processes that run now.
func All() (pids []int) {
	each(func(e *windows.ProcessEntry32) bool { pids = append(pids, int(e.ProcessID)); return true })
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
