package bundle

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// ForNode looks at a file that Node shall run: whether it is a program, which runs anew
// for each event. The error says why it cannot be run there.
func ForNode(file string) (program bool, err error) {
	if _, ok := codeLoaders[strings.ToLower(filepath.Ext(file))]; !ok {
		return false, fmt.Errorf("%s is not a file of TypeScript or JavaScript, so Node cannot run it; plugins that are folders run in the built-in runtime: take out runtime: node", filepath.Base(file))
	}
	text, err := disk.Read(file, MaxSource)
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

// ofNode reports whether a name is that of a module which Node, or the package
// hookway beside it, gives.
func ofNode(name string) bool {
	return strings.HasPrefix(name, "node:") || name == "hookway" || name == "hookway/client" || Nodes[name] != "" || slices.Contains(nodeOnly, name)
}

// FilesForNode are the files that a file takes in when Node runs it, by itself or
// bundled, with the package.json files that choose among them. What is imported by a
// computed name cannot be known.
func FilesForNode(file string) []string {
	out := []string{file}
	for _, more := range [][]string{nil, {"module-sync", "node-addons"}} {
		s, _, err := forNode(file, more, false)
		if s == nil || err != nil && len(s.loaded) == 0 {
			break
		}
		out = append(out, s.loaded...)
		for _, p := range s.chosen {
			out = append(out, filepath.Join(p.dir, "package.json"))
		}
		if len(s.chosen) == 0 {
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plain keeps what PlainForNode made, by the content of the files it was made of: a
// configuration is loaded again and again, and its scripts mostly stay as they are.
var plain struct {
	sync.Mutex
	made map[string][]byte
}

// maxPlain bounds how many are kept.
const maxPlain = 64

// PlainForNode is a file of TypeScript as one module of JavaScript, for a Node that
// cannot read types. What it takes from the package hookway stays an import. It is made
// of the given files only.
func PlainForNode(file string, of []string) ([]byte, error) {
	key, err := contentOf(file, of)
	if err != nil {
		return nil, err
	}
	plain.Lock()
	code := plain.made[key]
	plain.Unlock()
	if code != nil {
		return code, nil
	}
	s, code, err := forNode(file, nil, true)
	if err != nil {
		return nil, err
	}
	for _, from := range s.loaded {
		if !slices.Contains(of, from) {
			return nil, fmt.Errorf("it imports %s by a name that is computed, so trust cannot pin it; name it in full", from)
		}
	}
	for _, name := range s.missing {
		return nil, fmt.Errorf("%q cannot be found: %s", name, missing(fmt.Sprintf("Could not resolve %q", name)))
	}
	plain.Lock()
	defer plain.Unlock()
	if len(plain.made) >= maxPlain || plain.made == nil {
		plain.made = map[string][]byte{}
	}
	plain.made[key] = code
	return code, nil
}

// contentOf is equal for the same files with the same content, under the same tsconfig.json.
func contentOf(file string, of []string) (string, error) {
	h := sha256.New()
	s, err := newFinder(filepath.Dir(file), filepath.Dir(file), true)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "%s %q %q %q\n", s.config.raw(), s.config.base, s.config.from, s.config.paths)
	for _, path := range append([]string{file}, of...) {
		data, err := disk.Read(path, MaxSource)
		if err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
		}
		fmt.Fprintf(h, "%q %d\n", path, len(data))
		h.Write(data)
	}
	return string(h.Sum(nil)), nil
}

// forNode bundles a file as Node finds what it imports: to see what that is, or to run it.
func forNode(file string, more []string, plain bool) (*finder, []byte, error) {
	dir := filepath.Dir(file)
	files, err := newFinder(dir, dir, true)
	if err != nil && plain {
		return nil, nil, err
	}
	files.node, files.more, files.plain = true, more, plain
	if !plain { // Node keeps imports of which only types are used
		files.config.options["verbatimModuleSyntax"] = []byte("true")
	}
	here := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, AbsWorkingDir: dir, Bundle: true, Write: false, Outfile: "script.mjs",
		Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
		TsconfigRaw: files.config.raw(), Plugins: []api.Plugin{files.plugin()}, Sourcemap: api.SourceMapInline, SourcesContent: api.SourcesContentExclude,
		Define: map[string]string{"import.meta.url": quote(here), "import.meta.filename": quote(file), "import.meta.dirname": quote(dir)},
		Banner: map[string]string{"js": fmt.Sprintf("import { createRequire as __hookwayRequire } from \"node:module\";\nconst require = __hookwayRequire(%s), __filename = %s, __dirname = %s;", quote(here), quote(file), quote(dir))},
	})
	if len(result.Errors) > 0 {
		return files, nil, Mistakes(result.Errors)
	}
	return files, result.OutputFiles[0].Contents, nil
}

// Platform is what Node calls this system.
func Platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}
