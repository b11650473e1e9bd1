package facts

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxManifest bounds what is read of one manifest or lock file.
const maxManifest = 512 << 10

// manifestFile is a file in which a project names its packages, and how.
type manifestFile struct {
	managers []string
	name     string
	pattern  string // its first group is a name
	re       *regexp.Regexp
}

var manifestFiles = sync.OnceValue(func() []manifestFile {
	npm, pip := []string{"npm"}, []string{"pip"}
	list := []manifestFile{
		{npm, "package.json", `(?m)^\s*"((?:@[\w.-]+/)?[\w.-]+)"\s*:\s*"(?:[\^~<>=*\d]|npm:|workspace:|latest|next|git|https?:|file:)`, nil},
		{npm, "package-lock.json", `"(?:[^"\n]*/)?node_modules/((?:@[\w.-]+/)?[\w.-]+)"\s*:`, nil},
		{npm, "yarn.lock", `(?m)^"?((?:@[\w.-]+/)?[\w.-]+)@`, nil},
		{npm, "pnpm-lock.yaml", `(?m)^\s+['"]?/?((?:@[\w.-]+/)?[\w.-]+)[@:]`, nil},
		{pip, "requirements.txt", `(?m)^([A-Za-z][\w.-]*)\s*(?:[\[=<>~!;#]|$)`, nil},
		{pip, "pyproject.toml", `(?m)(?:^\s*|["'])([A-Za-z][\w.-]*)\s*(?:\[[^\]"\n]*\])?\s*(?:[=<>~!]=|[<>]|=\s*["'{^~]|["'],?\s*$)`, nil},
		{pip, "poetry.lock", `(?m)^name = "([\w.-]+)"`, nil},
		{pip, "uv.lock", `(?m)^name = "([\w.-]+)"`, nil},
		{pip, "Pipfile", `(?m)^"?([A-Za-z][\w.-]*)"?\s*=`, nil},
		{[]string{"cargo"}, "Cargo.toml", `(?m)^([\w-]+)\s*(?:\.workspace)?\s*=`, nil},
		{[]string{"cargo"}, "Cargo.lock", `(?m)^name = "([\w-]+)"`, nil},
		{[]string{"go"}, "go.mod", `(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\d`, nil},
		{[]string{"gem"}, "Gemfile", `(?m)^\s*gem\s*\(?\s*['"]([\w.-]+)['"]`, nil},
		{[]string{"gem"}, "Gemfile.lock", `(?m)^ {4}([\w.-]+) \(`, nil},
		{[]string{"composer"}, "composer.json", `"([a-z0-9_.-]+/[a-z0-9_.-]+)"\s*:`, nil},
		{[]string{"composer"}, "composer.lock", `"name"\s*:\s*"([a-z0-9_.-]+/[a-z0-9_.-]+)"`, nil},
	}
	for i := range list {
		list[i].re = regexp.MustCompile(list[i].pattern)
	}
	return list
})

// namedPackages are the packages that the manifests and lock files of the line's folder,
// and of the project's top, name for a manager.
func (c buildCall) namedPackages(manager string) map[string]bool {
	if c.world.ReadFile == nil || len(c.st.dirs) != 1 || strings.ContainsRune(c.st.dirs[0], hole) {
		return nil
	}
	names := map[string]bool{}
	dirs := []string{c.st.dirs[0]}
	if top := c.world.project(); top != dirs[0] && under(dirs[0], top) {
		dirs = append(dirs, top)
	}
	for _, f := range manifestFiles() {
		if !slices.Contains(f.managers, manager) {
			continue
		}
		for _, dir := range dirs {
			b, err := c.world.ReadFile(path.Join(dir, f.name), maxManifest)
			if err != nil || !c.step() {
				continue
			}
			for _, m := range f.re.FindAllSubmatch(b[:min(len(b), maxManifest)], maxManifestNames) {
				names[packageName(manager, string(m[1]))] = true
			}
		}
	}
	return names
}

// maxManifestNames bounds the names that are taken from one file.
const maxManifestNames = 10000

// packageName is a name as its registry compares it.
func packageName(manager, name string) string {
	name = strings.ToLower(name)
	if manager == "pip" {
		name = pipHyphens.Replace(name)
	}
	return name
}

var pipHyphens = strings.NewReplacer("_", "-", ".", "-")

// nearNamed gives the package that another name is one slip away from: of those that the
// project names, or else a well-known one. What the project itself names is no slip.
func nearNamed(manager, name string, named map[string]bool) string {
	bare := packageName(manager, bareName(name))
	if named[bare] {
		return ""
	}
	near := ""
	for known := range named {
		if len(known) >= 5 && (near == "" || known < near) && oneSlip(known, bare) {
			near = known
		}
	}
	if near != "" {
		return near
	}
	return nearMiss(manager, name)
}
