package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// sub is the sub-command of a call, for the fact that the program runs.
func (e *entry) sub(c *call) string {
	probe := *c
	probe.seen, probe.value = nil, nil
	return e.read(&probe).sub
}

// run tells what a program of the table does.
func (e *entry) run(c *call) values {
	p := e.read(c)
	e = p.entry
	if slices.ContainsFunc(e.facts, func(t template) bool { return t.kind == "elevate" }) {
		old := c.st
		c.shell.st = old.clone()
		c.st.elevated = true
		defer func() { c.shell.st = old }()
	}
	reads, before := false, len(c.out)
	var from []string
	c.table().unpacks(p)
	if c.seen["rootshell"] && len(p.operands) == 0 {
		c.tell(hook.Fact{Does: "run", Program: "sh", Elevated: true, At: c.at, Sure: true})
	}
	if c.stdin != nil && c.startsShell(p) {
		return c.lang().runInput("sh")
	}
	ran := e.inOrder(c, p, func(r role, f field) {
		if r == "read" || r == "secretread" {
			reads = true
			from = union(from, c.content(f).sources())
		}
		c.table().act(r, f, p)
	})
	c.table().movedTo(before)
	c.ssh().usualKey()
	c.table().emptied(p)
	if e.options["-o"].role == "builds" {
		c.table().builds(p)
	}
	if slices.Contains(lineEditors, c.name) {
		c.edited(p)
	}
	for _, t := range e.facts {
		c.table().tellTemplate(t, p)
	}
	c.table().pipedSQL(p)
	c.table().pipedCode(p)
	if c.name == "at" || c.name == "batch" || c.name == "crontab" {
		c.timed(p)
	}
	if c.name == "patch" && !c.seen["dry"] {
		c.patched(parsed{operands: p.operands[min(1, len(p.operands)):]})
	}
	if ran != nil {
		return ran
	}
	if !reads {
		from = union(from, c.stdin.sources())
	}
	return anything(from...)
}

// startsShell reports whether a program that runs another is given none: it starts a shell, which
// reads what comes in.
func (c *call) startsShell(p parsed) bool {
	switch c.name {
	case "sudo", "doas":
		return c.seen["rootshell"] && len(p.operands) == 0
	case "su":
		return len(p.operands) < 2 && c.value["-c"] == "" && c.value["--command"] == ""
	case "chroot":
		return len(p.operands) == 1
	case "unshare", "nsenter", "newgrp", "proot", "fakeroot", "firejail", "nix-shell", "wsl":
		return len(p.operands) == 0
	}
	return false
}

// unpacks notes where what an archive holds comes from.
func (c tableCall) unpacks(p parsed) {
	switch {
	case c.name == "tar" && c.value["-f"] == "" && c.stdin != nil:
		for _, d := range c.st.dirs {
			c.taint(d, c.stdin.sources())
		}
		if dir := c.value["-C"]; dir != "" {
			for _, d := range c.places(dir) {
				c.taint(d, c.stdin.sources())
			}
		}
	case c.name == "unzip" && len(p.operands) > 0:
		to := "."
		if d := c.value["-d"]; d != "" {
			to = d
		}
		for _, d := range c.places(to) {
			c.taint(d, c.content(p.operands[0].field).sources())
		}
	}
}

// emptied tells that files are made empty: by truncate, or by a copy of nothing.
func (c tableCall) emptied(p parsed) {
	files := p.operands
	if c.name == "sponge" {
		if !c.fedNothing() || c.seen["-a"] {
			return
		}
	} else if c.name == "truncate" { // -s +1K, %4K and >1K let a file grow
		if size := c.value["-s"] + c.value["--size"]; size != "" && strings.IndexByte("+%>", size[0]) >= 0 {
			return
		}
	} else {
		if copies := c.name == "cp" || c.name == "install" || c.name == "mv"; !copies || len(files) < 2 || files[0].text != "/dev/null" {
			return
		}
		files = files[1:]
	}
	for _, o := range files {
		c.shell.path("delete", o.field, effect{empties: true})
	}
}

