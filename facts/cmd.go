package facts

import (
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
		sh.unknown(at, "the text is too long or lies too deep to be read")
		return
	}
	sh.nested++
	defer func() { sh.nested-- }()
	var words []string
	var b strings.Builder
	begun, quoted, redirect := false, false, false
	word := func() {
		if begun && redirect {
			sh.psPath("write", psWord{text: sh.percent(b.String())}, effect{}, at)
			redirect = false
		} else if begun {
			words = append(words, sh.percent(b.String()))
		}
		b.Reset()
		begun = false
	}
	end := func() {
		word()
		if len(words) > 0 && sh.step() {
			sh.cmdRun(words, at)
		}
		words = nil
	}
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '"':
			quoted, begun = !quoted, true
		case quoted:
			b.WriteByte(c)
		case c == '^' && i+1 < len(src):
			i++
			b.WriteByte(src[i])
			begun = true
		case c == '&' || c == '|' || c == '\n' || c == '(' && !begun || c == ')':
			end()
		case c == '>' || c == '<':
			word()
			redirect = c == '>'
			if i+1 < len(src) && src[i+1] == '>' {
				i++
			}
			if i+1 < len(src) && src[i+1] == '&' {
				i += 2
				redirect = false
			}
		case c == ' ' || c == '\t' || c == '\r':
			word()
		default:
			b.WriteByte(c)
			begun = true
		}
	}
	end()
}

// percent puts in variables: %USERPROFILE% and its kin.
func (sh *shell) percent(s string) string {
	if strings.Count(s, "%") < 2 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i+1:], '%')
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		name := s[i+1 : i+1+j]
		switch strings.ToLower(name) {
		case "cd":
			b.WriteString(sh.st.dirs[0])
		case "":
			b.WriteByte('%')
		default:
			b.WriteString(sh.psVariable("env:" + name))
		}
		s = s[i+j+2:]
	}
	b.WriteString(s)
	return b.String()
}

