package facts

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/hookway/hookway/hook"
)

// PowerShell gives the facts of a line of PowerShell in a world. It reads less than
// Shell does: what it cannot resolve is unknown.
func PowerShell(line string, w World) []hook.Fact {
	sh := newShell(&w)
	sh.powershell(clean(line), hook.Span{From: 0, To: len(line)})
	return sh.out
}

// powershell reads a text in the shell's own state.
func (sh *shell) powershell(src string, at hook.Span) {
	if sh.nested >= maxNested || len(src) > maxText {
		sh.unknown(at, "the text is too long or lies too deep to be read")
		return
	}
	sh.nested++
	defer func() { sh.nested-- }()
	var fed values
	for _, c := range psCommands(src) {
		if !sh.step() {
			return
		}
		if !c.piped {
			fed = nil
		}
		span := at
		if sh.nested == 1 {
			span = hook.Span{From: c.from, To: c.end}
		}
		fed = sh.psRun(c, fed, span)
		for _, w := range c.to {
			sh.psPath("write", w, effect{}, span)
		}
	}
}

// psRun tells what one command does, and gives what it feeds to the next.
func (sh *shell) psRun(c psCommand, fed values, at hook.Span) values {
	if len(c.words) == 0 {
		return nil
	}
	first := c.words[0]
	if c.called && first.sub && !first.block { // a name that is made up
		name := sh.psJoined(first.text)
		if !name.known() {
			sh.unknown(at, "which program runs shows only when it runs")
		}
		for _, one := range psCommands(first.text) {
			if out := sh.psRun(one, nil, at); len(out.sources()) > 0 {
				sh.tell(hook.Fact{Does: "execute", From: origin(out[0]), Language: "powershell", At: at, Sure: true})
			}
		}
		first = psWord{text: name.text}
		c.words[0] = first
	}
	if first.block || first.sub {
		sh.powershell(first.text, at)
		if len(c.words) > 1 && strings.HasPrefix(c.words[1].text, ".") {
			return sh.psMember(c.words[1].text, at)
		}
		return anything()
	}
	if name, ok := strings.CutPrefix(first.text, "$"); ok && !first.quoted && len(c.words) > 1 && c.words[1].text == "=" {
		var vs values
		if len(c.words) == 3 && !c.words[2].sub && !c.words[2].block {
			vs = values{{text: sh.psText(c.words[2])}}
		} else {
			rest := psCommand{words: c.words[2:]}
			vs = sh.psRun(rest, nil, at)
		}
		sh.st.set("ps:"+strings.ToLower(name), vs.or(nil))
		return nil
	}
	if first.quoted && !c.called || strings.Trim(first.text, "0123456789.,") == "" { // data, which goes on
		var out values
		for one := range strings.SplitSeq(sh.psText(first), ",") {
			out = append(out, value{text: strings.Trim(one, "'\" ")})
		}
		for _, w := range c.words[1:] {
			out = append(out, value{text: strings.Trim(sh.psText(w), ", ")})
		}
		return out.bounded()
	}
	name := strings.ToLower(sh.psText(first))
	if strings.HasPrefix(first.text, "[") || !first.quoted && strings.HasPrefix(first.text, "$") && strings.Contains(first.text, ".") {
		return sh.psMember(first.text, at)
	}
	if alias, ok := psAliases[strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".exe")]; ok && !strings.Contains(name, "/") {
		name = alias
	}
	if vs, ok := sh.st.vars["psalias:"+name]; ok && len(vs) == 1 {
		name = strings.ToLower(vs[0].text)
		if alias, ok := psAliases[name]; ok {
			name = alias
		}
	}
	if !(value{text: name}).known() {
		sh.unknown(at, "which program runs shows only when it runs")
		return anything()
	}
	sh.tell(hook.Fact{Does: "run", Program: name, Args: psShown(c.words[1:]), At: at, Sure: true, By: name})
	old := sh.by
	sh.by = name
	defer func() { sh.by = old }()
	switch name {
	case "if", "elseif", "else", "while", "foreach-object", "for", "try", "catch", "finally", "switch", "do", "until", "function", "filter", "trap", "return", "begin", "process":
		if name != "foreach-object" || len(c.words) > 1 && c.words[1].sub {
			for _, w := range c.words[1:] {
				if w.block || w.sub {
					sh.powershell(w.text, at)
				}
			}
			return anything()
		}
	case "set-alias", "new-alias", "sal":
		if len(c.words) > 2 {
			sh.st.set("psalias:"+strings.ToLower(c.words[1].text), text(c.words[len(c.words)-1].text))
		}
		return nil
	}
	p := psCall{shell: sh, name: name, at: at, fed: fed}
	p.read(c.words[1:])
	return p.run(c.words[1:])
}

