package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// onlyLooks reports whether a program that changes the machine is only asked to tell.
func (c *call) onlyLooks(p parsed) bool {
	words := []string{"status", "list", "show", "info", "get", "usage", "query", "queryex", "enum", "ls", "state", "print", "help", "version", "check", "history", "describe", "df", "filesystem", "iostat"}
	if len(p.operands) > 0 && slices.Contains(words, strings.ToLower(p.operands[0].text)) {
		return true
	}
	for _, f := range c.args {
		if w := strings.TrimLeft(f.text, "-"); w != f.text && (slices.Contains(words, w) || f.text == "-n" && (c.name == "modprobe" || c.name == "depmod") || f.text == "-l" && c.name == "at" || f.text == "-s" && c.name == "pfctl" || f.text == "-v" && len(c.args) == 1) {
			return true
		}
	}
	return false
}

// movedTo says of what is moved in which scope it is then.
func (c *call) movedTo(before int) {
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
func (c *call) act(r role, f field, p parsed) {
	e := effect{recursive: c.seen["recursive"], dry: c.seen["dry"]}
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
	case "maybe": // a file, if there is one of that name
		c.mayRead(f)
	case "dir":
		c.chdir(f)
	case "line":
		c.runField(f)
	case "source":
		c.runFile(f, "sh")
	case "sql":
		for l := range strings.Lines(f.text) {
			for _, start := range []string{".shell ", ".system ", `\! `, "system "} {
				if line, ok := strings.CutPrefix(strings.TrimSpace(l), start); ok {
					c.runText(value{line, f.from}, nil)
				}
			}
		}
		c.sql(f.text, dialects[c.name], c.database(p), f.at)
	case "sqlfile":
		c.shell.path("read", f, e)
		for _, v := range c.code(c.content(f)) {
			if v.known() {
				c.sql(v.text, dialects[c.name], c.database(p), f.at)
			}
		}
	case "database":
		if !strings.HasPrefix(f.text, ":") {
			c.shell.path("read", f, e)
		}
	case "mode":
		c.mode(f, p)
	case "npmscript":
		if len(p.operands) > 0 && p.operands[0].at == f.at {
			c.npmScript(f.text, fieldsOf(p.operands[1:]))
		}
	case "escape":
		for _, start := range []string{"shell ", "!", "platform shell ", "pipe "} {
			if line, ok := strings.CutPrefix(strings.TrimSpace(f.text), start); ok {
				c.runText(value{line, f.from}, nil)
			}
		}
	case "dbus":
		if strings.Contains(f.text, "PowerOff") || strings.Contains(f.text, "Reboot") || strings.Contains(f.text, "Halt") {
			c.tell(hook.Fact{Does: "system", What: "power", Object: f.text, At: f.at, Sure: true})
		}
	case "salt":
		if strings.Contains(f.text, " ") {
			old := c.st
			c.shell.st = old.clone()
			c.st.remote = "hosts"
			c.runText(f.value, nil)
			c.shell.st = old
		}
	case "device":
		if strings.HasPrefix(f.text, "/dev/sd") || strings.HasPrefix(f.text, "/dev/nvme") || strings.HasPrefix(f.text, "/dev/mem") || strings.HasPrefix(f.text, "/dev/disk") || strings.HasPrefix(f.text, "/dev/vd") {
			c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "privileged", Object: f.text, At: f.at, Sure: true})
		}
	case "volume":
		c.mount(f)
	case "javascript":
		c.mongo(f)
	case "vim":
		c.editor(f)
	case "action": // of tar
		if cmd, ok := strings.CutPrefix(f.text, "exec="); ok {
			c.runText(value{cmd, f.from}, nil)
		}
	case "archive", "members":
		c.archive(r, f, p)
	case "socat":
		c.socat(f)
	case "peer": // a file here, or "host:path" on another machine
		c.peer(f, p)
	case "packs": // it goes into an archive, and away with -m
		e.recursive = true
		c.shell.path("read", f, e)
		if c.seen["removes"] {
			c.shell.path("delete", f, e)
		}
	case "sends", "remote":
		if r == "remote" && !strings.Contains(f.text, ":") {
			c.shell.path("write", f, e)
			break
		}
		fact := hook.Fact{Does: "connect", Class: "public", Host: visible(strings.SplitN(f.text, ":", 2)[0]), At: f.at, Sure: true, Method: "POST", Dry: e.dry}
		for _, o := range p.operands {
			if o.at != f.at || r == "sends" {
				fact.Sends = union(fact.Sends, c.sourcesOf(o.field))
			}
		}
		c.tell(fact)
	case "httpie":
		c.httpie(f, p)
	case "lftp":
		if strings.Contains(f.text, "mirror -R") || strings.Contains(f.text, "put ") || strings.Contains(f.text, "mirror --reverse") {
			c.tell(hook.Fact{Does: "connect", Scheme: "ftp", Host: "ftp", Class: "public", Method: "PUT", Sends: []string{"file:" + c.st.dirs[0]}, At: f.at, Sure: true})
		}
	case "url":
		c.connect(f, "GET", nil, nil)
	case "host":
		c.host(f)
	case "hosttcp":
		if !strings.HasPrefix(f.text, "+") && !strings.HasPrefix(f.text, "@") { // options of dig
			sends := f.from
			if strings.HasPrefix(c.name, "nc") && c.stdin != nil {
				sends = union(union(sends, c.stdin.sources()), []string{"stdin"})
			}
			c.tell(hook.Fact{Does: "connect", Scheme: "tcp", Host: visible(f.text), Class: hostClass(f.text), Sends: sends, At: f.at, Sure: f.known()})
		}
	}
}

