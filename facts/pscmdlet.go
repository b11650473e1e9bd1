package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// run tells what a cmdlet does, and gives what it feeds to the next one.
func (p *psCall) run(words []psWord) values {
	if out, ok := p.gives(words); ok {
		return out
	}
	if p.onFiles() || p.runs(words) || p.onMachine(words) || p.onPackages() {
		return anything(p.fed.sources()...)
	}
	if p.onCloud() {
		return anything()
	}
	return p.native(words)
}

// gives reads cmdlets whose output matters to what follows.
func (p *psCall) gives(words []psWord) (values, bool) {
	switch p.name {
	case "get-content", "select-string", "import-csv", "get-filehash", "format-hex":
		return p.contents(), true
	case "get-childitem", "get-item", "resolve-path":
		return p.listed(), true
	case "join-path":
		return p.joinPath(), true
	case "write-output", "write-host", "write-verbose", "write-warning", "write-error", "write-information", "write-debug":
		return p.written(words), true
	case "get-process":
		return p.processes(), true
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		return p.web(), true
	case "invoke-expression":
		return p.expression(), true
	case "where-object", "select-object", "sort-object", "get-unique", "out-string", "convertto-json", "convertto-csv", "format-table", "format-list", "format-wide", "out-host", "out-default":
		return p.fed, true
	}
	return nil, false
}

// onFiles reads cmdlets that change files and folders.
func (p *psCall) onFiles() bool {
	e := effect{recursive: p.flag("-recurse"), dry: p.flag("-whatif")}
	switch p.name {
	case "remove-item", "clear-content", "remove-itemproperty", "clear-recyclebin":
		p.each("delete", e)
		if len(p.operands) > 1 && p.named["-path"].text == "" { // a list without commas is a mistake, and del of cmd takes one
			for _, w := range p.operands[1:] {
				p.psPath("delete", w, e, p.at)
			}
		}
	case "move-item", "rename-item":
		p.each("move", effect{dry: e.dry})
		p.target("-destination")
	case "copy-item":
		p.each("read", e)
		p.target("-destination")
	case "set-content", "add-content", "out-file", "new-item", "tee-object", "export-csv", "set-item", "compress-archive", "expand-archive":
		p.each("write", effect{dry: e.dry})
		if d, ok := p.named["-destinationpath"]; ok {
			p.psPath("write", d, effect{}, p.at)
		}
	case "set-itemproperty", "new-itemproperty":
		p.each("write", effect{dry: e.dry})
	case "set-location", "push-location":
		if ws := p.paths(); len(ws) > 0 {
			p.chdir(field{value: value{text: winPath(p.psText(ws[0]))}})
		}
	case "test-path", "split-path", "get-itemproperty", "get-acl", "compare-object", "measure-object":
	default:
		return false
	}
	return true
}

// runs reads cmdlets that run blocks and programs, or a statement on a server.
func (p *psCall) runs(words []psWord) bool {
	switch p.name {
	case "foreach-object", "invoke-command", "start-job", "measure-command":
		p.blocks(words)
	case "start-process":
		p.startProcess()
	case "invoke-sqlcmd":
		where := "local"
		if s := p.named["-serverinstance"].text; s != "" && !strings.HasPrefix(strings.ToLower(s), "localhost") && s != "." && !strings.HasPrefix(s, "(local") {
			where = "remote"
		}
		p.sql(p.psText(p.named["-query"]), "tsql", where, p.at)
	case "enter-pssession", "new-pssession":
		if p.named["-computername"].text == "" && p.named["-hostname"].text == "" && len(p.operands) == 0 {
			p.tell(hook.Fact{Does: "connect", Scheme: "ssh", Class: "private", At: p.at, Sure: true})
		}
	case "new-object":
		p.newObject()
	default:
		return false
	}
	return true
}

