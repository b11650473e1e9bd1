package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// wrapped runs the words after a wrapper: assignments first, then a command.
func (c *call) wrapped(args []field) values {
	for len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	for len(args) > 0 {
		name, val, ok := strings.Cut(args[0].text, "=")
		if !ok || name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			break
		}
		c.st.set(name, values{{val, args[0].from}})
		c.variable(name, c.st.vars[name], args[0].at)
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	return c.shell.run(args, c.stdin, c.at)
}

// env runs a command in a changed environment, or prints the environment.
func (c *call) env() values {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		t := args[0].text
		switch {
		case t == "-u" || t == "--unset" || t == "-C" || t == "--chdir" || t == "-P":
			if (t == "-C" || t == "--chdir") && len(args) > 1 {
				c.chdir(args[1])
			}
			args = args[min(2, len(args)):]
			continue
		case strings.HasPrefix(t, "--chdir="):
			f := args[0]
			f.text = t[len("--chdir="):]
			c.chdir(f)
		case t == "-S" || t == "--split-string" || strings.HasPrefix(t, "-S") || strings.HasPrefix(t, "--split-string="):
			line := strings.TrimPrefix(strings.TrimPrefix(t, "-S"), "--split-string=")
			rest := args[1:]
			if t == "-S" || t == "--split-string" {
				if len(rest) == 0 {
					return nil
				}
				line, rest = rest[0].text, rest[1:]
			}
			for _, f := range rest {
				line += " " + quote(f.text)
			}
			return c.runText(value{text: line}, c.stdin)
		}
		args = args[1:]
	}
	plain := true
	for _, f := range args {
		plain = plain && strings.Contains(f.text, "=")
	}
	if plain {
		c.wrapped(args)
		c.tell(hook.Fact{Does: "read", Path: "env:*", At: c.at, Sure: true, Many: true})
		return anything("env:*")
	}
	return c.wrapped(args)
}

// sh is a shell: a line after -c, a script, or what it reads.
func (c *call) sh() values {
	args := c.args
	line, script, noexec := false, false, false
	for len(args) > 0 && len(args[0].text) > 1 && (args[0].text[0] == '-' || args[0].text[0] == '+') {
		t := args[0].text
		args = args[1:]
		if t == "--" || t == "-" {
			break
		}
		if strings.HasPrefix(t, "--") {
			switch t {
			case "--rcfile", "--init-file":
				if len(args) > 0 {
					c.runFile(args[0], "sh")
					args = args[1:]
				}
			case "--help", "--version":
				return anything()
			case "--command":
				line = true
			}
			continue
		}
		line = line || strings.Contains(t, "c") && t[0] == '-'
		script = script || strings.Contains(t, "s")
		noexec = noexec || strings.Contains(t, "n")
		if strings.HasSuffix(t, "o") || strings.HasSuffix(t, "O") {
			if len(args) > 0 && !(line && len(args) == 1) {
				noexec = noexec || args[0].text == "noexec"
				args = args[1:]
			}
		}
	}
	if noexec {
		return nil
	}
	old := c.st
	defer func() { c.shell.st = old }()
	c.shell.st = old.clone()
	params := func(fs []field) {
		c.st.params, c.st.paramsOpen = nil, false
		for _, f := range fs {
			c.st.params = append(c.st.params, f.value)
			c.st.paramsOpen = c.st.paramsOpen || f.many
		}
	}
	if !line && len(args) > 0 && args[0].text == "-" {
		args, script = args[1:], true
	}
	switch {
	case line && len(args) > 0:
		if len(args) > 1 {
			params(args[2:])
		} else {
			params(nil)
		}
		return c.runText(args[0].value, c.stdin)
	case !script && len(args) > 0:
		params(args[1:])
		return c.runFile(args[0], "sh")
	}
	params(args)
	return c.runInput("sh")
}

