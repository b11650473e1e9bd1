package facts

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
)

// maxCalls is how deep functions may call each other.
const maxCalls = 12

// call is one program with its arguments, as it is started.
type call struct {
	*shell
	name  string // base name, in small letters
	path  string // as it is written
	args  []field
	stdin values // nil is a terminal, or nothing
	at    hook.Span
	seen  map[string]bool // what its options say: recursive, force, dry, …
	value map[string]string
	binds []bind // folders of this machine that the container which it starts has
}

// simple runs a simple command: assignments, and the words after them.
func (sh *shell) simple(c *syntax.CallExpr, stdin values) values {
	if len(c.Args) == 0 {
		sh.assign(c.Assigns)
		return nil
	}
	readings := sh.words(c.Args)
	at := sh.span(c)
	if len(c.Assigns) > 0 {
		old := map[string]values{}
		var unset []string
		for _, as := range c.Assigns {
			if as.Name == nil {
				continue
			}
			name := as.Name.Value
			if vs, ok := sh.st.vars[name]; ok {
				old[name] = vs
			} else {
				unset = append(unset, name)
			}
		}
		sh.assign(c.Assigns)
		for _, as := range c.Assigns {
			if as.Name != nil {
				sh.variable(as.Name.Value, sh.st.vars[as.Name.Value], sh.span(as))
			}
		}
		defer func() {
			for name, vs := range old {
				sh.st.vars[name] = vs
			}
			for _, name := range unset {
				delete(sh.st.vars, name)
			}
		}()
	}
	if len(readings) == 1 {
		return sh.run(readings[0], stdin, at)
	}
	return sh.eachReading(readings, stdin, at)
}

// eachReading runs a command in all ways to read it, as one that is not sure.
func (sh *shell) eachReading(readings [][]field, stdin values, at hook.Span) values {
	var out values
	var left *state
	before := sh.st
	empty := sh.emptyForSure(readings)
	sh.unsure(func() {
		for i, fields := range readings {
			sh.st = before.clone()
			told := len(sh.out)
			out = out.or(sh.run(fields, stdin, at))
			if i == 0 && empty {
				sh.topsForSure(told)
			}
			if left == nil {
				left = sh.st
			} else {
				left.merge(sh.st)
			}
		}
	})
	*before = *left
	sh.st = before
	return out
}

// emptyForSure reports whether the first reading of a command differs from the others by
// variables alone that neither the line nor its environment sets, and no file that the line
// loads: they are empty there.
func (sh *shell) emptyForSure(readings [][]field) bool {
	if !sh.sure || len(sh.world.Env) == 0 || sh.loaded {
		return false
	}
	for _, fields := range readings[1:] {
		for _, f := range fields {
			if !f.known() && (len(f.from) == 0 || slices.ContainsFunc(f.from, func(s string) bool { return !strings.HasPrefix(s, "env:") })) {
				return false
			}
		}
	}
	return true
}

// topsForSure makes sure what a reading with empty variables takes away: the top of something,
// as rm -rf "$UNSET"/* does.
func (sh *shell) topsForSure(since int) {
	for i := since; i < len(sh.out); i++ {
		if f := &sh.out[i]; f.Does == "delete" && f.Scope == scopeRoot {
			f.Sure = true
		}
	}
}

