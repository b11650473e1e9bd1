package code

import "strings"

func python() *language {
	l := &language{
		comments: []string{"#"},
		strings: []quoting{
			{open: `"""`, close: `"""`, many: true, expands: "{", prefixes: "rbfu"}, {open: "'''", close: "'''", many: true, expands: "{", prefixes: "rbfu"},
			{open: `"`, close: `"`, expands: "{", prefixes: "rbfu"}, {open: `'`, close: `'`, expands: "{", prefixes: "rbfu"},
		},
		joins: "+", members: []string{"."}, functions: " def ", words: " as for in is and not else import async await from ",
		constants: map[string]func(*reader) value{
			"__file__": ofPath, "sys.executable": constant("python3"), "os.sep": constant("/"), "os.curdir": constant("."),
			"sys.argv": func(r *reader) value { return arguments(r, r.program.Path) },
		},
		statements: pythonStatement,
	}
	c := map[string]call{
		"importlib.import_module": loads(Module, 0, "name").and(moduleNamed), "__import__": loads(Module, 0, "name").and(moduleNamed),
		"importlib.util.find_spec": loads(Module, 0, "name"), "runpy.run_module": loads(Module, 0, "mod_name"), "runpy.run_path": loads(File, 0, "path_name"),
		"importlib.util.spec_from_file_location": loads(File, 1, "location"), "importlib.machinery.SourceFileLoader": loads(File, 1, "path"),
		"importlib.machinery.SourcelessFileLoader": loads(File, 1, "path"), "importlib.machinery.ExtensionFileLoader": loads(File, 1, "path"),
		"imp.load_source": loads(File, 1, "pathname"), "imp.load_compiled": loads(File, 1), "imp.load_dynamic": loads(File, 1), "zipimport.zipimporter": loads(File, 0),
		"exec": runsCode(0), "eval": runsCode(0), "execfile": loads(File, 0), "compile": {value: same(0)}, "builtins.exec": runsCode(0), "builtins.eval": runsCode(0),
		"os.system": shellLine(0), "os.popen": shellLine(0), "subprocess.getoutput": shellLine(0), "subprocess.getstatusoutput": shellLine(0),
		"commands.getoutput": shellLine(0), "asyncio.create_subprocess_shell": shellLine(0), "asyncio.create_subprocess_exec": eachWord(0, Words),
		"os.execl": eachOf(0), "os.execlp": eachOf(0), "os.execle": eachOf(0), "os.spawnl": eachOf(1), "os.spawnlp": eachOf(1), "os.spawnle": eachOf(1),
		"os.execv": listOfArgs(0), "os.execvp": listOfArgs(0), "os.execve": listOfArgs(0), "os.execvpe": listOfArgs(0), "os.spawnv": listOfArgs(1), "os.spawnvp": listOfArgs(1),
		"os.posix_spawn": listOfArgs(0), "os.posix_spawnp": listOfArgs(0), "pty.spawn": program(0, Words, "argv"), "os.startfile": loads(File, 0),
		"ctypes.CDLL": loads(File, 0, "name"), "ctypes.PyDLL": loads(File, 0), "ctypes.cdll.LoadLibrary": loads(File, 0), "ctypes.WinDLL": loads(File, 0),
		"sys.path.insert": loads(Folder, 1), "sys.path.append": loads(Folder, 0), "sys.path.extend": loads(Folder, 0), "site.addsitedir": loads(Folder, 0),
		"=sys.path": loads(Folder, 0), "os.chdir": loads(Away, 0, "path"), "getattr": madeName, "functools.partial": {value: same(0)},
		"open": opens(0, 1, "file"), "io.open": opens(0, 1, "file"), "codecs.open": opens(0, 1), "sqlite3.connect": writes(0), "shelve.open": writes(0), "dbm.open": writes(0),
		"os.remove": writes(0), "os.unlink": writes(0), "os.rename": writes(0, 1), "os.replace": writes(0, 1), "shutil.move": writes(0, 1), "shutil.copy": writes(1),
		"shutil.copyfile": writes(1), "shutil.copy2": writes(1), "os.truncate": writes(0), "os.utime": writes(0), "os.makedirs": writes(0),
		"logging.FileHandler": writes(0), "shlex.split": {value: splits}, "os.path.dirname": {value: folderOf}, "os.path.join": {value: joins},
		"pathlib.Path": {value: joins}, "pathlib.PurePath": {value: joins}, "os.getcwd": {value: func(*reader, []argument) []value { return []value{textOf(".")} }},
	}
	for _, name := range strings.Fields("run call check_call check_output Popen") {
		c["subprocess."+name] = program(0, Words, "args")
	}
	for _, name := range strings.Fields("os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.expandvars os.fspath str bytes bytearray memoryview textwrap.dedent shlex.quote list tuple") {
		c[name] = call{value: same(0)}
	}
	l.calls = c
	return l
}

