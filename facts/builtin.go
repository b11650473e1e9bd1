package facts

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
)

// special are the programs that need code: shells and their builtins, programs that
// run others, and those whose words are a language of their own.
var special map[string]func(*call) values

func init() {
	special = map[string]func(*call) values{
		"unalias": none, "env": (*call).env, "cmake": (*call).cmake, "test": none, "[": none, ":": none, "true": none, "false": none,
		"exit": none, "return": none, "break": none, "continue": none, "ln": (*call).ln, "hookway": (*call).hookway,
		"kill": (*call).kill, "pkill": (*call).kill, "killall": (*call).kill, "skill": (*call).kill, "xkill": (*call).kill,
		"lsof": (*call).pids, "pgrep": (*call).pids, "pidof": (*call).pids, "fuser": (*call).pids,
		"jobs": func(*call) values { return anything("pids") },
	}
	ofKind(map[string]func(builtinCall) values{
		"cd": builtinCall.cd, "pushd": builtinCall.cd, "popd": builtinCall.popd, "eval": builtinCall.eval, ".": builtinCall.dot,
		"source": builtinCall.dot, "export": builtinCall.declare, "declare": builtinCall.declare, "typeset": builtinCall.declare,
		"local": builtinCall.declare, "readonly": builtinCall.declare, "unset": builtinCall.unset, "set": builtinCall.set,
		"shift": builtinCall.shift, "alias": builtinCall.alias, "trap": builtinCall.trap, "read": builtinCall.readVariable,
		"mapfile": builtinCall.mapfile, "readarray": builtinCall.mapfile, "printenv": builtinCall.printenv, "yes": builtinCall.yes,
		"pwd": builtinCall.pwd, "which": builtinCall.which, "whereis": builtinCall.which, "ls": builtinCall.ls,
		"mount": builtinCall.mounts, "losetup": builtinCall.mounts, "command": builtinCall.commandBuiltin,
		"powershell": builtinCall.pwsh, "pwsh": builtinCall.pwsh, "cmd": builtinCall.cmdProgram, "visudo": builtinCall.visudo,
	})
	ofKind(map[string]func(textCall) values{
		"echo": textCall.echo, "printf": textCall.printf, "cat": textCall.cat, "tac": textCall.cat, "tee": textCall.tee,
		"base64": textCall.decode, "base32": textCall.decode, "xxd": textCall.decode, "rev": textCall.rev, "tr": textCall.tr,
		"head": textCall.part, "tail": textCall.part, "basename": textCall.names, "dirname": textCall.names,
		"realpath": textCall.names, "readlink": textCall.names, "mktemp": textCall.mktemp, "sed": textCall.sed, "gsed": textCall.sed,
		"awk": textCall.awk, "gawk": textCall.awk, "mawk": textCall.awk, "nawk": textCall.awk, "dd": textCall.dd,
		"grep": textCall.grep, "egrep": textCall.grep, "fgrep": textCall.grep, "rg": textCall.grep, "ag": textCall.grep,
		"ack": textCall.grep,
	})
	ofKind(map[string]func(eachCall) values{
		"xargs": eachCall.xargs, "parallel": eachCall.parallel, "find": eachCall.find, "fd": eachCall.fd, "fdfind": eachCall.fd,
	})
	ofKind(map[string]func(gitCall) values{"git": gitCall.git})
	ofKind(map[string]func(sshCall) values{"ssh": sshCall.ssh})
	ofKind(map[string]func(netCall) values{"curl": netCall.curl, "wget": netCall.wget})
	ofKind(map[string]func(buildCall) values{"make": buildCall.make, "gmake": buildCall.make})
	for _, s := range shells {
		special[s] = func(c *call) values { return c.lang().sh() }
	}
	for name := range agentFlags {
		special[name] = (*call).agent
	}
	for name := range interpreters {
		special[name] = func(c *call) values { return c.lang().interpreter() }
	}
}

// shells are the programs that read a shell's language.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash"}

func isShell(name string) bool { return slices.Contains(shells, name) }

// pwsh is PowerShell, started from another shell.
func (c builtinCall) pwsh() values {
	p := psCall{shell: c.shell, name: "pwsh", at: c.at, fed: c.stdin}
	var ws []psWord
	for _, f := range c.args {
		ws = append(ws, psWord{text: f.text, quoted: strings.Contains(f.text, " ")})
	}
	p.read(ws)
	return p.native(ws)
}

// cmdProgram is cmd of Windows, started from another shell.
func (c builtinCall) cmdProgram() values {
	var words []string
	for _, f := range c.args {
		words = append(words, f.text)
	}
	if line, ok := cmdLine(words); ok {
		c.cmd(line, c.at)
	}
	return anything()
}

