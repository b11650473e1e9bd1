package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Cmd gives the facts of a line of Windows' cmd.exe in a world.
func Cmd(line string, w World) []hook.Fact {
	sh := newShell(&w)
	sh.cmd(clean(line), hook.Span{From: 0, To: len(line)})
	return sh.out
}

// cmd reads a line: commands by & && || |, words by blanks, ^ takes a meaning away.
func (sh *shell) cmd(src string, at hook.Span) {
	if sh.nested >= maxNested || len(src) > maxText {
		sh.unread(at, "the text is too long or lies too deep to be read")
		return
	}
	sh.nested++
	defer func() { sh.nested-- }()
	old := sh.by
	sh.by = cmp.Or(old, "cmd")
	defer func() { sh.by = old }()
	r := cmdReader{shell: sh, at: at}
	for i := 0; i < len(src); i++ {
		i += r.next(src[i:])
	}
	r.end()
}

// cmdReader goes through a line of cmd, and runs each command when it ends.
type cmdReader struct {
	*shell
	at       hook.Span
	words    []string
	b        strings.Builder
	begun    bool // a word has begun
	quoted   bool
	redirect bool     // the next word is where output goes
	fed      bool     // the next command reads what came from the network
	from     []string // variables that the command names
	taken    bool     // a file or another command takes in what the command prints
	loop     cmdLoop
}

// fetched reports whether what was told since then takes something from the network.
func (r *cmdReader) fetched(since int) bool {
	return slices.ContainsFunc(r.out[min(since, len(r.out)):], func(f hook.Fact) bool { return f.Does == "connect" && len(f.Receives) == 0 })
}

// next reads one byte, and gives how many more belong to it.
func (r *cmdReader) next(s string) (more int) {
	switch c := s[0]; {
	case c == '"':
		r.quoted, r.begun = !r.quoted, true
	case r.quoted:
		r.b.WriteByte(c)
	case c == '^' && len(s) > 1:
		r.b.WriteByte(s[1])
		r.begun = true
		return 1
	case c == '|' && !strings.HasPrefix(s[1:], "|"):
		before := len(r.out)
		r.taken = true
		r.end()
		r.fed = r.fetched(before)
	case c == '&' || c == '|' || c == '\n' || c == '(' && !r.begun || c == ')':
		r.end()
	case c == '>' || c == '<':
		r.word()
		r.redirect = c == '>'
		if strings.HasPrefix(s[1:], ">") {
			more++
		}
		if strings.HasPrefix(s[1+more:], "&") { // 2>&1
			more += 2
			r.redirect = false
		}
	case c == ' ' || c == '\t' || c == '\r':
		r.word()
	default:
		r.b.WriteByte(c)
		r.begun = true
	}
	return more
}

func (r *cmdReader) word() {
	if r.begun {
		v := r.percent(r.b.String())
		if r.redirect {
			r.psPath("write", psWord{text: v.text}, effect{}, r.at)
			r.redirect, r.taken = false, true
		} else {
			r.words = append(r.words, v.text)
			r.from = union(r.from, v.from)
		}
	}
	r.b.Reset()
	r.begun = false
}

func (r *cmdReader) end() {
	r.word()
	if len(r.words) > 0 && r.step() {
		if name := programName(r.words[0]); r.fed && (name == "cmd" || name == "powershell" || name == "pwsh" || isShell(name) || interpreters[name] != "") {
			r.tell(hook.Fact{Does: "execute", From: "download", Language: name, By: name, At: r.at, Sure: true})
		}
		r.shown()
		if r.taken {
			r.takes(func() values { r.looped(r.words); return nil })
		} else {
			r.looped(r.words)
		}
	}
	r.words, r.fed, r.from, r.taken = nil, false, nil, false
}

// shown tells of variables with a credential that echo prints, also behind an if or a do.
func (r *cmdReader) shown() {
	if r.taken || r.shell.taken > 0 || !slices.ContainsFunc(r.words, isEcho) {
		return
	}
	for _, from := range r.from {
		if secretVariable(strings.TrimPrefix(from, "env:")) {
			r.tell(hook.Fact{Does: "read", Path: from, Secret: "variable", By: "echo", At: r.at, Sure: true})
		}
	}
}

