package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

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
		return fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
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
