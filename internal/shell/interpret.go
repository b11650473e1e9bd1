package shell

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// shells run lines and scripts in the language that is read here.
var shells = []string{"sh", "bash", "dash", "ksh", "mksh", "zsh", "ash", "rbash", "busybox", "yash"}

// interpreter is a program that runs a script.
type interpreter struct {
	language string   // in which it is read, if it can be
	valued   string   // options whose value is the next word
	code     string   // options with code as value
	load     string   // options with files or modules to be loaded
	module   string   // options with a module that is run in place of a script
	folder   string   // options with folders where modules are
	endings  []string // that may be added to the name of a module
	verbs    string   // operands before the script
	loose    string   // operands that run what they choose
}

var node = interpreter{
	language: "javascript",
	valued:   "-e --eval -p --print -r --require --import --loader --experimental-loader -C --conditions --env-file --input-type --title --preload --config -c",
	code:     "-e --eval -p --print", load: "-r --require --import --loader --experimental-loader --env-file --preload --config -c",
	endings: []string{".js", ".cjs", ".mjs", ".ts", ".mts", ".cts", ".tsx", ".json", "/index.js", "/index.ts", "/index.mts", "/index.mjs", "/index.cjs", "/package.json"},
	verbs:   "run test watch",
}

// choosing is an interpreter with operands that run what they choose.
func choosing(in interpreter, loose string) interpreter {
	in.loose = loose
	return in
}

var python = interpreter{
	language: "python",
	valued:   "-c -m -W -X --check-hash-based-pycs", code: "-c", module: "-m",
	endings: []string{".py", "/__main__.py", "/__init__.py", ".so", ".abi3.so", ".pyc"},
}

var luaLike = interpreter{language: "lua", valued: "-e -l", code: "-e", load: "-l", endings: []string{".lua", "/init.lua"}}

// interpreters by their names without a version.
var interpreters = map[string]interpreter{
	"node": node, "nodejs": node, "deno": choosing(node, "task x"), "bun": choosing(node, "x"), "tsx": node, "ts-node": node,
	"python": python, "pypy": python, "py": python,
	"uv":   {language: "python", valued: "-m --module --with --python -p", module: "-m --module", endings: python.endings, verbs: "run", loose: "x tool"},
	"ruby": {language: "ruby", valued: "-e -r -I -C -E -x", code: "-e", load: "-r", folder: "-I", endings: []string{".rb"}},
	"perl": {language: "perl", valued: "-e -E -I -M -m", code: "-e -E", load: "-M -m", folder: "-I", endings: []string{".pm", ".pl"}},
	"php":  {language: "php", valued: "-r -f -c -d -z -B -R -F -E", code: "-r -B -R -E", load: "-f -c -z -F"},
	"lua":  luaLike, "luajit": luaLike, "texlua": luaLike,
	"pwsh":       {language: "powershell", valued: "-c -Command -File -f -ExecutionPolicy", code: "-c -Command", load: "-File -f"},
	"powershell": {language: "powershell", valued: "-c -Command -File -f -ExecutionPolicy", code: "-c -Command", load: "-File -f"},
	"fish":       {language: "fish", valued: "-c -C --command --init-command", code: "-c -C --command --init-command"},
	"awk":        {language: "awk", valued: "-f -v -F -i -l -e -E --file --include --source --exec", code: "-e --source", load: "-f --file -i --include -l -E --exec"},
	"gawk":       {language: "awk", valued: "-f -v -F -i -l -e -E --file --include --source --exec", code: "-e --source", load: "-f --file -i --include -l -E --exec"},
	"mawk":       {language: "awk", valued: "-f -v -F", load: "-f"},
	"osascript":  {valued: "-e -l", code: "-e"},
	"Rscript":    {language: "r", valued: "-e", code: "-e"}, "julia": {language: "julia", valued: "-e -E -L -p", code: "-e -E", load: "-L"},
	"php-cgi": {language: "php"}, "tclsh": {language: "tcl"}, "wish": {language: "tcl"}, "expect": {language: "tcl", valued: "-c -f", load: "-f"}, "guile": {valued: "-c -l -e -s", load: "-l -s"},
}

