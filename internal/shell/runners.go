package shell

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// runner is a program that runs, or takes to be done, what files with names of their own
// say: those are looked for where it runs, and in each folder that its words name.
type runner struct {
	files string // their names, or patterns of them; ** is all below a folder
	above bool   // folders above are looked through, too
	fixed bool   // it runs nothing of its own choice beside them
}

const scripts = "package.json .npmrc .yarnrc.yml pnpm-workspace.yaml *.config.* .*rc.js .*rc.cjs"

// runners are such programs by their names.
var runners = sync.OnceValue(func() map[string]runner {
	all := map[string]runner{}
	for names, r := range alike {
		for _, name := range strings.Fields(names) {
			all[name] = r
		}
	}
	return all
})

// alike are programs that look for the same files.
var alike = map[string]runner{
	"just":                      {files: "justfile Justfile .justfile *.just", above: true},
	"make gmake":                {files: "GNUmakefile makefile Makefile"},
	"task go-task":              {files: "Taskfile.* taskfile.*", above: true},
	"mage":                      {files: "magefiles/**/*.go *.go"},
	"rake thor cap":             {files: "Rakefile rakefile Rakefile.rb *.rake lib/tasks/**/*.rake rakelib/*.rake Thorfile Capfile Gemfile", above: true},
	"bundle bundler":            {files: "Gemfile *.gemspec .bundle/config", above: true},
	"invoke inv":                {files: "tasks.py tasks/**/*.py invoke.*", above: true},
	"fab":                       {files: "fabfile.py fabfile/**/*.py", above: true},
	"tox nox hatch pdm poetry":  {files: "tox.ini setup.cfg setup.py noxfile.py pyproject.toml hatch.toml pdm.toml", above: true},
	"uv pipenv pip rye pixi":    {files: "pyproject.toml uv.toml setup.py setup.cfg Pipfile pixi.toml", above: true},
	"pytest":                    {files: "**/conftest.py **/test_*.py **/*_test.py pytest.ini pyproject.toml tox.ini setup.cfg"},
	"scons":                     {files: "SConstruct **/SConscript"},
	"npm npx yarn pnpm pnpx":    {files: scripts, above: true},
	"bun bunx":                  {files: scripts + " bunfig.toml", above: true},
	"deno":                      {files: "deno.json deno.jsonc package.json", above: true},
	"gulp grunt jake":           {files: "gulpfile.* Gulpfile.* gulpfile.js/** Gruntfile.* gruntfile.* Jakefile* package.json", above: true},
	"vite vitest webpack":       {files: scripts, above: true},
	"rollup esbuild parcel":     {files: scripts, above: true},
	"jest mocha karma ava":      {files: scripts + " **/*.test.* **/*.spec.*", above: true},
	"playwright cypress wdio":   {files: scripts + " **/*.spec.* **/*.cy.*", above: true},
	"eslint prettier stylelint": {files: scripts, above: true},
	"next nuxt astro remix ng":  {files: scripts + " angular.json", above: true},
	"nx turbo lerna tsup":       {files: scripts + " nx.json turbo.json lerna.json **/project.json", above: true},
	"composer":                  {files: "composer.json", above: true},
	"cargo":                     {files: "**/*.rs **/Cargo.toml .cargo/config.toml .cargo/config Cargo.toml Makefile.toml", above: true},
	"go":                        {files: "**/*.go go.mod go.work", above: true},
	"mvn mvnw":                  {files: "pom.xml **/pom.xml .mvn/**", above: true},
	"gradle gradlew":            {files: "**/*.gradle **/*.gradle.kts gradle.properties gradle/** buildSrc/**", above: true},
	"ant":                       {files: "build.xml *.xml"},
	"sbt":                       {files: "*.sbt project/**"},
	"mill":                      {files: "build.sc build.mill"},
	"lein clj clojure boot":     {files: "project.clj deps.edn build.boot"},
	"mix":                       {files: "mix.exs config/*.exs lib/mix/**/*.ex"},
	"rebar3":                    {files: "rebar.config"},
	"dotnet msbuild":            {files: "**/*.csproj **/*.fsproj *.sln **/Directory.Build.* **/*.cs **/*.targets **/*.props", above: true},
	"swift":                     {files: "Package.swift **/*.swift"},
	"zig":                       {files: "build.zig **/*.zig"},
	"stack cabal":               {files: "*.cabal stack.yaml cabal.project Setup.hs"},
	"cmake ctest":               {files: "**/CMakeLists.txt **/*.cmake CMakePresets.json Makefile build.ninja CTestTestfile.cmake"},
	"ninja samu":                {files: "build.ninja *.ninja"},
	"meson":                     {files: "**/meson.build meson_options.txt"},
	"bazel bazelisk buck2":      {files: "**/BUILD **/BUILD.bazel **/*.bzl **/BUCK WORKSPACE* MODULE.bazel .bazelrc", above: true},
	"docker podman nerdctl":     {files: "Dockerfile Containerfile compose*.yml compose*.yaml docker-compose*.yml docker-compose*.yaml docker-bake.* .env", above: true},
	"docker-compose":            {files: "compose*.yml compose*.yaml docker-compose*.yml docker-compose*.yaml .env", above: true},
	"skaffold tilt devspace":    {files: "skaffold.yaml Tiltfile devspace.yaml"},
	"vagrant":                   {files: "Vagrantfile", above: true},
	"pre-commit":                {files: ".pre-commit-config.yaml .git/hooks/*", above: true},
	"husky":                     {files: ".husky/* package.json", above: true},
	"lefthook overcommit":       {files: "lefthook*.yml .lefthook*.yml .lefthook/** .overcommit.yml", above: true},
	"lint-staged":               {files: scripts, above: true},
	"mise asdf rtx":             {files: "mise.toml .mise.toml mise.*.toml mise-tasks/** .mise/** .tool-versions", above: true},
	"direnv":                    {files: ".envrc", above: true},
	"nix nix-shell nix-build":   {files: "flake.nix shell.nix default.nix", above: true},
	"dagger earthly act":        {files: "dagger.json Earthfile .github/workflows/*"},
	"foreman overmind honcho":   {files: "Procfile* .env"},
	"pm2":                       {files: "*.config.*"},
	"watchexec entr air":        {files: ".air.toml"},
	"ansible-playbook":          {files: "ansible.cfg *.yml *.yaml roles/** group_vars/** host_vars/**"},
	"terraform tofu terragrunt": {files: "*.tf *.tf.json *.tfvars *.hcl modules/**/*.tf", fixed: true},
	"pulumi cdk serverless sls": {files: "Pulumi.* cdk.json serverless.* package.json"},
	"kubectl oc kustomize":      {files: "kustomization.*", fixed: true},
	"helm helmfile":             {files: "Chart.yaml values.yaml templates/** helmfile.*", fixed: true},
	"rails":                     {files: "Gemfile Rakefile config/** db/migrate/**", above: true},
	"flask":                     {files: "*.py .flaskenv .env"},
	"prisma":                    {files: "prisma/** package.json", above: true},
	"tmux screen zellij":        {}, // their words are lines
	"dtach abduco concurrently": {},
	"psql mysql mariadb patch":  {fixed: true},
	"sqlite3 duckdb mongosh":    {fixed: true},
	"git":                       {files: ".git/hooks/* .husky/* .husky/_/*", above: true, fixed: true},
}