// run runs a command of which the words are known.
func (sh *shell) run(fields []field, stdin values, at hook.Span) values {
	for len(fields) > 0 && fields[0].text == "" && fields[0].bare {
		fields = fields[1:]
	}
	if len(fields) == 0 || !sh.step() {
		return nil
	}
	first := fields[0]
	if i := strings.IndexByte(first.text, '='); i >= 0 && first.bare && !strings.Contains(first.text[:i], "/") {
		return sh.run(fields[1:], stdin, at)
	}
	if slices.Contains(first.from, "stdin") {
		sh.tell(hook.Fact{Does: "execute", From: "stdin", At: at, Sure: true})
	}
	if !first.known() {
		sh.unknown(first.at, "which program runs shows only when it runs")
		sh.tell(hook.Fact{Does: "run", Program: visible(first.text), Args: shown(fields[1:]), At: at})
		return anything()
	}
	if first.bare && !strings.Contains(first.text, "/") {
		if def, ok := sh.st.aliases[first.text]; ok && sh.st.calls < maxCalls {
			sh.st.calls++
			src := def
			for _, f := range fields[1:] {
				src += " " + quote(f.text)
			}
			out := sh.line(src, at, stdin)
			sh.st.calls--
			return out
		}
		if body, ok := sh.st.funcs[first.text]; ok {
			return sh.function(first.text, body, fields[1:], stdin, at)
		}
	}
	if word, _, more := strings.Cut(first.text, " "); more && !first.bare && (!strings.Contains(first.text, "/") || knownProgram(word)) { // no program is called so; another shell would split it
		sh.unsure(func() { sh.inner(first.text, at, stdin, nil, false) })
	}
	c := &call{shell: sh, name: programName(first.text), path: first.text, args: fields[1:], stdin: stdin, at: at}
	return c.start()
}

// function calls a function of the line.
func (sh *shell) function(name string, body *syntax.Stmt, args []field, stdin values, at hook.Span) values {
	if sh.st.calls >= maxCalls {
		sh.unknown(at, "the function "+name+" calls itself")
		return anything()
	}
	params, open := sh.st.params, sh.st.paramsOpen
	sh.st.params, sh.st.paramsOpen = nil, false
	for _, f := range args {
		sh.st.params = append(sh.st.params, f.value)
		sh.st.paramsOpen = sh.st.paramsOpen || f.many
	}
	sh.st.calls++
	out := sh.stmt(body, stdin)
	sh.st.calls--
	sh.st.params, sh.st.paramsOpen = params, open
	return out
}

