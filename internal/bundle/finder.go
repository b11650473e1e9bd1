package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// finder finds and reads the files of a bundle, in place of esbuild, which would
// wait for a pipe, read a device without end and list whatever folder it meets.
// It looks at the names that an import may mean and lists nothing.
type finder struct {
	root   string
	entry  string // the script's own file
	config *tsconfig
	data   bool     // files outside of the root may be read that are not code
	node   bool     // Node runs it: names mean what they mean there
	more   []string // with node: conditions that only some versions of it have
	plain  bool     // with node: the text is run, so nothing in it is replaced

	mu       sync.Mutex
	packages map[string]*packageFile // by folder
	bytes    int64
	files    int
	names    map[string]bool // words of its own files that may be variables
	loaded   []string        // what was read for the bundle, or tried
	chosen   []*packageFile  // that said which file is meant
	missing  []string        // with node: what was imported and is not there
}

// newFinder is for a script in a folder. The root may be given as it is named.
func newFinder(dir, root string, data bool) (*finder, error) {
	s := &finder{root: disk.Real(root), data: data}
	return s, s.readTSConfig(disk.Real(dir))
}

// errNotThere says that an import leads to no file.
var errNotThere = errors.New("no such file")

// plugin serves all files of a bundle.
func (s *finder) plugin() api.Plugin {
	return api.Plugin{Name: "files", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.onResolve(a)
		})
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, s.onLoad)
	}}
}

func (s *finder) onResolve(a api.OnResolveArgs) (api.OnResolveResult, error) {
	if strings.HasPrefix(a.Path, "data:") {
		return api.OnResolveResult{}, errors.New("a script cannot import a data URL; put it into a file")
	}
	if s.node && ofNode(a.Path) {
		return api.OnResolveResult{Path: a.Path, External: true}, nil
	}
	required := a.Kind == api.ResolveJSRequireCall || a.Kind == api.ResolveJSRequireResolve
	path, err := s.find(a.ResolveDir, a.Path, required)
	switch {
	case err == nil:
	case !errors.Is(err, errNotThere):
		return api.OnResolveResult{}, err
	case required || a.Kind == api.ResolveJSDynamicImport: // it may be meant to fail when it runs
		return api.OnResolveResult{Path: a.Path, External: true}, nil
	case s.node:
		s.missing = append(s.missing, a.Path)
		return api.OnResolveResult{Path: a.Path, External: true}, nil
	default:
		//lint:ignore ST1005 these are the words of esbuild
		return api.OnResolveResult{}, fmt.Errorf("Could not resolve %q", a.Path)
	}
	path = disk.Real(path)
	result := api.OnResolveResult{Path: path, Namespace: "file"}
	if p := s.packageOf(filepath.Dir(path)); p != nil && p.pure() && !s.node {
		result.SideEffects = api.SideEffectsFalse
	}
	return result, nil
}

// find returns the file that an import in a folder means.
func (s *finder) find(dir, path string, required bool) (string, error) {
	switch {
	case strings.HasPrefix(path, "file:"):
		file, err := urlPath(path)
		if err != nil {
			return "", err
		}
		return s.file(file)
	case filepath.IsAbs(path):
		return s.file(path)
	case path == "." || path == ".." || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../"):
		return s.file(filepath.Join(dir, filepath.FromSlash(path)))
	case strings.HasPrefix(path, "#"):
		for at := dir; ; at = filepath.Dir(at) {
			if p := s.packageIn(at); p != nil {
				return s.exported(p, p.Imports, path, required)
			}
			if at == filepath.Dir(at) {
				return "", errNotThere
			}
		}
	}
	if !inPackage(dir) {
		for _, candidate := range s.config.candidates(path) {
			if file, err := s.file(candidate); err == nil {
				return file, nil
			}
		}
	}
	return s.fromPackage(dir, path, required)
}

// urlPath is the path that a URL of a file means.
func urlPath(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", fmt.Errorf("%q names no file of this machine; write file:///folder/file.js, or a path", text)
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' { // file:///C:/folder
		path = path[1:]
	}
	return filepath.FromSlash(path), nil
}

// fromPackage finds a file of a package, in the folders node_modules from a folder upwards.
func (s *finder) fromPackage(dir, path string, required bool) (string, error) {
	name, below := packageName(path)
	if name == "" {
		return "", errNotThere
	}
	if p := s.packageOf(dir); p != nil && p.Name == name && p.Exports != nil { // itself
		return s.exported(p, p.Exports, below, required)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if filepath.Base(at) != "node_modules" {
			folder := filepath.Join(at, "node_modules", filepath.FromSlash(name))
			if p := s.packageIn(folder); p != nil && p.Exports != nil {
				return s.exported(p, p.Exports, below, required)
			}
			if file, err := s.file(filepath.Join(folder, filepath.FromSlash(below))); err == nil || !errors.Is(err, errNotThere) {
				return file, err
			}
		}
		if at == filepath.Dir(at) {
			return "", errNotThere
		}
	}
}