// Bounds of what is looked at for one line.
const (
	mostChosen  = 200    // texts of such files
	mostLookups = 10_000 // names that are tried
)

// chosen are the files that decide what a line runs: by the names that its programs look
// for, and by those that stand in such a file.
type chosen struct {
	*analysis
	here    []string // where the line runs
	folders []string // and those that are named
	runners []string
	loosely bool            // the runners run more than their files say
	done    map[string]bool // runners, each in a folder; files; words, each from a folder
	lists   map[string][]string
	lookups int
	texts   int  // above 0 in what a file says
	reads   int  // texts that were read
	data    bool // words are those of data: no program is named there
}

// decides notes the files that decide what a program does.
func (a *analysis) decides(name string, args []arg) {
	if !a.Chosen || a.List == nil || a.Open == nil || a.full {
		return
	}
	r, known := runners()[name]
	if in, ok := interpreters[name]; ok && !known {
		name, args = asRunner(in, args)
		r, known = runners()[name]
	}
	switch {
	case known:
	case name == "" || isPath(name) || a.isData(name) || programs[name] != nil && outputs[name] == "":
		args = nil
	default: // nobody knows what it makes of the files that it is given
		r = runner{files: name + ".* ." + name + "* ." + name + "/config*", above: true, fixed: true}
	}
	if a.input != nil && (known || !a.isData(name)) {
		args = slices.Concat(args, a.input.files)
	}
	if a.choice == nil {
		a.choice = &chosen{analysis: a, done: map[string]bool{}, lists: map[string][]string{}}
	}
	a.choice.decides(name, r, args)
}