// visudo edits who may do what; with -c it only checks.
func (c builtinCall) visudo() values {
	for _, f := range c.args {
		if f.text == "-c" || f.text == "--check" {
			return anything()
		}
	}
	c.tell(hook.Fact{Does: "system", What: "user", Object: "sudoers", At: c.at, Sure: true})
	return anything()
}

// mounts is mount and losetup, which list without words.
func (c builtinCall) mounts() values {
	for _, f := range c.args {
		if f.text != "-a" && f.text != "-l" && f.text != "--list" {
			c.tell(hook.Fact{Does: "system", What: "disk", Object: shownWords(c.args), At: c.at, Sure: true})
			break
		}
	}
	return anything()
}

// ls prints names, which are known where a pattern says their shape.
func (c builtinCall) ls() values {
	programs()["ls"].run(c.call)
	var out value
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") || !f.glob && !strings.Contains(path.Base(f.text), ".") {
			continue
		}
		for _, v := range c.matches(f) {
			out.text += v.text + "\n"
		}
	}
	if out.text == "" && !slices.ContainsFunc(c.args, func(f field) bool { return !strings.HasPrefix(f.text, "-") }) && secretFile(c.st.dirs[0]+"/"+string(word), c.world) != "" {
		out.text = string(word) + "\n" + string(hole) // names of a folder for credentials
	}
	if out.text == "" {
		return anything()
	}
	return values{out}
}

// which prints where a program lies.
func (c builtinCall) which() values {
	for _, f := range c.args {
		if !strings.HasPrefix(f.text, "-") {
			return values{{"/usr/local/bin/" + f.text + "\n", f.from}}
		}
	}
	return anything()
}

// yes says the same again and again.
func (c builtinCall) yes() values {
	if len(c.args) > 0 {
		return values{c.args[0].value}
	}
	return text("y")
}

func none(*call) values { return nil }

// chdir lets the line go on in another folder.
func (sh *shell) chdir(f field) {
	var next []string
	for _, p := range sh.places(f.text) {
		if !strings.ContainsRune(p, hole) {
			p = path.Clean(p)
			p = sh.world.resolve(p)
		}
		if len(next) < maxDirs {
			next = append(next, p)
		}
	}
	if len(next) > 0 {
		sh.st.dirs = next
	}
}

func (c builtinCall) cd() values {
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") && len(f.text) == 2 && strings.Contains("LPen@", f.text[1:]) || f.text == "--" {
			continue
		}
		if f.text == "-" || c.name == "pushd" && len(f.text) > 1 && (f.text[0] == '+' || f.text[0] == '-') {
			f.text = string(hole)
		}
		c.chdir(f)
		return nil
	}
	if c.name == "cd" {
		home, _ := c.tilde("")
		c.chdir(field{value: value{text: home}})
	}
	return nil
}

func (c builtinCall) popd() values {
	c.st.dirs = []string{c.world.Dir, string(hole)}
	return nil
}

func (c builtinCall) pwd() values {
	var out values
	for _, d := range c.st.dirs {
		out = append(out, value{text: d + "\n"})
	}
	return out
}

// joined is the words of a call as one text.
func (c builtinCall) joined(args []field) values {
	return asOne(args, func(f field) value { return f.value })
}

func (c builtinCall) eval() values {
	args := c.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	var out values
	for _, v := range c.joined(args) {
		out = out.or(c.runText(v, c.stdin))
	}
	return out
}

// runText runs a text in the line's own shell.
func (c builtinCall) runText(v value, stdin values) values {
	if ownSettings(v) {
		c.shared.loaded = true
		return nil
	}
	c.shared.loaded = c.shared.loaded || !v.known()
	if strings.TrimSpace(v.text) == string(hole) || !v.known() && len(notEvery(v.from)) > 0 && !holdsNames(v) || slices.Contains(v.from, "stdin") && !holdsNames(v) {
		if len(v.from) > 0 { // else a program of this machine printed it
			c.tell(hook.Fact{Does: "execute", From: origin(v), Path: filePath(v), Language: "sh", At: c.at, Sure: true})
		}
		if v.text == string(hole) {
			c.unknown(c.at, "a text is run that shows only when it runs")
			return anything(v.from...)
		}
	}
	return c.line(v.text, c.at, stdin)
}

