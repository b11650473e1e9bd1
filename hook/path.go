package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// filePath is a file of a tool call, in the forms in which patterns name it,
// with slashes.
type filePath struct {
	rel string // below the root; empty if it lies elsewhere
	abs string // absolute, if there is a folder that it can be resolved against
}

// filePaths are the files of the call. Guards see each as it was given, and
// where symbolic links lead: a pattern that holds for either is meant. Tools
// differ in whether they strip space around a name and know "~/", so a name
// stands for what it is with and without.
func (f *facts) filePaths(root string) []filePath {
	if f.filesDone && f.filesRoot == root {
		return f.files
	}
	f.files, f.filesRoot, f.filesDone = nil, root, true
	if root == "" {
		root = f.head.CWD
	}
	for _, name := range f.fileNames() {
		if name == "" {
			continue
		}
		f.addPath(name, root)
		trimmed := strings.TrimSpace(name)
		if trimmed != name && trimmed != "" {
			f.addPath(trimmed, root)
		}
		if home, ok := inHome(trimmed); ok {
			f.addPath(home, root)
		}
	}
	return f.files
}

// fileNames are the files of the call as the agent names them. A call that
// touches several, such as a patch, lists them under file_paths.
func (f *facts) fileNames() []string {
	var names []string
	for _, key := range []string{"file_path", "path", "notebook_path"} {
		name, ok := f.input[key].(string)
		if !ok {
			name, _ = f.text(key)
		}
		names = append(names, name)
	}
	switch list := f.input["file_paths"].(type) {
	case []string:
		names = append(names, list...)
	case []any:
		for _, v := range list {
			if name, ok := v.(string); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// inHome reads a leading "~/" as many tools do.
func inHome(name string) (string, bool) {
	rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/")
	if !ok {
		return "", false
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", false
	}
	return home + string(filepath.Separator) + filepath.FromSlash(rest), true // not cleaned: dots after links count
}

// addPath adds the forms of one reading of a name.
func (f *facts) addPath(name, root string) {
	given := newPath(f.head.CWD, name, root)
	if !f.links {
		f.files = append(f.files, given)
		return
	}
	realRoot, realCWD := followLinks(root), followLinks(f.head.CWD)
	if given.rel == "" { // perhaps only because the root has two names
		given.rel = newPath(realCWD, name, realRoot).rel
	}
	f.files = append(f.files, given)
	full := name
	if !filepath.IsAbs(name) && f.head.CWD != "" {
		full = f.head.CWD + string(filepath.Separator) + name // not cleaned: dots after links count
	}
	if real := newPath("", followLinks(full), realRoot); real != given {
		f.files = append(f.files, real)
	}
}

// newPath resolves a name as text only: dots are cleaned, links are not followed.
func newPath(cwd, name, root string) filePath {
	full := filepath.Clean(name)
	if !filepath.IsAbs(full) && cwd != "" {
		full = filepath.Join(cwd, full)
	}
	p := filePath{abs: filepath.ToSlash(full)}
	switch rel, err := filepath.Rel(root, full); {
	case !filepath.IsAbs(full):
		p.rel = p.abs
	case root != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		p.rel = filepath.ToSlash(rel)
	}
	return p
}

// maxLinks bounds a walk along symbolic links, as file systems do.
const maxLinks = 40

// followLinks resolves an absolute path as the operating system does: link by
// link, and dots after the links before them. What does not exist stays as it
// is: the file may be new, also at the end of a link that leads nowhere yet.
func followLinks(full string) string {
	if !filepath.IsAbs(full) {
		return full
	}
	done, todo := splitRoot(full)
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		to, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			done = next
			continue
		}
		links++
		if filepath.IsAbs(to) {
			var parts []string
			done, parts = splitRoot(to)
			todo = append(parts, todo...)
		} else {
			todo = append(strings.Split(filepath.ToSlash(to), "/"), todo...)
		}
	}
	return done
}

// splitRoot takes an absolute path apart.
func splitRoot(full string) (root string, parts []string) {
	volume := filepath.VolumeName(full)
	return volume + string(filepath.Separator), strings.Split(filepath.ToSlash(full[len(volume):]), "/")
}
