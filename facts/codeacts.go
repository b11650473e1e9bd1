package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// acts are what calls in script languages do, by the last part of their name.
var acts = map[string]string{
	"remove": "delete", "unlink": "delete", "rmtree": "deleteall", "rmdir": "delete", "removedirs": "delete", "rmsync": "deleteall", "rm": "deleteall", "unlinksync": "delete",
	"rmdirsync": "delete", "removesync": "deleteall", "emptydirsync": "deleteall", "emptydir": "deleteall", "rimraf": "deleteall", "rm_rf": "deleteall", "rm_r": "deleteall", "rm_f": "delete",
	"delete": "delete", "remove_dir": "deleteall", "remove_entry": "deleteall", "remove_tree": "deleteall", "del": "delete", "deletesync": "deleteall", "remove_dir_all": "deleteall", "send2trash": "delete", "removeitem": "deleteall", "file_remove": "delete",
	"open": "open", "readfile": "read", "readfilesync": "read", "read_text": "read", "read_bytes": "read", "file_get_contents": "read", "readlines": "read", "readfilestream": "read", "createreadstream": "read", "file": "read", "fopen": "open",
	"opensync": "open", "binread": "read", "read": "read", "slurp": "read", "readtextfile": "read", "readtextfilesync": "read", "load_dotenv": "read",
	"write": "writefile", "writefile": "write", "writefilesync": "write", "write_text": "write", "write_bytes": "write", "file_put_contents": "write", "writetextfile": "write", "writetextfilesync": "write", "truncatesync": "write", "appendfile": "write", "appendfilesync": "write", "createwritestream": "write", "truncate": "write", "ftruncate": "write", "binwrite": "write",
	"rename": "move", "renamesync": "move", "replace": "move", "move": "move", "mv": "move", "copyfile": "copy", "copyfilesync": "copy", "copy": "copy", "copy2": "copy", "copytree": "copy", "cpsync": "copy", "cp": "copy", "cp_r": "copy",
	"system": "run", "system2": "run", "exec_command": "run", "popen": "run", "popen2": "run", "popen3": "run", "exec": "run", "execsync": "run", "shell_exec": "run", "passthru": "run", "proc_open": "run", "check_output": "run", "check_call": "run", "getoutput": "run", "getstatusoutput": "run",
	"call": "run", "run": "run", "spawn": "run", "spawnsync": "run", "execfile": "run", "execfilesync": "run", "execa": "run", "execacommand": "run", "capture2": "run", "capture2e": "run", "capture3": "run", "pty": "run", "execvp": "run", "execv": "run", "execl": "run", "execlp": "run", "posix_spawn": "run", "pcntl_exec": "run", "$": "run", "create_subprocess_shell": "run", "create_subprocess_exec": "run", "command": "run", "execute": "run",
	"urlopen": "connect", "urlretrieve": "connect", "fetch": "connect", "get": "connect", "post": "connect", "put": "connect", "request": "connect", "axios": "connect", "patch": "connect", "open_uri": "connect", "curl_init": "connect", "socket": "socket", "create_connection": "socket", "createconnection": "socket", "tcpsocket": "socket", "connect": "socket", "fsockopen": "socket", "pfsockopen": "socket", "smtp": "socket", "smtp_ssl": "socket", "ftp": "socket", "ftp_tls": "socket", "telnet": "socket", "httpconnection": "socket", "httpsconnection": "socket", "imap4_ssl": "socket",
	"eval": "eval", "exec_": "eval", "compile": "eval", "function": "eval", "instance_eval": "eval", "runincontext": "eval", "runinnewcontext": "eval", "runinthiscontext": "eval", "assert": "",
	"kill": "signal", "posix_kill": "signal", "chdir": "chdir", "getenv": "env", "environ": "env", "env": "env",
	"require": "load", "import": "load", "__import__": "", "load": "load", "include": "load", "require_relative": "load", "dofile": "load",
}

// codeCall is a call of a function in code, with what is known of its words.
type codeCall struct {
	*reader
	full  string // with all that stands before it by dots
	last  string // its last part, in small letters
	items []values
}