// psSystem says of cmdlets what of the machine they change.
var psSystem = map[string]string{
	"stop-computer": "power", "restart-computer": "power",
	"format-volume": "device", "clear-disk": "device", "initialize-disk": "device", "remove-partition": "device",
	"stop-service": "service", "start-service": "service", "restart-service": "service", "set-service": "service", "new-service": "service", "remove-service": "service", "sc.exe": "service",
	"set-executionpolicy": "permissions", "set-mppreference": "permissions", "add-mppreference": "permissions", "disable-windowsoptionalfeature": "permissions", "set-acl": "permissions",
	"disable-netfirewallrule": "permissions", "set-netfirewallprofile": "permissions", "new-netfirewallrule": "permissions", "set-netfirewallrule": "permissions", "remove-netfirewallrule": "permissions",
	"clear-eventlog": "permissions", "remove-eventlog": "permissions", "enable-psremoting": "permissions", "set-wsmanquickconfig": "permissions", "disable-computerrestore": "permissions",
	"new-localuser": "user", "remove-localuser": "user", "add-localgroupmember": "user", "set-localuser": "user",
	"register-scheduledtask": "cron", "new-scheduledtask": "cron", "set-scheduledtask": "cron", "unregister-scheduledtask": "cron", "disable-scheduledtask": "cron",
}

// onMachine reads cmdlets that change the machine: processes, services, disks, users.
func (p *psCall) onMachine(words []psWord) bool {
	if p.name == "stop-process" {
		p.stopProcess()
		return true
	}
	what, ok := psSystem[p.name]
	if !ok {
		return false
	}
	object := strings.Join(psShown(words), " ")
	if what == "power" {
		object = p.name
	}
	p.tell(hook.Fact{Does: "system", What: what, Object: object, Dry: p.flag("-whatif"), At: p.at, Sure: true})
	return true
}

// onPackages reads cmdlets that install and publish.
func (p *psCall) onPackages() bool {
	fact := hook.Fact{Does: "package", Manager: "powershell", At: p.at, Sure: true}
	switch p.name {
	case "install-module", "install-package", "install-script":
		fact.Verb, fact.Source, fact.Global = "install", "registry", strings.EqualFold(p.named["-scope"].text, "AllUsers")
	case "uninstall-module", "uninstall-package", "uninstall-script":
		fact.Verb, fact.Global = "remove", true
	case "publish-module", "publish-script":
		fact.Verb = "publish"
	case "register-psrepository", "register-packagesource":
		fact.Verb, fact.Source = "install", "index"
	default:
		return false
	}
	p.tell(fact)
	return true
}

// psClouds begin the nouns of cmdlets of clouds, directories and clusters.
var psClouds = []string{"az", "s3", "ec2", "gc", "ad", "vm", "cim", "rds", "iam", "vhd", "dnsserver", "cluster"}

// onCloud reads cmdlets that change what lies in a cloud, by their verb and noun.
func (p *psCall) onCloud() bool {
	verb, noun, ok := strings.Cut(p.name, "-")
	if !ok || !slices.Contains([]string{"remove", "new", "set", "stop", "restart", "disable"}, verb) {
		return false
	}
	i := slices.IndexFunc(psClouds, func(start string) bool { return strings.HasPrefix(noun, start) })
	if i < 0 {
		return false
	}
	does := "apply"
	if verb == "remove" {
		does = "delete"
	}
	p.tell(hook.Fact{Does: "infra", System: psClouds[i], Verb: does, Object: p.name, Bulk: len(p.fed) > 0 || p.flag("-deletebucketcontent"), Approved: p.flag("-force"), Dry: p.flag("-whatif"), At: p.at, Sure: true})
	return true
}

