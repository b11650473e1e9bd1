package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// packageFile is what a package.json says of imports.
type packageFile struct {
	dir         string
	Name        string
	Main        string
	Module      string
	Exports     *branch
	Imports     *branch
	SideEffects any
}

// pure reports whether a file may be left out of which nothing is used.
func (p *packageFile) pure() bool { return p.SideEffects == false }

// packageIn reads the package.json of a folder, or gives nil. One that cannot be
// read says nothing.
func (s *finder) packageIn(dir string) *packageFile {
	if p, known := s.packages[dir]; known {
		return p
	}
	if s.packages == nil {
		s.packages = map[string]*packageFile{}
	}
	s.packages[dir] = nil
	data, err := disk.Read(filepath.Join(dir, "package.json"), maxSetting)
	if err != nil {
		return nil
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	p := &packageFile{dir: dir}
	for name, to := range map[string]any{"name": &p.Name, "main": &p.Main, "module": &p.Module, "exports": &p.Exports, "imports": &p.Imports, "sideEffects": &p.SideEffects} {
		_ = json.Unmarshal(raw[name], to) // of another type, it says nothing
	}
	s.packages[dir] = p
	return p
}

// packageOf is the nearest package.json from a folder upwards.
func (s *finder) packageOf(dir string) *packageFile {
	for ; ; dir = filepath.Dir(dir) {
		if p := s.packageIn(dir); p != nil || dir == filepath.Dir(dir) || filepath.Base(dir) == "node_modules" {
			return p
		}
	}
}

// branch is a value under exports or imports: a path, choices in order, or names
// with values in order.
type branch struct {
	path  string
	list  []*branch
	names []string
	under []*branch
}

// UnmarshalJSON keeps the order of names.
func (b *branch) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &b.path)
	case '[':
		return json.Unmarshal(data, &b.list)
	case '{':
		var values map[string]*branch
		if err := json.Unmarshal(data, &values); err != nil {
			return err
		}
		d := json.NewDecoder(strings.NewReader(string(data)))
		_, _ = d.Token()
		for d.More() {
			t, err := d.Token()
			name, ok := t.(string)
			if err != nil || !ok {
				return errors.New("it is not an object")
			}
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return err
			}
			b.names, b.under = append(b.names, name), append(b.under, values[name])
		}
	}
	return nil
}

// exported finds a file that a package gives under a name: . or ./x of exports,
// #x of imports.
func (s *finder) exported(p *packageFile, from *branch, name string, required bool) (string, error) {
	if from == nil {
		return "", errNotThere
	}
	conditions := []string{"module", "default", "import"}
	if required {
		conditions[2] = "require"
	}
	s.chosen = append(s.chosen, p)
	if s.node {
		conditions[0] = "node"
		conditions = append(conditions, s.more...)
	}
	target := ""
	if isSubpaths := len(from.names) > 0 && (strings.HasPrefix(from.names[0], ".") || strings.HasPrefix(from.names[0], "#")); isSubpaths {
		target = from.match(name, conditions)
	} else if name == "." {
		target = from.choose(conditions, "")
	}
	switch {
	case target == "":
		return "", fmt.Errorf("%w: %s exports no %s", errNotThere, p.Name, name)
	case strings.HasPrefix(target, "./"):
		at := filepath.Join(p.dir, filepath.FromSlash(target))
		if !disk.Inside(p.dir, at) {
			return "", errNotThere
		}
		if info, err := os.Stat(at); err == nil && !info.IsDir() {
			return at, nil
		}
		return s.file(at)
	case strings.HasPrefix(name, "#"):
		return s.fromPackage(p.dir, target, required)
	}
	return "", errNotThere
}

// match finds the value of a subpath: the same name, or the longest pattern.
func (b *branch) match(name string, conditions []string) string {
	if i := slices.Index(b.names, name); i >= 0 {
		return b.under[i].choose(conditions, "")
	}
	best, star := -1, ""
	for i, pattern := range b.names {
		before, after, ok := strings.Cut(pattern, "*")
		if ok && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) && (best < 0 || len(pattern) > len(b.names[best])) {
			best, star = i, name[len(before):len(name)-len(after)]
		}
	}
	if best < 0 || slices.Contains(strings.Split(star, "/"), "..") {
		return ""
	}
	return b.under[best].choose(conditions, star)
}

// choose gives the first path that the conditions allow.
func (b *branch) choose(conditions []string, star string) string {
	switch {
	case b == nil:
		return ""
	case b.path != "":
		return strings.ReplaceAll(b.path, "*", star)
	}
	for _, one := range b.list {
		if path := one.choose(conditions, star); path != "" {
			return path
		}
	}
	for i, name := range b.names {
		if slices.Contains(conditions, name) {
			if path := b.under[i].choose(conditions, star); path != "" {
				return path
			}
		}
	}
	return ""
}