// does tells what a call does to its words.
func (r *reader) does(full string, items []values) values {
	c := codeCall{r, full, lastPart(full), items}
	if head, ok := strings.CutSuffix(full, ".new"); ok && c.act(lastPart(head)) == "socket" { // TCPSocket.new
		c.last = lastPart(head)
	}
	if c.clouds() {
		return anything()
	}
	c.servers()
	if len(items) == 0 {
		return anything()
	}
	if applied := c.arg(0); isMap(c.last) && len(items) > 1 && len(applied) == 1 && c.act(strings.ToLower(applied[0].text)) != "" {
		return r.does(applied[0].text, items[1:]) // a function by its name
	}
	if c.query() {
		return anything()
	}
	c.setsMode()
	if c.kills() {
		return anything()
	}
	if c.restful() {
		return c.talks()
	}
	if out, ok := c.onFiles(); ok {
		return out
	}
	out := c.others()
	if len(out.sources()) > 0 || c.act(c.last) != "" {
		return out
	}
	var from []string // what a function makes of its words comes from there, too
	for _, it := range items {
		from = union(from, it.sources())
	}
	return anything(from...)
}

// lastPart is the last part of a dotted name, in small letters.
func lastPart(full string) string {
	return strings.ToLower(full[strings.LastIndexByte(full, '.')+1:])
}

func isMap(last string) bool {
	return last == "array_map" || last == "map" || last == "foreach" || last == "array_walk"
}

// arg is a word of the call, or anything.
func (c *codeCall) arg(i int) values {
	if i < len(c.items) && c.items[i] != nil {
		return c.items[i]
	}
	return anything()
}

// queries are the names of calls that take SQL.
var queries = []string{"execute", "executemany", "executescript", "query", "exec", "raw", "prepare", "run", "all", "$executerawunsafe", "$queryrawunsafe", "exec_query", "do"}

// query reads a statement that is given to a database.
func (c *codeCall) query() bool {
	if !slices.Contains(queries, c.last) {
		return false
	}
	for _, v := range c.arg(0) {
		if looksLikeSQL(visible(v.text)) {
			c.sql(v.text, "", "unknown", c.at)
			return true
		}
	}
	return false
}

// setsMode tells of set-user-ID bits.
func (c *codeCall) setsMode() {
	if c.last != "chmod" || len(c.items) < 2 {
		return
	}
	for _, v := range c.arg(1) {
		if t := strings.TrimLeft(v.text, "0o"); len(t) == 4 && t[0] >= '2' {
			c.tell(hook.Fact{Does: "system", What: "permissions", Object: v.text, At: c.at, Sure: true})
		}
	}
}

// kills tells of signals to processes.
func (c *codeCall) kills() bool {
	target := 0
	switch c.full {
	case "os.kill", "process.kill", "os.killpg", "posix_kill":
	case "Process.kill", "kill": // the signal comes first
		target = 1
	default:
		return false
	}
	for _, v := range c.arg(target) {
		c.tell(hook.Fact{Does: "system", What: "process", Object: visible(v.text), Global: v.text == "-1" || v.text == "1", At: c.at, Sure: v.known()})
	}
	return true
}

// onFiles tells what a call does to files.
func (c *codeCall) onFiles() (values, bool) {
	switch c.act(c.last) {
	case "delete":
		if !isList(c.full) {
			c.file("delete", c.arg(0), effect{})
		}
	case "deleteall":
		c.file("delete", c.arg(0), effect{recursive: true})
	case "read":
		c.file("read", c.arg(0), effect{})
		return c.contents(c.arg(0)), true
	case "open":
		if c.language == "perl" && c.last == "open" {
			return c.perlOpen(), true
		}
		if c.opensForNothing() {
			c.leaves(c.arg(0))
			return anything(), true
		}
		c.file(c.opens(), c.arg(0), effect{})
		return c.contents(c.arg(0)), true
	case "writefile": // of File, not of a stream
		if strings.HasPrefix(c.full, "File.") || strings.HasPrefix(c.full, "IO.") || strings.HasPrefix(c.full, "Bun.") {
			c.writes(c.arg(0))
		}
	case "write":
		if c.last == "createwritestream" && c.opensForNothing() {
			c.leaves(c.arg(0))
			break
		}
		c.writes(c.arg(0))
	case "move":
		if len(c.items) > 1 && !isReplace(c.full) {
			c.file("move", c.arg(0), effect{})
			c.file("write", c.arg(1), effect{})
		}
	case "copy":
		if len(c.items) > 1 {
			c.file("read", c.arg(0), effect{})
			c.file("write", c.arg(1), effect{})
		}
	default:
		return nil, false
	}
	return anything(), true
}

