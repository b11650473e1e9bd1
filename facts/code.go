package facts

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// acts are what calls in script languages do, by the last part of their name.
var acts = map[string]string{
	"remove": "delete", "unlink": "delete", "rmtree": "deleteall", "rmdir": "delete", "removedirs": "delete", "rmsync": "deleteall", "rm": "deleteall", "unlinksync": "delete",
	"rmdirsync": "delete", "removesync": "deleteall", "emptydirsync": "deleteall", "emptydir": "deleteall", "rimraf": "deleteall", "rm_rf": "deleteall", "rm_r": "deleteall", "rm_f": "delete",
	"delete": "delete", "remove_dir": "deleteall", "remove_entry": "deleteall", "remove_tree": "deleteall", "del": "delete", "deletesync": "deleteall", "remove_dir_all": "deleteall", "send2trash": "delete",
	"open": "open", "readfile": "read", "readfilesync": "read", "read_text": "read", "read_bytes": "read", "file_get_contents": "read", "readlines": "read", "readfilestream": "read", "createreadstream": "read", "file": "read", "fopen": "open",
	"opensync": "open", "binread": "read", "read": "read", "slurp": "read", "readtextfile": "read", "readtextfilesync": "read", "load_dotenv": "read",
	"write": "writefile", "writefile": "write", "writefilesync": "write", "write_text": "write", "write_bytes": "write", "file_put_contents": "write", "appendfile": "write", "appendfilesync": "write", "createwritestream": "write", "truncate": "write", "ftruncate": "write", "binwrite": "write",
	"rename": "move", "renamesync": "move", "replace": "move", "move": "move", "mv": "move", "copyfile": "copy", "copyfilesync": "copy", "copy": "copy", "copy2": "copy", "copytree": "copy", "cpsync": "copy", "cp": "copy", "cp_r": "copy",
	"system": "run", "popen": "run", "popen2": "run", "popen3": "run", "exec": "run", "execsync": "run", "shell_exec": "run", "passthru": "run", "proc_open": "run", "check_output": "run", "check_call": "run", "getoutput": "run", "getstatusoutput": "run",
	"call": "run", "run": "run", "spawn": "run", "spawnsync": "run", "execfile": "run", "execfilesync": "run", "execa": "run", "execacommand": "run", "capture2": "run", "capture2e": "run", "capture3": "run", "pty": "run", "execvp": "run", "execv": "run", "execl": "run", "execlp": "run", "posix_spawn": "run", "pcntl_exec": "run", "$": "run", "create_subprocess_shell": "run", "create_subprocess_exec": "run", "command": "run", "execute": "run",
	"urlopen": "connect", "urlretrieve": "connect", "fetch": "connect", "get": "connect", "post": "connect", "put": "connect", "request": "connect", "axios": "connect", "patch": "connect", "open_uri": "connect", "curl_init": "connect", "socket": "socket", "create_connection": "socket", "createconnection": "socket", "tcpsocket": "socket", "connect": "socket", "fsockopen": "socket",
	"eval": "eval", "exec_": "eval", "compile": "eval", "function": "eval", "instance_eval": "eval", "runincontext": "eval", "runinnewcontext": "eval", "runinthiscontext": "eval", "assert": "",
	"kill": "signal", "posix_kill": "signal", "chdir": "chdir", "getenv": "env", "environ": "env", "env": "env",
	"require": "load", "import": "load", "__import__": "", "load": "load", "include": "load", "require_relative": "load", "dofile": "load",
}

