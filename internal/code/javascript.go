package code

import (
	"path/filepath"
	"strings"
)

func javascript() *language {
	l := &language{
		comments: []string{"//"}, blocks: [][2]string{{"/*", "*/"}},
		strings: []quoting{{open: "`", close: "`", many: true, expands: "${"}, {open: `"`, close: `"`}, {open: `'`, close: `'`}},
		joins:   "+", single: true, dollar: true, members: []string{".", "?."}, regexps: true, functions: " function ", words: " as of in instanceof from ",
		constants: map[string]func(*reader) value{
			"__filename": ofPath, "import.meta.url": ofPath, "import.meta.filename": ofPath, "import.meta.path": ofPath,
			"__dirname": ofFolder, "import.meta.dirname": ofFolder, "import.meta.dir": ofFolder, "process.execPath": constant("node"), "path.sep": constant("/"),
			"process.argv": func(r *reader) value { return arguments(r, "node", r.program.Path) },
			"Bun.argv":     func(r *reader) value { return arguments(r, "bun", r.program.Path) },
			"Deno.args":    func(r *reader) value { return arguments(r) },
		},
		statements: javascriptStatement,
	}
	c := map[string]call{
		"require": loads(Module, 0).and(moduleNamed), "import": loads(Module, 0).and(moduleNamed), "module.require": loads(Module, 0).and(moduleNamed),
		"Module._load": loads(Module, 0), "module.Module._load": loads(Module, 0), "require.main.require": loads(Module, 0), "importScripts": loads(Module, 0),
		"createRequire": makesRequire, "module.createRequire": makesRequire, "process.dlopen": loads(File, 1),
		"eval": runsCode(0), "Function": lastIsCode, "vm.Script": runsCode(0), "vm.runInThisContext": runsCode(0), "vm.runInNewContext": runsCode(0),
		"vm.runInContext": runsCode(0), "vm.compileFunction": runsCode(0), "vm.SourceTextModule": runsCode(0),
		"Worker": loads(Module, 0), "worker_threads.Worker": loads(Module, 0), "child_process.fork": forks,
		"child_process.exec": shellLine(0), "child_process.execSync": shellLine(0), "shelljs.exec": shellLine(0),
		"execa.execaCommand": shellLine(0), "execa.execaCommandSync": shellLine(0), "Deno.run": program(9, Words, "cmd"), "Deno.Command": denoCommand,
		"Bun.spawn": program(0, Words, "cmd"), "Bun.spawnSync": program(0, Words, "cmd"), "process.chdir": loads(Away, 0), "Deno.chdir": loads(Away, 0),
		"URL": {value: located}, "require.resolve": {value: near}, "import.meta.resolve": {value: near}, "process.cwd": {value: func(*reader, []argument) []value { return []value{textOf(".")} }},
		"Bun.file": contents(0), "Deno.readTextFile": contents(0), "Deno.readTextFileSync": contents(0), "Deno.writeTextFile": writes(0), "Deno.writeTextFileSync": writes(0), "Bun.write": writes(0),
		"better-sqlite3": writes(0), "sqlite.DatabaseSync": writes(0), "bun:sqlite.Database": writes(0),
	}
	for _, name := range strings.Fields("child_process.execFile child_process.execFileSync child_process.spawn child_process.spawnSync execa.execa execa.execaSync execa cross-spawn cross-spawn.sync") {
		c[name] = program(0, Words)
	}
	for _, name := range strings.Fields("url.fileURLToPath url.pathToFileURL fileURLToPath pathToFileURL util.promisify String Buffer.from path.normalize fs.realpathSync") {
		c[name] = call{value: same(0)}
	}
	for _, of := range []string{"path", "path.posix", "path/posix"} {
		c[of+".join"], c[of+".resolve"], c[of+".dirname"] = call{value: joins}, call{value: joins}, call{value: folderOf}
	}
	for _, of := range []string{"fs.", "fs.promises.", "fs/promises."} {
		for _, name := range strings.Fields("readFile readFileSync") {
			c[of+name] = contents(0)
		}
		for _, name := range strings.Fields("writeFile appendFile createWriteStream rm unlink truncate mkdir utimes") {
			c[of+name], c[of+name+"Sync"] = writes(0), writes(0)
		}
		c[of+"rename"], c[of+"renameSync"], c[of+"copyFile"], c[of+"copyFileSync"] = writes(0, 1), writes(0, 1), writes(1), writes(1)
		c[of+"open"], c[of+"openSync"] = opens(0, 1), opens(0, 1)
	}
	l.calls = c
	return l
}

