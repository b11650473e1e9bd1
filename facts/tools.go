package facts

import (
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
	return Call(call.Name, call.Input, w)
}

// Call gives the facts of a tool call in a world: of a command by its analysis, of
// tools for files and the web by their arguments, of other tools by the names and
// shapes of theirs.
func Call(tool string, input map[string]any, w World) []hook.Fact {
	sh := newShell(&w)
	sh.by = tool
	t := toolCall{shell: sh, name: tool, input: input}
	t.read()
	return sh.out
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
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(s))
}

func (t *toolCall) read() {
	if dir := t.text("cwd", "workdir", "working_directory", "directory", "dir_path"); dir != "" && !strings.HasPrefix(t.name, "mcp__") {
		t.chdir(field{value: value{text: dir}})
	}
	switch plainName(t.name) {
	case "bash", "shell", "localshell", "execcommand", "runshellcommand", "runterminalcommand", "runcommand", "terminal", "execute", "exec", "shellcommand":
		t.command()
	case "powershell", "pwsh":
		if s := t.text("command", "cmd", "script", "code"); s != "" {
			t.powershell(s, hook.Span{From: 0, To: len(s)})
		}
	case "read", "readfile", "view", "cat", "notebookread", "readmanyfiles", "viewfile":
		t.files("read", t.input, 0)
	case "write", "writefile", "create", "createfile", "edit", "editfile", "multiedit", "notebookedit", "replace", "strreplace", "strreplaceeditor", "applypatch", "patch", "writetofile", "replacefilecontent":
		t.files("write", t.input, 0)
		t.patch()
		t.credentials()
	case "delete", "deletefile", "remove", "removefile", "rm":
		t.files("delete", t.input, 0)
	case "glob", "grep", "ls", "listdirectory", "list", "searchfilecontent", "search", "find", "codebasesearch":
		if p := t.text("path", "dir_path", "directory", "target_directory"); p != "" {
			t.path("read", field{value: value{text: p}}, effect{recursive: true, dry: plainName(t.name) != "grep"})
		}
	case "webfetch", "fetch", "urlfetch", "web":
		t.urls(t.input, 0)
	case "websearch", "googlewebsearch", "task", "agent", "todowrite", "askuserquestion", "exitplanmode":
	default:
		t.other()
	}
}

