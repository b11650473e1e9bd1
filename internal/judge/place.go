package judge

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// placeOf is where a caller that is no agent works: in dir, and with the daemon's
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
		return p, &RequestError{Field: "cwd", Err: fmt.Errorf("%q is no absolute path; say the whole path of the folder whose hooks are meant", dir)}
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
