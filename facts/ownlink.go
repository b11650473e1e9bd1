package facts

import (
	"path"
	"strings"
)

// What the system shows each process of itself. Who analyses a call is another process
// than the one that makes it, so these names are never followed where they lead here.
const (
	ownProcess     = "/proc/self"
	ownThread      = ownProcess + "/task/self"
	ownDescriptors = ownProcess + "/fd"
)

// ownLink resolves one element of a path that each process sees otherwise: it gives the
// name that stands for it, or where it leads. next is the name with the element.
func (w *World) ownLink(at, part, next string) (own, to string) {
	if !strings.HasPrefix(next, "/proc/") && next != "/dev/fd" {
		return "", "" // as mostly
	}
	switch {
	case next == ownProcess:
		return next, ""
	case at == ownDescriptors:
		return descriptor(part), ""
	case next == "/proc/thread-self":
		return ownThread, ""
	case next == "/dev/fd":
		return ownDescriptors, ""
	case !isOwn(at):
		return "", ""
	}
	switch part {
	case "cwd":
		if w.at != "" {
			return "", w.at
		}
		return "", w.Dir
	case "root":
		return "", "/"
	}
	return next, ""
}

// descriptor is the name of an open file of the process. Its input and its outputs, and
// what shells make for <(command), are no files of their own; which file another one is
// shows only when it runs.
func descriptor(n string) string {
	switch n {
	case "0", "1", "2", "63", "62", "61", "60", "59", "58", "57", "56":
	default:
		if strings.Trim(n, "0123456789") == "" {
			return string(hole)
		}
	}
	return ownDescriptors + "/" + n
}

// isOwn reports whether a folder is that of the process itself, or of a thread of it.
func isOwn(dir string) bool {
	return dir == ownProcess || path.Dir(dir) == ownProcess+"/task"
}

// ownCWD reads the working directory of the process that opens a file, where a name says
// it in so many words.
func ownCWD(name string) (rest string, ok bool) {
	if !strings.HasPrefix(name, "/") || !strings.Contains(name, "/cwd") {
		return "", false
	}
	name = path.Clean(strings.Replace(name, "/dev/fd/", ownDescriptors+"/", 1))
	for _, own := range [...]string{ownProcess, "/proc/thread-self"} {
		if rest, ok = strings.CutPrefix(name, own+"/cwd"); ok && (rest == "" || rest[0] == '/') {
			return strings.TrimPrefix(rest, "/"), true
		}
	}
	return "", false
}

// ofProcess reports whether a name is a link that the system makes of a process by its
// number. One that cannot be read here may be read where the call runs.
func ofProcess(name string) bool {
	who, what, _ := strings.Cut(strings.TrimPrefix(name, "/proc/"), "/")
	if who == name || who == "" || strings.Trim(who, "0123456789") != "" {
		return false
	}
	return what == "cwd" || what == "root" || what == "exe" || path.Dir(what) == "fd"
}
