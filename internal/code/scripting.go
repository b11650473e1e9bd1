package code

import (
	"path"
	"strings"
)

func ruby() *language {
	return &language{
		comments: []string{"#"}, blocks: [][2]string{{"=begin", "=end"}},
		strings: []quoting{
			{open: `"`, close: `"`, many: true, expands: "#{"}, {open: `'`, close: `'`, many: true, raw: true}, {open: "`", close: "`", many: true, expands: "#{", runs: true},
			{open: "%x", many: true, expands: "#{", runs: true}, {open: "%q", many: true, raw: true}, {open: "%Q", many: true, expands: "#{"}, {open: "%w", many: true, raw: true},
		},
		sigils: "$@", joins: "+", bare: true, regexps: true, members: []string{".", "::", "?."}, functions: " def ", words: " if unless while until do then and rescue end in ",
		odd: map[string]string{"$:": "LOAD_PATH", "$0": "__FILE__"},
		constants: map[string]func(*reader) value{
			"__FILE__": ofPath, "__dir__": ofFolder, "RbConfig.ruby": constant("ruby"), "Gem.ruby": constant("ruby"), "Dir.pwd": constant("."),
			"ARGV": func(r *reader) value { return arguments(r) },
		},
		calls: map[string]call{
			"require": loads(Module, 0), "Kernel.require": loads(Module, 0), "require_relative": loads(Near, 0), "load": loads(File, 0), "Kernel.load": loads(File, 0), "autoload": loads(Module, 1),
			"eval": runsCode(0), "instance_eval": runsCode(0), "class_eval": runsCode(0), "module_eval": runsCode(0), "Kernel.eval": runsCode(0), "TOPLEVEL_BINDING.eval": runsCode(0), "binding.eval": runsCode(0),
			"system": eachWord(0, Line), "exec": eachWord(0, Line), "spawn": eachWord(0, Line), "Kernel.system": eachWord(0, Line), "Kernel.exec": eachWord(0, Line), "Process.spawn": eachWord(0, Line),
			"IO.popen": program(0, Line), "PTY.spawn": eachWord(0, Line), "Open3.capture2": eachWord(0, Line), "Open3.capture2e": eachWord(0, Line), "Open3.capture3": eachWord(0, Line),
			"Open3.popen3": eachWord(0, Line), "Open3.popen2": eachWord(0, Line), "Open3.popen2e": eachWord(0, Line), "Fiddle.dlopen": loads(File, 0),
			"LOAD_PATH.unshift": loads(Folder, 0), "LOAD_PATH.push": loads(Folder, 0), "LOAD_PATH.append": loads(Folder, 0), "LOAD_PATH.prepend": loads(Folder, 0), "Dir.chdir": loads(Away, 0),
			"File.read": contents(0), "IO.read": contents(0), "File.open": opens(0, 1), "open": opens(0, 1), "File.write": writes(0), "IO.write": writes(0), "File.delete": writes(0), "File.rename": writes(0, 1),
			"FileUtils.mv": writes(0, 1), "FileUtils.cp": writes(1), "FileUtils.rm": writes(0), "FileUtils.touch": writes(0), "SQLite3.Database.new": writes(0),
			"File.join": {value: joins}, "File.dirname": {value: folderOf}, "File.expand_path": {value: expands}, "File.absolute_path": {value: expands}, "File.realpath": {value: same(0)}, "Pathname.new": {value: same(0)},
		},
		statements: func(r *reader, i int) {
			if r.tok(i).text == "LOAD_PATH" && r.tok(i+1).text == "<<" {
				vals, to := r.expression(i+2, 0)
				loads(Folder, 0).act(r, site{args: []argument{{vals: vals}}, from: i, to: to})
			}
		},
	}
}

func perl() *language {
	return &language{
		comments: []string{"#"}, blocks: [][2]string{{"=pod", "\n=cut"}, {"=head", "\n=cut"}, {"=begin", "\n=cut"}, {"=over", "\n=cut"}},
		strings: []quoting{
			{open: `"`, close: `"`, many: true, expands: "$"}, {open: `'`, close: `'`, many: true, raw: true}, {open: "`", close: "`", many: true, expands: "$", runs: true},
			{open: "qx", many: true, expands: "$", runs: true}, {open: "qq", many: true, expands: "$"}, {open: "qw", many: true, raw: true}, {open: "qr", many: true, raw: true}, {open: "q", many: true, raw: true},
		},
		sigils: "$@%&", joins: ".", bare: true, regexps: true, members: []string{"->", "::"}, functions: " sub ", words: " if unless while until and foreach for eq ne x ",
		odd: map[string]string{"$0": "__FILE__", "$^X": "EXECUTABLE_NAME"},
		constants: map[string]func(*reader) value{
			"__FILE__": ofPath, "FindBin.Bin": ofFolder, "FindBin.RealBin": ofFolder, "EXECUTABLE_NAME": constant("perl"), "ARGV": func(r *reader) value { return arguments(r) },
		},
		calls: map[string]call{
			"do": loads(File, 0), "system": eachWord(0, Line), "exec": eachWord(0, Line), "eval": runsCode(0), "open": perlOpen, "readpipe": shellLine(0),
			"unlink": writes(0), "rename": writes(0, 1), "chdir": loads(Away, 0), "IPC.Open3.open3": eachWord(3, Line), "open3": eachWord(3, Line), "open2": eachWord(2, Line), "DynaLoader.dl_load_file": loads(File, 0),
			"dirname": {value: folderOf}, "abs_path": {value: same(0)}, "Cwd.abs_path": {value: same(0)}, "File.Spec.catfile": {value: joins}, "File.Spec.catdir": {value: joins}, "File.Spec.rel2abs": {value: same(0)},
		},
		statements: perlStatement,
	}
}