// tellTemplate tells the fact of a template, if it holds for this call.
func (c tableCall) tellTemplate(t template, p parsed) {
	switch {
	case t.kind == "elevate", t.kind == "system" && c.onlyLooks(p), c.name == "sysctl" && c.readsKernel(p):
		return
	case t.kind == "system" && t.parts[0] == "device" && !c.onDevice(p):
		return
	case t.kind == "package-global" && (t.needs == "" || c.seen[t.needs]):
		t.kind = "package"
		c.seen["global"] = true
	}
	off, not := strings.CutPrefix(t.needs, "!")
	switch {
	case t.kind == "package":
		if t.needs == "" || c.seen[t.needs] {
			c.build().packages(t, p)
		}
	case t.needs != "" && !c.seen[t.needs] && !(not && !c.seen[off]):
	case t.kind == "deletes":
		c.shell.path("delete", field{value: value{text: c.world.Home + strings.TrimPrefix(t.parts[0], "~")}, at: c.at}, effect{recursive: true})
	default:
		c.tell(t.fact(c.call, p))
	}
}

// readsKernel reports whether sysctl is given nothing to set.
func (c tableCall) readsKernel(p parsed) bool {
	return !c.seen["-w"] && !c.seen["-p"] && !slices.ContainsFunc(p.operands, func(o operand) bool { return strings.Contains(o.text, "=") })
}

// pipedSQL reads SQL that a client is given by a pipe.
func (c tableCall) pipedSQL(p parsed) {
	takes := slices.Contains(p.entry.operands, "sql")
	for _, o := range p.entry.options {
		takes = takes || o.role == "sql"
	}
	if dialects[c.name] == "" && !takes || slices.ContainsFunc(p.valued, func(v valued) bool { return v.role == "sql" || v.role == "sqlfile" }) {
		return
	}
	where := c.database(p)
	for _, v := range c.code(c.stdin) {
		if v.known() {
			c.clientText(field{value: v, at: c.at}, where)
		} else if file := filePath(v) != "" && origin(v) == "file"; !file || where != "local" && where != "test" { // as of -f FILE
			c.unknown(c.at, "SQL is run that shows only when it runs")
		}
	}
}

// inOrder gives each value of an option and each operand with its role.
func (e *entry) inOrder(c *call, p parsed, f func(role, field)) values {
	for _, v := range p.valued {
		if v.role != "" {
			f(v.role, v.field)
		}
	}
	for i, o := range p.operands {
		r := e.role(i, len(p.operands))
		if out, done := c.table().takesRest(r, o, p.operands[i:], e.rest == i); done {
			return out
		}
		f(r, o.field)
	}
	return nil
}

// role is what operand i of n means.
func (e *entry) role(i, n int) role {
	if e.rest < 0 {
		if i < len(e.operands) {
			return e.operands[i]
		}
		return ""
	}
	after := len(e.operands) - e.rest - 1 // roles behind the one that takes many
	switch {
	case i < e.rest:
		return e.operands[i]
	case i >= n-after && (n > e.rest+after || i > e.rest):
		return e.operands[len(e.operands)-(n-i)]
	}
	return e.operands[e.rest]
}

// takesRest reads the roles that take all operands from one on.
func (c tableCall) takesRest(r role, o operand, rest []operand, many bool) (out values, done bool) {
	words := c.args[o.index:]
	switch {
	case r == "run" && c.name == "screen" && c.value["-X"] != "": // a command for a terminal that is there
		if c.value["-X"] == "stuff" {
			c.types(words)
		}
	case r == "run":
		c.net().fetches(o.field)
		return c.wrapped(words), true
	case r == "line" && many:
		for _, v := range c.builtin().joined(words) {
			out = out.or(c.builtin().runText(v, c.stdin))
		}
		if len(words) > 1 { // with -x, and elsewhere, the words are kept apart
			c.unsure(func() { c.wrapped(words) })
		}
		return out, true
	case r == "there":
		for _, v := range c.builtin().joined(words) {
			c.runThere("host", field{value: v, at: o.at})
		}
	case r == "keys":
		c.types(words)
	case r == "gopackage":
		if programName(o.text) == "hookway" { // which it builds
			return c.wrapped(words), true
		}
		c.net().goModule(o.field)
		for _, f := range fieldsOf(rest) {
			if f.text == "-" || strings.HasSuffix(f.text, ".go") {
				c.codeFile(f)
			}
		}
		return nil, true // the others are words for it
	case r == "container":
		return c.service().container(words), true
	case r == "cloud":
		c.service().cloud(fieldsOf(rest))
	case r == "forge":
		c.service().forge(fieldsOf(rest))
	case r == "vault" || r == "redis":
		c.service().keyValue(fieldsOf(rest))
	default:
		return nil, false
	}
	return nil, true
}

