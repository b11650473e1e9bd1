package shell

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// own are the links that the kernel makes for a process: /proc/self/cwd is the folder
// where it is, and what hookway would find there is its own.
var own = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/proc/(?:self/task/[^/]+|thread-self/task/[^/]+|self|thread-self)(?:/(cwd|root)(/.*)?|(/.*)?)$`)
})

// standardStreams are what a process is given to read.
var standardStreams = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"}

// ownPlace gives the name that a name below /proc/self stands for, relative if it is
// one from where the line runs. It is not known of another link or process.
func ownPlace(name string) (string, bool) {
	if !strings.HasPrefix(name, "/proc") && !strings.HasPrefix(name, "/dev/fd") && !strings.HasPrefix(name, "//") {
		return name, true
	}
	plain := path.Clean(name)
	if strings.HasPrefix(name, "/dev/fd/..") { // it is /proc/self/fd
		plain = path.Clean("/proc/self/" + strings.TrimPrefix(name, "/dev/fd/.."))
	}
	m := own().FindStringSubmatch(plain)
	switch {
	case m == nil:
		first, _, _ := strings.Cut(strings.TrimPrefix(plain, "/proc/"), "/")
		return name, !strings.HasPrefix(plain, "/proc/") || first == "" || strings.Trim(first, "0123456789*?[]$") != ""
	case m[1] == "cwd":
		return "./" + strings.TrimPrefix(m[2], "/"), true
	case m[1] == "root":
		return "/" + strings.TrimPrefix(m[2], "/"), true
	}
	rest := strings.TrimPrefix(m[3], "/")
	return name, rest == "" || !strings.Contains(rest, "/") && rest != "exe" || rest == "fd/0" || rest == "fd/1" || rest == "fd/2"
}