// program reads code of a script language: its calls with texts that are known.
func (c *call) program(language string, v value) {
	if !v.known() && v.text == string(hole) {
		c.tell(hook.Fact{Does: "execute", From: origin(v), Path: filePath(v), Language: language, At: c.at, Sure: true})
		c.unknown(c.at, "code is run that shows only when it runs")
		return
	}
	if c.nested >= maxNested || len(v.text) > maxText {
		c.unknown(c.at, "the code is too long or lies too deep to be read")
		return
	}
	c.shared.nested++
	r := &reader{call: c, language: language, vars: map[string]values{}, names: map[string]string{}}
	r.tokens = tokens(language, v.text)
	if language == "lisp" || language == "tcl" || language == "applescript" || language == "r" { // no reader of its own
		c.unknown(c.at, "it cannot be read: code in "+language)
	} else if !r.readable() {
		c.unknown(c.at, "it cannot be read as "+language)
	}
	for _, t := range r.tokens {
		if t.kind == 's' && t.text != "" && len(t.text) < 512 && !strings.ContainsAny(t.text, " \n") {
			c.mayRead(field{value: value{text: r.homed(t.text)}, at: c.at})
		}
	}
	if language == "awk" {
		r.pipes()
	}
	if language == "javascript" {
		r.renamed()
	}
	r.read()
	if r.socket && r.shell0 {
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", What: "shell", At: c.at, Sure: true})
	}
	c.shared.nested--
}

// readable is false for a text that ends in the middle of an expression: it is no
// code of that language, and what runs it may have another idea of it.
func (r *reader) readable() bool {
	last := len(r.tokens) - 1
	for last >= 0 && r.tokens[last].kind == ';' {
		last--
	}
	if last < 0 || r.language == "awk" {
		return true
	}
	if first := r.tokens[0]; (r.language == "perl" || r.language == "ruby") && first.kind == 'i' && (first.text == "s" || first.text == "m" || first.text == "y" || first.text == "tr") {
		return true // s/…/…/
	}
	slashes := 0
	for _, t := range r.tokens {
		if t.kind == '/' {
			slashes++
		}
	}
	switch r.tokens[last].kind {
	case '/':
		return slashes%2 == 0 // a regular expression ends so
	case '+', '-', '=', '|', '&', '<', '~', ',':
		return r.tokens[last].kind == '-' && last > 0 && r.tokens[last-1].kind == '-' || r.tokens[last].kind == '+' && last > 0 && r.tokens[last-1].kind == '+'
	}
	return true
}

// reader goes through the tokens of a program.
type reader struct {
	*call
	language string
	tokens   []token
	vars     map[string]values
	names    map[string]string // x = os.remove
	carried  []string          // where the values of keywords come from
	socket   bool              // it talks to a host by itself
	shell0   bool              // it runs what shows only when it runs, or a shell
	pos      int
}

func (r *reader) peek(n int) token {
	if r.pos+n < len(r.tokens) && r.pos+n >= 0 {
		return r.tokens[r.pos+n]
	}
	return token{kind: ';'}
}

func (r *reader) read() {
	for r.pos < len(r.tokens) {
		if !r.step() {
			return
		}
		start := r.pos
		r.expression(0)
		if r.pos == start {
			r.pos++
		}
	}
}

// expression reads operands joined by + or . and gives the text, if it is one.
func (r *reader) expression(depth int) values {
	if depth > 60 {
		r.pos++
		return anything()
	}
	vs := r.operand(depth)
	for r.pos < len(r.tokens) {
		t := r.peek(0)
		switch {
		case t.kind == '+' || t.kind == '.' && (r.language == "perl" || r.language == "php") && r.peek(1).kind != 'i', t.kind == '/' && vs != nil:
			sep := ""
			if t.kind == '/' {
				sep = "/" // pathlib
			}
			r.pos++
			right := r.operand(depth + 1)
			if vs == nil {
				vs = anything()
			}
			if right == nil {
				right = anything()
			}
			vs = vs.join(text(sep)).join(right)
		default:
			return vs
		}
	}
	return vs
}