func ofFolder(r *reader) value {
	if r.program.Path == "" {
		return textOf(".")
	}
	return textOf(filepath.ToSlash(r.folder()))
}

// near is a module's file, named from the program's folder.
func near(r *reader, args []argument) (out []value) {
	for _, v := range (site{args: args}).arg(0) {
		if v.sort == plain && strings.HasPrefix(v.text, ".") {
			v = under(ofFolder(r), v)
		}
		out = append(out, v)
	}
	return out
}

var makesRequire = call{value: func(*reader, []argument) []value { return []value{{sort: ref, text: "require"}} }}

// lastIsCode is new Function('a', 'b', code).
var lastIsCode = call{act: func(r *reader, s site) {
	if n := len(s.args); n > 0 {
		s.args = s.args[n-1:]
		runsCode(0).act(r, s)
	}
}}

// forks runs a module in a process of its own.
var forks = call{act: func(r *reader, s site) {
	for _, v := range s.arg(0) {
		r.runs([]value{{sort: list, list: []value{textOf("node"), v}, open: true}}, Words, s.from, s.to, dirs(s)...)
	}
}}

var denoCommand = call{act: func(r *reader, s site) {
	all := s.arg(0)
	if more := s.arg(99, "args"); len(more) == 1 && more[0].sort == list {
		all = cross(all, more, func(a, b value) value {
			return value{sort: list, list: append([]value{a}, b.list...), open: b.open}
		})
	}
	r.runs(all, Words, s.from, s.to, dirs(s)...)
}}

// javascriptStatement looks at import … from 'x', import 'x' and export … from 'x'.
func javascriptStatement(r *reader, i int) {
	t := r.tok(i)
	if t.kind != name || t.text != "import" && t.text != "export" || i > 0 && r.isMember(i-1) {
		return
	}
	if n := r.tok(i + 1); n.kind == text && t.text == "import" {
		r.loaded(n.text, i)
		return
	}
	at := -1
	for k := i + 1; k < i+400 && r.tok(k).kind != end; k++ {
		n := r.tok(k)
		if n.kind == name && n.text == "from" && r.tok(k+1).kind == text {
			at = k
			break
		}
		if n.kind == sign && !oneOf("{ } , *", n.text) || n.kind == text || n.kind == number {
			return
		}
	}
	if at < 0 {
		return
	}
	module := r.tok(at + 1).text
	r.loaded(module, i)
	if t.text == "import" {
		r.imported(i+1, at, strings.TrimPrefix(module, "node:"))
	}
}

// imported notes what names stand for: a, {b, c as d} or * as e.
func (r *reader) imported(from, to int, module string) {
	inside := false
	for k := from; k < to; k++ {
		t := r.tok(k)
		switch {
		case t.kind == sign && t.text == "{":
			inside = true
		case t.kind != name || t.text == "type" && r.tok(k+1).kind == name && r.tok(k+1).text != "from":
		case t.text == "as" && r.tok(k-1).text == "*":
			r.aliases[r.tok(k+1).text] = module
			k++
		case inside && r.tok(k+1).text == "as":
			r.aliases[r.tok(k+2).text] = module + "." + t.text
			k += 2
		case inside:
			r.aliases[t.text] = module + "." + t.text
		default:
			r.aliases[t.text] = module
		}
	}
}
