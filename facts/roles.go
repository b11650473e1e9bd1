package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// onlyLooks reports whether a program that changes the machine is only asked to tell.
func (c tableCall) onlyLooks(p parsed) bool {
	words := []string{"status", "list", "show", "info", "get", "usage", "query", "queryex", "enum", "ls", "state", "print", "help", "version", "check", "history", "describe", "df", "filesystem", "iostat", "luksdump", "isluks", "luksuuid"}
	for i, o := range p.operands[:min(2, len(p.operands))] { // btrfs subvolume list, parted /dev/sda print
		if (i == 0 || slices.Contains([]string{"btrfs", "parted", "nvme"}, c.name)) && slices.Contains(words, strings.ToLower(o.text)) {
			return true
		}
	}
	for _, f := range c.args {
		if w := strings.TrimLeft(f.text, "-"); w != f.text && (slices.Contains(words, w) || f.text == "-n" && (c.name == "modprobe" || c.name == "depmod") || f.text == "-l" && c.name == "at" || f.text == "-s" && c.name == "pfctl" || f.text == "-v" && len(c.args) == 1) {
			return true
		}
	}
	return false
}

// movedTo says of what is moved in which scope it is then.
func (c tableCall) movedTo(before int) {
	where := ""
	for _, f := range c.out[min(before, len(c.out)):] {
		if f.Does == "write" {
			where = f.Scope
		}
	}
	for i := before; i < len(c.out); i++ {
		if c.out[i].Does == "move" {
			c.out[i].Where = where
		}
	}
}

// act tells what a program does with one word.
func (c tableCall) act(r role, f field, p parsed) {
	e := effect{recursive: c.seen["recursive"], dry: c.seen["dry"]}
	if !c.actFile(r, f, e) && !c.actRun(r, f, p) && !c.actData(r, f, p, e) && !c.actMachine(r, f, p) {
		c.actNet(r, f, p, e)
	}
}

// actFile reads the roles of words that name files.
func (c tableCall) actFile(r role, f field, e effect) bool {
	switch r {
	case "read", "write", "delete", "move":
		if r == "read" && c.seen["inplace"] {
			r = "write"
		}
		c.shell.path(string(r), f, e)
		if r == "write" {
			for _, place := range c.places(f.text) {
				c.store(place, anything(c.stdin.sources()...))
			}
		}
	case "plusread": // less +!x
		if rest, ok := strings.CutPrefix(f.text, "+"); ok {
			c.editor(field{value: value{rest, f.from}, at: f.at})
		} else {
			c.shell.path("read", f, e)
		}
	case "readall": // it reads a folder and all below it
		e.recursive = true
		c.shell.path("read", f, e)
	case "writeall":
		e.recursive = true
		c.shell.path("write", f, e)
	case "edit": // it reads and writes the file
		c.shell.path("write", f, e)
	case "look": // only its name, size and kind
		e.dry = true
		c.shell.path("read", f, e)
	case "keyfile":
		c.ssh().sshKey(f, e)
	case "maybe": // a file, if there is one of that name
		c.mayRead(f)
	case "dir":
		c.chdir(f)
	case "packs": // it goes into an archive, and away with -m
		e.recursive = true
		c.shell.path("read", f, e)
		if c.seen["removes"] {
			c.shell.path("delete", f, e)
		}
	default:
		return false
	}
	return true
}