// perlStatement looks at use and require.
func perlStatement(r *reader, i int) {
	t, n := r.tok(i), r.tok(i+1)
	if t.kind != name || t.text != "use" && t.text != "require" && t.text != "no" || i > 0 && r.tok(i-1).kind == sign && oneOf("-> :: $ & %", r.tok(i-1).text) {
		return
	}
	switch {
	case t.text == "use" && n.text == "lib":
		vals, to := r.bare(i + 2)
		loads(Folder, 0).act(r, site{args: vals, from: i, to: to})
	case t.text == "use" && (n.text == "parent" || n.text == "base"):
		for k := i + 2; r.tok(k).kind != line && r.tok(k).text != ";" && r.tok(k).kind != end; k++ {
			if r.tok(k).kind == text && r.tok(k).parts == nil {
				for _, word := range strings.Fields(r.tok(k).text) {
					r.loaded(strings.ReplaceAll(word, "::", "/"), i)
				}
			}
		}
	case n.kind == name && r.text[n.at] != '$':
		module, k := n.text, i+2
		for r.tok(k).text == "::" && r.tok(k+1).kind == name {
			module, k = module+"/"+r.tok(k+1).text, k+2
		}
		if module != strings.ToLower(module) || strings.Contains(module, "/") { // no pragma
			r.loaded(module, i)
		}
	case t.text == "require" && (n.kind == text || n.kind == name || n.text == "("):
		vals, to := r.bare(i + 1)
		loads(File, 0).act(r, site{args: vals, from: i, to: to})
	}
}

// perlOpen is open(F, 'cmd|') and open(F, '-|', 'cmd', …), or one that writes.
var perlOpen = call{act: func(r *reader, s site) {
	for _, mode := range s.arg(1) {
		given := strings.TrimSpace(mode.text)
		switch {
		case mode.sort == nothing && len(s.args) == 2:
			r.runs([]value{{}}, Line, s.from, s.to)
		case given == "-|" || given == "|-":
			eachWord(2, Line).act(r, s)
		case len(s.args) == 2 && (strings.HasSuffix(given, "|") || strings.HasPrefix(given, "|")):
			r.runs([]value{textOf(strings.Trim(given, "| "))}, Line, s.from, s.to)
		case len(s.args) == 2 && strings.HasPrefix(given, ">"):
			r.wrote([]value{textOf(strings.Trim(given, "> "))}, s)
		case strings.HasPrefix(given, ">") || strings.HasPrefix(given, "+"):
			r.wrote(s.arg(2), s)
		}
	}
}}

