package facts

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Of gives the facts of an event's tool call in a world; none if it is about no call.
func Of(ev hook.AnyEvent, w World) []hook.Fact {
	call, ok := hook.CallOf(ev)
	if !ok {
		return nil
	}
	return readings(call.Name, call.Input, w, folderKeys[ev.Head().Source])
}

// Call gives the facts of a tool call in a world: of a command by its analysis, of
// tools for files and the web by their arguments, of other tools by the names and
// shapes of theirs.
func Call(tool string, input map[string]any, w World) []hook.Fact {
	return readings(tool, input, w, nil)
}

// asJSON gives arguments as JSON has them: a Go program may hold others.
func asJSON(input map[string]any) (map[string]any, bool) {
	if isPlain(input, 0) {
		return input, true
	}
	text, err := json.Marshal(input)
	if err != nil {
		return nil, false
	}
	var out map[string]any
	return out, json.Unmarshal(text, &out) == nil
}

func isPlain(v any, depth int) bool {
	switch v := v.(type) {
	case nil, string, bool, float64, json.Number:
		return true
	case []any:
		return depth > 8 || !slices.ContainsFunc(v, func(e any) bool { return !isPlain(e, depth+1) })
	case map[string]any:
		for _, e := range v {
			if depth <= 8 && !isPlain(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// toolCall is a call of an agent's tool.
type toolCall struct {
	*shell
	name  string
	input map[string]any
}

func (t *toolCall) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := t.input[k].(string); ok {
			return clean(s)
		}
	}
	return ""
}

// plainName is a tool's name without its server, in small letters and no signs.
func plainName(s string) string {
	if i := strings.LastIndex(s, "__"); i >= 0 {
		s = s[i+2:]
	}
	return signs.Replace(strings.ToLower(s))
}

var signs = strings.NewReplacer("_", "", "-", "", ".", "")

func (t *toolCall) read() {
	switch plainName(t.name) {
	case "powershell", "pwsh":
		t.command(func(s string, at hook.Span) { t.powershell(s, at) })
	case "cmd": // of Windows, or a server's name for what runs commands
		t.command(func(s string, at hook.Span) {
			t.line(s, at, nil)
			t.cmd(s, at)
		})
	case "read", "readfile", "view", "cat", "notebookread", "readmanyfiles", "viewfile":
		t.files("read", t.input, 0)
	case "write", "writefile", "create", "createfile", "edit", "editfile", "multiedit", "notebookedit", "replace", "strreplace", "strreplaceeditor", "applypatch", "patch", "writetofile", "replacefilecontent":
		before := len(t.out)
		t.files("write", t.input, 0)
		t.plainSettings(before)
		t.patches()
		t.credentials()
		t.later()
	case "kill", "killprocess", "terminateprocess", "forceterminate", "processkill":
		t.ends()
	case "delete", "deletefile", "remove", "removefile", "rm":
		before := len(t.out)
		if t.files("delete", t.input, 0); len(t.out) == before { // no file, but something that a server has
			t.other()
		}
	case "glob", "grep", "ls", "listdirectory", "list", "searchfilecontent", "search", "find", "codebasesearch":
		if p := t.text("path", "dir_path", "directory", "target_directory"); p != "" {
			t.path("read", field{value: value{text: p}}, effect{recursive: true, dry: plainName(t.name) != "grep"})
		}
	case "webfetch", "fetch", "urlfetch", "web":
		t.urls(t.input, 0)
	case "websearch", "googlewebsearch", "task", "agent", "todowrite", "askuserquestion", "exitplanmode":
	default:
		if hook.IsShellTool(t.name) {
			t.command(func(s string, at hook.Span) { t.line(s, at, nil) })
			return
		}
		t.other()
	}
}

// command reads the lines or the lists of words of a shell tool. Which of several
// arguments it runs is not known, so all of them count.
func (t *toolCall) command(read func(line string, at hook.Span)) {
	found := false
	for _, k := range slices.Sorted(maps.Keys(t.input)) {
		if hook.IsCommandArgument(k) {
			found = t.argument(t.input[k], found, read) || found
		}
	}
	more := func() {
		for _, k := range []string{"code", "input"} {
			found = t.argument(t.input[k], found, read) || found
		}
	}
	if found {
		t.unsure(more) // the command may read it
		return
	}
	before := len(t.out)
	if more(); found || t.argv() {
		return
	}
	if t.ofServer() { // it may be named so for what it runs on its server
		t.other()
	}
	if len(t.out) > before {
		return
	}
	t.walk(t.input, "", 0, func(string, string) { found = true })
	if found {
		t.unread(hook.Span{}, "the tool runs something that its arguments do not show")
	}
}

// argument reads one command in a shell of its own; it is false if there is none. Where
// the first command says something is told, of more of them it is not.
func (t *toolCall) argument(given any, more bool, read func(line string, at hook.Span)) bool {
	old, outer := t.st, t.outer
	defer func() { t.st, t.outer = old, outer }()
	t.st = old.clone()
	if more {
		t.outer = &hook.Span{}
	}
	switch v := given.(type) {
	case string:
		read(clean(v), hook.Span{From: 0, To: len(v)})
		return true
	case []any:
		var fields []field
		for _, w := range v {
			s, _ := w.(string)
			fields = append(fields, field{value: value{text: clean(s)}})
		}
		t.run(fields, nil, hook.Span{})
		return true
	}
	return false
}

// fileKey reports whether an argument's name says that it names files.
func fileKey(k string) bool {
	k = strings.ToLower(k)
	for _, end := range []string{"path", "paths", "file", "files", "filename", "file_name", "filepath", "notebook", "directory", "dir", "folder", "target", "source", "destination", "root"} {
		if k == end || strings.HasSuffix(k, "_"+end) || strings.HasSuffix(k, strings.ToUpper(end[:1])+end[1:]) {
			return true
		}
	}
	return k == "uri" || k == "old_path" || k == "new_path"
}

// fileOf is the file that an argument names: tools take a URL for the file, and blanks around
// a name for none of it. A variable for the home is what some expand.
func fileOf(s string) string {
	s = strings.TrimSpace(s)
	if files := hook.URLFiles(s); len(files) > 0 {
		return files[0]
	}
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(s, home); ok {
			return "~/" + rest
		}
	}
	return s
}

// files tells what happens to the files that arguments name.
func (t *toolCall) files(does string, in any, depth int) {
	told := map[string]bool{}
	tell := func(s string) {
		if i := strings.Index(s, "://"); i > 0 && len(hook.URLFiles(s)) == 0 {
			return
		}
		if s = fileOf(s); !told[s] {
			told[s] = true
			t.path(does, field{value: value{text: s}}, effect{recursive: does == "delete" && t.mayBeFolder(s)})
		}
	}
	t.walk(in, "", depth, func(k, s string) {
		if fileKey(k) {
			tell(s)
		}
	})
	input, ok := in.(map[string]any)
	if !ok {
		return
	}
	names, err := hook.FileNames(input)
	for _, s := range names { // the same as matchers of paths see
		tell(clean(s))
	}
	if err != nil {
		t.unread(hook.Span{}, err.Error())
	}
}

// mayBeFolder reports whether a name may be that of a folder, with which all goes that lies
// below it.
func (t *toolCall) mayBeFolder(name string) bool {
	if t.world.Lstat != nil {
		for _, p := range t.places(name) {
			if info, err := t.world.Lstat(t.world.resolve(p)); err == nil {
				return info.IsDir()
			}
		}
	}
	return !strings.Contains(strings.TrimLeft(path.Base(name), "."), ".")
}

func (t *toolCall) urls(in any, depth int) {
	c := &call{shell: t.shell, name: t.name, value: map[string]string{"-d": t.text("body", "data", "json")}}
	t.walk(in, "", depth, func(_, s string) {
		for w := range strings.FieldsSeq(s) {
			if strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://") {
				c.net().connect(field{value: value{text: strings.Trim(w, "\"'<>(),")}}, t.method(), nil, nil)
			}
		}
	})
}