// opens says what a file is opened for.
func (c *codeCall) opens() string {
	if len(c.items) > 1 && len(c.arg(1)) == 1 && strings.ContainsAny(c.arg(1)[0].text, "wax+>") {
		return "write"
	}
	return "read"
}

// perlOpen is open of Perl: a handle, then "<name", ">name" or "line|", or the sign
// and the name apart.
func (c *codeCall) perlOpen() values {
	for _, v := range c.arg(1) {
		mode := strings.TrimSpace(v.text)
		name := values{{strings.TrimLeft(mode, "<>+| "), v.from}}
		if len(c.items) > 2 {
			name = c.arg(2)
		}
		switch {
		case strings.HasPrefix(mode, "|") || strings.HasSuffix(mode, "|") || mode == "-|":
			c.runs("open", []values{name.each(func(s string) string { return strings.TrimRight(s, "| ") })})
		case strings.Contains(mode[:min(2, len(mode))], ">"):
			if handle := c.perlHandle(); !strings.Contains(mode, ">>") && mode[0] == '>' && handle != "" && c.unused(handle, false) {
				c.leaves(name)
				break
			}
			c.file("write", name, effect{})
		default:
			c.file("read", name, effect{})
			return c.contents(name)
		}
	}
	return anything()
}

// perlHandle is the name that a file has which the call before opened.
func (c *codeCall) perlHandle() string {
	for i := c.pos - 1; i >= 0; i-- {
		if c.tokens[i].text == "open" {
			for i++; i < c.pos; i++ {
				if t := c.tokens[i]; t.kind == 'i' && t.text != "my" && t.text != "our" {
					return t.text
				}
			}
		}
	}
	return ""
}

// file tells what happens to the files that a word may name.
func (c *codeCall) file(does string, vs values, e effect) {
	for _, v := range vs {
		if c.typed() && !v.known() {
			continue
		}
		e := e
		e.many = e.many || slices.Contains(v.from, eachName)
		one := func() {
			v.text = c.homed(v.text)
			if i := strings.Index(v.text, "://"); i > 0 {
				if does == "read" || does == "open" {
					c.net().connect(field{value: v, at: c.at}, "GET", nil, nil)
				}
				return
			}
			c.shell.path(does, field{value: v, at: c.at}, e)
		}
		if len(vs) > 1 || !v.known() && v.text == string(hole) {
			c.unsure(one)
		} else {
			one()
		}
	}
}

// others tells of calls that run, connect and load.
func (c *codeCall) others() values {
	switch c.act(c.last) {
	case "run":
		switch {
		case c.last == "exec" && c.language == "python":
			c.evals()
		case c.last == "run" && c.language == "javascript" && !strings.Contains(c.full, "."): // a function of the code's own
		default:
			return c.runs(c.last, c.items)
		}
	case "eval":
		c.evals()
	case "connect":
		return c.talks()
	case "socket":
		c.sockets()
	case "chdir":
		for _, v := range c.arg(0) {
			c.chdir(field{value: v, at: c.at})
		}
	case "load":
		if c.language == "lua" && c.last == "load" {
			c.evals()
			break
		}
		for _, v := range c.arg(0) {
			if strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "https://") {
				c.lang().runFile(field{value: v, at: c.at}, c.language)
			}
			if strings.HasPrefix(v.text, ".") || strings.HasPrefix(v.text, "/") {
				c.mayRead(field{value: v, at: c.at})
			}
		}
	}
	return anything()
}

// evals reads a text as code of the same language.
func (c *codeCall) evals() {
	for _, v := range c.arg(0) {
		c.lang().program(c.language, v)
	}
}

// sdks are the libraries of clouds and clusters, by what stands in code that has them.
var sdks = []struct{ mark, system string }{
	{"boto3", "aws"}, {"aws-sdk", "aws"}, {"google.cloud", "gcp"}, {"@google-cloud", "gcp"}, {"googleapiclient", "gcp"}, {"azure.mgmt", "azure"}, {"azure.storage", "azure"}, {"@azure/", "azure"},
	{"kubernetes", "kubernetes"}, {"import docker", "docker"}, {"digitalocean", "digitalocean"}, {"hcloud", "hetzner"},
}

// sdkOf is the system of which code has the library.
func sdkOf(src string) string {
	for _, s := range sdks {
		if strings.Contains(src, s.mark) {
			return s.system
		}
	}
	return ""
}