// actRun reads the roles of words that are run.
func (c tableCall) actRun(r role, f field, p parsed) bool {
	switch r {
	case "line", "eachline":
		c.builtin().runField(f)
	case "source":
		c.lang().runFile(f, "sh")
	case "before": // it is run with another program behind it
		f.text += " " + string(word)
		c.builtin().runField(f)
	case "fetched":
		c.net().fetched(f)
	case "binary": // what runs is in the file
		c.binary(f)
	case "npmscript":
		if len(p.operands) > 0 && p.operands[0].at == f.at {
			c.build().npmScript(f.text, fieldsOf(p.operands[1:]))
		}
	case "escape":
		if c.name == "gdb" || c.name == "lldb" {
			c.looksInto(f)
		}
		c.escapes(f, f.text, "shell ", "!", "platform shell ", "pipe ")
		c.inLanguage(f, f.text)
	case "output": // of kubectl: the other forms are lists without contents
		if kind, _, _ := strings.Cut(f.text, "="); slices.Contains([]string{"yaml", "json", "jsonpath", "jsonpath-as-json", "go-template", "template", "custom-columns"}, kind) {
			c.seen["prints"] = true
		}
	case "envname":
		c.builtin().prints("env:" + f.text)
	case "envformat", "psmode", "onekey", "migration", "setting", "secretname", "addressname":
		c.asksFor(r, f, p)
	case "thereline": // it runs on the machine that is meant
		c.runThere("host", f)
	case "salt":
		if i := slices.IndexFunc(c.args, func(a field) bool { return a.text == "cmd.run" || a.text == "cmd.shell" }); i >= 0 && f.text != c.args[i].text {
			c.runThere("hosts", f)
		}
	case "tex":
		c.tex(f)
	case "npmset":
		if name, line, ok := strings.Cut(f.text, "="); ok && strings.HasPrefix(name, "scripts.") && slices.Contains(installScripts, name[len("scripts."):]) {
			c.unsure(func() { c.builtin().runText(value{line, f.from}, nil) })
		}
	case "vim":
		c.editor(f)
	case "action": // of tar
		c.escapes(f, f.text, "exec=")
	default:
		return c.actCode(r, f)
	}
	return true
}

// actCode reads the roles of words that hold lines among other things, or name files with code.
func (c tableCall) actCode(r role, f field) bool {
	switch r {
	case "pipeout": // a file, or a line that gets what is written
		if line := strings.TrimLeft(f.text, "|!"); line != f.text {
			c.builtin().runText(value{line, f.from}, nil)
		} else {
			c.shell.path("write", f, effect{})
		}
	case "inbrackets": // fzf --bind 'enter:execute(line)', rpm --eval '%(line)'
		for rest := f.text; ; {
			var line string
			if _, rest, _ = strings.Cut(rest, "("); rest == "" {
				break
			}
			line, rest, _ = strings.Cut(rest, ")")
			c.builtin().runText(value{line, f.from}, nil)
		}
	case "commas": // words with commas between them
		words := strings.Split(f.text, ",")
		for i, w := range words {
			words[i] = quote(w)
		}
		c.builtin().runText(value{strings.Join(words, " "), f.from}, nil)
	case "builds":
		c.shell.path("write", f, effect{})
	case "scripts": // of nmap: names, or files with code
		for one := range strings.SplitSeq(f.text, ",") {
			if strings.ContainsAny(one, "/") || strings.HasSuffix(one, ".nse") {
				c.lang().runFile(field{value: value{one, f.from}, at: f.at}, "lua")
			}
		}
	case "codefile":
		c.codeFile(f)
	default:
		return false
	}
	return true
}

// tex is a text of TeX: what stands in \write18{…} are commands.
func (c tableCall) tex(f field) {
	for rest, found := f.text, c.seen["runs"]; found; {
		var line string
		if _, rest, found = strings.Cut(rest, `\write18{`); found {
			line, rest, _ = strings.Cut(rest, "}")
			c.builtin().runText(value{line, f.from}, nil)
		}
	}
	c.mayRead(f)
}

// intoMemory are what commands of a debugger have in them that read what a process knows.
var intoMemory = []string{"getenv", "environ", "dump memory", "dump binary", "generate-core-file", "gcore", "memory read", "find "}

// looksInto tells that a debugger reads the environment or the memory of a process that runs.
func (c tableCall) looksInto(f field) {
	attached := c.seen["-p"] || c.seen["-pid"] || c.seen["-n"] || slices.ContainsFunc(c.args, func(a field) bool { return strings.Contains(a.text, "attach") })
	if attached && slices.ContainsFunc(intoMemory, func(m string) bool { return strings.Contains(f.text, m) }) {
		c.tell(hook.Fact{Does: "read", Path: c.name + ":memory", Secret: "environment of a process", At: f.at, Sure: true})
	}
}