// cmdRun tells what one command does.
func (sh *shell) cmdRun(words []string, at hook.Span) {
	name := programName(strings.TrimPrefix(words[0], "@"))
	args := words[1:]
	var flags []string
	var operands []string
	for _, a := range args {
		if strings.HasPrefix(a, "/") && len(a) <= 12 && !strings.Contains(a[1:], "/") {
			flags = append(flags, strings.ToLower(a))
		} else {
			operands = append(operands, a)
		}
	}
	has := func(f string) bool { return slices.Contains(flags, f) }
	sh.tell(hook.Fact{Does: "run", Program: name, Args: slices.Clone(args), At: at, Sure: true, By: name})
	old := sh.by
	sh.by = name
	defer func() { sh.by = old }()
	paths := func(does string, list []string, e effect) {
		for _, o := range list {
			sh.psPath(does, psWord{text: o, quoted: true}, e, at)
		}
	}
	system := func(what string) {
		for _, w := range append(slices.Clone(operands), flags...) {
			if w = strings.ToLower(strings.TrimLeft(w, "/")); slices.Contains([]string{"?", "a", "enum", "list", "show", "query", "queryex", "state", "status", "v"}, w) {
				return
			}
		}
		sh.tell(hook.Fact{Does: "system", What: what, Object: strings.Join(args, " "), At: at, Sure: true})
	}
	last := max(len(operands)-1, 0)
	switch name {
	case "del", "erase":
		paths("delete", operands, effect{recursive: has("/s")})
	case "rd", "rmdir":
		paths("delete", operands, effect{recursive: has("/s")})
	case "move", "ren", "rename":
		paths("move", operands[:last], effect{})
		paths("write", operands[last:], effect{})
	case "copy", "xcopy", "robocopy":
		paths("read", operands[:last], effect{recursive: name != "copy"})
		paths("write", operands[last:], effect{})
		if (has("/mir") || has("/purge")) && !has("/l") {
			paths("delete", operands[min(1, last):], effect{recursive: true, many: true})
		}
	case "type", "more", "find", "findstr":
		if name == "find" || name == "findstr" {
			operands = operands[min(1, len(operands)):]
		}
		paths("read", operands, effect{})
	case "cd", "chdir", "pushd":
		if len(operands) > 0 {
			sh.chdir(field{value: value{text: winPath(operands[0])}})
		}
	case "format", "diskpart", "cipher":
		system("device")
	case "shutdown":
		system("power")
	case "taskkill":
		c := &call{shell: sh, name: name, at: at}
		for _, o := range operands {
			if has("/fi") {
				c.named("*"+o, field{at: at})
			} else if has("/im") {
				c.named(strings.TrimSuffix(strings.ToLower(o), ".exe"), field{at: at})
			}
		}
	case "wmic":
		switch line := strings.ToLower(strings.Join(args, " ")); {
		case strings.Contains(line, "shadowcopy"):
			system("permissions")
		case strings.Contains(line, "delete") || strings.Contains(line, "terminate"):
			c := &call{shell: sh, name: name, at: at}
			_, target, _ := strings.Cut(line, "name=")
			target, _, _ = strings.Cut(strings.Trim(target, `"' `), ".")
			c.named(target, field{at: at})
		}
	case "setx":
		system("shell-rc")
	case "runas", "gsudo":
		sh.tell(hook.Fact{Does: "run", Program: strings.Join(operands, " "), Elevated: true, At: at, Sure: true})
	case "certutil", "bitsadmin", "curl", "msiexec", "mshta", "regsvr32":
		sh.winDownload(name, args, at)
	case "rundll32":
		if strings.Contains(strings.ToLower(strings.Join(args, " ")), "minidump") {
			sh.tell(hook.Fact{Does: "read", Path: "/proc/1/mem", Secret: "memory of a process", At: at, Sure: true})
		}
	case "forfiles":
		if i := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "/c") }); i >= 0 && i+1 < len(args) {
			sh.cmd(strings.ReplaceAll(args[i+1], "@path", string(hole)), at)
		}
	case "schtasks":
		if !has("/query") {
			system("cron")
		}
	case "sc", "net":
		if len(operands) > 0 {
			what := "service"
			if operands[0] == "user" || operands[0] == "localgroup" {
				what = "user"
			}
			if operands[0] != "view" && operands[0] != "query" && operands[0] != "use" && !(operands[0] == "start" && len(operands) == 1) && (what != "user" || len(args) > 1) {
				system(what)
			}
		}
	case "reg":
		if len(operands) > 1 && operands[0] != "query" && operands[0] != "export" {
			sh.registry(operands[1], at)
			if operands[0] == "save" {
				sh.tell(hook.Fact{Does: "read", Path: operands[1], Secret: "password", At: at, Sure: true})
			}
		}
	case "icacls", "takeown", "bcdedit", "vssadmin", "wbadmin", "attrib", "netsh":
		if name == "attrib" || name == "icacls" && (len(operands) < 2 || sh.inProject(operands[0])) {
			break
		}
		system("permissions")
	case "set":
		if len(args) == 0 {
			sh.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: at, Sure: true})
		}
	case "if":
		for i, w := range args {
			if strings.EqualFold(w, "exist") || strings.EqualFold(w, "defined") || strings.Contains(w, "==") {
				if rest := args[min(i+2, len(args)):]; len(rest) > 0 && !strings.Contains(w, "==") {
					sh.cmdRun(rest, at)
				} else if rest := args[i+1:]; len(rest) > 0 {
					sh.cmdRun(rest, at)
				}
				break
			}
		}
	case "echo", "exit", "rem", "cls", "dir", "ver", "vol", "mkdir", "md", "title":
	case "do": // of for %i in (…) do COMMAND, whose brackets end commands
		var rest []string
		for _, a := range args {
			for i := strings.IndexByte(a, '%'); i >= 0 && i+1 < len(a); i = strings.IndexByte(a, '%') {
				a = a[:i] + string(hole) + a[min(i+2, len(a)):]
			}
			rest = append(rest, a)
		}
		if len(rest) > 0 {
			sh.cmdRun(rest, at)
		}
	case "for":
	case "call", "start":
		if name == "start" {
			for len(args) > 0 && (strings.HasPrefix(args[0], "/") || args[0] == "") {
				args = args[1:]
			}
			operands = args
		}
		if len(operands) > 0 {
			sh.cmdRun(operands, at)
		}
	case "cmd":
		if i := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "/c") || strings.EqualFold(a, "/k") }); i >= 0 {
			sh.cmd(strings.Join(args[i+1:], " "), at)
		}
	case "powershell", "pwsh":
		p := psCall{shell: sh, name: name, at: at}
		var ws []psWord
		for _, a := range args {
			ws = append(ws, psWord{text: a, quoted: strings.Contains(a, " ")})
		}
		p.read(ws)
		p.native(ws)
	default:
		var fields []field
		for _, w := range words {
			if strings.Contains(w, `\`) && !strings.Contains(w, " ") {
				w = winPath(w)
			}
			fields = append(fields, field{value: value{text: w}, at: at})
		}
		var out []hook.Fact
		out, sh.out = sh.out[:len(sh.out)-1], nil
		sh.run(fields, nil, at)
		sh.out = append(out, sh.out...)
	}
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
			from = c.connect(field{value: value{text: strings.Trim(a[i:], `"'`)}, at: at}, "GET", nil, nil)
			continue
		}
		if from != "" && !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "/") {
			sh.psPath("write", psWord{text: a, quoted: true}, effect{}, at)
			sh.store(sh.places(winPath(a))[0], anything(from))
		}
	}
	if from != "" && (name == "msiexec" || name == "mshta" || name == "regsvr32") {
		sh.tell(hook.Fact{Does: "execute", From: "download", Language: name, At: at, Sure: true})
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