// packageName cuts an import into the name of a package and a path in it, which is . or begins with ./
func packageName(path string) (name, below string) {
	parts := strings.SplitN(path, "/", 3)
	n := 1
	if strings.HasPrefix(path, "@") {
		n = 2
	}
	if len(parts) < n || strings.HasPrefix(path, ".") || strings.ContainsAny(path, "\x00\\") {
		return "", ""
	}
	name = strings.Join(parts[:n], "/")
	return name, "." + strings.TrimPrefix(path, name)
}

func inPackage(dir string) bool {
	return strings.Contains(filepath.ToSlash(dir)+"/", "/node_modules/")
}

// extensions are what an import may leave out, and rewritten what stands for a
// file that TypeScript would make.
var (
	extensions = []string{".tsx", ".ts", ".jsx", ".js", ".css", ".json", ".mts", ".mjs"}
	rewritten  = map[string][]string{".js": {".ts", ".tsx"}, ".jsx": {".ts", ".tsx"}, ".mjs": {".mts"}, ".cjs": {".cts"}}
)

// file finds the file that a path means: itself, with an extension, or what a
// folder has as its own.
func (s *finder) file(path string) (string, error) {
	if file := plainFile(path); file != "" {
		return file, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return "", errNotThere
	}
	if p := s.packageIn(path); p != nil {
		s.chosen = append(s.chosen, p)
		for _, main := range []string{p.Module, p.Main} {
			if main == "" || s.node && main != p.Main {
				continue
			}
			at := filepath.Join(path, filepath.FromSlash(main))
			if file := plainFile(at); file != "" {
				return file, nil
			}
			if file := plainFile(filepath.Join(at, "index")); file != "" {
				return file, nil
			}
		}
	}
	if file := plainFile(filepath.Join(path, "index")); file != "" {
		return file, nil
	}
	return "", errNotThere
}

// plainFile finds a path with an extension that may be left out. What is no
// folder is a file here: that it cannot be read is reported when it is.
func plainFile(path string) string {
	is := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && !info.IsDir()
	}
	if is(path) {
		return path
	}
	for _, ext := range extensions {
		if is(path + ext) {
			return path + ext
		}
	}
	ext := filepath.Ext(path)
	for _, other := range rewritten[ext] {
		if at := strings.TrimSuffix(path, ext) + other; is(at) {
			return at
		}
	}
	return ""
}

// read reads a file of the bundle, within the bounds of all.
func (s *finder) read(path string) (string, error) {
	data, err := disk.Read(path, MaxSource)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is gone", path)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(data))
	if s.files++; s.bytes > maxSources || s.files > maxInputs {
		return "", fmt.Errorf("the script imports more than %d MiB or %d files; import less", maxSources>>20, maxInputs)
	}
	return string(data), nil
}

func (s *finder) onLoad(a api.OnLoadArgs) (api.OnLoadResult, error) {
	s.mu.Lock()
	s.loaded = append(s.loaded, a.Path)
	s.mu.Unlock()
	if _, err := disk.Stat(a.Path); err != nil {
		return api.OnLoadResult{}, fmt.Errorf("%s cannot be read: %w", a.Path, disk.Cause(err))
	}
	if !s.data && isData(a.Path, a.With) && !inside(s.root, a.Path) {
		return api.OnLoadResult{}, outside(a.Path, s.root)
	}
	text, err := s.read(a.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	s.note(s.relative(a.Path), text)
	loader := api.LoaderDefault
	switch a.With["type"] {
	case "":
	case "json":
		loader = api.LoaderJSON
	case "text":
		loader = api.LoaderText
	case "bytes":
		loader = api.LoaderBinary
	default:
		return api.OnLoadResult{}, fmt.Errorf("importing with the type %q is not supported; json, text and bytes are", a.With["type"])
	}
	if loader == api.LoaderDefault && !s.plain {
		text = tame(a.Path, s.relative(a.Path), text)
	}
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}

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

// maxNames bounds how many words of a script's text are kept that may be variables.
const maxNames = 1 << 16

// note keeps the words of a file of the script's own that may be names of variables:
// those with a capital letter or an underscore.
func (s *finder) note(rel, text string) {
	if strings.Contains(filepath.ToSlash(rel), "node_modules/") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = AddNames(s.names, text)
}

// AddNames adds the words of a text that may be names of variables.
func AddNames(names map[string]bool, text string) map[string]bool {
	if names == nil {
		names = map[string]bool{}
	}
	for i := 0; i < len(text) && len(names) < maxNames; i++ {
		from, marked := i, false
		for ; i < len(text) && inName(text[i]); i++ {
			marked = marked || text[i] == '_' || 'A' <= text[i] && text[i] <= 'Z'
		}
		if word := text[from:i]; marked && len(word) < 256 && !names[word] {
			names[strings.Clone(word)] = true
		}
	}
	return names
}

func inName(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