// runInput runs what comes in by a pipe.
func (c *call) runInput(language string) values {
	var out values
	in := c.code(c.stdin)
	for _, v := range in {
		if !v.known() || v.from != nil {
			c.tell(hook.Fact{Does: "execute", From: origin(v), Path: filePath(v), Language: language, At: c.at, Sure: len(in) == 1})
		}
		if v.text == string(hole) {
			if len(v.from) == 0 {
				c.unknown(c.at, "a text is run that shows only when it runs")
			}
			continue
		}
		out = out.or(c.interpret(language, v, nil, nil))
	}
	return out
}

// runFile runs a file as a script of a language.
func (c *call) runFile(f field, language string) values {
	var out values
	if strings.HasPrefix(f.text, "http://") || strings.HasPrefix(f.text, "https://") {
		from := c.connect(f, "GET", nil, nil)
		c.tell(hook.Fact{Does: "execute", From: "download", Path: visible(f.text), Language: language, At: f.at, Sure: true})
		return anything(from)
	}
	for _, p := range c.places(f.text) {
		secret := ""
		if !strings.ContainsRune(p, hole) {
			p = path.Clean(p)
			secret = secretFile(p, c.world)
		}
		if secret != "" {
			c.shell.path("read", f, effect{})
		}
		g := f
		g.text = p
		for _, v := range c.code(c.content(g)) {
			fact := hook.Fact{Does: "execute", From: origin(v), Path: visible(p), Language: language, At: f.at, Sure: f.known()}
			if !strings.ContainsRune(p, hole) {
				fact.Scope = c.world.scope(p)
			} else {
				c.unknown(f.at, "which script runs shows only when it runs")
			}
			if !v.known() || len(v.from) > 0 { // else it stands in the call, and is read as a part of it
				c.tell(fact)
			}
			if v.text != string(hole) {
				out = out.or(c.interpret(language, v, nil, nil))
			}
		}
	}
	return out
}

// interpret reads code of a language.
func (c *call) interpret(language string, v value, args []field, stdin values) values {
	if language == "sh" || language == "" {
		var params values
		for _, f := range args {
			params = append(params, f.value)
		}
		return c.inner(v.text, c.at, stdin, params, false)
	}
	c.program(language, v)
	return anything(v.from...)
}

// languageOf guesses the language of a file by its first line, and then by its name.
func languageOf(name, src string) string {
	first, _, _ := strings.Cut(src, "\n")
	if strings.HasPrefix(first, "#!") {
		for w := range strings.FieldsSeq(first[2:]) {
			if base := programName(w); base != "env" && !strings.HasPrefix(w, "-") {
				if l, ok := interpreters[base]; ok {
					return l
				}
				return "sh"
			}
		}
	}
	switch path.Ext(name) {
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts":
		return "javascript"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php":
		return "php"
	}
	return "sh"
}