// holders are programs that keep keys and passwords for others.
var holders = []string{"ssh-agent", "gpg-agent", "gnome-keyring-daemon", "kwalletd", "keepassxc", "1password", "bitwarden", "vault", "secretd", "securityd", "lsass", "firefox", "chrome"}

// binary tells of a file that is run and that no reader reads.
func (c tableCall) binary(f field) {
	c.shell.path("read", f, effect{})
	for _, v := range c.content(f) {
		if origin(v) == "download" {
			c.tell(hook.Fact{Does: "execute", From: "download", Path: filePath(v), At: f.at, Sure: true})
		}
	}
}

// runThere runs a line on another machine.
func (c tableCall) runThere(remote string, f field) {
	old := c.st
	c.shell.st = old.clone()
	c.st.remote = remote
	c.builtin().runText(f.value, nil)
	c.shell.st = old
}

// asksFor notes what a word asks a program to print, or to take away.
func (c tableCall) asksFor(r role, f field, p parsed) {
	switch t := strings.ReplaceAll(f.text, "EnvironmentFile", ""); {
	case r == "onekey":
		c.seen["onekey"] = true
	case r == "secretname" || r == "addressname": // of services, whose addresses have passwords in them
		address := r == "addressname" && slices.Contains([]string{"URL", "URI", "DSN"}, f.text[strings.LastIndexByte(f.text, '_')+1:])
		c.seen["secretname"] = c.seen["secretname"] || address || secretName(f.text)
	case r == "setting":
		c.seen["sets"] = c.seen["sets"] || strings.Contains(t, "=")
	case r == "migration":
		c.seen["drops"] = c.seen["drops"] || t == "reset" || t == "down-to" || t == "zero" || t == "0"
	case r == "envformat": // the environment, or all that there is
		c.seen["prints"] = c.seen["prints"] || strings.Contains(t, "Env") || strings.Contains(t, "json .}") || strings.Contains(t, "json .Config}")
	case r == "psmode" && strings.Trim(t, "abcdefghijklmnopqrstuvwxyzAJLNOSTUVX") == "" && strings.Contains(t, "e"): // ps axe, and not ps -e
		c.seen["prints"] = true
	}
}

// escapes runs the rest of a line that begins in one of some ways.
func (c tableCall) escapes(f field, line string, starts ...string) {
	for _, start := range starts {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), start); ok {
			c.builtin().runText(value{rest, f.from}, nil)
			return
		}
	}
}

// actData reads the roles of words for databases and archives.
func (c tableCall) actData(r role, f field, p parsed, e effect) bool {
	switch r {
	case "sql":
		before := len(c.out)
		c.clientText(f, c.database(p))
		for i := before; i < len(c.out) && e.dry; i++ {
			c.out[i].Dry = true
		}
	case "sqlfile":
		c.shell.path("read", f, e)
		where := c.database(p)
		texts := c.stdin
		if f.text != "-" {
			texts = c.content(f)
		}
		for _, v := range c.code(texts) {
			if v.known() {
				c.clientText(field{value: v, at: f.at}, where)
			} else if where == "remote" {
				c.unknown(f.at, "SQL is run that shows only when it runs")
			}
		}
	case "database":
		if !strings.HasPrefix(f.text, ":") {
			c.shell.path("read", f, e)
			c.ownDatabase(f)
		}
	case "javascript":
		c.mongo(f)
	case "cypher":
		c.cypher(f)
	case "archive", "members":
		c.archive(r, f, p)
	default:
		language, ok := strings.CutPrefix(string(r), "code-")
		if ok {
			c.codeWord(language, f)
		}
		return ok
	}
	return true
}

