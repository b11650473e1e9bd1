package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// written is the ending of a module of JavaScript.
var written = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.[cm]?jsx?$`) })

// loadedFirst are the modules that Python has when a script begins: no file stands in
// for one of them.
var loadedFirst = []string{"sys", "os", "io", "builtins", "time", "abc", "codecs", "stat", "site", "marshal", "posixpath", "genericpath", "__future__"}

// packages are a module of Python, and those that it lies in, which are loaded first.
func packages(module string) (out []string) {
	parts := strings.Split(module, ".")
	for i := range parts {
		out = append(out, strings.Join(parts[:i+1], "/"))
	}
	return out
}

// loads notes what a script loads and runs, and what that loads.
func (a *analysis) loads(in interpreter, n Name, given ...arg) {
	if a.Open == nil || n.Tree || a.full || in.language == "" || a.walked["import "+n.Path] {
		return
	}
	if len(a.walked) > 4*maxTexts {
		a.unknown(n.Word, "it leads to too many scripts")
		return
	}
	data, err := a.Open(n.Path)
	if err != nil || strings.ContainsRune(string(data[:min(len(data), 256)]), 0) {
		return
	}
	a.walked["import "+n.Path] = true
	script, input := a.script, a.input
	a.script, a.input = n.Path, nil
	if len(data) > MaxText {
		a.unknown(n.Word, "the script is too long to be read: "+n.Path)
	}
	a.child(func() { a.program(in, string(data), n, given) })
	a.script, a.input = script, input
}

// program notes what a text loads and runs that is a program in some language.
func (a *analysis) program(in interpreter, text string, n Name, given []arg) {
	var args []string
	for _, g := range given {
		if !g.known || g.glob || g.tree {
			args = nil
			break
		}
		args = append(args, g.text)
	}
	if a.Code == nil || in.language == "" {
		return
	}
	uses, whole := a.Code(Program{Language: in.language, Text: text, Path: n.Path, Args: args})
	if !whole {
		a.unknown(n.Word, "it is too much to be read")
	}
	data, taken, goes, input := a.data, a.taken, a.goes, a.input
	a.data, a.taken, a.goes, a.input = 0, 0, 0, nil
	l := loader{analysis: a, in: in, of: n, folders: slices.Clone(a.search)}
	for _, u := range uses {
		if u.Kind == UseFolder {
			l.use(u)
		}
	}
	var modules []string
	for _, u := range uses {
		switch {
		case u.Kind == UseModule && u.word(0).known && in.language == "python":
			modules = append(modules, u.Words[0])
		case u.Kind != UseFolder:
			l.use(u)
		}
	}
	l.python(modules)
	a.data, a.taken, a.goes, a.input = data, taken, goes, input
}

// loader follows what one program loads.
type loader struct {
	*analysis
	in      interpreter
	of      Name
	folders []string // where it looks for modules, besides its own
}

// use notes one thing that the program does.
func (l *loader) use(u Use) {
	g := u.word(0)
	if why := unsaid[u.Kind]; !g.known && why != "" {
		l.unknown(u.Src, why)
		return
	}
	if u.Dir != "" {
		now, moves := l.place.now, l.place.moves
		l.away(u.Dir)
		defer func() { l.place.now, l.place.moves = now, moves }()
	}
	switch u.Kind {
	case UseModule:
		l.module(g)
	case UseNear:
		l.near(g.text, u.Src)
	case UseFile:
		for _, n := range l.places(g) {
			l.found(n)
		}
		for _, dir := range l.folders {
			l.found(Name{Path: Under(dir, g.text), Word: u.Src})
		}
	case UseFolder:
		for _, dir := range l.from(g.text) {
			l.folders = append(l.folders, Under(dir, g.text))
		}
	case UseLine:
		l.child(func() { l.line(g) })
	case UseWords:
		var args []arg
		for i := range u.Words {
			args = append(args, u.word(i))
		}
		l.child(func() { l.call(args) })
	case UseWrite:
		l.writes(g)
	case UseAway:
		l.away(g.text)
	}
}

// unsaid is what is not known where a program loads something that its text does not name.
var unsaid = map[int]string{
	UseModule: "which module is loaded is not in the text", UseNear: "which file is loaded is not in the text", UseFile: "which code is loaded is not in the text",
	UseFolder: "where modules are loaded from is not in the text", UseLine: "what runs is not in the text", UseWords: "which program runs is not in the text",
	UseAway: "where it goes is not in the text",
}

// away goes to a folder.
func (a *analysis) away(dir string) {
	a.moved()
	a.enter([]string{dir})
}

// found is a file that is loaded.
func (l *loader) found(n Name) {
	l.tell(&l.out.Sources, "s", n)
	l.loads(l.in, n)
}

// own are the folders that a program's own names start from.
func (l *loader) own() []string {
	if l.of.Path == "" {
		return l.from(".")
	}
	folders := []string{filepath.Dir(l.of.Path)}
	if real, err := filepath.EvalSymlinks(l.of.Path); err == nil && filepath.Dir(real) != folders[0] { // where the interpreter looks
		folders = append(folders, filepath.Dir(real))
	}
	return folders
}

// near is a file that is named from the program's own folder.
func (l *loader) near(name, src string) {
	folders := l.own()
	if l.in.language == "php" {
		folders = append(folders, l.from(name)...)
	}
	l.named(folders, spellings(name), src, "")
}

// named looks for the file of a module in some folders.
func (l *loader) named(folders, names []string, src, not string) {
	for _, name := range names {
		for _, ending := range append([]string{""}, l.in.endings...) {
			if ending == "" && filepath.Ext(name) == "" && strings.Contains("python ruby lua", l.in.language) || ending == not && not != "" {
				continue
			}
			for _, dir := range folders {
				n := Name{Path: Under(dir, name+ending), Word: src}
				if l.tell(&l.out.Sources, "s", n); l.Open == nil {
					continue
				}
				if data, err := l.Open(n.Path); err == nil {
					l.entered(l.in, n, data)
				}
			}
		}
	}
}

// spellings are the names of a module, as it is written and as TypeScript has it.
func spellings(name string) []string {
	out := []string{name}
	if ending := written().FindString(name); ending != "" {
		typed := strings.TrimSuffix(name, ending) + strings.NewReplacer("js", "ts").Replace(ending)
		out = append(out, typed, strings.TrimSuffix(typed, "x")+"x")
	}
	return out
}

// module is one that the program loads by its name.
func (l *loader) module(g arg) {
	switch l.in.language {
	case "javascript":
		l.packaged(g.text, g.src, l.own())
	case "lua":
		l.named(append(l.folders, l.from(".")...), []string{strings.ReplaceAll(g.text, ".", "/")}, g.src, "")
	default:
		folders := l.folders
		if l.in.language == "python" || strings.HasPrefix(g.text, ".") || filepath.IsAbs(g.text) {
			folders = append(slices.Clone(folders), l.from(g.text)...)
		}
		l.named(folders, []string{g.text}, g.src, "")
	}
}

// python looks for modules of Python where it would: beside the script, or where code
// runs that is none; and for those of its own that these load, which a file may stand
// in for.
func (l *loader) python(modules []string) {
	if l.in.language != "python" {
		return
	}
	folders := append(l.own(), l.folders...)
	for _, name := range withPulled(modules) {
		bare := strings.TrimLeft(name, ".")
		if bare == "" || slices.Contains(loadedFirst, name) {
			continue
		}
		up := strings.Repeat("../", max(0, len(name)-len(bare)-1))
		var names []string
		for _, p := range packages(bare) {
			names = append(names, up+p)
		}
		at := folders
		if up != "" || name != bare {
			at = l.own()
		}
		l.named(at, names, name, "/__main__.py")
	}
}

// ofShebang is the interpreter that the first line of a script names.
func ofShebang(text string) (interpreter, bool) {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return interpreter{}, false
	}
	for _, w := range strings.Fields(line) {
		if in, ok := interpreters[base(w)]; ok {
			return in, true
		}
	}
	return interpreter{}, false
}