// operand reads one thing: a string, a name with what is called of it, a bracket.
func (r *reader) operand(depth int) values {
	t := r.peek(0)
	switch t.kind {
	case 's':
		r.pos++
		vs := values{{text: t.text}}
		for _, e := range t.expr {
			inner := &reader{call: r.call, language: r.language, vars: r.vars, names: r.names, tokens: tokens(r.language, e)}
			got := inner.expression(depth + 1)
			if len(got) == 1 && got[0].known() {
				vs = vs.each(func(s string) string { return strings.Replace(s, string(hole), got[0].text, 1) })
			}
		}
		if r.language == "python" || r.language == "php" || r.language == "ruby" {
			for r.peek(0).kind == 's' && r.language == "python" { // adjacent strings
				vs = vs.join(text(r.peek(0).text))
				r.pos++
			}
		}
		return r.after(vs, depth)
	case 'b':
		r.pos++
		r.shell0 = true
		return r.inner(t.text, r.at, nil, nil, false)
	case 'n':
		r.pos++
		return text(t.text)
	case 'i':
		return r.name(depth)
	case '(', '[', '{':
		items := r.list(depth)
		if len(items) == 1 {
			return r.after(items[0], depth)
		}
		return r.after(joinWords(items), depth)
	case '-': // a negative number
		if r.peek(1).kind == 'n' {
			r.pos += 2
			return text("-" + r.peek(-1).text)
		}
	case '.':
		r.pos++
		return nil
	}
	r.pos++
	return nil
}

// joinWords makes a shell line of a list of words.
func joinWords(items []values) values {
	var out values
	for i, vs := range items {
		if vs == nil {
			vs = anything()
		}
		w := vs.each(quote)
		if i > 0 {
			w = text(" ").join(w)
		}
		out = out.join(w)
	}
	return out
}

// list reads what stands in brackets, by commas.
func (r *reader) list(depth int) []values {
	open := r.peek(0).kind
	end := map[byte]byte{'(': ')', '[': ']', '{': '}'}[open]
	r.pos++
	var items []values
	var cur values
	has := false
	for r.pos < len(r.tokens) {
		t := r.peek(0)
		switch {
		case t.kind == end:
			r.pos++
			if has {
				items = append(items, cur)
			}
			return items
		case t.kind == ',':
			r.pos++
			items = append(items, cur)
			cur, has = nil, false
			continue
		case t.kind == 'i' && r.peek(1).kind == '=' && r.peek(2).kind != '=' && open == '(': // keyword=value
			key := t.text
			r.pos += 2
			got := r.expression(depth + 1)
			if key == "args" || key == "path" || key == "file" || key == "url" || key == "cmd" {
				cur, has = got, true
			}
			r.carried = union(r.carried, got.sources())
			continue
		case (t.kind == ':' || t.kind == '=' && r.peek(1).kind == '>') && has: // key: value
			r.pos++
			if t.kind == '=' {
				r.pos++
			}
			cur = r.expression(depth + 1)
			r.carried = union(r.carried, cur.sources())
			continue
		}
		before := r.pos
		got := r.expression(depth + 1)
		if r.pos == before {
			r.pos++
		}
		if !has {
			cur, has = got, true
		}
	}
	if has {
		items = append(items, cur)
	}
	return items
}

// renamed reads const {execSync: e} = require("child_process").
func (r *reader) renamed() {
	for i := 0; i+2 < len(r.tokens); i++ {
		if t := r.tokens[i]; t.kind == 'i' && acts[strings.ToLower(t.text)] != "" && r.tokens[i+1].kind == ':' && r.tokens[i+2].kind == 'i' {
			r.names[r.tokens[i+2].text] = t.text
		}
	}
}

