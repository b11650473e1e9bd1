package script

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// codeExtensions are those of files that run, and are not read as data.
var codeExtensions = []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}

// outside is the error of data that lies outside of the root and of packages: to
// bundle it would be to read it. Links are followed before.
func outside(path, root string) error {
	return fmt.Errorf("%s lies outside of the folder %s, and is not code; put a copy of it there, or give the script the grant read: "+
		"write allow: [read] beside its script:, or export const allow = [\"read\"] in the file", path, root)
}

// isData reports whether a file is imported as something else than code.
func isData(path string, with map[string]string) bool {
	return with["type"] != "" || !slices.Contains(codeExtensions, strings.ToLower(filepath.Ext(path)))
}

// inside reports whether a file is the root's, or a package's.
func inside(root, path string) bool {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}