// tsconfig is what a tsconfig.json, with those that it extends, says of a bundle.
type tsconfig struct {
	options map[string]json.RawMessage
	base    string // where baseUrl is; ""
	paths   map[string][]string
	from    string // where paths start from
}

// readTSConfig reads the tsconfig.json nearest to a folder.
func (s *finder) readTSConfig(dir string) error {
	s.config = &tsconfig{options: map[string]json.RawMessage{}}
	for ; ; dir = filepath.Dir(dir) {
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			path := filepath.Join(dir, name)
			if _, err := os.Lstat(path); err == nil {
				return s.config.extend(path, 0)
			}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// maxExtends bounds how many files one extends.
const maxExtends = 16

func (c *tsconfig) extend(path string, depth int) error {
	if depth > maxExtends {
		return fmt.Errorf("%s: more than %d files extend each other", path, maxExtends)
	}
	data, err := disk.Read(path, maxSetting)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, cause(err))
	}
	var file struct {
		Extends         json.RawMessage
		CompilerOptions map[string]json.RawMessage
	}
	if err := json.Unmarshal(withoutComments(data), &file); err != nil {
		return fmt.Errorf("%s is not JSON: %w", path, err)
	}
	for _, name := range extended(file.Extends) {
		if at := extendedFile(filepath.Dir(path), name); at != "" {
			if err := c.extend(at, depth+1); err != nil {
				return err
			}
		}
	}
	for name, value := range file.CompilerOptions {
		switch name {
		case "baseUrl":
			var base string
			if json.Unmarshal(value, &base) == nil {
				c.base = filepath.Join(filepath.Dir(path), filepath.FromSlash(base))
			}
		case "paths":
			c.paths = nil
			_ = json.Unmarshal(value, &c.paths) // what is wrong with it says nothing
			c.from = filepath.Dir(path)
		case "alwaysStrict", "strict", "target", "experimentalDecorators", "useDefineForClassFields", "verbatimModuleSyntax",
			"importsNotUsedAsValues", "preserveValueImports", "jsx", "jsxFactory", "jsxFragmentFactory", "jsxImportSource":
			c.options[name] = value
		}
	}
	return nil
}

func extended(value json.RawMessage) []string {
	var one string
	var many []string
	if json.Unmarshal(value, &one) == nil && one != "" {
		return []string{one}
	}
	_ = json.Unmarshal(value, &many)
	return many[:min(len(many), maxExtends)]
}

// extendedFile finds what a tsconfig.json extends: a file, or one of a package.
func extendedFile(dir, name string) string {
	find := func(path string) string {
		for _, at := range []string{path, path + ".json", filepath.Join(path, "tsconfig.json")} {
			if info, err := os.Stat(at); err == nil && !info.IsDir() {
				return at
			}
		}
		return ""
	}
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return find(path)
	}
	for ; ; dir = filepath.Dir(dir) {
		if at := find(filepath.Join(dir, "node_modules", filepath.FromSlash(name))); at != "" || dir == filepath.Dir(dir) {
			return at
		}
	}
}

// raw is the part that esbuild reads.
func (c *tsconfig) raw() string {
	text, _ := json.Marshal(map[string]any{"compilerOptions": c.options}) // of values that were read
	return string(text)
}

// candidates are the files that an import may mean by paths and baseUrl.
func (c *tsconfig) candidates(name string) []string {
	var out []string
	start := c.from
	if c.base != "" {
		start = c.base
	}
	best, star := "", ""
	for pattern := range c.paths {
		before, after, ok := strings.Cut(pattern, "*")
		switch {
		case pattern == name:
			best, star = pattern, ""
		case ok && best != name && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) && len(pattern) > len(best):
			best, star = pattern, name[len(before):len(name)-len(after)]
		}
	}
	if targets, ok := c.paths[best]; ok {
		for _, target := range targets[:min(len(targets), maxExtends)] {
			path := filepath.FromSlash(strings.Replace(target, "*", star, 1))
			if !filepath.IsAbs(path) {
				path = filepath.Join(start, path)
			}
			out = append(out, path)
		}
	}
	if c.base != "" {
		out = append(out, filepath.Join(c.base, filepath.FromSlash(name)))
	}
	return out
}

// withoutComments makes JSON of what tsconfig.json may be: with comments, and with
// a comma behind the last entry.
func withoutComments(data []byte) []byte {
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == '"':
			end := i + 1
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(data)-1)
			out = append(out, data[i:end+1]...)
			i = end
		case strings.HasPrefix(string(data[i:min(i+2, len(data))]), "//"):
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case strings.HasPrefix(string(data[i:min(i+2, len(data))]), "/*"):
			end := strings.Index(string(data[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case data[i] == '}' || data[i] == ']':
			for n := len(out); n > 0 && strings.IndexByte(" \t\r\n,", out[n-1]) >= 0; n-- {
				if out[n-1] == ',' {
					out = append(out[:n-1], out[n:]...)
					break
				}
			}
			out = append(out, data[i])
		default:
			out = append(out, data[i])
		}
	}
	return out
}