// clouds tells of a method of such a library that destroys: delete_bucket,
// terminateInstances, new DeleteBucketCommand.
func (c *codeCall) clouds() bool {
	if c.sdk == "" {
		return false
	}
	if c.sdk == "docker" && c.last == "prune" {
		c.tell(hook.Fact{Does: "infra", System: c.sdk, Verb: "prune", Object: c.full, Bulk: true, At: c.at, Sure: true})
		return true
	}
	for _, start := range []string{"delete_", "terminate_", "remove_", "purge_", "destroy_", "delete", "terminate", "deregister"} {
		rest, ok := strings.CutPrefix(c.last, start)
		if own := rest == "" && len(c.items) == 0 && strings.Contains(c.full, ".") && c.sdk != "docker" && c.sdk != "kubernetes"; ok && own { // bucket.delete()
			rest = c.full
		}
		if !ok || rest == "" {
			continue
		}
		c.tell(hook.Fact{Does: "infra", System: c.sdk, Verb: "delete", Object: strings.TrimSuffix(rest, "command"), Bulk: strings.HasSuffix(rest, "s"), At: c.at, Sure: true})
		return true
	}
	return false
}

// restful reports whether a call that has the name of another act is a request: its word is
// an address, as of requests.delete. Of request("DELETE", url) the method comes first.
func (c *codeCall) restful() bool {
	web := func(vs values) bool {
		return len(vs) == 1 && (strings.HasPrefix(vs[0].text, "http://") || strings.HasPrefix(vs[0].text, "https://"))
	}
	if first := c.arg(0); len(c.items) > 1 && c.last == "request" && len(first) == 1 && web(c.arg(1)) {
		c.verb, c.items = strings.ToUpper(first[0].text), c.items[1:]
		return true
	}
	return slices.Contains([]string{"delete", "del", "put", "patch"}, c.last) && web(c.arg(0))
}

// talks tells of a request to an address.
func (c *codeCall) talks() values {
	method := strings.ToUpper(cmp.Or(c.verb, c.last))
	c.verb = ""
	if method == "DEL" {
		method = "DELETE"
	}
	for _, v := range c.arg(0) {
		if strings.Contains(v.text, "://") || v.text == string(hole) && (c.last == "urlopen" || c.last == "fetch" || c.last == "axios") {
			var sends []string
			for _, more := range c.items[1:] {
				sends = union(sends, more.sources())
			}
			sends = union(sends, c.carried)
			return c.saves(anything(c.net().connect(field{value: v, at: c.at}, method, sends, c.savesTo())))
		}
	}
	return anything()
}

// savesTo is the file into which a download goes: urlretrieve(url, file).
func (c *codeCall) savesTo() (files []string) {
	if c.last != "urlretrieve" || len(c.items) < 2 {
		return nil
	}
	for _, v := range c.arg(1) {
		for _, place := range c.places(v.text) {
			files = append(files, visible(place))
		}
	}
	return files
}

// saves keeps what that file holds then, and gives it.
func (c *codeCall) saves(got values) values {
	for _, place := range c.savesTo() {
		c.shell.path("write", field{value: value{text: place}, at: c.at}, effect{})
		c.shell.store(place, got)
	}
	return got
}

// sockets tells of a connection by host and port.
func (c *codeCall) sockets() {
	head, _, _ := strings.Cut(strings.ToLower(c.full), ".")
	if head == "sqlite3" || head == "duckdb" || head == "apsw" { // a file
		return
	}
	c.socket = true
	for _, v := range c.arg(0) {
		words := strings.Fields(v.text)
		if len(words) > 1 && !settingOf(v.text) { // a pair: ("host", 80)
			v.text = strings.Trim(words[0], "'") + ":" + words[1]
		} else if strings.Trim(v.text, "0123456789") == "" && len(c.items) > 1 { // connect(port, host)
			v.text = c.arg(1)[0].text + ":" + v.text
		} else if n := c.arg(1); len(c.items) > 1 && len(n) == 1 && n[0].text != "" && strings.Trim(n[0].text, "0123456789") == "" {
			v.text += ":" + n[0].text
		}
		c.told(v, "tcp", true)
	}
}

// told tells of a connection to what a text names.
func (c *codeCall) told(v value, scheme string, sure bool) {
	if !v.known() {
		return
	}
	for _, a := range addresses(strings.Trim(v.text, "'")) {
		e := endpoint{hostPort: a, at: field{value: v, at: c.at}, maybe: !sure}
		if e.scheme == "" {
			e.scheme = scheme
		}
		c.shell.connects(e, nil, c.at, len(c.out))
	}
}

