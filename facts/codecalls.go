package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// method is a call of a value: of a path, what it does to that path.
func (r *reader) method(vs values, name string, items []values) values {
	if c := (codeCall{r, name, strings.ToLower(name), items}); c.clouds() {
		return anything()
	}
	if out, ok := r.compiledMethod(vs, name, items); ok {
		return out
	}
	switch strings.ToLower(name) {
	case "homedir", "tmpdir":
		if len(items) == 0 {
			return r.called(name, nil, 0)
		}
	case "execute", "!": // Groovy and Scala
		if len(items) == 0 && vs.known() && (r.language == "groovy" || r.language == "scala") {
			return r.runs("execute", []values{vs})
		}
	case "readdirsync", "readdir", "listdir", "children", "scandir":
		if len(items) > 0 {
			r.does(name, items)
			return someName(eachName)
		}
	case "read", "readlines", "text", "json", "splitlines", "decode", "tostring", "encode", "strip", "trim", "expanduser", "resolve", "absolute", "to_s", "chomp", "as_posix", "tostr":
		return vs
	case "joinpath":
		for _, it := range items {
			vs = vs.join(text("/")).join(it)
		}
		return vs
	case "join":
		if len(items) == 1 {
			return items[0].each(together)
		}
	case "glob", "rglob":
		if len(items) == 1 {
			return vs.join(text("/")).join(items[0])
		}
	case "iterdir":
		return vs.join(text("/*"))
	case "replace":
		if len(items) == 2 && len(items[0]) == 1 && len(items[1]) == 1 && items[0].known() && items[1].known() {
			return vs.each(func(s string) string { return strings.ReplaceAll(s, items[0][0].text, items[1][0].text) })
		}
	}
	switch r.act(strings.ToLower(name)) {
	case "delete", "deleteall", "read", "write", "open":
		if len(vs) > 0 && (vs.known() || len(items) == 0 && r.store == "") {
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
	if named := r.vars[full]; r.language == "php" && len(named) == 1 && r.act(strings.ToLower(named[0].text)) != "" { // $f("…")
		full = named[0].text
	}
	last := lastPart(full)
	if out, ok := r.compiledCall(full, items); ok {
		return out
	}
	if out, ok := r.indirectly(last, items, depth); ok {
		return out
	}
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
			return arg(0).eachKnown(fromBase64)
		}
		return arg(0)
	}
	if out, ok := r.ofMachine(full, last, items); ok {
		return out
	}
	return r.does(full, items)
}

// ofMachine is what a function gives that says something of the machine: its folders, the names
// in them, its environment.
func (r *reader) ofMachine(full, last string, items []values) (values, bool) {
	first := anything()
	if len(items) > 0 && items[0] != nil {
		first = items[0]
	}
	switch last {
	case "homedir", "home", "gethomedir":
		return text(r.world.Home), true
	case "cwd", "getcwd", "pwd":
		return text(r.st.dirs[0]), true
	case "tmpdir", "gettempdir", "mkdtemp", "mkdtempsync", "mktmpdir", "mktemp", "mkstemp", "namedtemporaryfile", "temporarydirectory":
		return text(r.world.temps()[0] + "/" + string(word)), true
	case "chr", "fromcharcode":
		if s, ok := characters(joinWords(items)); ok {
			return s, true
		}
		return anything(), true
	case "format", "sprintf":
		return anything(), true
	case "readdir", "readdirsync", "listdir", "scandir", "children", "each_child":
		r.does(full, items)
		return someName(eachName), true
	case "walk", "fwalk":
		return first.each(r.homed), full == "os.walk" || full == "os.fwalk"
	case "glob", "rglob", "globsync": // files by a pattern
		return first.each(r.homed), true
	case "get", "fetch":
		if !slices.Contains(environments, strings.TrimSuffix(full, "."+last)) {
			break
		}
		fallthrough
	case "getenv", "env":
		if len(items) == 0 && last == "getenv" {
			r.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: r.at, Sure: true})
			return anything("env:*"), true
		}
		if len(items) > 0 && len(first) == 1 && first.known() {
			got, _ := r.lookup(first[0].text)
			return got, true
		}
	}
	return nil, false
}