// runsHole finds a hole where a shell takes a word for a command, or gives it to one that does.
var runsHole = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|-c\\s|[;&|({`\n]|\\b(then|do|else|eval|exec|source|\\.|sh|bash|zsh|sudo|env|xargs|time|nohup|!)\\s)[\\s\"']*[\ue000\ue001]")
})

// holdsNames reports whether a text is a line that was written out, with words of this machine
// in it: what xargs -I puts there. Of what comes from elsewhere a word may be a line, too.
func holdsNames(v value) bool {
	if v.known() || !slices.Contains(v.from, "stdin") || runsHole().MatchString(v.text) {
		return false
	}
	return !slices.ContainsFunc(v.from, func(s string) bool { return strings.HasPrefix(s, "net:") || s == "decoded" })
}

// filePath is the file of a source, if it is one.
func filePath(v value) string {
	for _, f := range v.from {
		if p, ok := strings.CutPrefix(f, "file:"); ok {
			return p
		}
	}
	return ""
}

func (c builtinCall) dot() values {
	if len(c.args) == 0 {
		return nil
	}
	return c.sourceFile(c.args[0], c.args[1:])
}

// sourceFile reads a file in the line's own shell.
func (c builtinCall) sourceFile(f field, args []field) values {
	var out values
	for _, v := range c.code(c.content(f)) {
		c.shared.loaded = c.shared.loaded || !v.known()
		if ownSettings(v) {
			continue
		}
		if !v.known() {
			c.tell(hook.Fact{Does: "execute", From: origin(v), Path: visible(c.places(f.text)[0]), Language: "sh", At: f.at, Sure: true})
			c.longScript(v, f.at)
			continue
		}
		out = out.or(c.line(v.text, f.at, c.stdin))
	}
	return out
}

func (c builtinCall) declare() values {
	for _, f := range c.args {
		if name, val, ok := strings.Cut(f.text, "="); ok && !strings.HasPrefix(name, "-") {
			vs := values{{val, f.from}}
			c.st.set(name, vs)
			c.variable(name, vs, f.at)
		}
	}
	return nil
}

func (c builtinCall) unset() values {
	for _, f := range c.args {
		if !strings.HasPrefix(f.text, "-") {
			c.st.set(f.text, text(""))
			delete(c.st.funcs, f.text)
		}
	}
	return nil
}

func (c builtinCall) set() values {
	if len(c.args) == 0 { // it prints all variables
		return c.printenv()
	}
	for i, f := range c.args {
		if f.text == "--" {
			c.st.params = nil
			for _, p := range c.args[i+1:] {
				c.st.params = append(c.st.params, p.value)
			}
			break
		}
	}
	return nil
}

func (c builtinCall) shift() values {
	n := 1
	if len(c.args) > 0 {
		n, _ = strconv.Atoi(c.args[0].text)
	}
	c.st.params = c.st.params[min(max(n, 0), len(c.st.params)):]
	return nil
}

func (c builtinCall) alias() values {
	for _, f := range c.args {
		if name, val, ok := strings.Cut(f.text, "="); ok {
			if c.st.aliases == nil {
				c.st.aliases = map[string]string{}
			}
			c.st.aliases[name] = val
		}
	}
	return nil
}

// trap keeps what runs as the line ends: the variables have other values then.
func (c builtinCall) trap() values {
	if len(c.args) < 2 {
		return nil
	}
	st, at, outer, sure := c.st, c.at, c.outer, c.sure
	if outer == nil {
		outer = &at
	}
	c.shared.traps = append(c.shared.traps, func() {
		c.shell.st, c.shell.outer, c.shell.sure = st.clone(), outer, sure
		c.runField(c.args[0])
	})
	return nil
}

// trapped runs what the traps of a line hold.
func (sh *shell) trapped() {
	st, outer, by, sure := sh.st, sh.outer, sh.by, sh.sure
	for len(sh.traps) > 0 {
		run := sh.traps[0]
		sh.traps = sh.traps[1:]
		sh.by = "trap"
		run()
	}
	sh.st, sh.outer, sh.by, sh.sure = st, outer, by, sure
}

// runField runs one word as a line in the line's own shell.
func (c builtinCall) runField(f field) { c.runText(f.value, nil) }

func (c builtinCall) readVariable() values {
	in := c.stdin
	if len(in) == 0 {
		in = anything("stdin")
	}
	named, words := false, false
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "-") {
			words = strings.HasSuffix(f.text, "a")
			continue
		}
		line := in.each(func(s string) string { l, _, _ := strings.Cut(s, "\n"); return l })
		c.st.set(f.text, line)
		if words && len(line) == 1 && line[0].known() {
			var list []piece
			for w := range strings.FieldsSeq(line[0].text) {
				list = append(list, piece{value: value{w, line[0].from}, quoted: true})
			}
			c.st.setList(c.st.named(f.text), list)
		}
		named = true
	}
	if !named {
		c.st.set("REPLY", in)
	}
	return nil
}

// printsAll reports whether a declaration declares nothing, and prints what is there:
// export, export -p, declare -x.
func (sh *shell) printsAll(d *syntax.DeclClause) bool {
	exported := d.Variant.Value == "export"
	for _, a := range d.Args {
		if a.Name != nil || a.Value == nil {
			return false
		}
		option := a.Value.Lit()
		if !strings.HasPrefix(option, "-") || strings.ContainsAny(option, "fFaAin") {
			return false
		}
		exported = exported || strings.Contains(option, "x")
	}
	return exported
}

// environment tells that all variables are printed.
func (sh *shell) environment(at hook.Span) values {
	sh.tell(hook.Fact{Does: "read", By: "export", Path: "env:*", Many: true, At: at, Sure: true})
	return anything("env:*")
}

func (c builtinCall) printenv() values {
	var from []string
	for _, f := range c.args {
		if !strings.HasPrefix(f.text, "-") {
			from = append(from, "env:"+f.text)
		}
	}
	if len(from) == 0 {
		from = []string{"env:*"}
	}
	for _, f := range from {
		c.prints(f)
	}
	return anything(from...)
}

// prints tells that a variable of the environment is printed, or with env:* all of it.
func (c builtinCall) prints(name string) {
	fact := hook.Fact{Does: "read", Path: name, At: c.at, Sure: true, Many: name == "env:*"}
	if secretVariable(strings.TrimPrefix(name, "env:")) {
		fact.Secret, fact.Dry = "variable", c.taken > 0
	}
	c.tell(fact)
}

// variable tells of variables that make programs run something.
func (sh *shell) variable(name string, vs values, at hook.Span) {
	runs, ok := runningVariables[name]
	if !ok {
		return
	}
	for _, v := range vs {
		if v.text == "" || slices.Contains([]string{":", "true", "false", "cat", "vim", "vi", "nano", "less", "echo", "/dev/null"}, v.text) {
			continue
		}
		switch runs {
		case "line":
			if v.known() {
				old := sh.st
				sh.st = old.clone()
				sh.line(v.text, at, nil)
				sh.st = old
			}
			sh.tell(hook.Fact{Does: "system", What: "variable", Object: name, At: at, Sure: true})
		case "editor": // many people set these; what they run is what counts
			if v.known() {
				sh.inner(v.text, at, nil, nil, true)
			}
		case "skip":
			if v.text == "1" && name != "HUSKY_SKIP_HOOKS" {
				continue // it is what husky's own value for "on" is
			}
			sh.tell(hook.Fact{Does: "git", Verb: "commit", What: "no-verify", At: at, Sure: true})
		case "file":
			sh.tell(hook.Fact{Does: "execute", From: "file", Path: visible(v.text), At: at, Sure: true})
			sh.tell(hook.Fact{Does: "system", What: "variable", Object: name, At: at, Sure: true})
		}
	}
}

// runningVariables are variables whose value is run by programs that are started
// with them: as a line, or as a file that is loaded.
var runningVariables = map[string]string{
	"GIT_EXTERNAL_DIFF": "line", "GIT_ASKPASS": "line", "SSH_ASKPASS": "line",
	"PROMPT_COMMAND": "line", "BASH_ENV": "file", "ENV": "file", "LD_PRELOAD": "file", "DYLD_INSERT_LIBRARIES": "file", "PYTHONSTARTUP": "file",
	"GIT_EDITOR": "editor", "EDITOR": "editor", "VISUAL": "editor", "PAGER": "editor", "GIT_PAGER": "editor", "MANPAGER": "editor", "BROWSER": "editor",
	"SUDO_EDITOR": "editor", "SYSTEMD_EDITOR": "editor", "KUBE_EDITOR": "editor", "FCEDIT": "editor", "FZF_DEFAULT_COMMAND": "editor", "CC": "editor", "CXX": "editor", "LD": "editor", "RUSTC": "editor", "RUSTC_WRAPPER": "editor", "RUSTC_WORKSPACE_WRAPPER": "editor", "RESTIC_PASSWORD_COMMAND": "editor", "BORG_PASSCOMMAND": "editor",
	"HUSKY": "skip", "LEFTHOOK": "skip", "SKIP": "skip", "PRE_COMMIT_ALLOW_NO_CONFIG": "skip", "HUSKY_SKIP_HOOKS": "skip",
	"PERL5OPT": "line", "LESSOPEN": "line", "RSYNC_RSH": "line", "GIT_SEQUENCE_EDITOR": "line",
}

// commandBuiltin is command: -v and -V only look a name up.
func (c builtinCall) commandBuiltin() values {
	for _, f := range c.args {
		if !strings.HasPrefix(f.text, "-") || f.text == "--" {
			break
		}
		if f.text == "-v" || f.text == "-V" {
			return anything()
		}
	}
	return programs()["command"].run(c.call)
}
