package suggest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

// shape is what calls have in common: the tool, and what it does as a set of acts. A rule
// over a shape names every member of these acts that says what they do, and the values of
// the tool's input. What differs between the calls is listed, word by word; only files of
// the project may be told by the folder that all of them lie in.
type shape struct {
	event  string // at which the rule answers
	source string // of the agent, if it counts
	tool   string
	acts   map[string]*act // by what all their facts have in common
	inputs *inputs
	words  *words
	calls  []*answered
	times

	root    string          // the workspace
	folders map[string]bool // where the calls were made
}

func newShape(root, event, source, tool string) *shape {
	w := newWords(root)
	return &shape{root: root, event: event, source: source, tool: tool, acts: map[string]*act{}, words: w, inputs: newInputs(tool, w), folders: map[string]bool{}}
}

// act is facts that differ only in arguments and paths.
type act struct {
	like  hook.Fact
	args  map[string][]string // by their JSON
	paths map[string]hook.Fact
}

// Bounds of what is listed word by word.
const (
	mostWords = 8
	mostActs  = 8
	mostText  = 4000 // of an expression
)

// members are those of each kind of fact that say what happens. A rule names them all,
// also those that are empty.
var members = map[string][]string{
	"run":     {"program", "sub", "elevated", "remote", "dry"},
	"read":    {"by", "scope", "recursive", "glob", "many", "link", "secret", "dry"},
	"write":   {"by", "scope", "recursive", "glob", "many", "link", "secret", "dry"},
	"delete":  {"by", "scope", "recursive", "glob", "many", "link", "secret", "dry"},
	"move":    {"by", "scope", "recursive", "glob", "many", "link", "secret", "dry"},
	"execute": {"by", "from", "language", "scope", "link"},
	"connect": {"by", "scheme", "host", "port", "class", "method", "sends", "receives"},
	"git":     {"verb", "remote", "ref", "force", "deletes", "uncommitted", "dry"},
	"package": {"manager", "verb", "name", "source", "global", "scripts", "dry"},
	"sql":     {"verb", "object", "bounded", "where", "dialect"},
	"infra":   {"system", "verb", "object", "where", "bulk", "approved", "dry"},
}

// plain reports whether facts say all that a call does, and that it is nothing of which a
// rule should say that nobody need be asked: what is not known or not sure, what another
// user's rights do, secrets, the machine itself and hookway.
func plain(list []hook.Fact) bool {
	for i := range list {
		f := &list[i]
		switch {
		case members[f.Does] == nil, !f.Sure, f.Elevated, f.Secret != "", f.Link != "", f.Scope == "root", f.Scope == "system" && f.Does != "read",
			f.Does == "run" && f.Remote != "", f.Does == "execute", // what a script holds may be another thing tomorrow
			strings.Contains(f.Path+f.Host+f.Program+f.Object+f.Ref+f.Name+strings.Join(f.Args, ""), "…"):
			return false
		}
	}
	return len(list) > 0
}

// valueOf is a member of a fact as an expression writes it.
func valueOf(f *hook.Fact, member string) any {
	return map[string]any{
		"program": f.Program, "sub": f.Sub, "elevated": f.Elevated, "remote": f.Remote, "dry": f.Dry, "by": f.By, "scope": f.Scope, "recursive": f.Recursive,
		"glob": f.Glob, "many": f.Many, "link": f.Link, "secret": f.Secret, "from": f.From, "language": f.Language, "scheme": f.Scheme, "host": f.Host,
		"port": f.Port, "class": f.Class, "method": f.Method, "sends": f.Sends, "receives": f.Receives, "verb": f.Verb, "ref": f.Ref, "force": f.Force,
		"deletes": f.Deletes, "uncommitted": f.Uncommitted, "manager": f.Manager, "name": f.Name, "source": f.Source, "global": f.Global, "scripts": f.Scripts,
		"object": f.Object, "bounded": f.Bounded, "where": f.Where, "dialect": f.Dialect, "system": f.System, "bulk": f.Bulk, "approved": f.Approved,
	}[member]
}

// likeness tells whether two facts are of one act.
func likeness(f *hook.Fact) string {
	parts := []any{f.Does}
	for _, m := range members[f.Does] {
		parts = append(parts, valueOf(f, m))
	}
	text, err := json.Marshal(parts)
	if err != nil { // it is made of texts
		return f.Does
	}
	return string(text)
}