// name reads a dotted name, and what is assigned to it or called by it.
func (r *reader) name(depth int) values {
	full := r.peek(0).text
	r.pos++
	for r.peek(0).kind == '.' && r.peek(1).kind == 'i' {
		full += "." + r.peek(1).text
		r.pos += 2
	}
	switch full {
	case "const", "let", "var", "my", "our", "local", "return", "print", "puts", "await", "new", "if", "for", "while", "in", "of", "and", "or", "not", "echo", "use", "say":
		if r.peek(0).kind != '(' || full == "return" || full == "await" {
			return r.expression(depth + 1)
		}
	case "import", "from":
		if r.language == "python" || r.language == "javascript" && r.peek(0).kind != '(' {
			for k := r.peek(0); k.kind != ';' && r.pos < len(r.tokens); k = r.peek(0) {
				r.pos++
			}
			return nil
		}
	}
	if r.peek(0).kind == '=' && r.peek(1).kind != '=' && r.peek(1).kind != '~' && r.peek(1).kind != '>' {
		r.pos++
		if r.peek(0).kind == 'i' {
			if alias, ok := r.alias(); ok {
				r.names[full] = alias
			}
		}
		vs := r.expression(depth + 1)
		if vs == nil {
			vs = anything()
		}
		r.vars[full] = vs
		return nil
	}
	if target, ok := r.names[full]; ok {
		full = target
	}
	if r.peek(0).kind == '(' {
		return r.after(r.called(full, r.list(depth+1), depth), depth)
	}
	last := strings.ToLower(full[strings.LastIndexByte(full, '.')+1:])
	if (r.language == "ruby" || r.language == "perl" || r.language == "php" || r.language == "awk") && acts[last] != "" && (r.peek(0).kind == 's' || r.peek(0).kind == 'i' || r.peek(0).kind == 'b') { // a call without brackets
		items := []values{r.expression(depth + 1)}
		for r.peek(0).kind == ',' {
			r.pos++
			items = append(items, r.expression(depth+1))
		}
		return r.called(full, items, depth)
	}
	if vs, ok := r.vars[full]; ok {
		return r.after(vs, depth)
	}
	switch full {
	case "os.environ", "process.env", "ENV", "$ENV", "ENVIRON", "%ENV", "$_ENV", "$_SERVER", "Deno.env", "Bun.env":
		if before, outer := r.peek(-2), r.peek(-3); before.text == "in" || before.text == "keys" || before.kind == '(' && slices.Contains([]string{"sorted", "len", "list", "keys", "iter", "set", "enumerate", "count"}, outer.text) {
			return r.after(anything("env:*"), depth)
		}
		if k := r.peek(0).kind; k != '[' && k != '{' && k != '.' {
			r.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: r.at, Sure: true})
		} else if k == '.' {
			if m := r.peek(1).text; m == "copy" || m == "items" || m == "to_h" || m == "inspect" || m == "values" || m == "each" || m == "toObject" || m == "sort" {
				r.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: r.at, Sure: true})
			}
		}
		return r.after(anything("env:*"), depth)
	}
	if name, ok := strings.CutPrefix(full, "process.env."); ok {
		vs, _ := r.lookup(name)
		return r.after(vs, depth)
	}
	if r.peek(0).kind == '[' || r.peek(0).kind == '{' && r.language != "python" {
		r.list(depth + 1)
		return r.after(anything(), depth)
	}
	return nil
}

// alias is a name to which another is set: f = os.remove.
func (r *reader) alias() (string, bool) {
	full, n := r.peek(0).text, 1
	for r.peek(n).kind == '.' && r.peek(n+1).kind == 'i' {
		full += "." + r.peek(n+1).text
		n += 2
	}
	if k := r.peek(n).kind; k != ';' && k != ',' && k != ')' {
		return "", false
	}
	_, acts := acts[strings.ToLower(full[strings.LastIndexByte(full, '.')+1:])]
	return full, acts
}

// after reads what is called of a value: .replace(…), .unlink(), [0].
func (r *reader) after(vs values, depth int) values {
	for {
		switch {
		case r.peek(0).kind == '.' && r.peek(1).kind == 'i' && r.peek(2).kind == '(':
			name := r.peek(1).text
			r.pos += 2
			items := r.list(depth + 1)
			vs = r.method(vs, name, items)
		case r.peek(0).kind == '.' && r.peek(1).kind == 'i':
			name := r.peek(1).text
			r.pos += 2
			if act := acts[strings.ToLower(name)]; act != "" && r.language == "ruby" {
				vs = r.method(vs, name, nil)
			}
		case r.peek(0).kind == '[':
			r.list(depth + 1)
			vs = anything(vs.sources()...)
		default:
			return vs
		}
	}
}

