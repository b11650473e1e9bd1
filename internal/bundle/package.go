package bundle

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

// choose returns the first path that the conditions allow.
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
