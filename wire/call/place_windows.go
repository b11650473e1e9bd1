package call

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// Find says where shim and daemon meet. The pipe's name carries a hash of the
// folder, so that two homes of hookway have two daemons.
func Find(getenv func(string) string) (Places, error) {
	dir := ""
	if home := getenv("HOOKWAY_HOME"); home != "" {
		abs, err := absolute(home)
		if err != nil {
			return Places{}, errors.Join(errors.New("HOOKWAY_HOME cannot be made absolute"), err)
		}
		dir = join(abs, "run")
	} else if local := getenv("LOCALAPPDATA"); local != "" {
		dir = join(local, "hookway", "run")
	} else {
		return Places{}, errors.New("the user's folder is unknown; set LOCALAPPDATA, or HOOKWAY_HOME")
	}
	user := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && !strings.ContainsRune(`\/:*?"<>|`, r) {
			return r
		}
		return '_'
	}, getenv("USERNAME"))
	return Places{Dir: dir, Socket: `\\.\pipe\hookway-` + user + "-" + hash(strings.ToLower(dir)), Lock: join(dir, "start.lock")}, nil
}

// MakeDir makes the folder of the lock. Under the user's own it inherits who may
// enter it.
func MakeDir(dir string) error { return os.MkdirAll(dir, 0o700) }

// CheckDir refuses a folder that is none.
func CheckDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return &os.PathError{Op: "the folder", Path: dir, Err: ErrForeign}
	}
	return err
}

// TryLock takes the lock under which a daemon is started, by opening the file so
// that no other process can. It does not wait: nil and no error mean that another
// process holds it. The lock ends with the process that holds it.
func TryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shared = syscall.Errno(32) // ERROR_SHARING_VIOLATION
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, shared) {
		return nil, nil
	} else if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

func join(parts ...string) string { return strings.Join(parts, `\`) }

func isAbsolute(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') || strings.HasPrefix(path, `\\`)
}

func absolute(path string) (string, error) {
	path, err := syscall.FullPath(path)
	return strings.TrimRight(path, `\`), err
}

func userHome(getenv func(string) string) string { return getenv("USERPROFILE") }