// method is a call of a value: of a path, what it does to that path.
func (r *reader) method(vs values, name string, items []values) values {
	switch strings.ToLower(name) {
	case "read", "readlines", "text", "json", "splitlines", "decode", "tostring", "encode", "strip", "trim", "expanduser", "resolve", "absolute", "to_s", "chomp", "as_posix", "tostr":
		return vs
	case "joinpath":
		for _, it := range items {
			vs = vs.join(text("/")).join(it)
		}
		return vs
	case "join":
		if len(items) == 1 {
			return items[0].each(func(s string) string { return strings.ReplaceAll(s, " ", "") })
		}
	case "replace":
		if len(items) == 2 && len(items[0]) == 1 && len(items[1]) == 1 && items[0].known() && items[1].known() {
			return vs.each(func(s string) string { return strings.ReplaceAll(s, items[0][0].text, items[1][0].text) })
		}
	}
	switch acts[strings.ToLower(name)] {
	case "delete", "deleteall", "read", "write", "open":
		if len(vs) > 0 && (vs.known() || len(items) == 0) {
			r.does(name, append([]values{vs}, items...))
			return anything()
		}
	}
	if len(items) > 0 {
		r.does(name, items)
	}
	return anything(vs.sources()...)
}

// called is a call of a function by its full name; it gives its text, if that is known.
func (r *reader) called(full string, items []values, depth int) values {
	last := strings.ToLower(full[strings.LastIndexByte(full, '.')+1:])
	arg := func(i int) values {
		if i < len(items) && items[i] != nil {
			return items[i]
		}
		return anything()
	}
	switch last {
	case "path", "str", "pathname", "string", "url", "fspath", "expanduser", "abspath", "realpath", "normpath", "resolve", "buffer", "quote", "fileurltopath", "expand_path", "bytes", "file":
		if len(items) > 0 {
			if last == "file" && full != "Bun.file" {
				break
			}
			if full == "Bun.file" {
				r.does("readfile", items)
			}
			return arg(0).each(r.homed)
		}
	case "join":
		var out values
		for i := range items {
			if i > 0 {
				out = out.join(text("/"))
			}
			out = out.join(arg(i).each(r.homed))
		}
		return out
	case "b64decode", "decode64", "base64_decode", "atob", "strict_decode64", "decode_base64", "urlsafe_b64decode", "from":
		if last != "from" || len(items) == 2 && len(items[1]) == 1 && items[1][0].text == "base64" {
			return arg(0).eachKnown(func(s string) (string, bool) {
				b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "="))
				return clean(string(b)), err == nil
			})
		}
		return arg(0)
	case "homedir", "home", "gethomedir":
		return text(r.world.Home)
	case "cwd", "getcwd", "pwd":
		return text(r.st.dirs[0])
	case "tmpdir", "gettempdir", "mkdtemp", "mkdtempsync", "mktmpdir":
		return text(r.world.temps()[0] + "/" + string(word))
	case "chr", "fromcharcode", "format", "sprintf":
		return anything()
	case "glob", "rglob", "globsync": // files by a pattern
		return arg(0).each(r.homed)
	case "getenv", "env":
		if len(items) == 0 && last == "getenv" {
			r.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: r.at, Sure: true})
			return anything("env:*")
		}
		if len(items) > 0 && len(arg(0)) == 1 && arg(0).known() {
			got, _ := r.lookup(arg(0)[0].text)
			return got
		}
	}
	return r.does(full, items)
}

func (r *reader) homed(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		h, _ := r.tilde("")
		return h + s[1:]
	}
	return s
}

