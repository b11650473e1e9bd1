package shell

import (
	"slices"
	"strings"
)

// programs are those that do more with their arguments than to read the files that
// they name.
var programs map[string]func(a *analysis, name string, args []arg)

func init() {
	programs = map[string]func(*analysis, string, []arg){
		".": source, "source": source, "eval": eval, "trap": trap, "cd": chdir, "pushd": chdir, "popd": popd, "mapfile": mapfile, "readarray": mapfile,
		"read": readInto, "printf": printf, "echo": echo, "set": set, "shift": shift, "alias": alias, "getopts": readInto, "test": nothing, "[": nothing,
		"unset": nothing, "find": find, "xargs": xargs, "parallel": xargs, "run-parts": runParts, "make": makefile, "gmake": makefile,
		"cp": copies, "mv": copies, "install": copies, "ln": copies, "rsync": copies, "dd": dd, "sed": sed, "gsed": sed, "env": env, "flock": flock, "tar": tar, "bsdtar": tar, "jq": jq, "gojq": jq, "java": java,
		"complete": completes, "su": suLine, "script": suLine, "ssh": suLine, "watch": watch, "enable": enable, "hash": nothing, "git": git, "sqlite": sqlite,
	}
	for _, name := range shells {
		programs[name] = runShell
	}
	for name := range wrappers {
		programs[name] = wrap
	}
	for _, name := range []string{"tee", "touch", "mkdir", "rm", "rmdir", "truncate", "mkfifo", "mktemp", "chmod", "chown", "chgrp", "shred", "unlink", "logrotate"} {
		programs[name] = onlyWrites
	}
	for _, name := range []string{"yq", "patch", "sponge", "zip", "gzip", "xz", "bzip2", "zstd", "dos2unix", "unix2dos"} {
		programs[name] = inPlace
	}
	for name := range outputs {
		programs[name] = withOutput
	}
	for _, name := range []string{"npm", "npx", "uvx", "yarn", "pnpm", "pnpx", "bunx", "just", "task", "rake", "pytest", "py.test", "nose2", "phpunit", "rspec", "jest", "vitest", "mocha", "ava", "eslint", "prettier", "stylelint", "webpack", "vite", "rollup", "gulp", "grunt", "playwright", "cypress", "pylint", "mypy", "ansible-playbook", "go", "cargo", "gradle", "mvn", "tox", "nox", "pre-commit", "lefthook", "husky", "docker", "podman", "ninja", "cmake", "bazel"} {
		programs[name] = free
	}
}

// free are programs that find what they run by themselves, always or with some words.
func free(a *analysis, name string, args []arg) {
	with := map[string]string{"go": "run test generate tool vet", "cargo": "run test build bench check", "docker": "run exec build compose", "podman": "run exec build compose"}[name]
	if with == "" {
		a.loose(name)
	}
	for i, g := range args {
		if containsWord(with, g.text) && !slices.ContainsFunc(args[:i], func(b arg) bool { return !strings.HasPrefix(b.text, "-") }) {
			a.loose(name + " " + g.text)
		}
	}
	a.readAll(args)
}

func nothing(*analysis, string, []arg) {}

func source(a *analysis, _ string, args []arg) {
	if len(args) > 0 {
		a.sourced(args[0])
		if len(args) > 1 {
			a.setParams(args[1:])
		}
		a.readAll(args[1:])
	}
}

// eval runs its words as one line.
func eval(a *analysis, _ string, args []arg) {
	var text []string
	for _, g := range args {
		if !g.known {
			a.unknown(g.src, "what runs is not in the text")
			a.reads(g)
			return
		}
		text = append(text, g.text)
	}
	a.code(strings.Join(text, " "))
}

func trap(a *analysis, _ string, args []arg) {
	operands := options(args, "", func(string, *arg) {})
	if len(operands) > 0 && operands[0].text != "-" {
		a.later(func() { a.line(operands[0]) })
	}
}