// shapeKey names the shape of a call.
func shapeKey(tool string, list []hook.Fact) string {
	seen := map[string]bool{}
	for i := range list {
		seen[likeness(&list[i])] = true
	}
	return tool + "\x00" + strings.Join(slices.Sorted(maps.Keys(seen)), "\x00")
}

// take adds a call to its shape.
func (s *shape) take(a *answered, list []hook.Fact) {
	s.calls = append(s.calls, a)
	s.join(&a.times)
	s.inputs.take(a.input)
	s.words.take(&a.call, guards.CommandOf(a.input), list)
	if len(s.folders) <= mostWords {
		s.folders[a.dir] = true
	}
	for i := range list {
		f := &list[i]
		key := likeness(f)
		if s.acts[key] == nil {
			s.acts[key] = &act{like: *f, args: map[string][]string{}, paths: map[string]hook.Fact{}}
		}
		of := s.acts[key]
		if f.Does == "run" {
			text, _ := json.Marshal(f.Args)
			of.args[string(text)] = f.Args
		}
		if f.Path != "" {
			of.paths[f.Path] = *f
		}
	}
}

// expression is the condition that calls of the shape meet, and no others. false: they
// differ in what no rule should leave open.
func (s *shape) expression() (string, bool) {
	text := s.does()
	input, ok := s.inputs.condition()
	if text == "" || !ok {
		return "", false
	}
	if folder := s.folder(); folder != "" {
		text += " and " + folder
	}
	text += " and " + input
	return text, len(text) <= mostText
}

// folder is the condition that a call is made where such calls were made: the same words
// do something else in another folder. Of more folders than can be listed, any of the
// workspace may be it.
func (s *shape) folder() string {
	if len(s.folders) > mostWords {
		return ""
	}
	var from []string
	for _, dir := range slices.Sorted(maps.Keys(s.folders)) {
		from = append(from, s.seenFrom(dir))
	}
	if len(from) == 1 {
		return "folder == " + quote(from[0])
	}
	return "folder in " + listOf(from)
}

// seenFrom is a folder as seen from the workspace.
func (s *shape) seenFrom(dir string) string {
	rel, err := filepath.Rel(s.root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(dir)
	}
	return filepath.ToSlash(rel)
}

// does is what the condition says of the acts; "": they differ too much.
func (s *shape) does() string {
	if len(s.acts) == 0 || len(s.acts) > mostActs {
		return ""
	}
	var one []string
	for _, key := range slices.Sorted(maps.Keys(s.acts)) {
		text, ok := s.acts[key].condition(s.words)
		if !ok {
			return ""
		}
		one = append(one, text)
	}
	var all strings.Builder
	all.WriteString("len(facts) > 0")
	for _, text := range one {
		if len(one) > 1 { // what all are, one of them is
			fmt.Fprintf(&all, " and any(facts, %s)", text)
		}
	}
	fmt.Fprintf(&all, " and all(facts, .sure and %s)", strings.Join(one, " or .sure and "))
	return all.String()
}

// condition is that of one act.
func (a *act) condition(w *words) (string, bool) {
	parts, not := []string{".does == " + quote(a.like.Does)}, []string{}
	for _, m := range members[a.like.Does] {
		switch v := valueOf(&a.like, m).(type) {
		case string:
			if v != "" || m != "link" && m != "secret" && m != "remote" && m != "ref" && m != "sub" {
				parts = append(parts, "."+m+" == "+quote(v))
				continue
			}
			parts = append(parts, "."+m+` == ""`)
		case int:
			parts = append(parts, "."+m+" == "+strconv.Itoa(v))
		case bool:
			if v {
				parts = append(parts, "."+m)
			} else {
				not = append(not, "."+m)
			}
		case []string:
			parts = append(parts, wordsOf("."+m, v))
		}
	}
	if len(not) > 0 {
		parts = append(parts, "not ("+strings.Join(not, " or ")+")")
	}
	args, ok := a.argsCondition(w)
	paths, also := a.pathCondition(w)
	if !ok || !also {
		return "", false
	}
	for _, text := range []string{args, paths} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return "(" + strings.Join(parts, " and ") + ")", true
}

// wordsOf is that a list of a fact has these words, and no others.
func wordsOf(member string, words []string) string {
	parts := []string{fmt.Sprintf("len(%s) == %d", member, len(words))}
	for i, w := range words {
		parts = append(parts, fmt.Sprintf("%s[%d] == %s", member, i, quote(w)))
	}
	return strings.Join(parts, " and ")
}