// does tells what a call does to its words.
func (r *reader) does(full string, items []values) values {
	last := strings.ToLower(full[strings.LastIndexByte(full, '.')+1:])
	first := func(i int) values {
		if i < len(items) && items[i] != nil {
			return items[i]
		}
		return anything()
	}
	file := func(does string, vs values, e effect) {
		for _, v := range vs {
			one := func() {
				v.text = r.homed(v.text)
				if i := strings.Index(v.text, "://"); i > 0 {
					if does == "read" || does == "open" {
						r.connect(field{value: v, at: r.at}, "GET", nil, nil)
					}
					return
				}
				r.shell.path(does, field{value: v, at: r.at}, e)
			}
			if len(vs) > 1 || !v.known() && v.text == string(hole) {
				r.unsure(one)
			} else {
				one()
			}
		}
	}
	if len(items) == 0 {
		return anything()
	}
	if last == "array_map" || last == "map" || last == "foreach" || last == "array_walk" { // a function by its name
		if vs := first(0); len(vs) == 1 && acts[strings.ToLower(vs[0].text)] != "" && len(items) > 1 {
			return r.does(vs[0].text, items[1:])
		}
	}
	if slices.Contains([]string{"execute", "executemany", "executescript", "query", "exec", "raw", "prepare", "run", "all", "$executerawunsafe", "$queryrawunsafe", "exec_query", "do"}, last) {
		for _, v := range first(0) {
			if looksLikeSQL(visible(v.text)) {
				r.sql(v.text, "", "unknown", r.at)
				return anything()
			}
		}
	}
	if last == "chmod" && len(items) > 1 {
		for _, v := range first(1) {
			if t := strings.TrimLeft(v.text, "0o"); len(t) == 4 && t[0] >= '2' {
				r.tell(hook.Fact{Does: "system", What: "permissions", Object: v.text, At: r.at, Sure: true})
			}
		}
	}
	if full == "os.kill" || full == "process.kill" || full == "Process.kill" || full == "os.killpg" || full == "posix_kill" || full == "kill" {
		target := first(0)
		if full == "Process.kill" || full == "kill" {
			target = first(1)
		}
		for _, v := range target {
			r.tell(hook.Fact{Does: "system", What: "process", Object: visible(v.text), Global: v.text == "-1" || v.text == "1", At: r.at, Sure: v.known()})
		}
		return anything()
	}
	switch acts[last] {
	case "delete":
		if isList(full) {
			return anything()
		}
		file("delete", first(0), effect{})
	case "deleteall":
		file("delete", first(0), effect{recursive: true})
	case "read":
		file("read", first(0), effect{})
		return r.contents(first(0))
	case "open":
		mode := ""
		if len(items) > 1 && len(first(1)) == 1 {
			mode = first(1)[0].text
		}
		if strings.ContainsAny(mode, "wax+>") {
			file("write", first(0), effect{})
		} else {
			file("read", first(0), effect{})
		}
		return r.contents(first(0))
	case "writefile": // of File, not of a stream
		if strings.HasPrefix(full, "File.") || strings.HasPrefix(full, "IO.") || strings.HasPrefix(full, "Bun.") {
			file("write", first(0), effect{})
		}
	case "write":
		file("write", first(0), effect{})
	case "move":
		if len(items) > 1 && !isReplace(full) {
			file("move", first(0), effect{})
			file("write", first(1), effect{})
		}
	case "copy":
		if len(items) > 1 {
			file("read", first(0), effect{})
			file("write", first(1), effect{})
		}
	case "run":
		if last == "exec" && r.language == "python" || last == "run" && r.language == "javascript" && !strings.Contains(full, ".") {
			if last == "exec" {
				for _, v := range first(0) {
					r.program(r.language, v)
				}
			}
			return anything()
		}
		return r.runs(last, items)
	case "eval":
		for _, v := range first(0) {
			r.program(r.language, v)
		}
	case "connect":
		for _, v := range first(0) {
			if strings.Contains(v.text, "://") || v.text == string(hole) && (last == "urlopen" || last == "fetch" || last == "axios") {
				var sends []string
				for _, more := range items[1:] {
					sends = union(sends, more.sources())
				}
				sends = union(sends, r.carried)
				return anything(r.connect(field{value: v, at: r.at}, strings.ToUpper(last), sends, nil))
			}
		}
	case "socket":
		r.socket = true
		for _, v := range first(0) {
			if strings.Trim(v.text, "0123456789") == "" && len(items) > 1 { // connect(port, host)
				v.text = first(1)[0].text
			}
			if host, _, _ := strings.Cut(strings.Trim(v.text, "'"), " "); v.known() && host != "" {
				r.tell(hook.Fact{Does: "connect", Scheme: "tcp", Host: host, Class: hostClass(host), At: r.at, Sure: true})
			}
		}
	case "chdir":
		for _, v := range first(0) {
			r.chdir(field{value: v, at: r.at})
		}
	case "load":
		for _, v := range first(0) {
			if strings.HasPrefix(v.text, ".") || strings.HasPrefix(v.text, "/") {
				r.mayRead(field{value: v, at: r.at})
			}
		}
	}
	return anything()
}