// completes is complete -C line.
func completes(a *analysis, _ string, args []arg) {
	options(args, "-C -F -A -G -W -P -S -X -o", func(option string, val *arg) {
		if option == "-C" && val != nil {
			a.line(*val)
		}
	})
}

// enable -f loads a builtin.
func enable(a *analysis, _ string, args []arg) {
	options(args, "-f", func(_ string, val *arg) {
		if val != nil {
			a.sourced(*val)
		}
	})
}

func popd(a *analysis, _ string, _ []arg) { a.moved() }

func chdir(a *analysis, name string, args []arg) {
	a.moved()
	operands := options(args, "", func(string, *arg) {})
	if len(operands) == 0 && name == "cd" {
		homes, known := a.variable("HOME")
		if !known {
			a.unknown(name, "where it goes is not in the text")
		}
		for _, home := range homes {
			a.enter([]string{home.text})
		}
		return
	}
	if len(operands) == 0 || operands[0].text == "-" {
		return
	}
	if !operands[0].known {
		a.unknown(name+" "+operands[0].src, "where it goes is not in the text")
		return
	}
	if !operands[0].glob {
		a.enter([]string{operands[0].text})
		return
	}
	for _, n := range a.places(operands[0]) {
		a.enter([]string{n.Path})
	}
}

// mapfile reads into a variable, and runs a line for each it reads.
func mapfile(a *analysis, _ string, args []arg) {
	operands := options(args, "-C -c -d -n -O -s -u", func(option string, val *arg) {
		if option == "-C" && val != nil {
			a.line(*val)
		}
	})
	a.setUnknown(operands, "MAPFILE")
}

// readInto sets variables to what is read.
func readInto(a *analysis, name string, args []arg) {
	operands := options(args, "-a -d -i -n -N -p -t -u", func(option string, val *arg) {
		if option == "-a" && val != nil {
			a.taint(val.text)
		}
	})
	if name == "getopts" && len(operands) > 0 {
		operands = operands[1:]
		a.taint("OPTARG")
	}
	a.setUnknown(operands, "REPLY")
}

func (a *analysis) setUnknown(names []arg, other string) {
	if len(names) == 0 {
		a.taint(other)
	}
	for _, g := range names {
		a.taint(g.text)
	}
}

func printf(a *analysis, _ string, args []arg) {
	if len(args) > 2 && args[0].text == "-v" {
		var vals [][]value
		known := true
		for _, g := range args[2:] {
			vals, known = append(vals, []value{g.value}), known && g.known
		}
		out, sure := format("printf", vals)
		a.assign(args[1].text, out, known && sure)
	}
	echo(a, "", args)
}

// echo only prints: what it names matters if another command takes it.
func echo(a *analysis, _ string, args []arg) {
	if a.taken > 0 {
		a.readAll(args)
	}
}

// set changes $1 and what follows.
func set(a *analysis, _ string, args []arg) {
	for i, g := range args {
		if g.text == "--" || !strings.HasPrefix(g.text, "-") && !strings.HasPrefix(g.text, "+") && (i == 0 || !strings.HasSuffix(args[i-1].text, "o")) {
			a.setParams(args[i:])
			if g.text == "--" {
				a.setParams(args[i+1:])
			}
			a.readAll(args[i:])
			return
		}
	}
}

func shift(a *analysis, _ string, _ []arg) { a.shifts = true }

// alias gives a line a name, which is looked at as if it ran.
func alias(a *analysis, _ string, args []arg) {
	for _, g := range args {
		name, line, ok := strings.Cut(g.text, "=")
		if !ok {
			continue
		}
		a.functions[name] = a.functions[name] || !slices.Contains(strings.Fields(line), name)
		a.later(func() { a.line(arg{value: value{text: line}, known: g.known, src: g.src}) })
	}
}

