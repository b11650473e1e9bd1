package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// call looks at one command. args[0] is its program.
func (a *analysis) call(args []arg) {
	if a.nested++; a.nested > 4*maxNested {
		a.nested--
		a.unknown(args[0].src, "it holds too many commands in commands")
		return
	}
	defer func() { a.nested-- }()
	if len(args) == 0 || !a.step() {
		return
	}
	program := args[0]
	rest := args[1:]
	switch {
	case !program.known:
		a.unknown(program.src, "which program runs is not in the text")
		a.run(program, rest)
		a.readAll(rest)
		return
	case program.text == "":
		return
	case program.glob, program.tree:
		a.run(program, rest)
		a.readAll(rest)
		return
	}
	name := base(program.text)
	if a.functions[program.text] {
		a.setParams(rest)
		a.readAll(rest)
		return
	}
	a.run(program, rest)
	if len(a.out.Unknown) >= maxNames {
		return
	}
	a.decides(name, rest)
	outer := a.data
	if a.data = 0; a.isData(name) && (!isPath(program.text) || filepath.IsAbs(program.text)) {
		a.data = 1
	}
	defer func() { a.data = outer }()
	if do := programs[name]; do != nil {
		do(a, name, rest)
		return
	}
	if in, ok := interpreters[name]; ok {
		a.interpret(in, name, rest)
		return
	}
	a.readAll(rest)
}

// base is the name of a program without its folder and version: python for
// /usr/bin/python3.12.
func base(program string) string {
	name := strings.TrimSuffix(filepath.Base(filepath.ToSlash(program)), ".exe")
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	if short := strings.TrimRight(name, "0123456789.-"); short != "" && programs[name] == nil {
		return short
	}
	return name
}

// run notes a program. One that is a script of a shell is read.
func (a *analysis) run(program arg, rest []arg) {
	if program.known && !isPath(program.text) && !program.glob && !program.tree {
		a.tell(&a.out.Runs, "x", Name{Path: program.text, Word: program.src})
		a.look(program, rest)
		return
	}
	for _, n := range a.places(program) {
		a.tell(&a.out.Runs, "x", n)
		a.equipped(n.Path, program.src)
		a.child(func() { a.readScript(n, rest, false) })
	}
}

// look finds a program by the folders that the text puts into PATH.
func (a *analysis) look(program arg, rest []arg) {
	if _, given := a.Env["PATH"]; !given && len(a.vars["PATH"]) == 0 {
		return // that of whoever runs it
	}
	paths, known := a.values("PATH", false)
	if len(paths) == 0 || !known && a.unsure["PATH"] {
		for _, t := range a.vars["PATH"] {
			paths = append(paths, value{text: t})
		}
	}
	for _, p := range paths {
		for _, dir := range strings.Split(p.text, ":") {
			if dir == "" {
				dir = "."
			}
			for _, from := range a.from(dir) {
				n := Name{Path: filepath.Join(Under(from, dir), program.text), Word: program.src}
				a.tell(&a.out.Runs, "x", n)
				a.equipped(n.Path, program.src)
				a.child(func() { a.readScript(n, rest, false) })
			}
		}
	}
}

// script notes a file that a program runs as code.
func (a *analysis) runScript(script arg, rest []arg, shell bool) {
	if !script.known {
		a.unknown(script.src, "which script runs is not in the text")
	}
	if a.stream(script, shell) {
		return
	}
	for _, n := range a.places(script) {
		a.tell(&a.out.Runs, "x", n)
		if shell {
			a.child(func() { a.readScript(n, rest, true) })
		}
	}
	a.reads(script)
}

// stream reports whether a name is that of what a program reads, or of a pipe.
func (a *analysis) stream(file arg, shell bool) bool {
	if name, _ := ownPlace(file.text); slices.Contains(standardStreams, file.text) || slices.Contains(standardStreams, name) {
		a.standardInput(file.src, shell)
		return true
	}
	if file.text == substituted {
		a.unknown(file.src, "it runs what another program prints")
		return true
	}
	return false
}