// xargs gives words from its input to a command.
func (c *call) xargs() values {
	args, replace, lines := c.args, "", false
	var file *field
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && args[0].text != "-" {
		t := args[0].text
		args = args[1:]
		takes := false
		switch {
		case t == "--":
			goto done
		case t == "-I" || t == "-J" || t == "--replace":
			replace, takes = "{}", t != "--replace"
			if takes && len(args) > 0 {
				replace = args[0].text
			}
		case strings.HasPrefix(t, "-I") || strings.HasPrefix(t, "-J"):
			replace = t[2:]
		case t == "-i":
			replace = "{}"
		case strings.HasPrefix(t, "-i"):
			replace = t[2:]
		case strings.HasPrefix(t, "--replace="):
			replace = t[len("--replace="):]
		case t == "-a" || t == "--arg-file":
			if len(args) > 0 {
				file = &args[0]
			}
			takes = true
		case strings.HasPrefix(t, "--arg-file="):
			f := field{value: value{text: t[len("--arg-file="):]}, at: c.at}
			file = &f
		case len(t) == 2 && strings.Contains("nPLsdERS", t[1:]), t == "--max-args", t == "--max-procs", t == "--max-lines", t == "--delimiter", t == "--max-chars", t == "--process-slot-var", t == "--eof":
			takes = true
		}
		lines = lines || t == "-0" || t == "--null" || strings.HasPrefix(t, "-d")
		if takes && len(args) > 0 {
			args = args[1:]
		}
	}
done:
	in := c.stdin
	if file != nil {
		in = c.load(*file, c.at)
	}
	if len(in) == 0 {
		in = anything("stdin")
	}
	if len(args) == 0 {
		args = []field{{value: value{text: "echo"}, bare: true, at: c.at}}
	}
	c.stdin = text("")
	var out values
	feed := func(v value) {
		v.from = union(v.from, []string{"stdin"})
		var words []field
		switch {
		case replace != "":
			for l := range strings.FieldsFuncSeq(v.text, func(r rune) bool { return r == '\n' || r == 0 }) {
				words = append(words, field{value: value{strings.TrimSpace(l), v.from}, at: c.at})
			}
		case lines:
			for l := range strings.FieldsFuncSeq(v.text, func(r rune) bool { return r == '\n' || r == 0 }) {
				words = append(words, field{value: value{l, v.from}, at: c.at})
			}
		default:
			for w := range strings.FieldsSeq(v.text) {
				words = append(words, field{value: value{strings.Trim(w, `"'`), v.from}, at: c.at, many: !v.known()})
			}
		}
		if len(words) > maxLoops {
			words = append(words[:maxLoops:maxLoops], field{value: value{string(hole), v.from}, at: c.at, many: true})
		}
		if replace == "" {
			out = out.or(c.shell.run(append(args[:len(args):len(args)], words...), nil, c.at))
			return
		}
		marked := slices.ContainsFunc(args, func(f field) bool { return strings.Contains(f.text, replace) })
		for _, w := range words {
			out = out.or(c.shell.run(put(args, replace, w), nil, c.at))
			if !marked { // some take -i for an option without a meaning, and add the word
				c.unsure(func() { c.shell.run(append(args[:len(args):len(args)], w), nil, c.at) })
			}
		}
	}
	for _, v := range in {
		if len(in) > 1 {
			c.unsure(func() { feed(v) })
		} else {
			feed(v)
		}
	}
	return out
}

// put replaces a mark in words by a word.
func put(args []field, mark string, w field) []field {
	out := make([]field, len(args))
	for i, f := range args {
		if strings.Contains(f.text, mark) {
			f.text = strings.ReplaceAll(f.text, mark, w.text)
			f.from = union(f.from, w.from)
			f.pattern, f.glob = "", false
			f.many = f.many || w.many && f.text == w.text
		}
		out[i] = f
	}
	return out
}

// parallel runs a command, or lines, for words after ::: or of its input.
func (c *call) parallel() values {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		t := args[0].text
		args = args[1:]
		if t == "-j" || t == "--jobs" || t == "-P" || t == "-n" || t == "-N" || t == "--delay" || t == "--timeout" || t == "-a" || t == "--colsep" || t == "-C" || t == "-I" {
			args = args[min(1, len(args)):]
		}
	}
	var command []field
	var words values
	given := false
	for i, f := range args {
		if f.text == ":::" || f.text == ":::+" {
			given = true
			continue
		}
		if f.text == "::::" {
			given = true
			for _, g := range args[i+1:] {
				words = words.or(c.load(g, g.at))
			}
			break
		}
		if given {
			words = append(words, f.value)
		} else {
			command = append(command, f)
		}
	}
	if !given {
		for _, v := range c.stdin {
			for l := range strings.Lines(v.text) {
				words = append(words, value{strings.TrimSuffix(l, "\n"), v.from})
			}
		}
		if len(c.stdin) == 0 {
			words = anything("stdin")
		}
	}
	if len(words) > maxLoops {
		words = append(words[:maxLoops:maxLoops], anything(words.sources()...)...)
	}
	line := ""
	for i, f := range command {
		if i > 0 {
			line += " "
		}
		line += f.text
	}
	var out values
	for _, w := range words {
		if len(command) == 0 {
			out = out.or(c.runText(w, nil))
			continue
		}
		out = out.or(c.runText(value{fill(line, quote(w.text)), w.from}, nil))
		c.unsure(func() { // with -q, and as other programs of that name do
			mark := slices.ContainsFunc(command, func(f field) bool { return strings.Contains(f.text, "{}") })
			args := put(command, "{}", field{value: w, at: c.at})
			if !mark {
				args = append(args, field{value: w, at: c.at})
			}
			out = out.or(c.shell.run(args, nil, c.at))
		})
	}
	return out
}