// servers tells of a connection to a machine that a word of a call names by its key, host: "db",
// or by an address that is none of the web.
func (c *codeCall) servers() {
	if slices.Contains(shows, c.last) {
		return
	}
	for _, v := range c.hosts {
		c.told(v, "tcp", false)
	}
	c.hosts = nil
	for _, it := range c.items {
		for _, v := range it {
			if scheme, _, ok := strings.Cut(v.text, "://"); ok && !strings.ContainsAny(scheme, " \n") && scheme != "http" && scheme != "https" && c.act(c.last) != "socket" {
				c.told(v, "tcp", false)
			}
		}
	}
}

// hostKeys are the keys under which calls are given a machine.
var hostKeys = []string{"host", "hostname", "server", "peeraddr", "peerhost", "servername", "dsn", "bootstrap_servers", "contact_points"}

// contents is what a file holds, by its name.
func (r *reader) contents(vs values) values {
	var from []string
	for _, v := range vs {
		if strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "https://") {
			from = union(from, []string{"net:" + visible(v.text)})
			continue
		}
		from = union(from, r.net().sourcesOf(field{value: v}))
	}
	return anything(from...)
}

// isList and isReplace tell methods of lists and texts from those of files.
func isList(full string) bool {
	head, _, dotted := strings.Cut(full, ".")
	return dotted && !slices.Contains([]string{"os", "fs", "shutil", "File", "FileUtils", "Dir", "path", "fsp", "fse", "Deno", "Bun", "pathlib", "promises", "std", "Files", "Directory", "tokio", "syscall", "unix", "System"}, head)
}

func isReplace(full string) bool {
	return strings.HasSuffix(full, "replace") && full != "os.replace"
}

// runs runs a line, or a list of words.
func (r *reader) runs(last string, items []values) values {
	line := items[0]
	if line == nil {
		line = anything()
	}
	if len(items) > 1 && items[1] != nil {
		words := strings.Contains(last, "spawn") || strings.Contains(last, "execfile") || strings.HasPrefix(last, "execv") || strings.HasPrefix(last, "execl") || last == "execa" || r.typed() || (r.language == "ruby" || r.language == "perl") && last != "open" && last != "popen"
		if words {
			for i, it := range items[1:] {
				if it == nil || strings.HasPrefix(last, "execl") && i == 0 {
					continue
				}
				if slices.Contains([]string{"go", "java", "c"}, r.language) { // each is one word
					it = it.each(quote)
				}
				line = line.join(text(" ")).join(it)
			}
		}
	}
	var out values
	for _, v := range line {
		run := func() {
			word, _, _ := strings.Cut(strings.TrimSpace(v.text), " ")
			r.shell0 = r.shell0 || !v.known() || isShell(programName(word))
			if v.text == string(hole) && r.typed() {
				return
			}
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

func (r *reader) homed(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		h, _ := r.tilde("")
		return h + s[1:]
	}
	return s
}

// pipes reads what awk pipes to and from, and which files it opens.
func (r *reader) pipes() {
	texts := map[string]string{}
	for i, t := range r.tokens {
		if t.kind == 'i' && i+2 < len(r.tokens) && r.tokens[i+1].kind == '=' && r.tokens[i+2].kind == 's' {
			texts[t.text] = r.tokens[i+2].text
			continue
		}
		if known, ok := texts[t.text]; t.kind == 'i' && ok { // a command or a file by its variable
			t = token{kind: 's', text: known}
		}
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
		case before.kind == '|' && isShell(programName(strings.TrimSpace(t.text))): // it runs what is printed
			r.unsure(func() { r.inner(t.text, r.at, r.call.stdin.or(anything("stdin")), nil, false) })
		case before.kind == '|' || after.kind == '|' && i+2 < len(r.tokens) && r.tokens[i+2].text == "getline":
			r.inner(t.text, r.at, nil, nil, false)
		case before.kind == '<':
			r.shell.path("read", field{value: value{text: r.homed(t.text)}, at: r.at}, effect{})
		case before.kind == '>' && !strings.HasPrefix(t.text, "/dev/std"):
			r.shell.path("write", field{value: value{text: r.homed(t.text)}, at: r.at}, effect{})
		}
	}
}
