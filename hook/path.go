package hook

import (
	"os"
	"path/filepath"
	"strings"
)

// How matchers of paths see the files of a call:
//
//   - names are found in the tool's arguments (path_names.go)
//   - each is made absolute with the event's CWD, and relative to the hook's root
//   - for guards, symbolic links are followed as well (path_links.go), and both the
//     given and the resolved form count: a link must not hide a file from a rule
//
// Where it is unclear which file a name means, a guard does not guess: it fails, and
// its failure policy decides.

// filePath is a file of a tool call, in the forms in which patterns name it,
// with slashes.
type filePath struct {
	rel string // below the root; empty if it lies elsewhere
	abs string // absolute, if there is a folder that it can be resolved against
}

// callFiles are the files of one call.
type callFiles struct {
	named   []namedFile
	unclear error    // why it cannot be known which files these are; for guards
	cwd     []string // where links of the event's folder lead; for guards

	root  string // of the hook whose forms these are
	forms []filePath
	ready bool
}

// namedFile is a file as the agent names it, and where symbolic links lead.
type namedFile struct {
	name string
	ends []string // for guards
}

// filePaths are the files of the call. Guards see each as it was given, and
// where symbolic links lead: a pattern that holds for either is meant.
func (k *known) filePaths(root string) []filePath {
	if k.files == nil {
		k.files = k.findFiles()
	}
	c := k.files
	if c.ready && c.root == root {
		return c.forms
	}
	c.root, c.ready, c.forms = root, true, nil
	if root == "" {
		root = k.head.CWD
	}
	realRoot := root
	if k.guard && len(c.named) > 0 {
		realRoot = k.firstEnd(root)
	}
	for _, n := range c.named {
		given := newPath(k.head.CWD, n.name, root)
		if given.rel == "" && len(c.cwd) > 0 { // perhaps only because the root has two names
			given.rel = newPath(c.cwd[0], n.name, realRoot).rel
		}
		c.forms = append(c.forms, given)
		for _, end := range n.ends {
			if real := newPath("", end, realRoot); real != given {
				c.forms = append(c.forms, real)
			}
		}
	}
	return c.forms
}

// findFiles reads the names of the files, and for guards where they lead. Tools
// differ in whether they strip space around a name and know "~/", so a name
// stands for what it is with and without.
func (k *known) findFiles() *callFiles {
	c := new(callFiles)
	names, err := k.fileNames()
	c.unclear = err
	if len(names) > 0 && k.guard {
		c.cwd, err = k.ends(k.head.CWD)
		c.noteUnclear(err)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		k.addFile(c, name)
		trimmed := strings.TrimSpace(name)
		if trimmed != name && trimmed != "" {
			k.addFile(c, trimmed)
		}
		if home, ok := inHome(trimmed); ok {
			k.addFile(c, home)
		}
		if here, ok := cutVariable(trimmed, "PWD"); ok && k.head.CWD != "" {
			k.addFile(c, k.head.CWD+here)
		}
		for _, file := range urlFiles(trimmed) {
			k.addFile(c, file)
		}
	}
	return c
}

// addFile adds one reading of a name.
func (k *known) addFile(c *callFiles, name string) {
	n := namedFile{name: name}
	switch {
	case !k.guard:
		if rest, ok := ownCWD(name); ok && k.head.CWD != "" {
			n.name = k.head.CWD + rest
		}
	case filepath.IsAbs(name):
		var err error
		n.ends, err = k.ends(name)
		c.noteUnclear(err)
	default:
		for _, at := range c.cwd {
			ends, err := k.endsFrom(at, strings.Split(filepath.ToSlash(name), "/"))
			n.ends = append(n.ends, ends...)
			c.noteUnclear(err)
		}
		if len(c.cwd) == 0 {
			n.ends = []string{name}
		}
	}
	c.named = append(c.named, n)
}

// noteUnclear keeps the first reason why it is not known which files are meant.
func (c *callFiles) noteUnclear(err error) {
	if c.unclear == nil {
		c.unclear = err
	}
}

// inHome reads a leading "~/" as many tools do, and what stands for it.
func inHome(name string) (string, bool) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", false
	}
	rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/")
	for _, start := range [...]string{"~" + filepath.Base(home), "%HOME%", "%USERPROFILE%"} {
		if after, found := strings.CutPrefix(filepath.ToSlash(name), start+"/"); !ok && found {
			rest, ok = after, true
		}
	}
	if !ok {
		if rest, ok = cutVariable(name, "HOME"); !ok {
			return "", false
		}
		rest = strings.TrimPrefix(filepath.ToSlash(rest), "/")
	}
	return home + string(filepath.Separator) + filepath.FromSlash(rest), true // not cleaned: dots after links count
}

// cutVariable takes $NAME/ or ${NAME}/ off a name, but for the slash. Tools that hand a
// name to a shell expand it there; others make a folder that is called so, which is
// matched as it stands as well.
func cutVariable(name, variable string) (string, bool) {
	for _, start := range [...]string{"$" + variable, "${" + variable + "}"} {
		if rest, ok := strings.CutPrefix(name, start); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			return rest, true
		}
	}
	return "", false
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