// fill puts a word where a line of parallel has its marks, or at its end.
func fill(line, w string) string {
	placed := false
	for _, mark := range []string{"{}", "{1}", "{.}", "{/}", "{2}"} {
		if strings.Contains(line, mark) {
			line, placed = strings.ReplaceAll(line, mark, w), true
		}
	}
	if !placed {
		line += " " + w
	}
	return strings.TrimSpace(line)
}

// find looks through folders; it deletes, writes and runs by its expressions.
func (c *call) find() values {
	args := c.args
	var roots []field
	follows := slices.ContainsFunc(args, func(f field) bool { return f.text == "-L" || f.text == "-follow" })
	for len(args) > 0 {
		t := args[0].text
		if t == "-H" || t == "-L" || t == "-P" || strings.HasPrefix(t, "-O") {
			args = args[1:]
			continue
		}
		if t == "-D" {
			args = args[min(2, len(args)):]
			continue
		}
		if strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ")" {
			break
		}
		roots = append(roots, args[0])
		args = args[1:]
	}
	if len(roots) == 0 {
		roots = []field{{value: value{text: "."}, at: c.at}}
	}
	var names []string // patterns of -name
	narrowed := false
	for i := 0; i+1 < len(args); i++ {
		switch args[i].text {
		case "-name", "-iname":
			if i == 0 || args[i-1].text != "-not" && args[i-1].text != "!" {
				names = append(names, args[i+1].text)
			}
			narrowed = true
		case "-path", "-wholename", "-ipath", "-regex", "-iregex", "-size", "-mtime", "-mmin", "-atime", "-newer", "-empty", "-user", "-perm", "-inum", "-maxdepth":
			narrowed = true
		}
	}
	var out values
	prints := true
	for i := 0; i < len(args); i++ {
		next := func() field {
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return field{}
		}
		switch args[i].text {
		case "-delete":
			for _, r := range roots {
				c.foundPath("delete", r, names, narrowed)
			}
			if follows {
				c.tell(hook.Fact{Does: "delete", Path: "…", Recursive: true, Many: true, At: c.at})
				c.unknown(c.at, "find follows links, and where they lead shows only when it runs")
			}
			prints = false
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].text != ";" && !(args[end].text == "+" && args[end-1].text == "{}") {
				end++
			}
			command := args[i+1 : end]
			i = end
			for _, r := range roots {
				out = out.or(c.foundRun(command, r, names))
			}
			prints = false
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			c.shell.path("write", next(), effect{})
		case "-name", "-iname", "-path", "-wholename", "-ipath", "-regex", "-iregex", "-inum", "-lname", "-ilname", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-user", "-group", "-perm", "-maxdepth", "-mindepth", "-printf", "-newer", "-type", "-links", "-fstype", "-samefile", "-used", "-uid", "-gid", "-regextype", "-newermt", "-newerct", "-anewer", "-cnewer", "-context", "-depth-n":
			next()
		}
	}
	if !prints {
		return out
	}
	return c.foundWords(roots, names)
}

// foundWords are names that find prints: known only in their shape.
func (c *call) foundWords(roots []field, names []string) values {
	var out values
	for _, r := range roots {
		base := string(word)
		if len(names) == 1 {
			base = strings.NewReplacer("*", string(word), "?", string(word)).Replace(names[0])
		}
		out = append(out, value{strings.TrimRight(r.text, "/") + "/" + base, r.from})
	}
	return out.bounded()
}