// isEcho reports whether a word is echo, to which cmd lets a sign be joined: echo.TEXT
func isEcho(w string) bool {
	w = strings.ToLower(strings.TrimLeft(w, "@("))
	return w == "echo" || strings.HasPrefix(w, "echo") && strings.IndexByte(".:(,;/+[]=", w[len("echo")]) >= 0
}

// percent puts in variables: %USERPROFILE% and its kin, %NAME:~0,4%, and !NAME! as cmd has
// them with /V:ON.
func (sh *shell) percent(s string) value {
	v := sh.between(s, '%')
	if strings.Count(v.text, "!") < 2 {
		return v
	}
	late := sh.between(v.text, '!')
	if !(value{text: late.text}).known() { // nothing is known of it: it may be a plain sign
		late.text = v.text
	}
	return value{late.text, union(v.from, late.from)}
}

// between puts in the variables whose names stand between two signs.
func (sh *shell) between(s string, sign byte) value {
	if strings.Count(s, string(sign)) < 2 {
		return value{text: s}
	}
	var b strings.Builder
	var from []string
	for {
		i := strings.IndexByte(s, sign)
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i+1:], sign)
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		name, part, cut := strings.Cut(s[i+1:i+1+j], ":")
		switch strings.ToLower(name) {
		case "cd":
			b.WriteString(sh.st.dirs[0])
		case "":
			b.WriteByte(sign)
		default:
			v := sh.psVariable("env:" + name)
			if cut && part != "" {
				v.text = string(hole)
			}
			b.WriteString(v.text)
			from = union(from, v.from)
		}
		s = s[i+j+2:]
	}
	b.WriteString(s)
	return value{b.String(), from}
}

// cmdLine is what the words of a call of cmd have it run: all that stands behind /c, /k or
// /r, also joined to it and to other switches.
func cmdLine(words []string) (string, bool) {
	for i, w := range words {
		low := asciiLower(strings.TrimPrefix(w, "/"))
		if !strings.HasPrefix(w, "/") {
			break
		}
		low = "/" + strings.TrimPrefix(low, "/")
		w = w[len(w)-len(low):]
		for at := 0; at+1 < len(low); at++ {
			if low[at] == '/' && strings.IndexByte("ckr", low[at+1]) >= 0 {
				return strings.TrimSpace(strings.Join(append([]string{w[at+2:]}, words[i+1:]...), " ")), true
			}
		}
	}
	return "", false
}

// cmdCall is one command of cmd with its words.
type cmdCall struct {
	*shell
	name     string
	args     []string
	flags    []string // in small letters
	operands []string
	at       hook.Span
}

// cmdRun tells what one command does.
func (sh *shell) cmdRun(words []string, at hook.Span) {
	c := &cmdCall{shell: sh, name: programName(strings.TrimPrefix(words[0], "@")), args: words[1:], at: at}
	if isEcho(words[0]) {
		c.name = "echo"
	}
	for _, a := range c.args {
		if isSwitch(a) {
			c.flags = append(c.flags, strings.ToLower(a))
		} else {
			c.operands = append(c.operands, a)
		}
	}
	sh.tell(hook.Fact{Does: "run", Program: c.name, Args: slices.Clone(c.args), At: at, Sure: true, By: c.name})
	old := sh.by
	sh.by = c.name
	defer func() { sh.by = old }()
	if !c.onFiles() && !c.onMachine() && !c.runs() && !c.controls() {
		c.program(words)
	}
}