// types reads words that are typed into a terminal, where a shell reads them.
func (c tableCall) types(words []field) {
	for _, v := range c.builtin().joined(words) {
		c.unsure(func() { c.builtin().runText(v.typed(), nil) })
	}
}

func fieldsOf(operands []operand) []field {
	out := make([]field, len(operands))
	for i, o := range operands {
		out[i] = o.field
	}
	return out
}

// fact fills in a template. "$1" is the first operand, "$*" all of them.
func (t template) fact(c *call, p parsed) hook.Fact {
	part := func(i int) string { return t.part(i, p) }
	f := hook.Fact{Does: t.kind, At: c.at, Sure: true, Dry: c.seen["dry"]}
	switch t.kind {
	case "system":
		f.What, f.Object = part(0), part(1)
		if f.What == "service" && c.endsProtection(p) {
			f.What = "firewall"
		}
	case "infra":
		f.System, f.Verb, f.Object = part(0), part(1), strings.TrimSpace(part(2)+" "+part(3))
		f.Bulk, f.Approved = c.seen["bulk"] || f.Verb == "delete" && whole(append(strings.Fields(p.sub), shown(fieldsOf(p.operands))...)), c.seen["approved"]
		c.approves(p, &f)
	case "package":
		f.Manager, f.Verb, f.Name, f.Source = part(0), part(1), part(2), part(3)
		f.Global = c.seen["global"]
	case "connect":
		f.Scheme, f.Host, f.What, f.Class = part(0), part(1), part(2), hostClass(part(1))
	case "self":
		f.What, f.Object = strings.ReplaceAll(part(0), "_", " "), c.name
	case "processes":
		f.Does, f.What, f.Object, f.Global, f.Many = "system", "process", c.name, part(0) == "all", part(0) == "many"
	case "registry":
		f.Does, f.Manager, f.Verb, f.Name, f.Source = "package", c.name, "install", part(0), "registry"
		if slices.ContainsFunc(p.operands, isOddRegistry) {
			f.Source = "index"
		}
	case "vcs", "vcs-loses", "vcs-protected":
		f.Does, f.Verb, f.Force, f.Deletes = "git", part(0), c.seen["force"], c.seen["deletes"]
		f.Uncommitted = t.kind == "vcs-loses" || c.seen["loses"]
		if t.kind == "vcs-protected" {
			f.Ref = "main"
		}
	case "environment":
		f.Does, f.Path, f.Many = "read", "env:*", true
	case "credential":
		f.Does, f.Path, f.Secret = "read", c.name+":"+part(0), strings.ReplaceAll(part(1), "_", " ")
	case "sql":
		f.Verb, f.Object, f.Dialect, f.Where = part(0), part(1), c.name, c.database(p)
		if lies := c.table().rowsLie(); f.Where == "local" && f.Object == "database" {
			f.Where = lies
		}
	case "unknown":
		f.Because = strings.ReplaceAll(part(0), "_", " ")
	}
	return f
}

// part is a word of a template: itself, an operand ("$1") or all of them ("$*").
func (t template) part(i int, p parsed) string {
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
	if len(s) != 2 || s[0] != '$' || s[1] < '1' || s[1] > '9' {
		return s
	}
	if n := int(s[1] - '1'); n < len(p.operands) {
		return visible(p.operands[n].text)
	}
	return ""
}

// isOddRegistry reports whether an operand names a registry that few use.
func isOddRegistry(o operand) bool {
	address := o.text
	if _, val, ok := strings.Cut(address, "="); ok { // GOPROXY=https://…
		address, _, _ = strings.Cut(val, ",")
	}
	return strings.Contains(address, "://") && !usualRegistry(address)
}