// programName is the name by which a program is known: python for /usr/bin/Python3.11.exe.
func programName(s string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(s, `\`, "/")))
	for _, end := range []string{".exe", ".cmd", ".bat", ".com"} {
		base = strings.TrimSuffix(base, end)
	}
	trimmed := strings.TrimRight(base, "0123456789.")
	if trimmed != base && trimmed != "" {
		if _, known := programs()[base]; !known && special[base] == nil {
			if _, known := programs()[trimmed]; known || special[trimmed] != nil {
				return trimmed
			}
		}
	}
	return base
}

// systemBin reports whether a path names a program of the system, or none at all.
func systemBin(p string) bool {
	if !strings.Contains(p, "/") {
		return true
	}
	switch path.Dir(path.Clean(p)) {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin", "/snap/bin", "/system/bin":
		return true
	}
	return false
}

// start tells that the program runs, and what it does; it gives what the program prints.
func (c *call) start() values {
	out := c.started()
	if c.stdin == nil && len(out.sources()) == 0 && c.printsSettings() {
		return anything(fromItself)
	}
	return out
}

func (c *call) started() values {
	old := c.by
	c.by = c.name
	defer func() { c.shell.by = old }()
	c.shell.by = c.name
	special := special[c.name]
	entry := programs()[c.name]
	fact := hook.Fact{Does: "run", Program: c.name, Args: shown(c.args), At: c.at, Sure: true}
	if entry != nil && len(entry.subs) > 0 {
		if sub := entry.sub(c); sub != "" {
			fact.Sub = sub
		}
	}
	fact.Dry = c.asksForHelp(entry, special != nil)
	c.tell(fact)
	if fact.Dry {
		return anything()
	}
	if !systemBin(c.path) {
		c.script()
	}
	if namesOnly(c.name, shown(c.args)) {
		before := len(c.out)
		defer func() {
			for i := before; i < len(c.out); i++ {
				if f := &c.out[i]; f.Does == "read" && f.Secret == "environment" {
					f.Dry = true
				}
			}
		}()
	}
	args, before := c.args, len(c.out)
	c.optionLines(args, entry)
	defer func() {
		c.everyIn(args, before)
		c.net().connects(args, before)
		c.net().cluster(args, before)
		c.ssh().onward(args, before)
		c.answers(args, before)
	}()
	if special != nil {
		return c.counted(c.text().shows(special(c)), args)
	}
	if entry != nil {
		out := c.text().shows(entry.run(c))
		if len(c.out) == before {
			c.destroys()
		}
		return c.counted(out, args)
	}
	// A program that is not known may read any file that it names.
	for _, f := range c.args {
		c.mayRead(f)
	}
	c.destroys()
	c.handsOver()
	c.net().runsAddress()
	return c.counted(anything(c.stdin.sources()...), args)
}

// destroying begin the sub-commands by which programs take away what they keep, and
// unasked are the options by which they do so without a question.
var (
	destroying = []string{"delete", "destroy", "remove", "uninstall", "purge", "drop", "wipe", "erase", "terminate", "nuke", "prune", "gc", "forget", "unset", "rm", "del", "expire", "expunge", "unregister", "revoke"}
	// keeps are what services keep for somebody: secrets delete X, project:remove, env unset
	keeps   = []string{"secret", "env", "variable", "var", "config", "database", "db", "project", "app", "application", "site", "bucket", "deployment", "domain", "zone", "record", "cluster", "queue", "topic", "stream", "collection", "keyspace", "dataset", "backup", "snapshot", "instance", "server", "machine", "vm", "droplet", "org", "organization", "team", "member", "user", "account", "webhook", "function", "worker", "tenant", "vault", "recording", "subscription", "customer", "invoice"}
	unasked = []string{"-f", "-y", "--force", "--yes", "--assume-yes", "--noprompt", "--no-prompt", "--noconfirm", "--no-confirm", "--silent", "--auto-approve", "--skip-confirmation", "--no-input", "--quiet-delete", "--all"}
)

// destroys tells of a program of which nothing is known that its words say it would take
// something away, and not ask.
func (c *call) destroys() {
	var words []string
	asks := true
	for _, f := range c.args {
		switch {
		case !strings.HasPrefix(f.text, "-"):
			words = append(words, f.text)
		case slices.Contains(unasked, f.text):
			asks = false
		}
	}
	if len(c.args) == 0 || !c.args[0].known() || strings.HasPrefix(c.args[0].text, "-") {
		return
	}
	kept := false
	for _, w := range words[:min(len(words), 3)] {
		for part := range strings.FieldsFuncSeq(strings.ToLower(w), func(r rune) bool { return r == ':' || r == '-' }) {
			kept = kept || slices.Contains(keeps, strings.TrimSuffix(part, "s"))
			if (kept || !asks) && slices.Contains(destroying, part) {
				c.tell(hook.Fact{Does: "infra", System: c.name, Verb: "delete", Object: visible(strings.Join(words, " ")), Bulk: whole(words), Dry: c.saysDry(), At: c.at})
				return
			}
		}
	}
	c.dropsDatabase(words)
}

// ofDatabases and anew make the commands by which tools for migrations take a database away:
// db:reset, schema drop, migrate fresh.
var (
	ofDatabases = []string{"db", "database", "databases", "schema", "sql", "migrate", "migration", "migrations", "ecto"}
	anew        = []string{"reset", "drop", "fresh", "wipe", "nuke", "purge", "clean"}
)

// dropsDatabase tells of a program of which nothing is known that its words say it would take
// a database away.
func (c *call) dropsDatabase(words []string) {
	about, takes := false, false
	for i, w := range append([]string{c.name}, words[:min(len(words), 3)]...) {
		for part := range strings.FieldsFuncSeq(strings.ToLower(w), func(r rune) bool { return r == ':' || r == '-' || r == '.' }) {
			about = about || slices.Contains(ofDatabases, part)
			takes = takes || i > 0 && slices.Contains(anew, part)
		}
	}
	if about && takes {
		c.tell(hook.Fact{Does: "sql", Verb: "drop", Object: "database", Dialect: c.name, Where: "unknown", Dry: c.saysDry(), At: c.at})
	}
}

// saysDry reports whether a program is asked only to say what it would do.
func (c *call) saysDry() bool {
	return slices.ContainsFunc(c.args, func(f field) bool {
		return strings.HasPrefix(f.text, "--dry") || f.text == "--what-if" || f.text == "--check" || f.text == "--simulate"
	})
}

// mayRead tells that a credential is named to a program which may read it.
func (c *call) mayRead(f field) {
	for i, a := range c.args { // -e .env loads it, and shows it to nobody
		if a.at == f.at && (strings.Contains(a.text, "env-file") || i > 0 && slices.Contains([]string{"-e", "--env", "--env-file", "--dotenv", "--env-path"}, c.args[i-1].text)) {
			return
		}
	}
	name := f.text
	if i := strings.IndexByte(name, '='); i > 0 && (name[0] == '-' || !strings.Contains(name[:i], "/")) {
		name = name[i+1:]
	} else if strings.HasPrefix(name, "-") {
		return
	}
	name = strings.TrimPrefix(name, "@")
	if strings.ContainsAny(name, " \t\n") && !isPath(name) {
		return // a sentence, or a command that is only text
	}
	f.text = name
	for _, p := range c.places(name) {
		if !strings.ContainsRune(p, hole) && secretFile(c.world.resolve(p), c.world) != "" {
			c.unsure(func() { c.shell.path("read", f, effect{}) })
			return
		}
	}
}

// isPath reports whether a text with blanks in it is the name of a file: it begins at a top,
// and goes down more than once.
func isPath(s string) bool {
	return (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/")) && strings.Count(s, "/") > 2 && !strings.ContainsAny(s, "\n\t;|&<>$") && !strings.Contains(s, " /") && !strings.Contains(s, " -")
}

// asksForHelp reports whether the program only prints its help or version.
func (c *call) asksForHelp(e *entry, special bool) bool {
	if e != nil && e.runs || e == nil && special && !helps[c.name] {
		return false
	}
	for i, f := range c.args {
		switch f.text {
		case "--":
			return false
		case "--help", "--version":
			if i > 0 && f.text == "--version" && i+1 < len(c.args) && !strings.HasPrefix(c.args[i+1].text, "-") {
				continue // of what is to be installed, removed or the like
			}
			return c.name != "git" || i == 0 // git's commands have options that take any word
		}
	}
	return false
}

// helps are programs with code of their own that know --help.
var helps = map[string]bool{"git": true, "find": true, "rm": true, "curl": true, "wget": true, "dd": true}

// maxScript bounds a program that is looked at for what runs it.
const maxScript = 256 << 10

// script runs a program that lies in the project: what it holds is a part of the call.
func (c *call) script() {
	f := field{value: value{text: c.path}, at: c.at}
	got := c.code(c.content(f))
	for _, v := range got {
		if v.text == string(hole) {
			if places := c.places(c.path); len(places) == 1 && !strings.ContainsRune(places[0], hole) {
				c.tell(hook.Fact{Does: "execute", From: origin(v), Path: visible(path.Clean(places[0])), Scope: c.world.scope(path.Clean(places[0])), At: c.at, Sure: true})
			}
			if c.tooLong(v) && c.ofShells(v) {
				c.longScript(v, c.at)
			}
			continue
		}
		c.lang().interpret(c.languageAt(c.path, v.text), value{v.text, v.from}, c.args, nil)
	}
}

// ofShells reports whether a program is a script of shells, by its name or its first line.
func (c *call) ofShells(v value) bool {
	if path.Ext(c.path) == ".sh" || c.world.ReadFile == nil {
		return true
	}
	b, err := c.world.ReadFile(c.world.resolve(filePath(v)), maxScript)
	return err == nil && bytes.IndexByte(b, 0) < 0 && c.languageAt(c.path, string(b)) == "sh"
}

// origin says where code comes from: download, file, stdin or decoded.
func origin(v value) string {
	for _, f := range v.from {
		if strings.HasPrefix(f, "net:") {
			return "download"
		}
	}
	for _, f := range v.from {
		if strings.HasPrefix(f, "file:") {
			return "file"
		}
	}
	if slices.Contains(v.from, "decoded") {
		return "decoded"
	}
	return "stdin"
}

func shown(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = visible(f.text)
	}
	return out
}

// quote writes a word so that a shell reads it as one again.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