// isSwitch reports whether a word is a switch, and no path that begins at the top.
func isSwitch(w string) bool {
	return strings.HasPrefix(w, "/") && len(w) <= 12 && !strings.ContainsAny(w[1:], `/\`)
}

func (c *cmdCall) has(flag string) bool { return slices.Contains(c.flags, flag) }

// after gives the words after a switch.
func (c *cmdCall) after(switches ...string) ([]string, bool) {
	i := slices.IndexFunc(c.args, func(a string) bool { return slices.Contains(switches, strings.ToLower(a)) })
	if i < 0 {
		return nil, false
	}
	return c.args[i+1:], true
}

func (c *cmdCall) paths(does string, list []string, e effect) {
	for _, o := range list {
		c.psPath(does, psWord{text: o, quoted: true}, e, c.at)
	}
}

// onFiles reads the commands that read, write, delete and move files.
func (c *cmdCall) onFiles() bool {
	last := max(len(c.operands)-1, 0)
	from, to := c.operands[:last], c.operands[last:]
	switch c.name {
	case "del", "erase", "rd", "rmdir":
		c.paths("delete", c.operands, effect{recursive: c.has("/s")})
	case "move", "ren", "rename":
		c.paths("move", from, effect{})
		c.paths("write", to, effect{})
	case "copy", "xcopy", "robocopy":
		dry := c.name == "robocopy" && c.has("/l")
		c.paths("read", from, effect{recursive: c.name != "copy", dry: dry})
		c.paths("write", to, effect{dry: dry})
		if (c.has("/mir") || c.has("/purge")) && !c.has("/l") {
			c.paths("delete", c.operands[min(1, last):], effect{recursive: true, many: true})
		}
	case "type", "more":
		c.paths("read", c.operands, effect{})
	case "find", "findstr":
		c.paths("read", c.operands[min(1, len(c.operands)):], effect{})
	case "cd", "chdir", "pushd":
		if len(c.operands) > 0 {
			c.chdir(field{value: value{text: winPath(c.operands[0])}})
		}
	case "set":
		c.set()
	case "echo", "exit", "rem", "cls", "dir", "ver", "vol", "mkdir", "md", "title", "attrib":
	default:
		return false
	}
	return true
}

// set prints all variables, or those whose names begin with a word.
func (c *cmdCall) set() {
	line := strings.Join(c.args, " ")
	switch {
	case line == "":
		c.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: c.at, Sure: true})
	case !strings.ContainsAny(line, "=/\"") && secretVariable(strings.ToUpper(line)):
		c.tell(hook.Fact{Does: "read", Path: "env:" + strings.ToUpper(line), Secret: "variable", Dry: c.taken > 0, At: c.at, Sure: true})
	}
}

// cmdLooks are words with which a program of the system only tells, and cmdActs those
// with which it does more, whatever else stands there.
var (
	cmdLooks = []string{"enum", "list", "show", "query", "queryex", "state", "status", "/?", "/a", "/enum", "/query", "/list", "/status", "/v"}
	cmdActs  = []string{"set", "add", "delete", "reset", "create", "import", "config", "change", "stop", "/create", "/delete", "/change", "/set", "/deletevalue", "/end", "/run"}
)

// system tells that the machine changes, if the command does not only look.
func (c *cmdCall) system(what string) {
	is := func(words []string) func(string) bool {
		return func(w string) bool { return slices.Contains(words, strings.ToLower(w)) }
	}
	if slices.ContainsFunc(c.args, is(cmdLooks)) && !slices.ContainsFunc(c.args, is(cmdActs)) {
		return
	}
	c.tell(hook.Fact{Does: "system", What: what, Object: strings.Join(c.args, " "), At: c.at, Sure: true})
}

// onMachine reads the programs that change the machine.
func (c *cmdCall) onMachine() bool {
	switch c.name {
	case "format", "diskpart", "cipher":
		c.system("device")
	case "shutdown":
		c.system("power")
	case "setx":
		c.system("shell-rc")
	case "takeown", "bcdedit", "vssadmin", "wbadmin", "netsh":
		c.system("permissions")
	case "wevtutil": // what it clears is what happened on the machine
		if len(c.operands) > 0 && (c.operands[0] == "cl" || c.operands[0] == "clear-log" || c.operands[0] == "sl") {
			c.system("permissions")
		}
	case "fsutil":
		if len(c.operands) > 1 && (c.operands[1] == "deletejournal" || c.operands[1] == "setdirty" || c.operands[1] == "setzerodata") {
			c.system("device")
		}
	case "icacls":
		if len(c.operands) > 1 && !c.inProject(c.operands[0]) {
			c.system("permissions")
		}
	case "schtasks":
		if !c.has("/query") {
			c.system("cron")
		}
	case "taskkill":
		c.taskkill()
	case "wmic":
		c.wmic()
	case "sc", "net":
		c.services()
	case "reg":
		c.reg()
	case "rundll32":
		c.winDownload(c.name, c.args, c.at)
		if strings.Contains(strings.ToLower(strings.Join(c.args, " ")), "minidump") {
			c.tell(hook.Fact{Does: "read", Path: "/proc/1/mem", Secret: "memory of a process", At: c.at, Sure: true})
		}
	default:
		return false
	}
	return true
}

func (c *cmdCall) taskkill() {
	k := &call{shell: c.shell, name: c.name, at: c.at}
	for _, o := range c.operands {
		if c.has("/fi") {
			k.named("*"+o, field{at: c.at})
		} else if c.has("/im") {
			k.named(strings.TrimSuffix(strings.ToLower(o), ".exe"), field{at: c.at})
		}
	}
}

func (c *cmdCall) wmic() {
	switch line := strings.ToLower(strings.Join(c.args, " ")); {
	case strings.Contains(line, "shadowcopy"):
		c.system("permissions")
	case strings.Contains(line, "delete") || strings.Contains(line, "terminate"):
		_, target, _ := strings.Cut(line, "name=")
		target, _, _ = strings.Cut(strings.Trim(target, `"' `), ".")
		(&call{shell: c.shell, name: c.name, at: c.at}).named(target, field{at: c.at})
	}
}

