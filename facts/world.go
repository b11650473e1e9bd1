package facts

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
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
	Scratch  []string          // more places that may be emptied: patterns as of [hook.Glob], "/mnt/scratch/**"
	Env      map[string]string // the event's environment
	Lstat    func(path string) (fs.FileInfo, error)
	Readlink func(path string) (string, error)
	ReadDir  func(path string) ([]string, error) // base names, in order
	// ReadFile gives a regular file of at most n bytes. Of a longer one it gives the first n
	// bytes, or an error.
	ReadFile func(path string, n int) ([]byte, error)
	// Worktrees gives the other work trees of the project's repository. It is asked
	// at most once for a call, and only if the call names a path.
	Worktrees func() []string

	links   map[string]string   // that the line itself makes
	at      string              // where the process is that opens a path; "" is Dir
	trees   func() []string     // Worktrees, asked once
	scratch func() []*hook.Glob // Scratch, compiled once
}

// ready makes what is worked out once for a call.
func (w *World) ready() *World {
	w.trees = sync.OnceValue(func() []string {
		var out []string
		if w.Worktrees != nil {
			for _, t := range w.Worktrees() {
				out = append(out, path.Clean(t))
			}
		}
		return out
	})
	w.scratch = sync.OnceValue(func() []*hook.Glob {
		var out []*hook.Glob
		for _, pattern := range w.Scratch {
			if rest, ok := strings.CutPrefix(pattern, "~/"); ok && w.Home != "" {
				pattern = w.Home + "/" + rest
			} else if !strings.HasPrefix(pattern, "/") {
				pattern = w.project() + "/" + pattern
			}
			if g, err := hook.CompileGlob(pattern); err == nil {
				out = append(out, g)
			}
		}
		return out
	})
	return w
}

// mayBeEmptied reports whether a path lies in one of the places of Scratch.
func (w *World) mayBeEmptied(name string) bool {
	return len(w.Scratch) > 0 && slices.ContainsFunc(w.scratch(), func(g *hook.Glob) bool { return g.Match(name) })
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

// maxPath bounds a path that is resolved: the system opens no longer one by its whole name.
const maxPath = 4096

// maxLinks bounds the links that one path may go through, as the kernel does.
const maxLinks = 40

// resolve gives a path with its links resolved, as open(2) would: each part in
// turn, ".." after the link before it. Parts that do not exist stay as they are.
func (w *World) resolve(name string) string {
	if w.Readlink == nil && len(w.links) == 0 || !strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	if len(name) > maxPath {
		return string(hole)
	}
	at, rest, links := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if at = path.Dir(at); at == "." { // above what is not known
				at = string(hole)
			}
			continue
		}
		next := path.Join(at, part)
		if strings.ContainsRune(part, hole) || strings.ContainsRune(part, word) {
			at = next
			continue
		}
		if own, to := w.ownLink(at, part, next); own != "" {
			at = own
			continue
		} else if to != "" {
			if links++; links > maxLinks {
				return path.Clean(name)
			}
			at, rest = "/", append(strings.Split(to, "/"), rest...)
			continue
		}
		to, err := w.readlink(next)
		if err != nil {
			if at = next; ofProcess(next) {
				at = string(hole)
			}
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

// inside is a path from the top of the project, or of the work tree that it lies in.
func (w *World) inside(name, scope string) string {
	switch scope {
	case scopeProject:
		if project := w.project(); under(name, project) && name != project {
			return name[len(strings.TrimSuffix(project, "/")):]
		}
	case scopeWorktree:
		for _, t := range w.trees() {
			if under(name, t) && name != t {
				return name[len(t):]
			}
		}
	}
	return ""
}

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
	if path.Dir(name) == "/" && slices.Contains(systemDirs, name) {
		return scopeSystem
	}
	if w.mayBeEmptied(name) {
		return scopeTemp
	}
	inProject := under(name, project) && project != "/"
	for _, t := range w.trees() {
		if !under(name, t) || inProject && under(project, t) {
			continue // it is not there, or the project lies in that tree
		}
		if top == t {
			return scopeRoot
		}
		return scopeWorktree
	}
	if inProject {
		return scopeProject
	}
	temp := 0 // how long the path of the nearest folder for temporary files is
	for _, t := range w.temps() {
		if top == t || under(name, t) {
			temp = max(temp, len(t))
		}
	}
	inHome := home != "" && under(name, home)
	switch {
	case temp > 0 && !(inHome && len(home) > temp): // a home may lie below /tmp, and a TMPDIR in a home
		return scopeTemp
	case inHome:
		return scopeHome
	}
	if slices.ContainsFunc(systemDirs, func(d string) bool { return under(name, d) }) {
		return scopeSystem
	}
	return scopeOther
}