// each tells what happens to each path of a cmdlet.
func (p *psCall) each(does string, e effect) {
	for _, w := range p.paths() {
		p.psPath(does, w, e, p.at)
	}
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

// contents tells that files are read, and gives what comes of them.
func (p *psCall) contents() values {
	paths := p.paths()
	if p.name == "select-string" && p.named["-path"].text == "" && len(p.operands) > 1 {
		paths = p.operands[1:]
	}
	var out values
	for _, w := range paths {
		if vs, ok := p.psDrive(w.text); ok {
			out = out.or(vs)
			continue
		}
		p.psPath("read", w, effect{}, p.at)
		for _, place := range p.places(winPath(p.psText(w))) {
			out = out.or(anything("file:" + visible(place)))
		}
	}
	return out
}

// listed is what Get-ChildItem gives: names that are known in their shape.
func (p *psCall) listed() values {
	paths := p.paths()
	for _, w := range paths {
		if vs, ok := p.psDrive(strings.TrimPrefix(w.text, `Microsoft.PowerShell.Core\Environment::`)); ok {
			return vs
		}
	}
	if len(paths) == 0 {
		paths = []psWord{{text: "."}}
	}
	filter, filtered := p.named["-filter"]
	include, included := p.named["-include"]
	var out values
	for _, w := range paths {
		t := p.psText(w)
		switch {
		case filtered:
			out = append(out, value{text: t + `\**\` + filter.text})
		case included:
			for one := range strings.SplitSeq(p.psText(include), ",") {
				out = append(out, value{text: t + `\**\` + one})
			}
		case (p.flag("-recurse") || p.name == "get-childitem") && !strings.ContainsAny(t, "*?"):
			out = append(out, value{text: t + `\*`})
		default:
			out = append(out, value{text: t})
		}
	}
	return out.bounded()
}

// joinPath is Join-Path: its words with separators.
func (p *psCall) joinPath() values {
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
}

// written is Write-Output: its words with blanks.
func (p *psCall) written(words []psWord) values {
	var out value
	for i, w := range words {
		if i > 0 {
			out.text += " "
		}
		v := p.psValue(w)
		out.text += v.text
		out.from = union(out.from, v.from)
	}
	return values{out}
}

// processes is Get-Process: processes of a name, or all.
func (p *psCall) processes() values {
	switch {
	case len(p.operands) > 0:
		return anything("pids:" + p.operands[0].text)
	case p.named["-name"].text != "":
		return anything("pids:" + p.named["-name"].text)
	}
	return anything("pids:*")
}

// blocks runs the blocks of a cmdlet, once for each thing that it is fed.
func (p *psCall) blocks(words []psWord) {
	for _, w := range append(slices.Clone(words), p.named["-process"], p.named["-scriptblock"]) {
		if !w.block {
			continue
		}
		fed := p.fed
		if len(fed) == 0 {
			fed = anything()
		}
		for _, v := range fed {
			p.st.set("ps:_", values{v})
			p.powershell(w.text, p.at)
		}
	}
}

// startProcess is Start-Process: a program with its arguments, perhaps as administrator.
func (p *psCall) startProcess() {
	line := ""
	if w, ok := p.named["-filepath"]; ok {
		line = p.psText(w)
	} else if len(p.operands) > 0 {
		line = p.psText(p.operands[0])
	}
	if strings.EqualFold(p.named["-verb"].text, "runas") {
		p.tell(hook.Fact{Does: "run", Program: line, Elevated: true, At: p.at, Sure: true})
	}
	list := p.named["-argumentlist"].text
	if list == "" && len(p.operands) > 1 && p.named["-filepath"].text == "" {
		list = p.operands[1].text
	}
	for one := range strings.SplitSeq(list, ",") { // it joins them with blanks, and the program takes them apart again
		line += " " + strings.Trim(strings.TrimSpace(one), "'\"")
	}
	p.psLine(line)
}

// stopProcess is Stop-Process: by what it is fed, by name or by number.
func (p *psCall) stopProcess() {
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
	for one := range strings.SplitSeq(name, ",") {
		one = strings.Trim(strings.TrimSpace(one), "'\"")
		if strings.HasPrefix(programName(one), "hookway") {
			p.tell(hook.Fact{Does: "self", What: "daemon", Object: one, At: p.at, Sure: true})
		}
		p.tell(hook.Fact{Does: "system", What: "process", Object: one, Name: programName(one), Bulk: p.named["-name"].text != "", Global: one == "*" || slices.Contains(vital, programName(one)), Dry: p.flag("-whatif"), At: p.at, Sure: true})
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
		sends = c.net().sourcesOf(field{value: value{text: winPath(p.psText(f))}})
	}
	if b, ok := p.named["-body"]; ok && b.sub {
		sends = union(sends, p.psSources(b))
	} else if ok {
		sends = union(sends, p.psValue(b).from)
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
	from := c.net().connect(field{value: value{text: p.psText(uri)}, at: p.at}, method, sends, receives)
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
	for _, c := range p.psParsed(w.text) {
		from = union(from, p.psRun(c, nil, p.at).sources())
	}
	return from
}
