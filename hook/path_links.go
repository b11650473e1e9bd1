package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Bounds of a walk along symbolic links. File systems stop at as many links.
const (
	maxLinks = 40
	maxEnds  = 8 // places to which one name may lead
)

// What guards learn of a name that leads through a process: hookway is another
// process than the one that opens the file.
var (
	errOwnLink  = errors.New("leads through a link of the process that opens it")
	errNoCWD    = errors.New("leads to the working directory of the agent, which is not known")
	errManyEnds = errors.New("leads to too many places")
	errNUL      = errors.New("holds a NUL")
)

// UnclearPathError is the failure of a guard that matches paths: it cannot be known
// which file the agent's process would open, for instance because the name leads
// through /proc. The guard's failure policy decides; find the error in Step.Err.
type UnclearPathError struct {
	Path string
	Err  error
}

func (e *UnclearPathError) Error() string {
	return fmt.Sprintf("it cannot be known which file is meant: %q %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *UnclearPathError) Unwrap() error { return e.Err }

// ends resolves an absolute path as the operating system does for the agent's
// process: link by link, and ".." after the links before it. What does not exist
// stays as it is: the file may be new, also at the end of a link that leads nowhere
// yet. filepath.EvalSymlinks cannot be used, since it fails for such files. Mostly
// there is one end; an error says why there may be others.
func (k *known) ends(full string) ([]string, error) {
	if !filepath.IsAbs(full) {
		if full == "" {
			return nil, nil
		}
		return []string{full}, nil
	}
	at, parts := splitRoot(full)
	return k.endsFrom(at, parts)
}

// firstEnd is where links of a folder lead: the first place, if there are several.
func (k *known) firstEnd(folder string) string {
	if ends, _ := k.ends(folder); len(ends) > 0 {
		return ends[0]
	}
	return folder
}

// endsFrom is ends for a path below a folder that has no links.
func (k *known) endsFrom(at string, parts []string) ([]string, error) {
	w := linkWalk{cwd: k.head.CWD, left: []way{{done: at, todo: parts}}}
	for len(w.left) > 0 && w.err == nil {
		next := w.left[len(w.left)-1]
		w.left = w.left[:len(w.left)-1]
		if end, ok := w.along(next); ok && !slices.Contains(w.found, end) {
			w.found = append(w.found, end)
		}
	}
	if w.err != nil {
		w.err = &UnclearPathError{Path: strings.Join(append([]string{strings.TrimSuffix(at, "/")}, parts...), "/"), Err: w.err}
	}
	return w.found, w.err
}

// linkWalk finds the ends of one name.
type linkWalk struct {
	cwd   string // of the event
	left  []way  // not gone yet
	ways  int
	found []string
	err   error
}

// way is a path of which a part is resolved.
type way struct {
	done  string
	todo  []string
	links int
}

// along goes a way to its end.
func (w *linkWalk) along(at way) (end string, ok bool) {
	for len(at.todo) > 0 {
		part := at.todo[0]
		at.todo = at.todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at.done = filepath.Dir(at.done)
			continue
		}
		if strings.IndexByte(part, 0) >= 0 { // some tools end a name there, others refuse it
			w.err = errNUL
			return at.done, false
		}
		if special, err := w.process(&at, part); err != nil {
			w.err = err
			return "", false
		} else if special {
			continue
		}
		next := filepath.Join(at.done, part)
		to, err := os.Readlink(next)
		if err != nil || at.links == maxLinks {
			at.done = next
			continue
		}
		if isProcess(at.done) && !strings.HasPrefix(at.done, procDir) { // mounted elsewhere
			w.err = errOwnLink
			return "", false
		}
		at.follow(to)
	}
	return at.done, true
}

// follow goes on where a link leads.
func (at *way) follow(to string) {
	at.links++
	if filepath.IsAbs(to) {
		var parts []string
		at.done, parts = splitRoot(to)
		at.todo = slices.Concat(parts, at.todo)
		return
	}
	at.todo = slices.Concat(strings.Split(filepath.ToSlash(to), "/"), at.todo)
}

// Where the system tells of processes, and of the one that asks. Its thread is
// below it, so that dots go up from there as they do.
const (
	procDir   = "/proc"
	ownDir    = procDir + "/self"
	ownThread = "/task/self"
)

// process resolves one element of a path that another process sees otherwise than
// this one. It reports false if it is an element like others.
func (w *linkWalk) process(at *way, part string) (special bool, err error) {
	switch dir := at.done; {
	case dir == procDir && part == "self":
		at.done = ownDir
		return true, nil
	case dir == procDir && part == "thread-self":
		at.done = ownDir + ownThread
		return true, nil
	case strings.HasPrefix(dir, procDir+"/"):
		return w.inProcess(at, part)
	case dir == "/dev" && part == "fd" && runtime.GOOS == "linux": // a link, or it cannot be opened
		at.done = ownDir + "/fd"
		return true, nil
	case dir == "/dev/fd":
		return false, ownFile(part, at.todo)
	case runtime.GOOS == "darwin" && (part == "..namedfork" || dir == "/" && part == ".vol"): // files by other names
		return false, errOwnLink
	}
	return false, nil
}

// inProcess is process for what /proc has of one.
func (w *linkWalk) inProcess(at *way, part string) (special bool, err error) {
	dir := at.done
	if thread, ok := strings.CutPrefix(dir, ownDir+ownThread); ok {
		dir = ownDir + thread
	}
	who, inner, deeper := strings.Cut(dir[len(procDir)+1:], "/")
	own := who == "self"
	if !own && strings.Trim(who, "0123456789") != "" {
		return false, nil
	}
	switch {
	case inner == "fd" && own:
		at.done += "/" + part
		return true, ownFile(part, at.todo)
	case inner == "fd", inner == "task", strings.HasPrefix(inner, "task/"):
		return false, errOwnLink
	case deeper:
		return false, nil
	}
	switch part {
	case "cwd":
		return true, w.cwdOf(at, own)
	case "root", "exe", "task", "map_files", "ns":
		return false, errOwnLink
	}
	at.done += "/" + part
	return true, nil
}

// cwdOf goes on in the working directory of a process: the event's, if it is the
// one that opens the file; if it is one by number, which may be that one, where it
// is as well.
func (w *linkWalk) cwdOf(at *way, own bool) error {
	if !filepath.IsAbs(w.cwd) {
		return errNoCWD
	}
	if at.links == maxLinks { // as with a link to itself, which cannot be opened
		return errManyEnds
	}
	if !own {
		to, err := os.Readlink(at.done + "/cwd")
		switch {
		case err == nil:
			if w.ways++; w.ways >= maxEnds {
				return errManyEnds
			}
			other := way{done: at.done, todo: at.todo, links: at.links}
			other.follow(to)
			w.left = append(w.left, other)
		case !errors.Is(err, os.ErrNotExist):
			return errOwnLink
		}
	}
	at.follow(w.cwd)
	return nil
}

// ownFile allows the open files of a process that do not lead to another file: its
// input and outputs, and what shells make for <(command).
func ownFile(part string, todo []string) error {
	switch part {
	case "0", "1", "2", "63", "62", "61", "60", "59", "58", "57", "56":
		if len(todo) == 0 {
			return nil
		}
	}
	return errOwnLink
}

// ownCWD reads the working directory of the process that opens a file, as text.
func ownCWD(name string) (rest string, ok bool) {
	if !strings.HasPrefix(name, procDir) {
		return "", false
	}
	name = filepath.ToSlash(filepath.Clean(name))
	for _, own := range [...]string{"/proc/self/cwd", "/proc/thread-self/cwd"} {
		if rest, ok = strings.CutPrefix(name, own); ok && (rest == "" || rest[0] == '/') {
			return rest, true
		}
	}
	return "", false
}

// splitRoot takes an absolute path apart.
func splitRoot(full string) (root string, parts []string) {
	volume := filepath.VolumeName(full)
	return volume + string(filepath.Separator), strings.Split(filepath.ToSlash(full[len(volume):]), "/")
}