// httpie reads an operand of http: METHOD, address, or an item of the request.
func (c *call) httpie(f field, p parsed) {
	method, url := "GET", ""
	var sends []string
	for _, o := range p.operands {
		switch t := o.text; {
		case strings.Trim(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
			method = t
		case url == "":
			url = t
		case strings.Contains(t, "@") && !strings.Contains(strings.SplitN(t, "@", 2)[0], ":"):
			_, name, _ := strings.Cut(t, "@")
			g := o.field
			g.text = name
			sends = union(sends, c.sourcesOf(g))
		}
	}
	if f.text == url {
		c.connect(f, method, sends, nil)
	}
}

// mongo reads code for a MongoDB shell.
func (c *call) mongo(f field) {
	fact := hook.Fact{Does: "sql", Dialect: "mongodb", Verb: "select", Where: "local", At: f.at, Sure: f.known()}
	for _, o := range c.args {
		if strings.Contains(o.text, "mongodb") && strings.Contains(o.text, "://") && !strings.Contains(o.text, "localhost") && !strings.Contains(o.text, "127.0.0.1") {
			fact.Where = "remote"
		}
	}
	if h := c.value["--host"]; h != "" && h != "localhost" && h != "127.0.0.1" {
		fact.Where = "remote"
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
func (c *call) editor(f field) {
	line := strings.TrimLeft(f.text, ": ")
	for _, start := range []string{"silent ", "sil ", "execute ", "exe ", "%"} {
		line = strings.TrimPrefix(line, start)
	}
	if i := strings.IndexByte(line, '!'); i >= 0 && i < 8 {
		c.runText(value{line[i+1:], f.from}, nil)
		return
	}
	if i := strings.Index(line, "system("); i >= 0 {
		c.program("python", value{line[i:], f.from}) // system('…') reads the same there
	}
}

// archive reads the file and the members of tar: which are read or written depends on
// what it is to do.
func (c *call) archive(r role, f field, p parsed) {
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

// socat reads one of its two addresses: what it connects to, and what it runs there.
func (c *call) socat(f field) {
	kind, rest, _ := strings.Cut(f.text, ":")
	rest, _, _ = strings.Cut(rest, ",")
	switch kind = strings.ToLower(kind); {
	case strings.HasPrefix(kind, "unix") || kind == "abstract-connect":
		switch {
		case strings.Contains(rest, "hookway"):
			c.tell(hook.Fact{Does: "self", What: "daemon", Object: visible(rest), At: f.at, Sure: true})
		case strings.Contains(rest, "docker") || strings.Contains(rest, "containerd"):
			c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "mount-socket", Object: visible(rest), At: f.at, Sure: true})
		}
	case kind == "exec" || kind == "system" || kind == "shell":
		c.runText(value{rest, f.from}, nil)
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", What: "shell", At: f.at, Sure: true})
	case strings.HasPrefix(kind, "tcp") || strings.HasPrefix(kind, "udp") || strings.HasPrefix(kind, "openssl") || strings.HasPrefix(kind, "ssl"):
		if host, _, _ := strings.Cut(rest, ":"); !strings.Contains(kind, "listen") {
			c.tell(hook.Fact{Does: "connect", Scheme: "tcp", Host: visible(host), Class: hostClass(host), At: f.at, Sure: f.known()})
		}
	case kind == "open" || kind == "file" || kind == "create":
		g := f
		g.text = rest
		c.shell.path("write", g, effect{})
	}
}

// fact fills in a template. "$1" is the first operand, "$*" all of them.
func (t template) fact(c *call, p parsed) hook.Fact {
	part := func(i int) string {
		if i >= len(t.parts) {
			return ""
		}
		s := t.parts[i]
		if s == "$*" {
			var all []string
			for _, o := range p.operands {
				all = append(all, visible(o.text))
			}
			return strings.Join(all, " ")
		}
		if len(s) == 2 && s[0] == '$' && s[1] >= '1' && s[1] <= '9' {
			if n := int(s[1] - '1'); n < len(p.operands) {
				return visible(p.operands[n].text)
			}
			return ""
		}
		return s
	}
	f := hook.Fact{Does: t.kind, At: c.at, Sure: true, Dry: c.seen["dry"]}
	switch t.kind {
	case "system":
		f.What, f.Object = part(0), part(1)
	case "infra":
		f.System, f.Verb, f.Object = part(0), part(1), strings.TrimSpace(part(2)+" "+part(3))
		f.Bulk, f.Approved = c.seen["bulk"], c.seen["approved"]
	case "package":
		f.Manager, f.Verb, f.Name, f.Source = part(0), part(1), part(2), part(3)
		f.Global = c.seen["global"]
	case "connect":
		f.Scheme, f.Host, f.What = part(0), part(1), part(2)
		f.Class = hostClass(f.Host)
	case "processes":
		f.Does, f.What, f.Object, f.Global, f.Many = "system", "process", c.name, part(0) == "all", part(0) == "many"
	case "registry":
		f.Does, f.Manager, f.Verb, f.Name, f.Source = "package", c.name, "install", part(0), "registry"
		for _, o := range p.operands {
			if strings.Contains(o.text, "://") && !usualRegistry(o.text) {
				f.Source = "index"
			}
		}
	case "vcs", "vcs-loses", "vcs-protected":
		f.Does, f.Verb, f.Force, f.Deletes = "git", part(0), c.seen["force"], c.seen["deletes"]
		f.Uncommitted = t.kind == "vcs-loses" || c.seen["loses"]
		if t.kind == "vcs-protected" {
			f.Ref = "main"
		}
	case "credential":
		f.Does, f.Path, f.Secret = "read", c.name+":"+part(0), strings.ReplaceAll(part(1), "_", " ")
	case "sql":
		f.Verb, f.Object, f.Dialect, f.Where = part(0), part(1), c.name, c.database(p)
	case "unknown":
		f.Because = strings.ReplaceAll(part(0), "_", " ")
	}
	return f
}

// onDevice reports whether an operand is a device; of a plain file nothing is lost
// but that file.
func (c *call) onDevice(p parsed) bool {
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

// container runs words in a container.
func (c *call) container(args []field) values {
	old := c.st
	c.shell.st = old.clone()
	c.st.remote = "container"
	if c.name != "docker" && c.name != "podman" && c.name != "nerdctl" && c.name != "docker-compose" {
		c.st.remote = "pod"
	}
	out := c.wrapped(args)
	c.shell.st = old
	return out
}

// mode tells of permissions that let others in: set-user-ID bits, and everything for
// everybody outside the project.
func (c *call) mode(f field, p parsed) {
	if c.name != "chmod" {
		return
	}
	m := strings.TrimLeft(f.text, "0")
	numeric := m != "" && strings.Trim(m, "01234567") == ""
	special := numeric && len(m) == 4 && m[0] >= '2' || !numeric && strings.Contains(f.text, "s") && strings.ContainsAny(f.text, "+=")
	open := numeric && strings.HasSuffix(m, "7") || !numeric && (strings.Contains(f.text, "o+w") || strings.Contains(f.text, "a+w") || strings.Contains(f.text, "+rwx") && !strings.HasPrefix(f.text, "u"))
	for _, o := range p.operands {
		if o.text == f.text && o.at == f.at {
			continue
		}
		for _, place := range c.places(o.text) {
			scope := ""
			if !strings.ContainsRune(place, hole) {
				scope = c.world.scope(path.Clean(place))
			}
			if special || (m == "" || m == "000") && scope == scopeRoot || open && (scope == scopeRoot || scope == scopeSystem || scope == "" && c.seen["recursive"]) {
				c.tell(hook.Fact{Does: "system", What: "permissions", Object: visible(f.text + " " + o.text), Scope: scope, At: c.at, Sure: scope != ""})
			}
		}
	}
}

// peer reads an operand of scp and rsync.
func (c *call) peer(f field, p parsed) {
	host, _, remote := strings.Cut(f.text, ":")
	if !remote || host == "" || strings.Contains(host, "/") {
		does := "read"
		if last := len(p.operands) - 1; last > 0 && p.operands[last].text == f.text {
			does = "write"
		}
		c.shell.path(does, f, effect{recursive: c.seen["recursive"], dry: c.seen["dry"]})
		if does == "write" && c.seen["delete"] {
			c.shell.path("delete", f, effect{recursive: true, many: true, dry: c.seen["dry"]})
		}
		if does == "read" && c.seen["move"] {
			c.shell.path("move", f, effect{recursive: true, dry: c.seen["dry"]})
		}
		return
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	var sends []string
	for _, o := range p.operands[:max(len(p.operands)-1, 0)] {
		if !strings.Contains(o.text, ":") {
			sends = union(sends, c.sourcesOf(o.field))
		}
	}
	if p.operands[len(p.operands)-1].text != f.text {
		sends = nil
	}
	c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: visible(host), Class: hostClass(host), Sends: sends, At: f.at, Sure: f.known(), Dry: c.seen["dry"]})
}

// typed is a text as tmux types it: the names of keys are keys.
func (v value) typed() value {
	v.text = strings.NewReplacer(" Enter", "\n", " C-m", "\n", " KPEnter", "\n", " Space ", " ").Replace(v.text)
	return v
}