// clientText is what a client of a database is given: SQL, and lines that it gives a shell.
func (c tableCall) clientText(f field, where string) {
	for l := range strings.Lines(f.text) {
		c.escapes(f, strings.TrimSuffix(strings.TrimSpace(l), ";"), ".shell ", ".system ", `\! `, `\!`, "system ")
	}
	c.sql(f.text, dialects[c.name], where, f.at)
}

// ownDatabase tells that a client opens a database of hookway itself, if it is not only
// asked to show something.
func (c tableCall) ownDatabase(f field) {
	for _, a := range c.args {
		first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.text)), " ")
		if a.at != f.at && (first == "select" || first == ".schema" || first == ".tables" || first == ".dump") || a.text == "-readonly" {
			return
		}
	}
	for _, place := range c.places(f.text) {
		if what := c.selfPath(c.world.resolve(place)); what != "" {
			c.tell(hook.Fact{Does: "self", What: what, Object: visible(place), Verb: "write", At: f.at, Sure: true})
		}
	}
}

// disks begin the names of devices that hold what a machine keeps.
var disks = []string{"/dev/sd", "/dev/nvme", "/dev/mem", "/dev/disk", "/dev/vd"}

// actMachine reads the roles of words that change the machine.
func (c tableCall) actMachine(r role, f field, p parsed) bool {
	switch r {
	case "mode":
		c.mode(f, p)
		if c.name == "chmod" && slices.ContainsFunc([]string{"-r", "-w", "-x", "-X", "-s", "-t"}, func(mode string) bool { return c.seen[mode] }) {
			c.shell.path("write", f, effect{recursive: c.seen["recursive"]}) // that was the mode
		}
	case "attach": // to a process that runs
		for _, from := range append(slices.Clone(f.from), "pids:"+f.text) {
			if name, ok := strings.CutPrefix(from, "pids:"); ok && strings.HasPrefix(programName(name), "hookway") {
				c.tell(hook.Fact{Does: "self", What: "daemon", Object: visible(name), Verb: "attach", At: f.at, Sure: true})
			} else if ok && slices.Contains(holders, programName(name)) {
				c.tell(hook.Fact{Does: "read", Path: c.name + ":memory", Secret: "environment of a process", At: f.at, Sure: true})
			}
		}
	case "owner":
		c.owner(f, p)
	case "plist":
		c.plist(f, p)
	case "dbus":
		if strings.Contains(f.text, "PowerOff") || strings.Contains(f.text, "Reboot") || strings.Contains(f.text, "Halt") {
			c.tell(hook.Fact{Does: "system", What: "power", Object: f.text, At: f.at, Sure: true})
		}
	case "device":
		if slices.ContainsFunc(disks, func(d string) bool { return strings.HasPrefix(f.text, d) }) {
			c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "privileged", Object: f.text, At: f.at, Sure: true})
		}
	case "ansible":
		c.ansible(f)
	case "volume":
		c.service().mount(f)
	case "capability":
		c.capability(f)
	case "podspec":
		c.describes(f.value, f)
	case "manifest": // of a file, or what comes by a pipe
		c.shell.path("read", f, effect{})
		texts := c.stdin
		if f.text != "-" {
			texts = c.shell.content(f)
		}
		for _, v := range texts {
			c.describes(v, f)
		}
	default:
		return false
	}
	return true
}

// mongo reads code for a MongoDB shell.
func (c tableCall) mongo(f field) {
	fact := hook.Fact{Does: "sql", Dialect: "mongodb", Verb: "select", Where: "local", At: f.at, Sure: f.known()}
	if away := c.net().elsewhere(); away {
		fact.Where = "remote"
	} else if slices.ContainsFunc(c.args, func(a field) bool { return a.text == string(hole) }) {
		fact.Where = "unknown"
	}
	low := strings.ToLower(strings.Join(strings.Fields(f.text), ""))
	switch {
	case strings.Contains(low, "dropdatabase(") || strings.Contains(low, ".drop(") || strings.Contains(low, "dropcollection") || strings.Contains(low, "dropalluser"):
		fact.Verb = "drop"
	case strings.Contains(low, "deletemany({})") || strings.Contains(low, ".remove({})") || strings.Contains(low, "updatemany({},"):
		fact.Verb = "delete"
	case strings.Contains(low, "delete") || strings.Contains(low, "remove(") || strings.Contains(low, "update") || strings.Contains(low, "insert"):
		fact.Verb, fact.Bounded = "update", true
	}
	c.tell(fact)
}