// onlyWrites are programs that read none of their operands.
func onlyWrites(a *analysis, name string, args []arg) {
	operands := options(args, "-m --mode -s --size --suffix --reference -d -t -n -p", func(option string, val *arg) {
		if val != nil && (option == "--reference") {
			a.reads(*val)
		}
	})
	for _, g := range operands {
		a.writes(g)
	}
}

// sqlite changes a database, by commands that may stand in files.
func sqlite(a *analysis, _ string, args []arg) {
	operands := options(args, "-init -cmd -separator -newline -nullvalue -mmap -vfs", func(option string, val *arg) {
		switch {
		case val == nil:
		case option == "-init":
			a.sources(*val)
		default:
			a.reads(*val)
		}
	})
	for i, g := range operands {
		if i == 0 {
			a.writes(g)
			continue
		}
		a.reads(g)
		a.sqliteCommand(g)
	}
}

// sqliteCommand is one of the client itself, which may run a line or read a file of more.
func (a *analysis) sqliteCommand(g arg) {
	name, rest, _ := strings.Cut(strings.TrimSpace(g.text), " ")
	more := arg{value: value{text: strings.Trim(rest, ` "'`)}, known: g.known, src: g.src}
	switch name {
	case ".shell", ".system":
		a.child(func() { a.line(more) })
	case ".read":
		for _, n := range a.places(more) {
			if a.tell(&a.out.Sources, "s", n); a.Open == nil || a.told["sqlite "+n.Path] {
				continue
			}
			a.told["sqlite "+n.Path] = true
			if data, err := a.Open(n.Path); err == nil {
				for _, one := range strings.Split(string(data), "\n") {
					a.sqliteCommand(arg{value: value{text: one}, known: true, src: g.src})
				}
			}
		}
	}
}

// java loads what a path of classes names.
func java(a *analysis, _ string, args []arg) {
	operands := options(args, "-cp -classpath --class-path -p --module-path -jar --source --add-modules -m --module", func(option string, val *arg) {
		if val == nil {
			return
		}
		for _, one := range strings.Split(val.text, ":") {
			g := arg{value: value{text: strings.TrimSuffix(one, "/*")}, known: val.known, src: val.src}
			if a.sources(g); option != "-jar" {
				a.loaded(g, true)
			}
		}
	})
	a.readAll(operands)
}

// outputs are the options of programs whose value is written.
var outputs = map[string]string{
	"iconv": "-o --output", "curl": "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr", "wget": "-O --output-document -o --output-file -a --append-output",
	"sort": "-o --output", "tree": "-o", "pandoc": "-o --output", "gpg": "-o --output", "openssl": "-out", "time": "-o --output", "strace": "-o",
}

// withOutput looks at programs that write what an option names.
func withOutput(a *analysis, name string, args []arg) {
	for i := 0; i < len(args); i++ {
		g := args[i]
		option, val, joined := strings.Cut(g.text, "=")
		switch {
		case joined && containsWord(outputs[name], option):
			a.writes(arg{value: value{text: val}, known: g.known, src: g.src})
		case containsWord(outputs[name], g.text) && i+1 < len(args):
			i++
			a.writes(args[i])
		case name == "curl" && (g.text == "-K" || g.text == "--config") || name == "openssl" && slices.Contains([]string{"-engine", "-config", "-provider", "-provider-path"}, g.text):
			if i++; i < len(args) {
				a.sources(args[i])
			}
		case name == "sort" && strings.HasPrefix(g.text, "--compress-prog"):
			if !joined && i+1 < len(args) {
				i++
				val = args[i].text
				g.known = args[i].known
			}
			a.line(arg{value: value{text: val}, known: g.known, src: g.src})
		default:
			a.reads(g)
		}
	}
}