// foundPath tells that what find finds below a root is deleted.
func (c *call) foundPath(does string, root field, names []string, narrowed bool) {
	f := root
	e := effect{recursive: true, many: true}
	if narrowed {
		f.glob = true
		name := "*"
		if len(names) == 1 {
			name = names[0]
		}
		f.text = strings.TrimRight(root.text, "/") + "/**/" + name
		f.pattern = f.text
	}
	c.shell.path(does, f, e)
}

// foundRun runs the command of -exec for what is found below a root.
func (c *call) foundRun(command []field, root field, names []string) values {
	base := "*"
	if len(names) == 1 {
		base = names[0]
	}
	f := field{value: value{strings.TrimRight(root.text, "/") + "/**/" + base, root.from}, at: c.at, many: true, glob: true}
	f.pattern = f.text
	args := make([]field, len(command))
	for i, a := range command {
		if a.text == "{}" {
			g := f
			args[i] = g
			continue
		}
		if strings.Contains(a.text, "{}") {
			a.text = strings.ReplaceAll(a.text, "{}", strings.TrimRight(root.text, "/")+"/"+string(word))
		}
		args[i] = a
	}
	if len(args) == 0 {
		return nil
	}
	return c.shell.run(args, nil, c.at)
}

// fd is a find with other words: -x and -X run.
func (c *call) fd() values {
	root := field{value: value{text: "."}, at: c.at}
	var names []string
	for i, f := range c.args {
		switch f.text {
		case "-e", "--extension":
			if i+1 < len(c.args) {
				names = []string{"*." + c.args[i+1].text}
			}
			continue
		case "-x", "--exec", "-X", "--exec-batch":
			command := c.args[i+1:]
			has := false
			for _, a := range command {
				has = has || strings.Contains(a.text, "{")
			}
			if !has {
				command = append(command[:len(command):len(command)], field{value: value{text: "{}"}, at: f.at})
			}
			return c.foundRun(command, root, names)
		}
		before := ""
		if i > 0 {
			before = c.args[i-1].text
		}
		if !strings.HasPrefix(f.text, "-") && names == nil && before != "-t" && before != "--type" && before != "-d" && before != "-E" && before != "-e" {
			names = []string{f.text}
		} else if names != nil && !strings.HasPrefix(f.text, "-") && strings.Contains(f.text, "/") {
			root.text = f.text
		}
	}
	return c.foundWords([]field{root}, names)
}

// grep reads files; where the pattern is an option, all operands are files.
func (c *call) grep() values {
	pattern, recursive := false, c.name == "rg" || c.name == "ag" || c.name == "ack"
	var operands []field
	for i := 0; i < len(c.args); i++ {
		f := c.args[i]
		t := f.text
		if t == "--" {
			operands = append(operands, c.args[i+1:]...)
			break
		}
		if len(t) < 2 || t[0] != '-' {
			operands = append(operands, f)
			continue
		}
		if strings.HasPrefix(t, "--") {
			name, val, has := strings.Cut(t, "=")
			switch name {
			case "--regexp", "--file":
				pattern = true
				if !has && i+1 < len(c.args) {
					i++
					val = c.args[i].text
				}
				if name == "--file" {
					f.text = val
					c.shell.path("read", f, effect{})
				}
			case "--files":
				pattern = true
			case "--pre":
				if has {
					f.text = val
					c.runField(f)
				}
			case "--after-context", "--before-context", "--context", "--max-count", "--glob", "--iglob", "--type", "--type-not", "--include", "--exclude", "--exclude-dir", "--max-depth", "--threads", "--sort", "--color", "--colour", "--ignore-file":
				if !has {
					i++
				}
			case "--recursive", "--dereference-recursive":
				recursive = true
			}
			continue
		}
		for k := 1; k < len(t); k++ {
			switch t[k] {
			case 'r', 'R':
				recursive = true
				continue
			case 'e', 'f':
				pattern = true
				g := f
				g.text = t[k+1:]
				if g.text == "" && i+1 < len(c.args) {
					i++
					g = c.args[i]
				}
				if t[k] == 'f' {
					c.shell.path("read", g, effect{})
				}
			case 'A', 'B', 'C', 'm', 'd', 'D', 'g', 't', 'T', 'j', 'M':
				if k == len(t)-1 {
					i++
				}
			default:
				continue
			}
			break
		}
	}
	if !pattern && len(operands) > 0 {
		operands = operands[1:]
	}
	var from []string
	quiet := slices.ContainsFunc(c.args, func(f field) bool {
		return len(f.text) > 1 && f.text[0] == '-' && f.text[1] != '-' && strings.ContainsAny(f.text, "qcl") || f.text == "--quiet" || f.text == "--count"
	})
	for _, f := range operands {
		c.shell.path("read", f, effect{recursive: recursive, dry: quiet})
		from = union(from, c.content(f).sources())
	}
	if len(operands) == 0 {
		return anything(c.stdin.sources()...)
	}
	return anything(from...)
}

