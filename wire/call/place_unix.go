//go:build unix

package call

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxSocket is how long the path of a socket may be on every unix, with its zero.
const maxSocket = 104

// Find says where shim and daemon meet: in $HOOKWAY_HOME/run, else in
// $XDG_RUNTIME_DIR/hookway, else in a folder of the user's own among the temporary
// files.
func Find(getenv func(string) string) (Places, error) {
	uid := strconv.Itoa(os.Getuid())
	dir, name := "", ""
	if home := getenv("HOOKWAY_HOME"); home != "" {
		abs, err := absolute(home)
		if err != nil {
			return Places{}, errors.Join(errors.New("HOOKWAY_HOME cannot be made absolute"), err)
		}
		dir, name = join(abs, "run"), abs
	} else if runtime := getenv("XDG_RUNTIME_DIR"); isAbsolute(runtime) && ours(runtime) {
		dir, name = join(runtime, "hookway"), runtime
	} else {
		temp := getenv("TMPDIR")
		if !isAbsolute(temp) {
			temp = "/tmp"
		}
		dir, name = join(temp, "hookway-"+uid), temp
	}
	if len(join(dir, "hookway.sock")) >= maxSocket { // no socket can be made there
		dir = join("/tmp", "hookway-"+uid+"-"+hash(name))
	}
	return Places{Dir: dir, Socket: join(dir, "hookway.sock"), Lock: join(dir, "start.lock")}, nil
}

// ours reports whether a folder exists and belongs to the user. A variable that
// su or a container left behind names one that does not.
func ours(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// MakeDir makes the folder of the socket, only for the user, and checks it.
func MakeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return CheckDir(dir)
}

// CheckDir refuses the folder of the socket unless it is a real folder, the
// user's, and closed to others: its owner chooses who answers.
func CheckDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return foreign(dir, "is not a folder; remove it")
	case !ok || int(stat.Uid) != os.Getuid():
		return foreign(dir, "belongs to another user; set HOOKWAY_HOME to a folder of your own")
	case info.Mode().Perm()&0o077 != 0:
		return foreign(dir, "is open to others; close it with chmod 700")
	}
	return nil
}

func foreign(dir, why string) error {
	return &os.PathError{Op: "the folder", Path: dir, Err: &foreignError{why}}
}

type foreignError struct{ why string }

func (e *foreignError) Error() string { return e.why }

func (e *foreignError) Is(target error) bool { return target == ErrForeign }

// TryLock takes the lock under which a daemon is started. It does not wait: nil
// and no error mean that another process holds it. The lock ends with the process
// that holds it, however that ends.
func TryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

func join(parts ...string) string { return strings.Join(parts, "/") }

func isAbsolute(path string) bool { return strings.HasPrefix(path, "/") }

func absolute(path string) (string, error) {
	if !isAbsolute(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = join(wd, path)
	}
	if len(path) > 1 {
		path = strings.TrimRight(path, "/")
	}
	return path, nil
}

func userHome(func(string) string) string { return "" }
