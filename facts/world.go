package facts

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// World is what is known of the place where a call would run. The zero World knows
// nothing: relative paths then start at a folder without a name.
//
// Functions that are nil are not asked; what they would have told counts as unknown.
// They must be safe for concurrent use if the World is used so.
type World struct {
	Dir      string            // the call's working directory, absolute
	Home     string            // the user's home
	Project  string            // the top of the project; "" is Dir
	Temp     []string          // folders for temporary files; none means /tmp and /var/tmp
	Scratch  []string          // more places that may be emptied, as patterns
	Env      map[string]string // the event's environment
	Lstat    func(path string) (fs.FileInfo, error)
	Readlink func(path string) (string, error)
	ReadDir  func(path string) ([]string, error) // base names, in order
	// ReadFile gives the first n bytes of a regular file.
	ReadFile func(path string, n int) ([]byte, error)

	links map[string]string // that the line itself makes
}

// temps are the folders for temporary files.
func (w *World) temps() []string {
	temps := w.Temp
	if len(temps) == 0 {
		temps = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"}
	}
	if t := w.Env["TMPDIR"]; strings.HasPrefix(t, "/") && path.Clean(t) != "/" && !slices.Contains(temps, path.Clean(t)) {
		temps = append(slices.Clip(temps), path.Clean(t))
	}
	return temps
}

// project is the top of the project.
func (w *World) project() string {
	if w.Project != "" {
		return w.Project
	}
	return w.Dir
}

// readlink asks the line first, which may make links itself.
func (w *World) readlink(name string) (string, error) {
	if to, ok := w.links[name]; ok {
		return to, nil
	}
	if w.Readlink == nil {
		return "", fs.ErrNotExist
	}
	return w.Readlink(name)
}

// maxLinks bounds the links that one path may go through, as the kernel does.
const maxLinks = 40

// resolve gives a path with its links resolved, as open(2) would: each part in
// turn, ".." after the link before it. Parts that do not exist stay as they are.
func (w *World) resolve(name string) string {
	if w.Readlink == nil && len(w.links) == 0 || !strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	at, rest, links := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		if strings.ContainsRune(part, hole) || strings.ContainsRune(part, word) {
			at = next
			continue
		}
		to, err := w.readlink(next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return path.Clean(name)
		}
		if strings.HasPrefix(to, "/") {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at
}

// under reports whether a cleaned path is a folder or lies below it.
func under(name, dir string) bool {
	if dir == "" {
		return false
	}
	if dir == "/" {
		return strings.HasPrefix(name, "/")
	}
	return name == dir || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// Scopes of a path, from the one that matters most.
const (
	scopeRoot     = "root"     // a thing's own top: /, the home, the project, .git
	scopeTemp     = "temp"     // below a folder for temporary files, or scratch
	scopeProject  = "project"  // below the project
	scopeWorktree = "worktree" // another work tree of the same repository
	scopeHome     = "home"
	scopeSystem   = "system"
	scopeOther    = "other"
)

// systemDirs are the folders of the system itself.
var systemDirs = []string{"/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/etc", "/boot", "/dev", "/proc", "/sys", "/var", "/opt", "/run", "/root", "/srv",
	"/C:/Windows", "/C:/Program Files", "/C:/Program Files (x86)", "/C:/ProgramData", "/System", "/Library", "/Applications", "/private/etc", "/private/var", "/snap"}

// scope says where an absolute, cleaned path lies.
func (w *World) scope(name string) string {
	project, home := w.project(), w.Home
	top := name
	for _, all := range []string{"/", "/*", "/**", "/.", "/*.*"} {
		top = strings.TrimSuffix(top, all)
	}
	switch top {
	case "", "/", "/C:", "/D:", "/C:/Users", home, project, path.Join(project, ".git"), path.Dir(home):
		return scopeRoot
	}
	if path.Dir(name) == "/" && name != "/tmp" && !slices.Contains(w.temps(), name) {
		for _, d := range systemDirs {
			if name == d {
				return scopeSystem
			}
		}
	}
	if under(name, project) && project != "/" {
		return scopeProject
	}
	for _, t := range w.temps() {
		if name == t || top == t {
			return scopeTemp
		}
		if under(name, t) {
			return scopeTemp
		}
	}
	if home != "" && under(name, home) {
		return scopeHome
	}
	for _, d := range systemDirs {
		if under(name, d) {
			return scopeSystem
		}
	}
	return scopeOther
}
