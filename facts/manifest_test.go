package facts

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// projectWith is a world in which the project has these files.
func projectWith(files map[string]string) World {
	return World{Dir: "/p", ReadFile: func(name string, n int) ([]byte, error) {
		text, ok := files[strings.TrimPrefix(path.Clean(name), "/p/")]
		if !ok || len(text) > n {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}}
}

// nears gives what the installed packages of a line are near to.
func nears(line string, w World) (near []string) {
	for _, f := range Shell(line, w) {
		if f.Does == "package" && f.What != "" {
			near = append(near, f.What)
		}
	}
	return near
}

func TestNamesNearThoseOfTheProject(t *testing.T) {
	for _, c := range []struct{ name, file, text, near, slip, named string }{
		{"package.json", "package.json", "{\n \"name\": \"x\",\n \"dependencies\": {\n  \"@acme/widget-core\": \"^1.0.0\",\n  \"framer-motion\": \"~11\"\n }\n}", "framer-motion", "npm i framer-moton", "npm i framer-motion"},
		{"package-lock.json", "package-lock.json", `{"packages": {"node_modules/is-plain-object": {"version": "5"}, "node_modules/a/node_modules/kind-of": {}}}`, "is-plain-object", "npm install is-plain-objects", "npm install is-plain-object@5"},
		{"yarn.lock", "yarn.lock", "\"@babel/core@^7.0.0\":\n  version \"7\"\n\nsemver-compare@^1:\n  version \"1\"\n", "semver-compare", "yarn add semver-compere", "yarn add semver-compare"},
		{"pnpm-lock.yaml", "pnpm-lock.yaml", "packages:\n  fast-deep-equal@3.1.3:\n    resolution: {}\n", "fast-deep-equal", "pnpm add fast-deep-eqal", "pnpm add fast-deep-equal"},
		{"requirements.txt", "requirements.txt", "# tools\nacme-client==1.2\nPyMuPDF>=1\n", "acme-client", "pip install acme-cilent", "pip install Acme_Client"},
		{"pyproject.toml", "pyproject.toml", "[project]\ndependencies = [\n  \"geopandas>=1\",\n  \"structlog\",\n]\n[tool.poetry.dependencies]\npython-slugify = \"^8\"\n", "structlog", "pip install structlgo", "pip install structlog"},
		{"poetry.lock", "poetry.lock", "[[package]]\nname = \"tenacity\"\n", "tenacity", "pip install tenacty", "pip install tenacity==8"},
		{"Cargo.toml", "Cargo.toml", "[dependencies]\nindexmap = \"2\"\nnom.workspace = true\n", "indexmap", "cargo add indxmap", "cargo add indexmap"},
		{"Cargo.lock", "Cargo.lock", "[[package]]\nname = \"hashbrown\"\nversion = \"1\"\n", "hashbrown", "cargo add hashbrwon", "cargo add hashbrown"},
		{"Gemfile", "Gemfile", "source 'https://rubygems.org'\ngem 'kaminari', '~> 1'\n", "kaminari", "gem install kamniari", "gem install kaminari"},
		{"composer.json", "composer.json", `{"require": {"league/flysystem": "^3"}}`, "league/flysystem", "composer require league/flysytem", "composer require league/flysystem"},
		{"go.mod", "go.mod", "module x\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n)\n", "github.com/spf13/cobra", "go get github.com/spf13/cobre", "go get github.com/spf13/cobra@latest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := projectWith(map[string]string{c.file: c.text})
			if got := nears(c.slip, w); len(got) != 1 || got[0] != "near "+c.near {
				t.Errorf("%s: got %q, want near %s", c.slip, got, c.near)
			}
			if got := nears(c.named, w); len(got) != 0 {
				t.Errorf("%s: got %q, want nothing", c.named, got)
			}
			if got := nears(c.slip, World{Dir: "/p"}); len(got) != 0 {
				t.Errorf("%s without the file: got %q", c.slip, got)
			}
		})
	}
}

// What the project names is no slip, even if a well-known name is near.
func TestNamesOfTheProjectPass(t *testing.T) {
	const line = "npm i expres"
	if got := nears(line, World{Dir: "/p"}); len(got) != 1 {
		t.Fatalf("got %q", got)
	}
	w := projectWith(map[string]string{"package.json": "{\"dependencies\": {\n\"expres\": \"^1.0.0\"\n}}"})
	if got := nears(line, w); len(got) != 0 {
		t.Errorf("got %q, want nothing: the manifest names it", got)
	}
	w.Dir, w.Project = "/p/sub", "/p"
	if got := nears(line, w); len(got) != 0 {
		t.Errorf("below the project's top: got %q, want nothing", got)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add("package.json", "{\"dependencies\": {\n\"a\": \"^1\"\n}}", "npm i ab")
	f.Add("go.mod", "require github.com/a/b v1", "go get github.com/a/c")
	f.Fuzz(func(_ *testing.T, name, text, line string) {
		nears(line, projectWith(map[string]string{name: text}))
	})
}