// command reads the line or the list of words of a shell tool.
func (t *toolCall) command() {
	for _, k := range []string{"command", "cmd", "script", "code", "input"} {
		switch v := t.input[k].(type) {
		case string:
			t.line(clean(v), hook.Span{From: 0, To: len(v)}, nil)
			return
		case []any:
			var fields []field
			for _, w := range v {
				s, _ := w.(string)
				fields = append(fields, field{value: value{text: clean(s)}})
			}
			t.run(fields, nil, hook.Span{})
			return
		}
	}
	t.unread(hook.Span{}, "the tool runs something that its arguments do not show")
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

// files tells what happens to the files that arguments name.
func (t *toolCall) files(does string, in any, depth int) {
	t.walk(in, "", depth, func(k, s string) {
		if fileKey(k) {
			if i := strings.Index(s, "://"); i > 0 && s[:i] != "file" {
				return
			}
			t.path(does, field{value: value{text: s}}, effect{})
		}
	})
}

func (t *toolCall) urls(in any, depth int) {
	c := &call{shell: t.shell, name: t.name}
	t.walk(in, "", depth, func(_, s string) {
		for w := range strings.FieldsSeq(s) {
			if strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://") {
				c.connect(field{value: value{text: strings.Trim(w, "\"'<>(),")}}, "GET", nil, nil)
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

// credentials tells of credentials that would be written.
func (t *toolCall) credentials() {
	for _, k := range []string{"content", "new_string", "newString", "file_text", "new_str", "patch", "input", "text", "code_edit", "new_source"} {
		s, ok := t.input[k].(string)
		if !ok {
			continue
		}
		for _, c := range Credentials(s) {
			t.tell(hook.Fact{Does: "secret", Kind: c.Kind, At: c.At, Sure: true})
		}
	}
}

// patchLines are the beginnings of lines of a patch that name a file.
var patchLines = []struct{ start, does string }{{"*** Add File: ", "write"}, {"*** Update File: ", "write"}, {"*** Delete File: ", "delete"}, {"*** Move to: ", "write"}, {"+++ b/", "write"}}

// patch reads which files a patch adds, changes, deletes and moves.
func (t *toolCall) patch() {
	text := t.text("patch", "input", "diff", "patchText")
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, p := range patchLines {
			if name, ok := strings.CutPrefix(line, p.start); ok {
				t.path(p.does, field{value: value{text: clean(name)}}, effect{})
			}
		}
	}
}

// other reads a tool of which only names are known, as those of MCP servers.
func (t *toolCall) other() {
	name := strings.ToLower(t.name[strings.LastIndex(t.name, "__")+1:])
	does := "read"
	for _, w := range []string{"write", "create", "edit", "update", "put", "save", "append", "upload", "set", "replace", "insert", "patch", "move", "rename", "copy"} {
		if strings.Contains(name, w) {
			does = "write"
		}
	}
	for _, w := range []string{"delete", "remove", "drop", "destroy", "purge", "unlink", "erase", "wipe"} {
		if strings.Contains(name, w) {
			does = "delete"
		}
	}
	told := len(t.out)
	defer func() { t.service(name, does, told) }()
	t.walk(t.input, "", 0, func(k, s string) {
		low := strings.ToLower(k)
		switch {
		case low == "command" || low == "cmd" || low == "shell" || low == "script" || low == "commandline":
			t.unsure(func() { t.line(s, hook.Span{}, nil) })
		case low == "sql" || low == "query" && looksLikeSQL(s) || low == "statement" || low == "statements":
			t.sql(s, "postgres", "unknown", hook.Span{})
		case low == "url" || low == "uri" || strings.HasSuffix(low, "_url"):
			t.urls(map[string]any{k: s}, 0)
		case fileKey(k):
			does := does
			if moves := strings.Contains(name, "move") || strings.Contains(name, "rename"); moves && (low == "source" || low == "from" || low == "old_path" || low == "src" || low == "path") {
				does = "move"
			} else if strings.Contains(name, "copy") && (low == "source" || low == "from" || low == "src") {
				does = "read"
			}
			t.path(does, field{value: value{text: s}}, effect{recursive: does == "delete"})
		}
	})
	if argv, ok := t.input["argv"].([]any); ok {
		(&toolCall{shell: t.shell, name: t.name, input: map[string]any{"command": argv}}).command()
	}
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
	fact := hook.Fact{Does: "infra", System: server, Verb: "get", Object: name, Sure: true}
	force, _ := t.input["force"].(bool)
	mode, _ := t.input["mode"].(string)
	switch {
	case does == "delete" || strings.Contains(name, "unprotect") || strings.Contains(name, "terminate"):
		fact.Verb = "delete"
	case strings.Contains(name, "push") || strings.Contains(name, "merge") || strings.Contains(name, "deploy") || strings.Contains(name, "publish") || strings.Contains(name, "apply") || strings.Contains(name, "transfer") || strings.Contains(name, "rollback"):
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
	if strings.Contains(name, "push") && strings.Contains(name, "git") || strings.Contains(name, "branch") && does == "delete" {
		t.tell(hook.Fact{Does: "git", Verb: "push", Ref: branch, Force: force, Deletes: does == "delete", Sure: true})
	}
	t.tell(fact)
}

func looksLikeSQL(s string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToUpper(s)), " ")
	switch first {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "DROP", "TRUNCATE", "ALTER", "CREATE", "WITH", "MERGE", "REPLACE", "GRANT", "EXEC", "CALL":
		return true
	}
	return false
}