// asRunner is the runner that an interpreter is to be, with what follows: python -m pytest.
func asRunner(in interpreter, args []arg) (string, []arg) {
	for i, g := range args {
		switch {
		case g.text == "--run" && in.language != "python":
			return "npm", args[i+1:]
		case in.module != "" && containsWord(in.module, g.text) && i+1 < len(args) && runners()[args[i+1].text].files != "":
			return args[i+1].text, args[i+2:]
		}
	}
	return "", nil
}

func (c *chosen) decides(name string, r runner, args []arg) {
	here := slices.Concat(c.from(""), c.Dirs)
	for _, dir := range here {
		c.here, c.folders = added(c.here, dir), added(c.folders, dir)
	}
	_, known := runners()[name]
	c.data, c.loosely = !known || r.fixed, known && !r.fixed
	if known {
		c.runners = added(c.runners, name)
	} else if r.files != "" {
		for _, dir := range here {
			c.finds("its own "+name, r, dir)
		}
	}
	for _, g := range args {
		c.words(g.text, here)
	}
	c.data = false
	for i := 0; i < len(c.runners); i++ { // more come meanwhile, and more folders
		for k := 0; k < len(c.folders); k++ {
			c.finds(c.runners[i], runners()[c.runners[i]], c.folders[k])
		}
	}
}