// walk gives the texts of arguments with the key under which they stand, in order
// of their keys.
func (t *toolCall) walk(in any, key string, depth int, f func(key, text string)) {
	if depth > 8 || !t.step() {
		return
	}
	switch v := in.(type) {
	case string:
		f(key, clean(v))
	case []any:
		for _, e := range v {
			t.walk(e, key, depth+1, f)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			t.walk(v[k], k, depth+1, f)
		}
	}
}

// newTextKeys are the arguments in which tools are given what they write.
var newTextKeys = []string{"content", "contents", "new_string", "newString", "newText", "file_text", "new_str", "text", "code_edit", "new_source", "insert_text", "ReplacementContent", "CodeContent"}

// credentials tells of credentials that would be written, of a patch in the lines that
// it adds.
func (t *toolCall) credentials() {
	t.walk(t.input, "", 0, func(key, text string) {
		switch {
		case isPatch(text):
			text = added(text)
		case !slices.Contains(newTextKeys, key):
			return
		}
		for _, c := range Credentials(text) {
			if !c.Searched() {
				t.unread(c.At, "a text is too much work to be searched for credentials")
				continue
			}
			t.tell(hook.Fact{Does: "secret", Kind: c.Kind, At: c.At, Sure: c.Sure})
		}
	})
}

