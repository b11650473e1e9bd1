package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// basics are the variables that a daemon keeps of the environment of the process that
// happened to start it. Everything else comes with each call.
var basics = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"HOOKWAY_HOME", "HOOKWAY_IDLE",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// basicPrefixes begin the names of further ones.
var basicPrefixes = []string{"LC_", "XDG_"}

// Basics picks from an environment what a daemon keeps. Secrets of the session
// that started it, and what it said about itself and its trust, stay out.
func Basics(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name) // as Windows has it; elsewhere these names are in capitals
		prefixed := func(p string) bool { return strings.HasPrefix(name, p) }
		if slices.Contains(basics, name) || slices.ContainsFunc(basicPrefixes, prefixed) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// Settle makes a process belong to no session: it works in the root folder,
// so that it keeps no other busy, and has but the basic environment. The umask
// stays as it is: hooks inherit it, and make files for the user.
func Settle() error {
	if home := os.Getenv("HOOKWAY_HOME"); home != "" {
		abs, err := filepath.Abs(home) // while the folder is the one that was meant
		if err != nil {
			return err
		}
		if err := os.Setenv("HOOKWAY_HOME", abs); err != nil {
			return err
		}
	}
	kept := Basics(os.Environ())
	os.Clearenv()
	for _, kv := range kept {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.Chdir(string(filepath.Separator))
}