// awk runs what its programs give to system() and pipes.
func (c *call) awk() values {
	args := c.args
	script := -1
	for i := 0; i < len(args); i++ {
		t := args[i].text
		if t == "-f" || t == "--file" {
			if i+1 < len(args) {
				c.runFile(args[i+1], "awk")
			}
			i++
			script = len(args)
			continue
		}
		if t == "-v" || t == "-F" || t == "--assign" || t == "--field-separator" {
			i++
			continue
		}
		if strings.HasPrefix(t, "-") && len(t) > 1 {
			continue
		}
		if script < 0 {
			script = i
			c.program("awk", args[i].value)
			continue
		}
		if !strings.Contains(t, "=") {
			c.shell.path("read", args[i], effect{})
		}
	}
	return anything(c.stdin.sources()...)
}

// ssh runs a line on another machine.
func (c *call) ssh() values {
	e := programs()["ssh"]
	if e == nil {
		return anything()
	}
	p := e.read(c)
	if len(p.operands) == 0 || c.seen["-G"] || c.seen["-V"] {
		return nil
	}
	host := p.operands[0]
	c.host(host.field)
	for _, v := range p.valued {
		if v.name == "-o" {
			if key, val, ok := strings.Cut(v.text, "="); ok && (strings.EqualFold(key, "ProxyCommand") || strings.EqualFold(key, "LocalCommand")) {
				c.inner(val, v.at, nil, nil, false)
			}
		}
	}
	rest := c.args[host.index+1:]
	old := c.st
	c.shell.st = old.clone()
	c.st.remote = visible(host.text)
	c.st.dirs = []string{"/home/" + string(word)}
	var out values
	if len(rest) > 0 {
		for _, v := range c.joined(rest) {
			out = c.runText(v, c.stdin)
		}
	} else if len(c.stdin) > 0 {
		for _, v := range c.stdin {
			out = c.runText(v, nil)
		}
	}
	c.shell.st = old
	return anything(union(out.sources(), []string{"net:" + visible(host.text)})...)
}

// make runs recipes of a file that lies in the folder.
func (c *call) make() values {
	file := ""
	var targets []string
	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		switch {
		case t == "-C" && i+1 < len(c.args):
			i++
			c.chdir(c.args[i])
		case (t == "-f" || t == "--file") && i+1 < len(c.args):
			i++
			file = c.args[i].text
		case t == "-n" || t == "--dry-run" || t == "--just-print":
			return anything()
		case t == "-j" || t == "-l" || t == "-I" || t == "-o" || t == "-W":
			if i+1 < len(c.args) && !strings.HasPrefix(c.args[i+1].text, "-") {
				i++
			}
		case strings.HasPrefix(t, "-"):
		case strings.Contains(t, "="):
			name, val, _ := strings.Cut(t, "=")
			c.st.set(strings.TrimRight(name, ":?+"), values{{val, c.args[i].from}})
		default:
			targets = append(targets, t)
		}
	}
	c.recipes(file, targets)
	return anything()
}
