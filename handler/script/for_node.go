package script

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// ForNode looks at a file that Node shall run: whether it is a program, which runs anew
// for each event. The error says why it cannot be run there.
func ForNode(file string) (program bool, err error) {
	if _, ok := codeLoaders[strings.ToLower(filepath.Ext(file))]; !ok {
		return false, fmt.Errorf("%s is no file of TypeScript or JavaScript, so Node cannot run it; plugins that are folders run in the built-in runtime: take out runtime: node", filepath.Base(file))
	}
	text, err := disk.Read(file, maxSource)
	if err != nil {
		return false, fmt.Errorf("the script cannot be read: %w", err)
	}
	for _, m := range hookSystems().FindAll(text, -1) {
		if name := strings.Trim(string(m), `"'`); name != "hookway" {
			return false, fmt.Errorf("%s is written for %s, which only the built-in runtime has: take out runtime: node", filepath.Base(file), name)
		}
	}
	return writtenAsProgram(file), nil
}

// PlainForNode is a file of TypeScript as one module of JavaScript, for a Node that
// cannot read types. What it takes from the package hookway stays an import.
func PlainForNode(file string) ([]byte, error) {
	here := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, AbsWorkingDir: filepath.Dir(file), Bundle: true, Write: false, Outfile: "script.mjs",
		Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
		External: []string{"hookway", "hookway/client"}, Sourcemap: api.SourceMapInline, SourcesContent: api.SourcesContentExclude,
		Define: map[string]string{"import.meta.url": quote(here), "import.meta.filename": quote(file), "import.meta.dirname": quote(filepath.Dir(file))},
		Banner: map[string]string{"js": fmt.Sprintf("import { createRequire as __hookwayRequire } from \"node:module\";\nconst require = __hookwayRequire(%s), __filename = %s, __dirname = %s;", quote(here), quote(file), quote(filepath.Dir(file)))},
	})
	if len(result.Errors) > 0 {
		return nil, mistakes(result.Errors)
	}
	return result.OutputFiles[0].Contents, nil
}