// psJoined is an expression of texts with + between them, as far as they are known.
func (sh *shell) psJoined(src string) value {
	out := value{}
	for _, c := range psCommands(src) {
		for _, w := range c.words {
			switch {
			case w.text == "+" && !w.quoted:
			case w.quoted || strings.HasPrefix(w.text, "$"):
				out.text += sh.psText(w)
			case w.text == "-f" || strings.Contains(w.text, ","):
				return value{text: string(hole)}
			default:
				out.text += w.text
			}
		}
	}
	return out
}

func psShown(words []psWord) []string {
	var out []string
	for _, w := range words {
		out = append(out, visible(w.text))
	}
	return out
}

// psText is a word with its variables put in.
func (sh *shell) psText(w psWord) string {
	s := w.text
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i + 1
		if s[j] == '{' {
			if k := strings.IndexByte(s[j:], '}'); k > 0 {
				b.WriteString(sh.psVariable(s[j+1 : j+k]))
				i = j + k + 1
				continue
			}
		}
		for j < len(s) && (s[j] == '_' || s[j] == ':' || s[j] == '.' && j+1 < len(s) && s[j+1]|0x20 >= 'a' && s[j+1]|0x20 <= 'z' && strings.HasPrefix(s[i:], "$_.") || s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z' || s[j] >= '0' && s[j] <= '9') {
			j++
		}
		b.WriteString(sh.psVariable(s[i+1 : j]))
		i = max(j, i+1)
	}
	return b.String()
}

func (sh *shell) psVariable(name string) string {
	low := strings.ToLower(name)
	switch low {
	case "home", "env:userprofile", "env:home":
		return sh.world.Home
	case "pwd":
		return sh.st.dirs[0]
	case "env:temp", "env:tmp":
		return sh.world.temps()[0]
	case "env:localappdata":
		return sh.world.Home + "/AppData/Local"
	case "env:appdata":
		return sh.world.Home + "/AppData/Roaming"
	case "env:systemroot", "env:windir":
		return `C:\Windows`
	case "env:systemdrive":
		return `C:`
	case "env:programfiles":
		return `C:\Program Files`
	case "profile":
		return sh.world.Home + "/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"
	case "null":
		return ""
	case "true", "false":
		return "$" + low
	}
	head, member, dotted := strings.Cut(low, ".")
	if vs, ok := sh.st.vars["ps:"+head]; ok && len(vs) == 1 && (!dotted || member == "fullname" || member == "name") {
		return vs[0].text
	}
	if env, ok := strings.CutPrefix(low, "env:"); ok {
		for k, v := range sh.world.Env {
			if strings.EqualFold(k, env) {
				return v
			}
		}
	}
	return string(hole)
}

