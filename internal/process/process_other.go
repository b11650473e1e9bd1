//go:build !linux && !darwin && !windows

package process

// Look knows nothing here.
func Look(int) (Process, bool) { return Process{}, false }

// Environ is not told here.
func Environ(int) []string { return nil }

// All is not told here.
func All() []int { return nil }

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