// copies are programs whose last operand is written. A folder is copied whole.
func copies(a *analysis, name string, args []arg) {
	deep, target := name == "rsync" || name == "mv", false
	operands := options(args, "-t --target-directory -S --suffix -m --mode -o --owner -g --group -e --rsh", func(option string, val *arg) {
		switch {
		case option == "-t" || option == "--target-directory":
			target = true
			if val != nil {
				a.writes(*val)
			}
		case option == "-e" || option == "--rsh":
			if val != nil {
				a.line(*val)
			}
		case slices.Contains([]string{"-r", "-R", "-a", "--recursive", "--archive"}, option):
			deep = true
		}
	})
	for i, g := range operands {
		switch {
		case i == len(operands)-1 && !target && i > 0:
			a.writes(g)
		case deep:
			a.reads(g)
			g.tree = !g.glob
			a.reads(g)
		default:
			a.reads(g)
		}
	}
}

func dd(a *analysis, _ string, args []arg) {
	for _, g := range args {
		if name, val, ok := strings.Cut(g.text, "="); ok && name == "of" {
			a.writes(arg{value: value{text: val}, known: g.known, src: g.src})
		} else {
			a.reads(g)
		}
	}
}

// makefile runs what its files say.
func makefile(a *analysis, name string, args []arg) {
	named := false
	operands := options(args, "-f --file --makefile -C --directory -I --include-dir -o -W -j -l", func(option string, val *arg) {
		if val == nil {
			return
		}
		switch option {
		case "-f", "--file", "--makefile":
			named = true
			a.load(interpreter{}, *val, nil)
		case "-C", "--directory":
			chdir(a, name, []arg{*val})
		default:
			a.reads(*val)
		}
	})
	if !named {
		for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
			a.sources(arg{value: value{text: file}, known: true, src: name})
		}
	}
	a.loose(name)
	a.readAll(operands)
}

// runParts runs all files of a folder.
func runParts(a *analysis, _ string, args []arg) {
	operands := options(args, "-a --arg --regex -u --umask", func(string, *arg) {})
	for _, g := range operands {
		if !g.known {
			a.unknown(g.src, "which scripts run is not in the text")
		}
		g.tree = true
		for _, n := range a.places(g) {
			a.tell(&a.out.Runs, "x", n)
		}
	}
}

// gitCode are the settings of git whose value is a command; of patterns, the begin and the end.
var gitCode = []string{"core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "core.gitproxy", "sequence.editor", "diff.external", "gpg.program", "credential.helper",
	"pager.*", "alias.*", "diff.*.command", "diff.*.textconv", "difftool.*.cmd", "mergetool.*.cmd", "merge.*.driver", "filter.*.clean", "filter.*.smudge", "filter.*.process", "gpg.*.program", "remote.*.uploadpack", "remote.*.receivepack", "credential.*.helper", "interactive.difffilter", "trailer.*.command", "trailer.*.cmd"}

// git runs what its settings say.
func git(a *analysis, _ string, args []arg) {
	operands := options(args, "-C -c --git-dir --exec-path --work-tree --config-env --namespace", func(option string, val *arg) {
		if val == nil {
			return
		}
		key, text, _ := strings.Cut(val.text, "=")
		key = strings.ToLower(key)
		g := arg{value: value{text: text}, known: val.known, src: val.src}
		switch {
		case option == "-C":
			chdir(a, "git", []arg{*val})
		case option == "--git-dir" || option == "--exec-path":
			a.loaded(*val, true)
		case option == "-c" && key == "core.hookspath":
			a.loaded(g, true)
		case option == "-c" && (key == "include.path" || strings.HasPrefix(key, "includeif.")):
			a.sources(g)
		case option == "-c" && slices.ContainsFunc(gitCode, func(p string) bool { return Matches(p, key) }):
			g.text = strings.TrimPrefix(g.text, "!")
			a.child(func() { a.line(g) })
		default:
			a.reads(*val)
		}
	})
	if len(operands) > 0 && slices.Contains([]string{"bisect", "rebase", "submodule", "filter-branch", "difftool", "mergetool", "config"}, operands[0].text) {
		a.readAll(operands)
		return
	}
	a.asData(operands)
}
