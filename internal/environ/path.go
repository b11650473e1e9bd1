package environ

import (
	"os/exec"
	"path/filepath"
)

// LookPath finds a program on the PATH of an environment. Relative folders of it start
// from dir; without one they are passed over. The error is exec.ErrNotFound.
func LookPath(environ []string, name, dir string) (string, error) {
	path, _ := Lookup(environ, "PATH")
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) { // the empty one is "."
			if dir == "" {
				continue
			}
			folder = filepath.Join(dir, folder)
		}
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", exec.ErrNotFound
}