// psPath tells what happens to a file.
func (sh *shell) psPath(does string, w psWord, e effect, at hook.Span) {
	for one := range strings.SplitSeq(sh.psText(w), ",") {
		one = winPath(strings.Trim(strings.TrimSpace(one), `"'`))
		if one == "" || strings.EqualFold(one, "NUL") || strings.HasPrefix(one, "Env:") || strings.HasPrefix(one, "HKLM:") || strings.HasPrefix(one, "HKCU:") {
			if does != "read" && strings.HasPrefix(one, "HK") {
				sh.registry(one, at)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(one, "~"); ok && (rest == "" || rest[0] == '/') {
			one = sh.world.Home + rest
		}
		f := field{value: value{text: one}, at: at, glob: strings.ContainsAny(one, "*?["), pattern: one}
		sh.path(does, f, e)
	}
}

// winPath writes a path of Windows with slashes; a drive is a folder at the top.
func winPath(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	if len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' {
		s = "/" + strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// run tells what a cmdlet does.
func (p *psCall) run(words []psWord) values {
	recursive := p.flag("-recurse")
	dry := p.flag("-whatif")
	switch p.name {
	case "remove-item", "clear-content", "remove-itemproperty", "clear-recyclebin":
		for _, w := range p.paths() {
			p.psPath("delete", w, effect{recursive: recursive, dry: dry}, p.at)
		}
		if len(p.operands) > 1 && p.named["-path"].text == "" { // a list without commas is a mistake, and del of cmd takes one
			for _, w := range p.operands[1:] {
				p.psPath("delete", w, effect{recursive: recursive, dry: dry}, p.at)
			}
		}
	case "move-item", "rename-item":
		for _, w := range p.paths() {
			p.psPath("move", w, effect{dry: dry}, p.at)
		}
		p.target("-destination")
	case "copy-item":
		for _, w := range p.paths() {
			p.psPath("read", w, effect{recursive: recursive, dry: dry}, p.at)
		}
		p.target("-destination")
	case "set-content", "add-content", "out-file", "new-item", "tee-object", "export-csv", "set-item", "compress-archive", "expand-archive":
		for _, w := range p.paths() {
			p.psPath("write", w, effect{dry: dry}, p.at)
		}
		if d, ok := p.named["-destinationpath"]; ok {
			p.psPath("write", d, effect{}, p.at)
		}
	case "get-content", "select-string", "import-csv", "get-filehash", "format-hex":
		var out values
		paths := p.paths()
		if p.name == "select-string" && p.named["-path"].text == "" && len(p.operands) > 1 {
			paths = p.operands[1:]
		}
		for _, w := range paths {
			p.psPath("read", w, effect{}, p.at)
			for _, place := range p.places(winPath(p.psText(w))) {
				out = out.or(anything("file:" + visible(place)))
			}
		}
		return out
	case "get-childitem", "get-item", "resolve-path":
		for _, w := range p.paths() {
			if strings.EqualFold(strings.Trim(w.text, `\:/*`), "env") {
				p.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: p.at, Sure: true})
				return anything("env:*")
			}
		}
		var out values
		paths := p.paths()
		if len(paths) == 0 {
			paths = []psWord{{text: "."}}
		}
		for _, w := range paths {
			t := p.psText(w)
			if f, ok := p.named["-filter"]; ok {
				t += `\**\` + f.text
			} else if f, ok := p.named["-include"]; ok {
				for one := range strings.SplitSeq(p.psText(f), ",") {
					out = append(out, value{text: t + `\**\` + one})
				}
				continue
			} else if recursive || p.name == "get-childitem" {
				t += `\*`
			}
			out = append(out, value{text: t})
		}
		return out.bounded()
	case "test-path", "split-path", "get-itemproperty", "get-acl", "compare-object", "measure-object":
	case "join-path":
		out := value{}
		for i, w := range p.operands {
			if i > 0 {
				out.text += `\`
			}
			out.text += p.psText(w)
		}
		if w, ok := p.named["-path"]; ok {
			out.text = p.psText(w) + `\` + out.text
		}
		return values{out}
	case "where-object", "select-object", "sort-object", "get-unique", "out-string":
		return p.fed
	case "set-location", "push-location":
		if ws := p.paths(); len(ws) > 0 {
			p.chdir(field{value: value{text: winPath(p.psText(ws[0]))}})
		}
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		return p.web()
	case "invoke-expression":
		return p.expression()
	case "foreach-object", "invoke-command", "start-job", "measure-command":
		for _, w := range append(slices.Clone(words), p.named["-process"], p.named["-scriptblock"]) {
			if !w.block {
				continue
			}
			if len(p.fed) == 0 {
				p.st.set("ps:_", anything())
				p.powershell(w.text, p.at)
			}
			for _, v := range p.fed {
				p.st.set("ps:_", values{v})
				p.powershell(w.text, p.at)
			}
		}
	case "start-process":
		line := ""
		if w, ok := p.named["-filepath"]; ok {
			line = p.psText(w)
		} else if len(p.operands) > 0 {
			line = p.psText(p.operands[0])
		}
		if strings.EqualFold(p.named["-verb"].text, "runas") {
			p.tell(hook.Fact{Does: "run", Program: line, Elevated: true, At: p.at, Sure: true})
		}
		for one := range strings.SplitSeq(p.named["-argumentlist"].text, ",") {
			line += " " + quote(strings.Trim(strings.TrimSpace(one), "'\""))
		}
		p.psLine(line)
	case "get-process":
		if len(p.operands) > 0 {
			return anything("pids:" + p.operands[0].text)
		}
		if n := p.named["-name"].text; n != "" {
			return anything("pids:" + n)
		}
		return anything("pids:*")
	case "set-itemproperty", "new-itemproperty":
		for _, w := range p.paths() {
			p.psPath("write", w, effect{dry: dry}, p.at)
		}
	case "enter-pssession", "new-pssession":
		p.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: p.named["-computername"].text, Class: "private", At: p.at, Sure: true})
	case "install-module", "install-package", "install-script":
		fact := hook.Fact{Does: "package", Manager: "powershell", Verb: "install", Source: "registry", Global: strings.EqualFold(p.named["-scope"].text, "AllUsers"), At: p.at, Sure: true}
		p.tell(fact)
	case "publish-module", "publish-script":
		p.tell(hook.Fact{Does: "package", Manager: "powershell", Verb: "publish", At: p.at, Sure: true})
	case "register-psrepository", "register-packagesource":
		p.tell(hook.Fact{Does: "package", Manager: "powershell", Verb: "install", Source: "index", At: p.at, Sure: true})
	case "stop-process":
		for _, v := range p.fed {
			for _, from := range v.from {
				if name, ok := strings.CutPrefix(from, "pids:"); ok {
					c := &call{shell: p.shell, name: p.name, at: p.at}
					c.named(name, field{at: p.at})
				}
			}
		}
		name := p.named["-name"].text
		if name == "" && len(p.operands) > 0 {
			name = p.operands[0].text
		}
		if strings.HasPrefix(programName(name), "hookway") {
			p.tell(hook.Fact{Does: "self", What: "daemon", Object: name, At: p.at, Sure: true})
		}
		p.tell(hook.Fact{Does: "system", What: "process", Object: name, Name: programName(name), Bulk: p.named["-name"].text != "", Global: name == "*", Dry: dry, At: p.at, Sure: true})
	case "stop-computer", "restart-computer":
		p.tell(hook.Fact{Does: "system", What: "power", Object: p.name, At: p.at, Sure: true, Dry: dry})
	case "format-volume", "clear-disk", "initialize-disk", "remove-partition", "diskpart", "format":
		p.tell(hook.Fact{Does: "system", What: "device", Object: strings.Join(psShown(words), " "), At: p.at, Sure: true, Dry: dry})
	case "stop-service", "start-service", "restart-service", "set-service", "new-service", "remove-service", "sc.exe":
		p.tell(hook.Fact{Does: "system", What: "service", Object: strings.Join(psShown(words), " "), At: p.at, Sure: true, Dry: dry})
	case "convertto-json", "convertto-csv", "format-table", "format-list":
		return p.fed
	case "set-executionpolicy", "set-mppreference", "add-mppreference", "disable-windowsoptionalfeature", "set-acl", "disable-netfirewallrule", "set-netfirewallprofile", "bcdedit", "vssadmin", "wbadmin":
		p.tell(hook.Fact{Does: "system", What: "permissions", Object: strings.Join(psShown(words), " "), At: p.at, Sure: true, Dry: dry})
	case "new-localuser", "remove-localuser", "add-localgroupmember", "set-localuser":
		p.tell(hook.Fact{Does: "system", What: "user", Object: strings.Join(psShown(words), " "), At: p.at, Sure: true})
	case "register-scheduledtask", "schtasks", "new-scheduledtask":
		p.tell(hook.Fact{Does: "system", What: "cron", Object: strings.Join(psShown(words), " "), At: p.at, Sure: true})
	case "invoke-sqlcmd":
		where := "local"
		if s := p.named["-serverinstance"].text; s != "" && !strings.HasPrefix(strings.ToLower(s), "localhost") && s != "." && !strings.HasPrefix(s, "(local") {
			where = "remote"
		}
		p.sql(p.psText(p.named["-query"]), "tsql", where, p.at)
	case "write-output", "write-host":
		var out value
		for i, w := range words {
			if i > 0 {
				out.text += " "
			}
			out.text += p.psText(w)
		}
		return values{out}
	default:
		if verb, noun, ok := strings.Cut(p.name, "-"); ok && (verb == "remove" || verb == "new" || verb == "set" || verb == "stop" || verb == "restart" || verb == "disable") {
			for _, system := range []string{"az", "s3", "ec2", "gc", "ad", "vm", "cim", "rds", "iam", "vhd", "dnsserver", "cluster"} {
				if strings.HasPrefix(noun, system) {
					does := "apply"
					if verb == "remove" {
						does = "delete"
					}
					p.tell(hook.Fact{Does: "infra", System: system, Verb: does, Object: p.name, Bulk: len(p.fed) > 0 || p.flag("-deletebucketcontent"), Approved: p.flag("-force"), Dry: dry, At: p.at, Sure: true})
					return anything()
				}
			}
		}
		return p.native(words)
	}
	return anything(p.fed.sources()...)
}

// target tells that the second operand, or a parameter, is written.
func (p *psCall) target(name string) {
	w, ok := p.named[name]
	if !ok && len(p.operands) > 1 {
		w, ok = p.operands[1], true
	}
	if !ok && len(p.operands) == 1 && p.named["-path"].text != "" {
		w, ok = p.operands[0], true
	}
	if ok {
		p.psPath("write", w, effect{}, p.at)
	}
}

// web tells to whom a request goes, and where to its answer is written.
func (p *psCall) web() values {
	uri, ok := p.named["-uri"]
	if !ok && len(p.operands) > 0 {
		uri = p.operands[0]
	}
	c := &call{shell: p.shell, name: p.name, at: p.at}
	method := strings.ToUpper(p.named["-method"].text)
	if method == "" {
		method = "GET"
	}
	var sends, receives []string
	if f, ok := p.named["-infile"]; ok {
		p.psPath("read", f, effect{sends: true}, p.at)
		sends = c.sourcesOf(field{value: value{text: winPath(p.psText(f))}})
	}
	if b, ok := p.named["-body"]; ok && b.sub {
		sends = union(sends, p.psSources(b))
	}
	if f, ok := p.named["-outfile"]; ok {
		p.psPath("write", f, effect{}, p.at)
		receives = append(receives, visible(p.places(winPath(p.psText(f)))[0]))
	}
	for part := range strings.SplitSeq(strings.ToLower(uri.text), "$env:") {
		if name, _, _ := strings.Cut(part, "&"); part != strings.ToLower(uri.text) && name != "" {
			sends = union(sends, []string{"env:" + strings.ToUpper(strings.TrimRight(name, "\"')} "))})
		}
	}
	for _, v := range p.fed {
		sends = union(sends, v.from)
	}
	from := c.connect(field{value: value{text: p.psText(uri)}, at: p.at}, method, sends, receives)
	if f, ok := p.named["-outfile"]; ok {
		p.store(p.places(winPath(p.psText(f)))[0], anything(from))
	} else if p.name == "start-bitstransfer" && len(p.operands) > 1 {
		p.psPath("write", p.operands[1], effect{}, p.at)
		p.store(p.places(winPath(p.psText(p.operands[1])))[0], anything(from))
	}
	return anything(from)
}

// psSources reads a bracket and gives where its text comes from.
func (p *psCall) psSources(w psWord) []string {
	var from []string
	for _, c := range psCommands(w.text) {
		from = union(from, p.psRun(c, nil, p.at).sources())
	}
	return from
}

// expression is Invoke-Expression: a text that is run.
func (p *psCall) expression() values {
	in := p.fed
	w, ok := p.named["-command"]
	if !ok && len(p.operands) > 0 {
		w, ok = p.operands[0], true
	}
	if ok {
		if w.sub {
			in = nil
			if strings.Contains(w.text, "'") && strings.Contains(w.text, "+") {
				in = values{p.psJoined(w.text)}
			} else {
				for _, c := range psCommands(w.text) {
					in = p.psRun(c, in, p.at)
				}
			}
		} else {
			in = values{{text: p.psText(w)}}
		}
	}
	for _, v := range in {
		if !v.known() || len(v.from) > 0 {
			p.tell(hook.Fact{Does: "execute", From: origin(v), Language: "powershell", At: p.at, Sure: true})
		}
		if v.known() {
			p.powershell(v.text, p.at)
		}
	}
	return anything()
}

// native runs a program that is no cmdlet, by the rules of the other shells.
func (p *psCall) native(words []psWord) values {
	switch strings.TrimSuffix(p.name, ".exe") {
	case "powershell", "pwsh":
		if w, ok := p.named["-encodedcommand"]; ok {
			if src, ok := decodeUTF16(w.text); ok {
				p.powershell(src, p.at)
			} else {
				p.unknown(p.at, "a text is run that shows only when it runs")
			}
			return anything()
		}
		if w, ok := p.named["-command"]; ok {
			p.powershell(w.text, p.at)
		} else if len(p.operands) > 0 && !strings.HasSuffix(p.operands[0].text, ".ps1") {
			p.powershell(p.operands[0].text, p.at)
		}
		return anything()
	case "cmd":
		for i, w := range words {
			if strings.EqualFold(w.text, "/c") || strings.EqualFold(w.text, "/k") {
				var rest []string
				for _, r := range words[i+1:] {
					rest = append(rest, p.psText(r))
				}
				p.cmd(strings.Join(rest, " "), p.at)
			}
		}
		return anything()
	case "reg", "start", "setx", "runas", "certutil", "bitsadmin", "msiexec", "mshta", "regsvr32", "rundll32", "schtasks", "vssadmin", "netsh", "sc", "wevtutil", "forfiles", "taskkill", "shutdown", "net", "icacls", "takeown", "cipher", "robocopy", "xcopy", "format", "diskpart", "wmic":
		var rest []string
		for _, r := range words {
			rest = append(rest, p.psText(r))
		}
		p.cmdRun(append([]string{p.name}, rest...), p.at)
		return anything()
	}
	var fields []field
	for _, w := range append([]psWord{{text: p.name}}, words...) {
		t := p.psText(w)
		if strings.Contains(t, `\`) && !strings.Contains(t, " ") {
			t = winPath(t)
		}
		fields = append(fields, field{value: value{text: t}, at: p.at, bare: !w.quoted})
	}
	var out []hook.Fact
	out, p.out = p.out[:len(p.out)-1], nil // run tells the program again
	res := p.shell.run(fields, p.fed, p.at)
	p.out = append(out, p.out...)
	return res
}

// psLine runs a line that a cmdlet starts.
func (p *psCall) psLine(line string) {
	if strings.TrimSpace(line) != "" {
		p.powershell("& "+line, p.at)
	}
}

// decodeUTF16 reads what -EncodedCommand takes.
func decodeUTF16(s string) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(b)%2 != 0 {
		return "", false
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return clean(string(utf16.Decode(u))), true
}

// psMember reads a call of .NET: [IO.File]::Delete('x'), $x.Delete().
func (sh *shell) psMember(s string, at hook.Span) values {
	low := strings.ToLower(s)
	open := strings.IndexByte(s, '(')
	if open < 0 {
		return anything()
	}
	args := psCommands(s[open+1 : max(open+1, open+psBracket(s[open:])-1)])
	word := func(i int) psWord {
		var all []psWord
		for _, c := range args {
			all = append(all, c.words...)
		}
		if i < len(all) {
			w := all[i]
			w.text = strings.TrimSuffix(w.text, ",")
			return w
		}
		return psWord{text: string(hole)}
	}
	switch head := low[:open]; {
	case strings.HasSuffix(head, "::delete"):
		sh.psPath("delete", word(0), effect{recursive: strings.Contains(head, "directory")}, at)
	case strings.HasSuffix(head, "::readalltext"), strings.HasSuffix(head, "::readallbytes"), strings.HasSuffix(head, "::readalllines"):
		sh.psPath("read", word(0), effect{}, at)
	case strings.Contains(head, "::write"), strings.Contains(head, "::append"):
		sh.psPath("write", word(0), effect{}, at)
	case strings.HasSuffix(head, ".delete"), strings.HasSuffix(head, ".deletefolder"), strings.HasSuffix(head, ".deletefile"):
		w := word(0)
		if w.text == string(hole) || strings.HasPrefix(w.text, "$t") {
			w = psWord{text: s[:open-len(".delete")], quoted: true}
		}
		sh.psPath("delete", w, effect{recursive: true}, at)
	case strings.HasSuffix(head, "::create") && strings.Contains(head, "scriptblock"):
		sh.powershell(sh.psText(word(0)), at)
	case strings.HasSuffix(head, "::load"):
		sh.tell(hook.Fact{Does: "execute", From: "download", Language: "dotnet", At: at})
	case strings.HasSuffix(head, "::getenvironmentvariables"):
		sh.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: at, Sure: true})
	case strings.HasSuffix(head, "::move"):
		sh.psPath("move", word(0), effect{}, at)
	case strings.HasSuffix(head, ".downloadstring"), strings.HasSuffix(head, ".downloaddata"):
		c := &call{shell: sh, name: "webclient", at: at}
		return anything(c.connect(field{value: value{text: sh.psText(word(0))}, at: at}, "GET", nil, nil))
	case strings.HasSuffix(head, ".downloadfile"):
		c := &call{shell: sh, name: "webclient", at: at}
		from := c.connect(field{value: value{text: sh.psText(word(0))}, at: at}, "GET", nil, []string{visible(word(1).text)})
		sh.psPath("write", word(1), effect{}, at)
		sh.store(sh.places(winPath(sh.psText(word(1))))[0], anything(from))
	case strings.HasSuffix(head, "::frombase64string"):
		return anything("decoded")
	case strings.HasSuffix(head, "::start"):
		sh.psRun(psCommand{words: []psWord{word(0), word(1)}}, nil, at)
	}
	return anything()
}
