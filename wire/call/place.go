package call

import (
	"errors"
	"strconv"
)

// Places are the files at which shim and daemon meet.
type Places struct {
	Dir    string // the folder, only the user's: see MakeDir
	Socket string // what the daemon listens at; on Windows the name of a pipe
	Lock   string // held while a daemon is being started: see TryLock
}

// StateDir is hookway's folder for what it remembers; "" if there is none.
func StateDir(getenv func(string) string) string {
	if home := getenv("HOOKWAY_HOME"); home != "" {
		if abs, err := absolute(home); err == nil {
			return join(abs, "state")
		}
		return ""
	}
	if dir := getenv("XDG_STATE_HOME"); isAbsolute(dir) {
		return join(dir, "hookway")
	}
	home := getenv("HOME")
	if home == "" {
		home = userHome(getenv)
	}
	if home == "" {
		return ""
	}
	return join(home, ".local", "state", "hookway")
}

// ErrForeign says that the folder of the socket is not the user's alone.
var ErrForeign = errors.New("the folder of hookway's socket is not only yours")

// hash is FNV-1a, for short names.
func hash(s string) string {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return strconv.FormatUint(h, 36)
}
