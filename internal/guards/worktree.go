package guards

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of the search for work trees.
const (
	maxTrees   = 64
	maxPointer = 4096 // bytes of a file that names a folder
)

// worktrees are the other work trees of the repository of a project. Git keeps a
// folder for each linked tree, with a file that names the tree, and the tree has a
// file that names that folder. Only trees where both agree count, so that one
// written file cannot make a work tree of any folder.
func worktrees(project string) []string {
	own := filepath.Join(project, ".git")
	common := own
	var trees []string
	if disk.IsFile(own) { // the project is a linked tree, or a submodule
		admin := linked(own)
		if admin == "" {
			return nil
		}
		common = pointer(filepath.Join(admin, "commondir"), "")
		if common == "" || filepath.Base(common) != ".git" {
			return nil
		}
		trees = append(trees, filepath.ToSlash(filepath.Dir(common)))
	}
	names, _ := disk.Names(filepath.Join(common, "worktrees"), maxTrees) // none, or not to be read: none is known
	for _, name := range names {
		admin := filepath.Join(common, "worktrees", name)
		file := pointer(filepath.Join(admin, "gitdir"), "")
		if file == "" || same(file, own) || !same(linked(file), admin) {
			continue
		}
		trees = append(trees, filepath.ToSlash(filepath.Dir(file)))
	}
	return trees
}

// linked is the folder that the .git file of a linked tree names, if that folder
// names the file in turn.
func linked(file string) string {
	admin := pointer(file, "gitdir: ")
	if admin == "" || !same(pointer(filepath.Join(admin, "gitdir"), ""), file) {
		return ""
	}
	return admin
}

// pointer reads a path after a prefix; a relative one starts at the folder of the file.
func pointer(file, prefix string) string {
	text, err := disk.Read(file, maxPointer)
	if err != nil {
		return ""
	}
	line, ok := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	if !ok || line == "" || strings.ContainsAny(line, "\n\x00") {
		return ""
	}
	if !filepath.IsAbs(line) {
		line = filepath.Join(filepath.Dir(file), line)
	}
	return filepath.Clean(line)
}

// same reports whether two names are those of one file that is there.
func same(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