// later reads what is written where it is run later.
func (t *toolCall) later() {
	name := t.text("file_path", "path", "filename", "TargetFile", "filePath")
	if text, ok := t.input["content"].(string); ok && text == "" && name != "" && t.world.Lstat != nil {
		for _, place := range t.places(name) {
			if info, err := t.world.Lstat(place); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				t.path("delete", field{value: value{text: place}}, effect{empties: true})
			}
		}
	}
	t.walk(t.input, "", 0, func(_, text string) { t.laterOfPatch(text) })
	for _, key := range newTextKeys {
		if text, ok := t.input[key].(string); ok && name != "" {
			for _, place := range t.places(name) {
				t.runsLater(place, values{{text: clean(text)}})
			}
		}
	}
}

// fullName is a tool's name at its server. Of one tool for all that a server does, an argument
// says what.
func (t *toolCall) fullName() string {
	name := strings.ToLower(t.name[strings.LastIndex(t.name, "__")+1:])
	if what := t.text("operation", "action"); what != "" && !strings.ContainsAny(what, " \n") {
		name += "_" + strings.ToLower(what)
	}
	return name
}

// other reads a tool of which only names are known, as those of MCP servers.
func (t *toolCall) other() {
	name := t.fullName()
	does := "read"
	for _, w := range []string{"write", "create", "edit", "update", "put", "save", "append", "upload", "set", "replace", "insert", "patch", "move", "rename", "copy"} {
		if strings.Contains(name, w) {
			does = "write"
		}
	}
	for _, w := range []string{"delete", "remove", "drop", "destroy", "purge", "unlink", "erase", "wipe", "flush", "truncate"} {
		if strings.Contains(name, w) {
			does = "delete"
		}
	}
	told := len(t.out)
	defer func() { t.service(name, does, told) }()
	if does == "write" {
		t.later()
	}
	if t.argv() {
		return
	}
	t.tells()
	t.serves(name)
	t.patchesOf(name)
	types := typesInto(name)
	t.walk(t.input, "", 0, func(k, s string) {
		low := strings.ToLower(k)
		switch {
		case low == "command" || low == "cmd" || low == "commandline" || low == "command_line" || strings.HasSuffix(low, "_command") || strings.HasSuffix(low, "_cmd"):
			t.line(t.ofProgram(s), hook.Span{}, nil)
		case low == "shell" || low == "script":
			t.unsure(func() { t.line(s, hook.Span{}, nil) })
		case types && slices.Contains(typedKeys, low):
			t.unsure(func() { t.line(s, hook.Span{}, nil) })
		case low == "sql" || low == "query" && looksLikeSQL(s) || low == "statement" || low == "statements" || looksLikeSQL(s) && t.aboutData():
			t.sql(s, "postgres", t.rowsLie(), hook.Span{})
		case slices.Contains(codeKeys, low) && t.language(name, low) != "":
			t.runsCode(t.language(name, low), s)
		case (low == "url" || low == "uri") && len(hook.URLFiles(s)) > 0:
			t.path("read", field{value: value{text: fileOf(s)}}, effect{})
		case low == "url" || low == "uri" || strings.HasSuffix(low, "_url"):
			t.urls(map[string]any{k: s}, 0)
		case fileKey(k) || hook.NamesFile(k, s):
			does := does
			if moves := strings.Contains(name, "move") || strings.Contains(name, "rename"); moves && (low == "source" || low == "from" || low == "old_path" || low == "src" || low == "path") {
				does = "move"
			} else if strings.Contains(name, "copy") && (low == "source" || low == "from" || low == "src") {
				does = "read"
			}
			if strings.Contains(name, "upload") || strings.Contains(name, "attach") || strings.Contains(name, "share") {
				t.uploads(s)
				return
			}
			t.path(does, field{value: value{text: fileOf(s)}}, effect{recursive: does == "delete"})
		case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../"): // by its shape
			(&call{shell: t.shell, name: t.name}).mayRead(field{value: value{text: s}})
		}
	})
}

