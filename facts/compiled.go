package facts

import (
	"path"
	"slices"
	"strings"
)

// extensions say by the end of a file's name which language it holds.
var extensions = map[string]string{
	".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "javascript", ".rb": "ruby", ".pl": "perl", ".php": "php", ".lua": "lua", ".jl": "julia", ".r": "r", ".R": "r",
	".exs": "elixir", ".ex": "elixir", ".groovy": "groovy", ".scala": "scala", ".sc": "scala", ".swift": "swift", ".cr": "ruby",
	".go": "go", ".rs": "rust", ".c": "c", ".cc": "c", ".cpp": "c", ".cxx": "c", ".m": "c", ".java": "java", ".jsh": "java", ".kt": "java", ".kts": "java", ".cs": "csharp", ".csx": "csharp", ".hs": "haskell", ".lhs": "haskell", ".dart": "java", ".zig": "c", ".nim": "python", ".erl": "erlang", ".escript": "erlang", ".ml": "ocaml",
}

// compiled are languages of which names have types. Their readers know less of what a name
// stands for than those of scripts, so of their code counts only what is sure.
var compiled = []string{"go", "rust", "c", "java", "csharp", "haskell"}

// compiledActs are what calls do that have other names in such a language, or do nothing of
// the kind in others.
var compiledActs = map[string]map[string]string{
	"go":      {"command": "run", "commandcontext": "run", "removeall": "deleteall", "create": "write", "truncate": "write", "symlink": ""},
	"rust":    {"remove_file": "delete", "set_len": "", "command": ""},
	"java":    {"processbuilder": "run", "deleteifexists": "delete", "deletedirectory": "deleteall", "cleandirectory": "deleteall", "deletequietly": "deleteall", "forcedelete": "deleteall", "deleterecursively": "deleteall", "deletesync": "deleteall", "get": "", "put": "", "post": "", "request": "", "run": "", "call": "", "function": "", "compile": ""},
	"csharp":  {"start": "run", "deletefile": "delete", "get": "", "run": "", "call": "", "compile": ""},
	"haskell": {"callcommand": "run", "callprocess": "run", "rawsystem": "run", "readprocess": "run", "spawncommand": "run", "spawnprocess": "run", "readcreateprocess": "", "shell": "run", "removefile": "delete", "removedirectory": "delete", "removedirectoryrecursive": "deleteall", "removepathforcibly": "deleteall", "get": "", "put": "", "call": "", "run": ""},
	"erlang":  {"cmd": "run", "del_dir_r": "deleteall"},
	"ocaml":   {"command": "run"},
	"c":       {"remove_all": "deleteall", "posix_spawn": "run", "call": "", "run": "", "get": "", "put": "", "post": ""},
}

// act is what a call does in the language.
func (r *reader) act(last string) string {
	if what, ok := compiledActs[r.language][last]; ok {
		return what
	}
	return acts[last]
}

// typed reports whether the code is of such a language.
func (r *reader) typed() bool { return slices.Contains(compiled, r.language) }

// builds keeps what a compiler makes: who runs that file runs what its sources hold.
func (c tableCall) builds(p parsed) {
	var sources values
	language, first := "", ""
	for _, o := range p.operands {
		l := extensions[path.Ext(o.text)]
		if l == "" {
			continue
		}
		if first == "" {
			language, first = l, o.text
		}
		sources = sources.or(c.shell.content(o.field))
	}
	out := c.value["-o"]
	switch base := strings.TrimSuffix(path.Base(first), path.Ext(first)); {
	case out != "":
	case first == "":
		return
	case language == "java":
		out = path.Join(c.value["-d"], base+classFile)
	case language == "c":
		out = "a.out"
	default:
		out = base
	}
	if sources == nil { // a package, or parts that were made before
		sources = anything("file:" + string(hole))
	}
	for _, place := range c.places(out) {
		c.files[path.Clean(place)] = sources
		if c.built == nil {
			c.shared.built = map[string]string{}
		}
		c.built[path.Clean(place)] = language
	}
}

// languageAt is the language of a file: of what it was made of, or by its first line or name.
func (sh *shell) languageAt(name, src string) string {
	for _, p := range sh.places(name) {
		if l := sh.built[path.Clean(p)]; l != "" {
			return l
		}
	}
	return languageOf(name, src)
}