// asked is a call of an interpreter, taken apart.
type asked struct {
	loads, folders, codes []arg
	script, changes       bool // it runs a script; it edits what it is given
}

// interpret looks at a call of an interpreter.
func (a *analysis) interpret(in interpreter, name string, args []arg) {
	search := a.search
	defer func() { a.search = search }()
	c := asked{script: true}
	operands := a.interpreted(in, name, args, &c)
	for _, f := range c.folders {
		for _, n := range a.places(f) {
			a.search = append(a.search, n.Path)
		}
	}
	for _, l := range c.loads {
		a.load(in, l, c.folders)
	}
	a.configured(name)
	for len(operands) > 0 && c.script && containsWord(in.verbs, operands[0].text) {
		operands = options(operands[1:], in.valued, func(_ string, val *arg) {
			if val != nil {
				a.load(in, *val, nil)
			}
		})
	}
	switch {
	case !c.script:
	case len(operands) == 0:
		if len(c.loads) == 0 && !asksVersion(args) {
			a.standardInput(name, false)
		}
	case operands[0].text == "-" && operands[0].known:
		a.standardInput(name, false)
		operands = operands[1:]
	case containsWord(in.loose, operands[0].text):
		a.loose(name + " " + operands[0].text)
	case !strings.HasSuffix(name, "awk"):
		a.runScript(operands[0], operands[1:], false)
		for _, n := range a.places(operands[0]) {
			a.loads(in, n, operands[1:]...)
		}
		a.module(in, operands[0])
	case len(c.loads) == 0 && len(c.codes) == 0: // awk's first operand is its code
		c.codes, operands = operands[:1], operands[1:]
	}
	for _, text := range c.codes {
		a.codeArg(in, text, operands)
	}
	a.given(in, operands)
	for _, g := range operands {
		if c.changes { // perl -pi -e …
			a.writes(g)
		}
	}
}

// interpreted reads the options of an interpreter, and gives its operands.
func (a *analysis) interpreted(in interpreter, name string, args []arg, c *asked) []arg {
	has := func(list, option string) bool { return option != "" && containsWord(list, option) }
	return options(args, in.valued, func(option string, val *arg) {
		switch {
		case (option == "-i" || strings.HasPrefix(option, "-i.")) && (name == "perl" || name == "ruby"):
			c.changes = true
		case val == nil:
		case has(in.code, option):
			c.script = false
			c.codes = append(c.codes, *val)
		case has(in.module, option):
			c.script = false
			a.search = append(a.search, a.from(".")...)
			if !a.module(in, *val) {
				a.loose(name + " -m")
			}
		case has(in.load, option):
			c.loads = append(c.loads, *val)
		case has(in.folder, option):
			c.folders = append(c.folders, *val)
			a.sources(*val)
		default:
			a.reads(*val)
		}
	})
}

// given are the arguments of a program that was read: what it loads of them was told, and
// all else is data to it.
func (a *analysis) given(in interpreter, operands []arg) {
	if a.Code != nil && in.language != "" {
		a.data++
		defer func() { a.data-- }()
	}
	a.readAll(operands)
}

// codeArg looks at code that an interpreter is given as an argument.
func (a *analysis) codeArg(in interpreter, text arg, given []arg) {
	if !text.known {
		a.unknown(text.src, "what runs is not in the text")
	}
	a.given(in, []arg{text})
	a.program(in, text.text, Name{Word: text.src}, given)
	a.expansions(text.text)
}

func asksVersion(args []arg) bool {
	return len(args) == 1 && strings.HasPrefix(args[0].text, "-")
}

func containsWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// load notes what an option loads: a file, or a module in one of some folders.
func (a *analysis) load(in interpreter, g arg, folders []arg) {
	if !g.known {
		a.unknown(g.src, "what is loaded is not in the text")
	}
	a.sources(g)
	a.module(in, g)
	for _, n := range a.places(g) {
		a.loads(in, n)
	}
	if in.language == "javascript" && !isPath(g.text) && g.known {
		l := loader{analysis: a, in: in}
		l.packaged(g.text, g.src, l.own())
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(g.text, "::", "/"), "=")
	for _, f := range folders {
		for _, ending := range append([]string{""}, in.endings...) {
			file := arg{value: value{text: strings.TrimRight(f.text, "/") + "/" + name + ending}, known: g.known && f.known, src: g.src}
			a.sources(file)
			for _, n := range a.places(file) {
				a.loads(in, n)
			}
		}
	}
}

// module notes the files that the name of a module may mean, and reports whether one
// of them is there.
func (a *analysis) module(in interpreter, g arg) bool {
	if !g.known || g.text == "" || g.glob {
		return false
	}
	found := false
	names := []string{strings.TrimRight(g.text, "/")}
	if in.language == "python" && !isPath(g.text) && g.text != "." {
		names = packages(g.text)
	}
	for _, name := range names {
		for _, ending := range in.endings {
			for _, dir := range a.from(name) {
				n := Name{Path: Under(dir, name+ending), Word: g.src}
				a.tell(&a.out.Sources, "s", n)
				if a.Open == nil {
					continue
				}
				if data, err := a.Open(n.Path); err == nil {
					found = true
					a.entered(in, n, data)
				}
			}
		}
	}
	return found
}

// entered looks at a module that is there: at what it loads, and of a package of
// JavaScript at the file that it names as its main one.
func (a *analysis) entered(in interpreter, n Name, data []byte) {
	key := "module " + n.Path
	if a.told[key] {
		return
	}
	a.told[key] = true
	if filepath.Base(n.Path) == "package.json" {
		var pack struct{ Main string }
		if json.Unmarshal(data, &pack) == nil && pack.Main != "" {
			main := filepath.Join(filepath.Dir(n.Path), filepath.FromSlash(pack.Main))
			a.module(in, arg{value: value{text: main}, known: true, src: n.Word})
			a.tell(&a.out.Sources, "s", Name{Path: main, Word: n.Word})
			a.loads(in, Name{Path: main, Word: n.Word})
		}
		return
	}
	a.loads(in, n)
}

// runShell looks at a call of a shell.
func runShell(a *analysis, name string, args []arg) {
	if name == "busybox" {
		if len(args) > 0 {
			a.call(args)
		}
		return
	}
	code, stdin := false, false
	operands := options(args, "-o +o -O +O --rcfile --init-file", func(option string, val *arg) {
		switch {
		case option == "-c":
			code = true
		case option == "-s":
			stdin = true
		case (option == "--rcfile" || option == "--init-file") && val != nil:
			a.sourced(*val)
		}
	})
	switch {
	case code && len(operands) > 0:
		if len(operands) > 1 {
			a.setParams(operands[2:])
			a.readAll(operands[1:])
		}
		a.child(func() { a.line(operands[0]) })
	case len(operands) > 0 && !stdin:
		a.runScript(operands[0], operands[1:], true)
		if a.wasRead(operands[0]) { // what it does with them was told
			a.asData(operands[1:])
		} else {
			a.readAll(operands[1:])
		}
	case asksVersion(args) && !stdin:
	default:
		a.standardInput(name, true)
	}
}

// wasRead reports whether a script was read to its end.
func (a *analysis) wasRead(script arg) bool {
	places := a.places(script)
	return len(places) > 0 && !slices.ContainsFunc(places, func(n Name) bool { return !a.walked[n.Path] })
}

// standardInput is what an interpreter without a script reads.
func (a *analysis) standardInput(name string, shell bool) {
	in := a.input
	if in == nil || !in.known {
		a.unknown(name, "it runs what it reads")
		return
	}
	for _, f := range in.files {
		a.runScript(f, nil, shell)
	}
	for _, l := range in.lines {
		if shell {
			a.code(l)
		} else {
			a.codeArg(interpreters[base(name)], arg{value: value{text: l}, known: true, src: l}, nil)
		}
	}
}