// toldKeys are the arguments in which tools of servers are given what others will read.
var toldKeys = []string{"text", "body", "message", "content", "description", "comment", "title", "subject", "html", "markdown", "note", "summary"}

// tells tells of credentials in what others will read.
func (t *toolCall) tells() {
	t.walk(t.input, "", 0, func(key, text string) {
		if !slices.Contains(toldKeys, strings.ToLower(key)) {
			return
		}
		for _, c := range Credentials(text) {
			if c.Searched() {
				t.tell(hook.Fact{Does: "secret", Kind: c.Kind, Sure: c.Sure})
				return
			}
		}
	})
}

// plainSettings takes back that a credential lies in a file of settings of the project, if what
// is written there has none.
func (t *toolCall) plainSettings(before int) {
	settings := func(f hook.Fact) bool {
		return f.Does == "write" && f.Secret == "registry token" && f.Scope == scopeProject
	}
	if !slices.ContainsFunc(t.out[before:], settings) {
		return
	}
	plain := func(text string) bool {
		low := strings.ToLower(text)
		return !slices.ContainsFunc([]string{"auth", "passw", "token", "registry", "script", "shell", "proxy", "cert", "key", "//", "${", "cafile", "secret"}, func(w string) bool { return strings.Contains(low, w) })
	}
	for _, key := range newTextKeys {
		text, ok := t.input[key].(string)
		if !ok || !plain(text) {
			continue
		}
		for i := before; i < len(t.out); i++ {
			if f := &t.out[i]; settings(*f) {
				f.Secret = ""
			}
		}
	}
}

// argv reads a command that is given as a list of words, or as a program beside a list of
// its arguments. It reports false if there is none.
func (t *toolCall) argv() bool {
	var words []any
	for _, key := range []string{"argv", "command", "cmd", "program", "executable"} {
		switch v := t.input[key].(type) {
		case []any:
			words = v
		case string:
			for _, more := range []string{"args", "arguments", "argv"} {
				if list, ok := t.input[more].([]any); ok && !strings.ContainsAny(v, " \t\n;|&") {
					words = append([]any{v}, list...)
				}
			}
		}
		if len(words) > 0 {
			break
		}
	}
	if len(words) == 0 {
		return t.argsOfServer()
	}
	t.argument(words, true, nil)
	return true
}

// argsOfServer reads a list of arguments alone, for the program that the server is named after.
func (t *toolCall) argsOfServer() bool {
	server, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(t.name), "mcp__"), "__")
	for _, key := range []string{"args", "arguments"} {
		list, _ := t.input[key].([]any)
		if line, ok := t.input[key].(string); ok {
			if of := t.ofProgram(line); of != line {
				t.line(of, hook.Span{}, nil)
				return true
			}
		}
		for _, name := range []string{t.program(), server, server + "-cli"} {
			if len(list) > 0 && (programs()[name] != nil || special[name] != nil) {
				t.unsure(func() { t.argument(append([]any{name}, list...), true, nil) })
				return true
			}
		}
	}
	return false
}

// typedKeys are the arguments of tools that type into a terminal.
var typedKeys = []string{"chars", "keys", "text", "input", "data", "stdin"}

// typesInto reports whether a tool's name says that it types into a terminal: a shell
// may read there.
func typesInto(name string) bool {
	plain := plainName(name)
	return slices.ContainsFunc([]string{"stdin", "terminal", "sendkeys", "sendtext", "tmux", "pty", "shellinput"}, func(w string) bool { return strings.Contains(plain, w) })
}

