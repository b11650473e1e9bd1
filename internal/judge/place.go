package judge

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/logline"
)

// place is where hooks are looked for, and with which settings.
type place struct {
	dir     string // "": the user's hooks alone
	setting func(name string) string
	log     *slog.Logger
	seen    *config.Glances // of the files that tell whether the hooks changed; nil: none yet
}

// options are those of a configuration there, and what tells one set of settings
// from another.
func (p place) options() (opts config.Options, key string) {
	env := make([]string, len(settings))
	for i, name := range settings {
		env[i] = p.setting(name)
	}
	key = strings.Join(env, "\x00") + "\x00"
	return config.Options{
		Dir: p.dir, Native: nativeEvents(), Log: p.log, TrustedOnly: true,
		Getenv: func(name string) string {
			if i := slices.Index(settings, name); i >= 0 {
				return env[i]
			}
			return ""
		},
	}, key
}

// place is a folder that the agent works on, with the agent's own settings.
func (r *request) place(dir string) place {
	return place{dir: dir, setting: r.setting, log: logline.Or(r.Log), seen: &r.seenFiles}
}

// placeOf is where a caller that is not an agent works: in dir, and with the daemon's
// own settings but for those that env has.
func (j *Judge) placeOf(dir string, env environ) (place, error) {
	p := place{dir: dir, log: logline.Or(j.Log), setting: func(name string) string {
		if value := env.get(name); value != "" {
			return value
		}
		return os.Getenv(name)
	}}
	if dir == "" {
		return p, nil
	}
	if !filepath.IsAbs(dir) {
		return p, &RequestError{Field: "cwd", Err: fmt.Errorf("%q is not an absolute path; say the whole path of the folder whose hooks are meant", dir)}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return p, &RequestError{Field: "cwd", Err: fmt.Errorf("there is no folder %s on this machine; leave it out to ask the user's own hooks alone", dir)}
	}
	p.dir = filepath.Clean(dir)
	return p, nil
}

// within reports whether a path is a folder or lies below it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// RequestError is a mistake in a request: it fails again unless it is changed.
type RequestError struct {
	Field string // of the request, as JSON has it; "" is the whole
	Err   error
}

func (e *RequestError) Error() string {
	if e.Field == "" {
		return e.Err.Error()
	}
	return e.Field + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// setting is one of the caller's variables. A folder that it names from where it
// works is meant from there: this process works elsewhere.
func (r *request) setting(name string) string {
	value := r.env.get(name)
	if (name == "HOOKWAY_HOME" || name == "HOME") && value != "" && !filepath.IsAbs(value) && filepath.IsAbs(r.in.Dir) {
		return filepath.Join(r.in.Dir, value)
	}
	return value
}

// folder is where the hooks are looked for: the project that the agent was
// started in, else where it works now. The latter follows what the agent does,
// so it must not choose the hooks if there is another.
func (r *request) folder() (string, error) {
	said, err := r.call.Folders()
	if err != nil {
		return "", err
	}
	r.roots = said.Roots
	for _, dir := range slices.Concat([]string{r.env.get("HOOKWAY_PROJECT_DIR"), r.env.get("CLAUDE_PROJECT_DIR"), said.CWD}, said.Roots, []string{r.in.Dir}) {
		if r.seenFiles.Folder(dir) {
			return dir, nil
		}
	}
	return "", errors.New("it is not known in which folder the agent works")
}

// settings are the variables on which a configuration depends.
var settings = []string{"HOOKWAY_HOME", "HOOKWAY_TRUST", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR"}

var nativeEvents = sync.OnceValue(adapter.NativeEvents)
