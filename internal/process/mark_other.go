//go:build !linux

package process

// Marks says that no process can be marked here.
const Marks = false

// Parent is the process that started another one, or 0.
func Parent(pid int) int {
	p, _ := Look(pid)
	return p.Parent
}

// Marked is false here: no process can be marked.
func Marked(int) bool { return false }

// Mark does nothing here.
func Mark(int) {}