// argsCondition lists the arguments that were seen, with those words open that may be.
func (a *act) argsCondition(w *words) (string, bool) {
	if a.like.Does != "run" {
		return "", true
	}
	var each []string
	for _, args := range slices.SortedFunc(maps.Values(a.args), slices.Compare) {
		parts := []string{fmt.Sprintf("len(.args) == %d", len(args))}
		for i, word := range args {
			if pattern, open := w.open(word); open {
				parts = append(parts, fmt.Sprintf(".args[%d] matches %s", i, quote("^"+pattern+"$")))
			} else {
				parts = append(parts, fmt.Sprintf(".args[%d] == %s", i, quote(word)))
			}
		}
		if text := strings.Join(parts, " and "); !slices.Contains(each, text) {
			each = append(each, text)
		}
		if len(each) > mostWords {
			return "", false
		}
	}
	if len(each) == 1 {
		return each[0], true
	}
	return "(" + strings.Join(each, " or ") + ")", true
}

// pathCondition lists the files, or names the folder of the project that they lie in.
func (a *act) pathCondition(w *words) (string, bool) {
	if len(a.paths) == 0 {
		return "", true
	}
	var inside, whole []string
	for _, name := range slices.Sorted(maps.Keys(a.paths)) {
		f := a.paths[name]
		whole = append(whole, name)
		if f.Scope == "project" && f.Inside != "" {
			inside = append(inside, f.Inside)
		}
	}
	switch {
	case len(inside) < len(whole) && len(whole) > mostWords:
		return "", false
	case len(inside) < len(whole):
		return ".path in " + listOf(whole), true
	case len(inside) < leastFiles || w.shut && len(inside) <= mostWords:
		return ".inside in " + listOf(inside), true
	case a.like.Does == "execute":
		return ".inside in " + listOf(inside), len(inside) <= mostWords
	}
	folder := commonFolder(inside)
	hidden := slices.ContainsFunc(inside, func(p string) bool { return strings.Contains(p, "/.") })
	if hidden || folder == "/" && a.like.Does != "read" {
		return ".inside in " + listOf(inside), len(inside) <= mostWords
	}
	return fmt.Sprintf(`hasPrefix(.inside, %s) and not (.inside contains "/.")`, quote(folder)), true
}

// commonFolder is the deepest folder that all files lie in, with its slash.
func commonFolder(files []string) string {
	folder := path.Dir(files[0])
	for _, f := range files[1:] {
		for folder != "/" && !strings.HasPrefix(f, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	return strings.TrimSuffix(folder, "/") + "/"
}

func quote(s string) string { return strconv.Quote(s) }

func listOf(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, quote(w))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// name is what the shape is called in an id: its programs, or its tool with a folder.
func (s *shape) name() string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(s.acts)) {
		if f := &s.acts[key].like; f.Does == "run" {
			words = append(words, strings.TrimSpace(path.Base(f.Program)+" "+cmp.Or(f.Sub, s.acts[key].onlyWord())))
		}
	}
	if len(words) > 0 {
		for _, key := range slices.Sorted(maps.Keys(s.acts)) {
			if f := &s.acts[key].like; f.Does == "connect" && f.Host != "" && !slices.Contains(words, f.Host) {
				words = append(words, f.Host)
			}
		}
	}
	if len(words) == 0 {
		words = append(words, s.tool)
		for _, key := range slices.Sorted(maps.Keys(s.acts)) {
			a := s.acts[key]
			var inside []string
			for _, f := range a.paths {
				inside = append(inside, cmp.Or(f.Inside, f.Path))
			}
			if slices.Sort(inside); len(inside) > 0 {
				words = append(words, "in", commonFolder(inside))
			}
			words = append(words, a.like.Host)
		}
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// onlyWord is the first argument, if all calls have it and it may be a sub-command.
func (a *act) onlyWord() string {
	word := ""
	for _, args := range a.args {
		if len(args) == 0 || !subCommand().MatchString(args[0]) || word != "" && word != args[0] {
			return ""
		}
		word = args[0]
	}
	return word
}

// subCommand is a word that says what a program is to do: no option, file or address.
var subCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_:-]{0,31}$`) })

// slug is a name as part of an id.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	text := b.String()
	return strings.Trim(text[:min(len(text), 40)], "-")
}