// codeFile runs a file with code of which the name says the language; "-" is the input.
func (c tableCall) codeFile(f field) {
	language := extensions[path.Ext(f.text)]
	switch {
	case f.text == "-":
		c.lang().runInput(sourceLanguages[c.name])
	case c.name == "java" && language == "":
		c.class(f)
	case language != "":
		c.lang().runFile(f, language)
	default:
		c.mayRead(f)
	}
}

// classFile ends the name of a file that javac makes.
const classFile = ".class"

// class runs a class of Java that the line made itself.
func (c tableCall) class(f field) {
	f.text = strings.ReplaceAll(f.text, ".", "/") + classFile
	for dir := range strings.SplitSeq(c.value["-cp"]+c.value["-classpath"]+":.", ":") {
		g := f
		g.text = path.Join(dir, f.text)
		for _, p := range c.places(g.text) {
			if c.built[path.Clean(p)] != "" {
				c.lang().runFile(g, "java")
			}
		}
	}
}

// sourceLanguages are those that programs take from their input.
var sourceLanguages = map[string]string{"go": "go", "tcc": "c", "jshell": "java", "dart": "java", "rust-script": "rust", "java": "java"}

// names that stand for a file in a language with types.
var filesByName = []string{"Path.of", "Paths.get", "Path.Combine", "PathBuf.from", "Path.new", "std.path.Path.new", "std.path.PathBuf.from", "File", "FileInfo", "DirectoryInfo", "Directory", "Link", "java.io.File", "java.nio.file.Path.of", "java.nio.file.Paths.get"}

// compiledCall reads what calls of such a language have of their own.
func (r *reader) compiledCall(full string, items []values) (values, bool) {
	switch {
	case !r.typed() || len(items) == 0:
		return nil, false
	case slices.Contains(filesByName, full):
		out := items[0]
		for _, it := range items[1:] {
			out = out.join(text("/")).join(it)
		}
		return out, true
	case strings.HasSuffix(full, "Command.new"): // which Rust is told word by word
		return items[0].each(quote), true
	case full == "System.getProperty" && len(items[0]) == 1 && items[0][0].text == "user.home":
		return text(r.world.Home), true
	case full == "env.var" || full == "std.env.var":
		if len(items[0]) == 1 && items[0].known() {
			got, _ := r.lookup(items[0][0].text)
			return got, true
		}
	case strings.HasSuffix(full, "CommandContext"):
		return r.does(full, items[1:]), true
	}
	return nil, false
}

// compiledMethod reads methods of values there: what a command is told further, what is run
// then, and what only turns a value into another of the same text.
func (r *reader) compiledMethod(vs values, name string, items []values) (values, bool) {
	if !r.typed() {
		return nil, false
	}
	switch strings.ToLower(name) {
	case "unwrap", "expect", "toabsolutepath", "tofile", "topath", "to_path_buf", "into", "to_string", "tostring", "as_str", "c_str":
		return vs, true
	case "arg", "args":
		for _, it := range items {
			if name == "arg" {
				it = it.each(quote)
			}
			vs = vs.join(text(" ")).join(it)
		}
		return vs, true
	case "spawn", "status", "output":
		if r.language == "rust" && vs.known() {
			return r.runs("command", []values{vs}), true
		}
	}
	return nil, false
}

// listOfWords reads []string{"rm", "-rf"} and new String[]{"rm", "-rf"}, of which the part
// before the braces says only what is in them.
func (r *reader) listOfWords(depth int) (values, bool) {
	n := 0
	if r.peek(n).kind == 'i' {
		n++
	}
	if r.peek(n).kind != '[' || r.peek(n+1).kind != ']' {
		return nil, false
	}
	if n += 2; r.peek(n).kind == 'i' {
		n++
	}
	if r.peek(n).kind != '{' {
		return nil, false
	}
	r.pos += n
	return joinWords(r.list(depth + 1)), true
}

// promptLines runs what a prompt gives a shell: lines that begin with a sign.
func (c langCall) promptLines(language string, v value) {
	if language == "sh" || language == "ruby" || language == "perl" || !v.known() {
		return
	}
	for l := range strings.Lines(v.text) {
		l = strings.TrimSpace(l)
		for _, start := range []string{":!", "!"} {
			if rest, ok := strings.CutPrefix(l, start); ok {
				c.builtin().runText(value{rest, v.from}, nil)
				break
			}
		}
	}
}