// service tells what a tool of a server changes there, where its name says so and no
// file, statement or command of its input does.
func (t *toolCall) service(name, does string, told int) {
	for _, f := range t.out[min(told, len(t.out)):] {
		if f.Does == "delete" || f.Does == "move" || f.Does == "sql" || f.Does == "run" {
			return
		}
	}
	server, _, _ := strings.Cut(strings.TrimPrefix(t.name, "mcp__"), "__")
	fact := hook.Fact{Does: "infra", System: server, Verb: "get", Object: name, Approved: t.saidYes(), Sure: true}
	force, _ := t.input["force"].(bool)
	mode, _ := t.input["mode"].(string)
	switch {
	case does == "delete" || strings.Contains(name, "unprotect") || strings.Contains(name, "terminate"):
		fact.Verb = "delete"
	case does == "write" && strings.Contains(name, "protection"):
		fact.Verb = "apply"
		t.loosens()
	case strings.Contains(name, "push") || strings.Contains(name, "merge") || strings.Contains(name, "deploy") || strings.Contains(name, "publish") || strings.Contains(name, "apply") || strings.Contains(name, "transfer") || strings.Contains(name, "rollback"):
		fact.Verb = "apply"
	case strings.Contains(name, "reset") && slices.ContainsFunc([]string{"database", "db", "branch", "project", "table", "cluster", "index", "data", "environment", "workspace"}, func(w string) bool { return strings.Contains(name, w) }) && !strings.Contains(name, "git"):
		fact.Verb = "delete"
	case slices.ContainsFunc([]string{"refund", "payout", "payment", "charge", "purchase"}, func(w string) bool { return strings.Contains(name, w) }) && slices.ContainsFunc([]string{"create", "issue", "make", "capture", "confirm", "send", "submit"}, func(w string) bool { return strings.Contains(name, w) }):
		fact.Verb = "apply"
	case strings.Contains(name, "reset") || strings.Contains(name, "restore") || strings.Contains(name, "checkout"):
		if mode == "hard" || force {
			t.tell(hook.Fact{Does: "git", Verb: "reset", Uncommitted: true, Sure: true})
		}
		return
	default:
		return
	}
	branch := t.text("branch", "name", "ref")
	if strings.Contains(name, "push") && strings.Contains(t.name, "git") || strings.Contains(name, "branch") && does == "delete" {
		t.tell(hook.Fact{Does: "git", Verb: "push", Ref: branch, Force: force, Deletes: does == "delete", Sure: true})
	}
	if strings.Contains(name, "unprotect") || does == "delete" && strings.Contains(name, "protect") {
		t.tell(hook.Fact{Does: "git", Verb: "unprotect", Ref: branch, Sure: true})
	}
	fact.Bulk = fact.Verb == "delete" && t.takesWhole(name)
	t.tell(fact)
}

// sqlSecond are the words that may come second in a statement, by its first.
var sqlSecond = map[string][]string{
	"DELETE": {"FROM"}, "INSERT": {"INTO", "OR", "IGNORE", "OVERWRITE"}, "REPLACE": {"INTO"}, "MERGE": {"INTO"},
	"DROP":  {"TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "OWNED", "USER", "ROLE", "FUNCTION", "TRIGGER", "SEQUENCE", "TYPE", "EXTENSION", "COLUMN", "MATERIALIZED", "PROCEDURE", "KEYSPACE", "TABLESPACE", "PUBLICATION", "POLICY", "LOGIN", "COLLECTION", "TEMPORARY"},
	"ALTER": {"TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "USER", "ROLE", "FUNCTION", "SEQUENCE", "TYPE", "EXTENSION", "SYSTEM", "DEFAULT", "MATERIALIZED", "LOGIN", "PROCEDURE", "KEYSPACE"},
}

// looksLikeSQL reports whether a text begins as a statement does. A sentence such as
// "delete the repository" is none.
func looksLikeSQL(s string) bool {
	words := strings.Fields(strings.ToUpper(s[:min(len(s), 4096)]))
	if len(words) == 0 {
		return false
	}
	if second, ok := sqlSecond[words[0]]; ok {
		return len(words) > 1 && slices.Contains(second, words[1]) || words[0] == "DELETE" && slices.Contains(words, "WHERE")
	}
	switch words[0] {
	case "UPDATE":
		return slices.Contains(words, "SET")
	case "SELECT", "TRUNCATE", "CREATE", "WITH", "GRANT", "EXEC", "CALL":
		return true
	}
	return false
}