// editor reads a command for an editor, which may run a line of a shell.
func (c tableCall) editor(f field) {
	line := strings.TrimLeft(f.text, ": ")
	for _, start := range []string{"silent ", "sil ", "execute ", "exe ", "%"} {
		line = strings.TrimPrefix(line, start)
	}
	if i := strings.IndexByte(line, '!'); i >= 0 && i < 8 {
		c.builtin().runText(value{line[i+1:], f.from}, nil)
		return
	}
	if c.inLanguage(f, line) {
		return
	}
	if i := strings.Index(line, "system("); i >= 0 {
		c.lang().program("python", value{line[i:], f.from}) // system('…') reads the same there
	}
}

// commandLanguages are commands of editors and debuggers behind which code of a language stands.
var commandLanguages = map[string]string{"python": "python", "python3": "python", "py": "python", "py3": "python", "pythonx": "python", "pyx": "python", "script": "python", "lua": "lua", "ruby": "ruby", "rub": "ruby", "perl": "perl"}

// inLanguage reads a command that is code of a language.
func (c tableCall) inLanguage(f field, line string) bool {
	word, code, _ := strings.Cut(strings.TrimSpace(line), " ")
	language := commandLanguages[word]
	if language != "" {
		c.lang().program(language, value{code, f.from})
	}
	return language != ""
}

// archive reads the file and the members of tar: which are read or written depends on
// what it is to do.
func (c tableCall) archive(r role, f field, p parsed) {
	letters := ""
	for i, a := range c.args {
		if strings.HasPrefix(a.text, "--") {
			letters += map[string]string{"--create": "c", "--extract": "x", "--get": "x", "--list": "t", "--append": "r", "--update": "u", "--delete": "d"}[a.text]
		} else if strings.HasPrefix(a.text, "-") || i == 0 && !strings.ContainsAny(a.text, "./") {
			letters += strings.TrimPrefix(a.text, "-")
		}
	}
	packs := strings.ContainsAny(letters, "cru")
	if r == "archive" && strings.Contains(letters, "x") { // it writes below the folder where it is
		for _, d := range c.st.dirs {
			c.shell.path("write", field{value: value{text: d}, at: f.at}, effect{recursive: true})
			c.taint(d, c.content(f).sources())
		}
	}
	switch {
	case r == "archive" && packs:
		c.shell.path("write", f, effect{})
	case r == "archive":
		c.shell.path("read", f, effect{})
	case packs && f.text == c.args[0].text && !strings.HasPrefix(f.text, "-") && !strings.ContainsAny(f.text, "./"): // "czf"
	case packs:
		c.shell.path("read", f, effect{recursive: true})
		if c.seen["removes"] {
			c.shell.path("delete", f, effect{recursive: true})
		}
	}
}

// onDevice reports whether an operand is a device; of a plain file nothing is lost
// but that file.
func (c tableCall) onDevice(p parsed) bool {
	on := false
	for _, o := range p.operands {
		if strings.HasPrefix(o.text, "/dev/") && !harmlessDevice(o.text) || !o.known() || c.name == "diskutil" && strings.HasPrefix(o.text, "disk") {
			on = true
		} else {
			c.shell.path("write", o.field, effect{})
		}
	}
	return on
}

// typed is a text as tmux types it: the names of keys are keys.
func (v value) typed() value {
	v.text = strings.NewReplacer(" Enter", "\n", " C-m", "\n", " KPEnter", "\n", " Space ", " ").Replace(v.text)
	return v
}