func added(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// finds notes what a runner finds in a folder.
func (c *chosen) finds(name string, r runner, dir string) {
	key := "runs " + name + "\x00" + dir
	if c.done[key] {
		return
	}
	c.done[key] = true
	for _, file := range strings.Fields(r.files) {
		c.look(file, dir, r.above)
	}
	if c.loosely && !r.fixed {
		c.loose(name)
	}
}

// names are those in a folder; nil if it is none.
func (c *chosen) names(dir string) []string {
	list, ok := c.lists[dir]
	if !ok {
		list, _ = c.List(dir) // what cannot be listed has no names
		c.lists[dir] = list
	}
	return list
}

// isFolder reports whether a folder is there.
func (c *chosen) isFolder(path string) bool {
	_, err := c.List(path)
	return err == nil
}

// look notes the files of a pattern in a folder, and in those above.
func (c *chosen) look(pattern, dir string, above bool) {
	if head, match, tree := strings.Cut("/"+pattern, "/**"); tree {
		if in := filepath.Join(dir, head); c.isFolder(in) {
			c.tell(&c.out.Sources, "s", Name{Path: in, Word: in, Tree: true, Match: strings.TrimPrefix(match, "/")})
		}
		return
	}
	folder, base := filepath.Split(filepath.FromSlash(pattern))
	for {
		in := filepath.Join(dir, folder)
		for _, name := range c.names(in) {
			if Matches(base, name) && (name[0] != '.' || base[0] == '.') {
				c.file(filepath.Join(in, name), dir)
			}
		}
		up := filepath.Dir(dir)
		if !above || up == dir {
			return
		}
		dir = up
	}
}

// file notes a file, if it is there, and what its text names.
func (c *chosen) file(path, from string) bool {
	key := "file " + path
	if c.done[key] {
		return true
	}
	if strings.HasSuffix(path, ".sample") { // git's own, which it does not run
		return false
	}
	if c.lookups++; c.lookups > mostLookups {
		c.out.More = true
		return false
	}
	data, err := c.Open(path)
	if err != nil {
		return false
	}
	c.done[key] = true
	n := Name{Path: path, Word: path}
	c.tell(&c.out.Sources, "s", n)
	if slices.Contains(data[:min(len(data), 256)], 0) || !says(path) {
		return true
	}
	if c.reads++; c.reads > mostChosen {
		c.out.More = true
		return true
	}
	switch in, ok := byEnding[filepath.Ext(path)]; {
	case ok:
		c.loads(in, n)
	default:
		c.texts++
		c.words(string(data), added([]string{from}, filepath.Dir(path)))
		c.texts--
	}
	return true
}

// byEnding are the interpreters of files whose modules are found by what they load.
var byEnding = map[string]interpreter{".py": python, ".js": node, ".mjs": node, ".cjs": node, ".ts": node, ".mts": node, ".cts": node, ".rb": interpreters["ruby"]}

// says reports whether a file may say what else runs: the sources of compilers do not, nor
// what is there for people.
func says(path string) bool {
	switch ext := filepath.Ext(path); ext {
	case ".go", ".rs", ".java", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".kt", ".scala", ".zig", ".ex", ".md", ".txt", ".rst", ".html", ".css", ".svg", ".csv", ".sum", ".lock", ".mod", ".work", ".sql":
		return false
	default:
		return !strings.Contains(filepath.Base(path), "-lock.")
	}
}

// within is above 0 for what lies in one of some folders, below 0 for what one of them lies
// in, and 0 for others. All that lies in a folder above is much, and not the line's own.
func within(place string, folders []string) int {
	for _, dir := range folders {
		if rel, err := filepath.Rel(dir, place); err == nil && filepath.IsLocal(rel) {
			return 1
		}
		if rel, err := filepath.Rel(place, dir); err == nil && filepath.IsLocal(rel) {
			return -1
		}
	}
	return 0
}

// words notes what a text names: files, folders, and other runners.
func (c *chosen) words(text string, from []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r < 0x80 && r != '\\' && (isSeparator(byte(r)) || strings.ContainsRune(":[]", r))
	}) {
		word = strings.TrimLeft(word, "@-+!")
		if _, ok := runners()[word]; ok && !c.data {
			c.runners = added(c.runners, word)
		}
		if word == "" || word == "." || len(word) > 1024 {
			continue
		}
		for _, dir := range from {
			if key := "word " + word + "\x00" + dir; !c.done[key] {
				c.done[key] = true
				c.word(word, dir)
			}
		}
	}
}

// word notes what a word may name, from a folder. What follows a variable may go on from
// there, too.
func (c *chosen) word(word, dir string) {
	if filepath.IsAbs(word) {
		c.place(word, string(filepath.Separator), strings.TrimLeft(word, "/"))
	}
	word = strings.TrimLeft(word, "/")
	c.place(Under(dir, word), dir, word)
}

// place notes what lies at a path: a folder, and a name from there.
func (c *chosen) place(path, dir, name string) {
	first, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(name), "./"), "/")
	switch {
	case hasMeta(name):
		if !strings.Contains(name, "**") && !filepath.IsAbs(name) && !hasMeta(filepath.Dir(name)) {
			c.look(name, dir, false)
		}
	case first != ".." && !slices.Contains(c.names(dir), first): // nearly always
	case c.file(path, dir) || len(c.folders) >= maxValues || slices.Contains(c.folders, path):
	case within(path, c.here) < 0 || c.texts > 0 && within(path, c.here) == 0:
	case c.isFolder(path):
		c.folders = append(c.folders, path)
	}
}