// contents is what a file holds, by its name.
func (r *reader) contents(vs values) values {
	var from []string
	for _, v := range vs {
		from = union(from, r.sourcesOf(field{value: v}))
	}
	return anything(from...)
}

// isList and isReplace tell methods of lists and texts from those of files.
func isList(full string) bool {
	head, _, dotted := strings.Cut(full, ".")
	return dotted && !slices.Contains([]string{"os", "fs", "shutil", "File", "FileUtils", "Dir", "path", "fsp", "fse", "Deno", "Bun", "pathlib", "promises"}, head)
}

func isReplace(full string) bool {
	return strings.HasSuffix(full, "replace") && full != "os.replace"
}

// runs runs a line, or a list of words.
func (r *reader) runs(last string, items []values) values {
	line := items[0]
	if len(items) > 1 && items[1] != nil {
		words := strings.Contains(last, "spawn") || strings.Contains(last, "execfile") || strings.HasPrefix(last, "execv") || strings.HasPrefix(last, "execl") || last == "execa" || (r.language == "ruby" || r.language == "perl") && last != "open"
		if words {
			for i, it := range items[1:] {
				if it == nil || strings.HasPrefix(last, "execl") && i == 0 {
					continue
				}
				line = line.join(text(" ")).join(it)
			}
		}
	}
	if line == nil {
		line = anything()
	}
	var out values
	for _, v := range line {
		run := func() {
			word, _, _ := strings.Cut(strings.TrimSpace(v.text), " ")
			r.shell0 = r.shell0 || !v.known() || isShell(programName(word))
			if v.text == string(hole) {
				r.unknown(r.at, "which command the code runs shows only when it runs")
				return
			}
			out = out.or(r.inner(v.text, r.at, nil, nil, false))
		}
		if len(line) > 1 {
			r.unsure(run)
		} else {
			run()
		}
	}
	return anything(out.sources()...)
}

// pipes reads what awk pipes to and from, and which files it opens.
func (r *reader) pipes() {
	for i, t := range r.tokens {
		if t.kind != 's' {
			continue
		}
		before, after := token{}, token{}
		if i > 0 {
			before = r.tokens[i-1]
		}
		if i+1 < len(r.tokens) {
			after = r.tokens[i+1]
		}
		switch {
		case before.kind == '|' || after.kind == '|' && i+2 < len(r.tokens) && r.tokens[i+2].text == "getline":
			r.inner(t.text, r.at, nil, nil, false)
		case before.kind == '<':
			r.shell.path("read", field{value: value{text: r.homed(t.text)}, at: r.at}, effect{})
		case before.kind == '>' && !strings.HasPrefix(t.text, "/dev/std"):
			r.shell.path("write", field{value: value{text: r.homed(t.text)}, at: r.at}, effect{})
		}
	}
}