// eachOf is execl and the like: a file, and then its words from what it is called on.
func eachOf(from int) call {
	return call{act: func(r *reader, s site) {
		inner := site{from: s.from, to: s.to}
		n := 0
		for _, a := range s.args {
			if n++; a.name == "" && n != from+2 { // what it is called
				inner.args = append(inner.args, a)
			}
		}
		eachWord(from, Words).act(r, inner)
	}}
}

// listOfArgs is execv and the like: a file, and the list of its words.
func listOfArgs(from int) call {
	return call{act: func(r *reader, s site) {
		all := cross(s.arg(from, "path", "file"), s.arg(from+1, "argv", "args"), func(a, b value) value {
			if b.sort != list || len(b.list) == 0 {
				return value{sort: list, list: []value{a}, open: true}
			}
			return value{sort: list, list: append([]value{a}, b.list[1:]...), open: b.open}
		})
		r.runs(all, Words, s.from, s.to)
	}}
}

func ofPath(r *reader) value {
	if r.program.Path == "" {
		return value{}
	}
	return textOf(r.program.Path)
}

func constant(text string) func(*reader) value {
	return func(*reader) value { return textOf(text) }
}

// arguments are the words with which a program is called, after some that it adds.
func arguments(r *reader, before ...string) value {
	out := value{sort: list, open: true}
	for _, b := range before {
		out.list = append(out.list, textOf(b))
	}
	for _, a := range r.program.Args {
		out.list = append(out.list, textOf(a))
	}
	return out
}

// pythonStatement looks at import, from … import and sys.path = ….
func pythonStatement(r *reader, i int) {
	t := r.tok(i)
	begins := i == 0 || r.tok(i-1).kind == line || r.tok(i-1).text == ";" || r.tok(i-1).text == ":"
	if t.kind != name || !begins {
		return
	}
	switch t.text {
	case "import":
		r.importsOf(i + 1)
	case "from":
		module, k := r.dotted(i + 1)
		if module == "" || r.tok(k).text != "import" {
			return
		}
		r.loaded(module, i)
		for k++; r.tok(k).kind == name || oneOf("( , *", r.tok(k).text) || r.tok(k).kind == line && r.inParens(i, k); k++ {
			if r.tok(k).kind != name {
				continue
			}
			member := r.tok(k).text
			as := member
			if r.tok(k+1).text == "as" {
				k += 2
				as = r.tok(k).text
			}
			r.aliases[as] = module + "." + member
			r.loaded(strings.TrimRight(module, ".")+strings.Repeat(".", max(1, len(module)-len(strings.TrimRight(module, "."))))+member, i)
		}
	}
}

func (r *reader) inParens(from, to int) bool {
	open := 0
	for k := from; k < to; k++ {
		switch r.tok(k).text {
		case "(":
			open++
		case ")":
			open--
		}
	}
	return open > 0
}

func (r *reader) importsOf(k int) {
	for {
		module, next := r.dotted(k)
		if module == "" {
			return
		}
		r.loaded(module, k)
		if top, _, _ := strings.Cut(module, "."); r.tok(next).text != "as" {
			r.aliases[top] = top
		} else {
			r.aliases[r.tok(next+1).text] = module
			next += 2
		}
		if r.tok(next).text != "," {
			return
		}
		k = next + 1
	}
}

// dotted is the name of a module.
func (r *reader) dotted(k int) (string, int) {
	text := ""
	for ; r.tok(k).kind == sign && strings.Trim(r.tok(k).text, ".") == ""; k++ {
		text += r.tok(k).text
	}
	for r.tok(k).kind == name && r.tok(k).text != "import" {
		text += r.tok(k).text
		if k++; r.tok(k).text != "." || r.tok(k).kind != sign {
			break
		}
		text += "."
		k++
	}
	return text, k
}

func (r *reader) loaded(module string, i int) {
	r.use(Use{Kind: Module, Words: []Word{{Text: module, Known: true}}, Src: module}, i, i+1)
}
