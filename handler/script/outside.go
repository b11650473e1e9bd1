package script

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// codeExtensions are those of files that run, and are not read as data.
var codeExtensions = []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}

// onlyCodeFromOutside keeps data out that lies outside of the root and of
// packages: to bundle it would be to read it. Links are followed before.
func onlyCodeFromOutside(root string) api.Plugin {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return api.Plugin{Name: "outside", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			path := a.Path
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			if !isData(path, a.With) || inside(root, path) {
				return api.OnLoadResult{}, nil
			}
			return api.OnLoadResult{}, fmt.Errorf("%s lies outside of the folder %s, and is no code; put a copy of it there, or give the script the grant read: "+
				"write allow: [read] beside its script:, or export const allow = [\"read\"] in the file", path, root)
		})
	}}
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