func php() *language {
	return &language{
		comments: []string{"//", "#"}, blocks: [][2]string{{"/*", "*/"}}, from: "<?",
		strings: []quoting{{open: `"`, close: `"`, many: true, expands: "{$ $"}, {open: `'`, close: `'`, many: true, raw: true}, {open: "`", close: "`", many: true, expands: "{$ $", runs: true}},
		sigils:  "$", joins: ".", bare: true, members: []string{"->", "::", `\`}, functions: " function fn ", words: " as and xor instanceof ",
		constants: map[string]func(*reader) value{
			"__FILE__": ofPath, "__DIR__": ofFolder, "PHP_BINARY": constant("php"), "DIRECTORY_SEPARATOR": constant("/"), "argv": func(r *reader) value { return arguments(r, r.program.Path) },
		},
		calls: map[string]call{
			"include": loads(Near, 0), "include_once": loads(Near, 0), "require": loads(Near, 0), "require_once": loads(Near, 0), "eval": runsCode(0), "dl": loads(File, 0),
			"shell_exec": shellLine(0), "exec": shellLine(0), "system": shellLine(0), "passthru": shellLine(0), "popen": shellLine(0), "proc_open": program(0, Line), "pcntl_exec": program(0, Words),
			"file_get_contents": contents(0), "fopen": opens(0, 1), "file_put_contents": writes(0), "unlink": writes(0), "rename": writes(0, 1), "copy": writes(1), "touch": writes(0), "chdir": loads(Away, 0),
			"dirname": {value: upTo}, "realpath": {value: same(0)}, "SQLite3": writes(0),
		},
	}
}

// upTo is dirname(name, levels).
func upTo(r *reader, args []argument) []value {
	levels := 1
	if more := (site{args: args}).arg(1); len(more) == 1 {
		if len(more[0].text) != 1 || more[0].text[0] < '1' || more[0].text[0] > '9' {
			return []value{{}}
		}
		levels = int(more[0].text[0] - '0')
	}
	out := site{args: args}.arg(0)
	for range levels {
		out = folderOf(r, []argument{{vals: out}})
	}
	return out
}

func lua() *language {
	return &language{
		blocks: [][2]string{{"--[[", "]]"}, {"--[==[", "]==]"}}, comments: []string{"--"},
		strings: []quoting{{open: "[[", close: "]]", many: true, raw: true}, {open: `"`, close: `"`}, {open: `'`, close: `'`}},
		joins:   "..", bare: true, members: []string{".", ":"}, functions: " function ", words: " then do end and else elseif in until ",
		constants: map[string]func(*reader) value{"arg": func(r *reader) value { return arguments(r, r.program.Path) }},
		calls: map[string]call{
			"dofile": loads(File, 0), "loadfile": loads(File, 0), "require": loads(Module, 0), "load": runsCode(0), "loadstring": runsCode(0), "package.loadlib": loads(File, 0),
			"os.execute": shellLine(0), "io.popen": shellLine(0), "io.open": opens(0, 1), "os.remove": writes(0), "os.rename": writes(0, 1), "=package.path": {act: searched}, "=package.cpath": {act: searched},
		},
	}
}

// searched is package.path = "./lib/?.lua;" .. package.path.
func searched(r *reader, s site) {
	for k := s.from; k < s.to; k++ {
		if r.tok(k).kind != text {
			continue
		}
		for _, one := range strings.Split(r.tok(k).text, ";") {
			if before, _, ok := strings.Cut(one, "?"); ok {
				r.use(Use{Kind: Folder, Words: []Word{{Text: path.Clean(before + "."), Known: true}}}, s.from, s.to)
			}
		}
	}
}

func awk() *language {
	return &language{
		comments: []string{"#"}, strings: []quoting{{open: `"`, close: `"`}}, regexps: true, functions: " function func ", words: " in ",
		calls: map[string]call{"system": shellLine(0)},
		statements: func(r *reader, i int) {
			t, n := r.tok(i), r.tok(i+1)
			switch {
			case t.text == "@" && (n.text == "include" || n.text == "load") && r.tok(i+2).kind == text:
				r.use(Use{Kind: Near, Words: []Word{{Text: r.tok(i + 2).text, Known: true}}}, i, i+3)
			case t.kind == sign && (t.text == "|" || t.text == "|&") && n.text == "getline" && i > 0:
				r.runs(r.before(i-1), Line, max(0, i-1), i+1)
			case t.kind == sign && (t.text == "|" || t.text == "|&"):
				vals, to := r.expression(i+1, 0)
				r.runs(vals, Line, i, to)
			}
		},
	}
}

// before is the value that ends with a token.
func (r *reader) before(i int) []value {
	t := r.tok(i)
	if t.kind == sign && t.text == ")" {
		for k, depth := i, 0; k >= 0; k-- {
			if r.tok(k).text == ")" {
				depth++
			}
			if r.tok(k).text == "(" {
				if depth--; depth == 0 {
					vals, _ := r.term(k, 0)
					return vals
				}
			}
		}
	}
	if i > 0 && (r.tok(i-1).kind == text || r.tok(i-1).kind == name || r.tok(i-1).text == ")") {
		return []value{{}} // it is joined to something
	}
	vals, _ := r.term(i, 0)
	return vals
}

func julia() *language {
	return &language{
		comments: []string{"#"}, blocks: [][2]string{{"#=", "=#"}},
		strings: []quoting{{open: `"""`, close: `"""`, many: true, expands: "$"}, {open: `"`, close: `"`, expands: "$"}, {open: "`", close: "`", expands: "$", runs: true}},
		joins:   "*", members: []string{"."}, functions: " function macro ", words: " in end do ",
		constants: map[string]func(*reader) value{"__DIR__": ofFolder},
		calls:     map[string]call{"include": loads(Near, 0), "evalfile": loads(Near, 0), "include_string": runsCode(1), "eval": runsCode(0), "joinpath": {value: joins}},
	}
}

func rscript() *language {
	return &language{
		comments: []string{"#"}, strings: []quoting{{open: `"`, close: `"`, many: true}, {open: `'`, close: `'`, many: true}}, members: []string{"$", "::", "@"}, words: " in ",
		calls: map[string]call{
			"source": loads(File, 0, "file"), "sys.source": loads(File, 0), "load": loads(File, 0), "dyn.load": loads(File, 0), "system": shellLine(0), "shell": shellLine(0), "pipe": shellLine(0),
			"system2": program(0, Words), "file.path": {value: joins},
		},
	}
}