// sourced notes a file that a shell reads as its own text.
func (a *analysis) sourced(file arg) {
	if !file.known {
		a.unknown(file.src, "which file is sourced is not in the text")
	}
	if a.stream(file, true) {
		return
	}
	for _, n := range a.places(file) {
		a.tell(&a.out.Sources, "s", n)
		a.readScript(n, nil, true)
	}
}

// readScript reads a script, if it is one for a shell.
func (a *analysis) readScript(n Name, args []arg, shell bool) {
	if a.Open == nil || n.Tree || a.full {
		return
	}
	if a.walked[n.Path] {
		a.setParams(args)
		return
	}
	if len(a.walked) > maxTexts {
		a.unknown(n.Word, "it leads to too many scripts")
		return
	}
	data, err := a.Open(n.Path)
	if err != nil {
		return
	}
	text := string(data)
	if strings.ContainsRune(text[:min(len(text), 256)], 0) {
		return // a program
	}
	if !shell {
		a.shebang(n, text, args)
	}
	if !shell && !isShellScript(text) {
		if in, ok := ofShebang(text); ok {
			a.loads(in, n, args...)
		}
		return
	}
	a.walked[n.Path] = true
	if len(text) > MaxText {
		a.unknown(n.Word, "the script is too long to be read: "+n.Path)
		return
	}
	a.setParams(args)
	script, in := a.script, a.input
	a.script, a.input = n.Path, nil
	a.text(text, n.Word)
	a.script, a.input = script, in
}

// shebang looks at the command that a script names to run it, if that may be more than an
// interpreter of the system: it may lie beside the script, or be given files of its own.
func (a *analysis) shebang(n Name, text string, rest []arg) {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	program, given, _ := strings.Cut(strings.TrimSpace(line), " ")
	given = strings.TrimSpace(given) // the system gives it as one word
	key := "#!" + n.Path
	if !ok || program == "" || a.told[key] || filepath.IsAbs(program) && !strings.Contains(given, " ") {
		return
	}
	a.told[key] = true
	var args []arg
	for _, w := range []string{program, given, n.Path} {
		if w != "" {
			args = append(args, arg{value: value{text: w}, known: true, src: w})
		}
	}
	a.child(func() { a.call(append(args, rest...)) })
}

// isShellScript looks at the first line.
func isShellScript(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	if !ok { // a shell that is to run it takes it for one of its own
		return true
	}
	return slices.ContainsFunc(strings.Fields(line), func(w string) bool { return slices.Contains(shells, base(w)) })
}

func (a *analysis) readAll(args []arg) {
	for _, g := range args {
		a.reads(g)
	}
}

// line is an argument that is run as a line.
func (a *analysis) line(g arg) {
	if !g.known {
		a.unknown(g.src, "what runs is not in the text")
		a.reads(g)
		return
	}
	a.code(g.text)
}

// options walks over the options before a command's operands. valued are those whose
// value is the next word; a name of one letter is also found at the end of others, as
// in -xc. It calls option with the name and its value, and gives the operands.
func options(args []arg, valued string, option func(name string, val *arg)) []arg {
	takes := func(name string) bool { return slices.Contains(strings.Fields(valued), name) }
	for i := 0; i < len(args); i++ {
		g := args[i]
		switch {
		case g.text == "--":
			return args[i+1:]
		case len(g.text) < 2 || g.text[0] != '-' && g.text[0] != '+':
			return args[i:]
		}
		next := func() *arg {
			if i+1 < len(args) {
				i++
				return &args[i]
			}
			return nil
		}
		if name, val, ok := strings.Cut(g.text, "="); ok && strings.HasPrefix(name, "--") {
			option(name, &arg{value: value{text: val}, known: g.known, src: g.src})
			continue
		}
		if strings.HasPrefix(g.text, "--") || takes(g.text) {
			if takes(g.text) {
				option(g.text, next())
			} else {
				option(g.text, nil)
			}
			continue
		}
		for k, letter := range g.text[1:] {
			name := g.text[:1] + string(letter)
			if !takes(name) {
				option(name, nil)
				continue
			}
			if tail := g.text[1+k+len(string(letter)):]; tail != "" {
				option(name, &arg{value: value{text: tail}, known: g.known, src: g.src})
			} else {
				option(name, next())
			}
			break
		}
	}
	return nil
}