// services reads net and sc: services and users.
func (c *cmdCall) services() {
	if len(c.operands) == 0 {
		return
	}
	switch verb := c.operands[0]; {
	case verb == "view" || verb == "query" || verb == "use" || verb == "start" && len(c.operands) == 1:
	case verb == "user" || verb == "localgroup":
		if len(c.args) > 1 {
			c.system("user")
		}
	default:
		c.system("service")
	}
}

func (c *cmdCall) reg() {
	if len(c.operands) < 2 || c.operands[0] == "query" || c.operands[0] == "export" {
		return
	}
	c.registry(c.operands[1], c.at)
	if c.operands[0] == "save" {
		c.tell(hook.Fact{Does: "read", Path: c.operands[1], Secret: "password", At: c.at, Sure: true})
	}
}

// runs reads the programs that run others, or fetch what they run.
func (c *cmdCall) runs() bool {
	switch c.name {
	case "runas", "gsudo":
		c.tell(hook.Fact{Does: "run", Program: strings.Join(c.operands, " "), Elevated: true, At: c.at, Sure: true})
	case "certutil", "bitsadmin", "curl", "msiexec", "mshta", "regsvr32":
		c.winDownload(c.name, c.args, c.at)
	case "forfiles":
		if rest, ok := c.after("/c"); ok && len(rest) > 0 {
			c.cmd(strings.ReplaceAll(rest[0], "@path", string(hole)), c.at)
		}
	case "cmd":
		if line, ok := cmdLine(c.args); ok {
			c.cmd(line, c.at)
		}
	case "powershell", "pwsh":
		p := psCall{shell: c.shell, name: c.name, at: c.at}
		var ws []psWord
		for _, a := range c.args {
			ws = append(ws, psWord{text: a, quoted: strings.Contains(a, " ")})
		}
		p.read(ws)
		p.native(ws)
	default:
		return false
	}
	return true
}

// controls reads the words of the language itself.
func (c *cmdCall) controls() bool {
	var rest []string
	switch c.name {
	case "if":
		rest = c.condition()
	case "for": // its brackets end commands; what it does begins with do
	case "do":
		for _, a := range c.args {
			for i := strings.IndexByte(a, '%'); i >= 0 && i+1 < len(a); i = strings.IndexByte(a, '%') {
				a = a[:i] + string(hole) + a[min(i+2, len(a)):]
			}
			rest = append(rest, a)
		}
	case "call":
		rest = c.operands
	case "start":
		rest = c.args
		for len(rest) > 0 && (isSwitch(rest[0]) || rest[0] == "") {
			rest = rest[1:]
		}
	default:
		return false
	}
	if len(rest) > 0 {
		c.cmdRun(rest, c.at)
	}
	return true
}

// condition gives the command of an if.
func (c *cmdCall) condition() []string {
	for i, w := range c.args {
		if strings.Contains(w, "==") {
			return c.args[i+1:]
		}
		if strings.EqualFold(w, "exist") || strings.EqualFold(w, "defined") {
			if rest := c.args[min(i+2, len(c.args)):]; len(rest) > 0 {
				return rest
			}
			return c.args[i+1:]
		}
	}
	return nil
}

// program runs a program that is no command of cmd, by the rules of the other shells.
func (c *cmdCall) program(words []string) {
	var fields []field
	for i, w := range words {
		if i == 0 && !strings.ContainsAny(w, `\/`) { // the folder is looked into first
			for _, name := range []string{w, w + ".exe", w + ".bat", w + ".cmd"} {
				if places := c.places(name); c.files[places[0]] != nil {
					w = "./" + name
					break
				}
			}
		}
		if strings.Contains(w, `\`) && !strings.Contains(w, " ") {
			w = winPath(w)
		}
		fields = append(fields, field{value: value{text: w}, at: c.at})
	}
	var out []hook.Fact
	out, c.out = c.out[:len(c.out)-1], nil // run tells the program again
	c.run(fields, nil, c.at)
	c.out = append(out, c.out...)
}

// registry tells that the registry of Windows changes.
func (sh *shell) registry(key string, at hook.Span) {
	upper := strings.ToUpper(key)
	what := "registry"
	if strings.HasPrefix(upper, "HKLM") || strings.HasPrefix(upper, "HKEY_LOCAL_MACHINE") || strings.Contains(upper, `\CURRENTVERSION\RUN`) {
		what = "permissions"
	}
	sh.tell(hook.Fact{Does: "system", What: what, Object: key, At: at, Sure: true})
}

// winDownload reads programs of Windows that fetch files, or run what they fetch.
func (sh *shell) winDownload(name string, args []string, at hook.Span) {
	c := &call{shell: sh, name: name, at: at}
	from := ""
	for _, a := range args {
		if i := strings.Index(a, "http"); i >= 0 {
			from = c.net().connect(field{value: value{text: strings.Trim(a[i:], `"'`)}, at: at}, "GET", nil, nil)
			continue
		}
		if from != "" && !strings.HasPrefix(a, "-") && !isSwitch(a) {
			sh.psPath("write", psWord{text: a, quoted: true}, effect{}, at)
			sh.store(sh.places(winPath(a))[0], anything(from))
		}
	}
	if from != "" && (name == "msiexec" || name == "mshta" || name == "regsvr32" || name == "rundll32") {
		sh.tell(hook.Fact{Does: "execute", From: "download", Language: name, At: at, Sure: true})
	}
	if i := slices.IndexFunc(args, isCode); i >= 0 && (name == "mshta" || name == "rundll32") { // a line of it
		sh.unknown(at, "it cannot be read: code in an address")
		sh.tell(hook.Fact{Does: "execute", From: "decoded", Language: "javascript", At: at, Sure: true})
	}
	if name == "curl" {
		var fields []field
		for _, a := range append([]string{name}, args...) {
			fields = append(fields, field{value: value{text: winPath(a)}, at: at})
		}
		if from != "" {
			for i, a := range args {
				if strings.Contains(a, "http") {
					fields[i+1].text = a
				}
			}
		}
		sh.run(fields, nil, at)
	}
}

// inProject reports whether a path of Windows lies in the project.
func (sh *shell) inProject(name string) bool {
	for _, p := range sh.places(winPath(name)) {
		if sh.world.scope(path.Clean(p)) != scopeProject {
			return false
		}
	}
	return true
}

// isCode reports whether a word is code with the scheme of an address.
func isCode(w string) bool {
	w = strings.ToLower(strings.TrimLeft(w, `"'`))
	return strings.HasPrefix(w, "javascript:") || strings.HasPrefix(w, "vbscript:") || strings.HasPrefix(w, "about:<")
}
