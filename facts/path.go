package facts

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// effect is how an act on a path goes.
type effect struct {
	recursive, many, dry bool
	sends                bool
	empties              bool // the file stays, with nothing in it
}

// places are the absolute names that a text may mean, one for each folder in which
// the line may be.
func (sh *shell) places(name string) []string {
	if rest, ok := ownCWD(name); ok {
		name = rest
	} else if strings.HasPrefix(name, "/") {
		return []string{name}
	}
	if strings.HasPrefix(name, string(hole)) {
		return []string{name}
	}
	var out []string
	for _, d := range sh.st.dirs {
		if d == "/" {
			d = ""
		}
		out = append(out, d+"/"+name)
	}
	return out
}

// path tells what happens to the file that a field names.
func (sh *shell) path(does string, f field, e effect) {
	if f.text == "" || f.text == "-" && does != "delete" {
		return
	}
	name := f.text
	if i := strings.Index(name, "://"); i > 0 && !strings.ContainsAny(name[:i], "/.") && name[:i] != "file" {
		return // a URL is told by those who connect
	}
	if strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/") {
		return // a connection, which is told as such
	}
	name = strings.TrimPrefix(name, "file://")
	if _, rest, ok := strings.Cut(name, "FileSystem::"); ok { // PowerShell names the provider of a path
		name = rest
	}
	if name == "~" || strings.HasPrefix(name, "~/") { // a program or another shell may expand it
		home, _ := sh.tilde("")
		g := f
		g.text, g.pattern = home+name[1:], ""
		sh.unsure(func() { sh.path(does, g, e) })
	}
	places := sh.places(name)
	for _, p := range places {
		fact := hook.Fact{Does: does, At: f.at, Sure: len(places) == 1, Recursive: e.recursive, Many: e.many || f.many || f.glob, Glob: f.glob, Dry: e.dry}
		if e.empties {
			fact.Verb = "empty"
			if sh.isNew(p) {
				fact.Does, fact.Verb = "write", ""
			}
		}
		does := func() {
			sh.place(&fact, p, f, e)
			sh.tell(fact)
			sh.meaning(fact)
		}
		if at, ok := sh.here(p, fact.Does); ok {
			p = at
			sh.atHome(does)
		} else {
			does()
		}
	}
}

// isNew reports whether it is known that there is no file of that name.
func (sh *shell) isNew(p string) bool {
	if sh.world.Lstat == nil || unclear(p) || strings.ContainsRune(p, '*') {
		return false
	}
	_, err := sh.world.Lstat(sh.world.resolve(path.Clean(p)))
	return errors.Is(err, fs.ErrNotExist)
}

// meaning tells what it means that a file changes, or goes, beside the file itself.
func (sh *shell) meaning(f hook.Fact) {
	if f.Does == "read" && !f.Dry && sh.ownSecret(f.Path) {
		sh.tell(hook.Fact{Does: "self", What: "files", Object: f.Path, Verb: f.Does, At: f.At, Sure: f.Sure})
	}
	if f.Does == "read" || f.Dry || !strings.HasPrefix(f.Path, "/") || f.Remote != "" {
		return
	}
	name := f.Path
	if f.Real != "" {
		name = f.Real
	}
	if what := sh.selfPath(name); what != "" {
		sh.tell(hook.Fact{Does: "self", What: what, Object: name, Verb: f.Does, At: f.At, Sure: f.Sure})
	}
	if what := systemFile(name, sh.world.Home); what != "" && f.Scope != scopeProject {
		sh.tell(hook.Fact{Does: "system", What: what, Object: name, At: f.At, Sure: f.Sure})
	}
}

// usualParts are how many a path may have without counting as more work than another.
const usualParts = 64

// place fills in where a path leads.
func (sh *shell) place(fact *hook.Fact, p string, f field, e effect) {
	if i := strings.IndexRune(p, hole); i >= 0 {
		fact.Sure = false
		fact.Path = visible(p)
		if prefix := p[:i]; strings.HasPrefix(prefix, "/") && prefix != "/" {
			fact.Path = visible(path.Clean(prefix + "x")[:len(path.Clean(prefix+"x"))-1] + p[i:])
		}
		if base := path.Base(p); !strings.ContainsRune(base, hole) {
			fact.Secret = secretFile(path.Clean(visible(p)), sh.world)
			fact.Sure = strings.HasPrefix(fact.Secret, "environment of") && strings.HasPrefix(p, "/proc/")
		}
		if scope := sh.below(p[:i]); fact.Does != "read" && scope != "" {
			fact.Scope, fact.Sure = scope, true
		}
		sh.unknown(f.at, "what the path "+fact.Path+" is shows only when it runs")
		return
	}
	cleaned := path.Clean(p)
	fact.Path = visible(cleaned)
	real := cleaned
	if parts := strings.Count(p, "/"); parts > usualParts { // each is looked up from the top
		sh.steps += parts
	}
	sh.world.at = sh.st.dirs[0]
	if sh.world.Readlink != nil || len(sh.world.links) > 0 {
		real = sh.world.real(p, fact.Does == "delete" || fact.Does == "move")
	}
	if real != cleaned && len(p) <= maxPath {
		fact.Real = visible(real)
	}
	if strings.ContainsRune(real, hole) && !strings.ContainsRune(cleaned, hole) {
		fact.Sure = false
		sh.unknown(f.at, "which file "+fact.Path+" is shows only when it runs")
		if len(p) > maxPath {
			real = cleaned
		}
	}
	fact.Scope = sh.world.scope(real)
	if fact.Does == "write" && real == sh.world.project() {
		fact.Scope = scopeProject // only what takes the top itself away is about the top
	}
	fact.Inside = sh.world.inside(real, fact.Scope)
	if fact.Does == "write" && sh.world.Lstat != nil && !unclear(real) {
		_, err := sh.world.Lstat(real)
		fact.Creates = errors.Is(err, fs.ErrNotExist)
	}
	if own := sh.world.scope(cleaned); own != fact.Scope {
		fact.Link = visible(real)
	}
	fact.Secret = secretFile(real, sh.world)
	if fact.Secret == "" && f.glob {
		fact.Secret = secretPattern(sh.absolutePattern(f), sh.world)
	}
}

// below is the scope of all that lies in the folder of a path that begins so, if that is
// outside of all that may be emptied, whatever comes behind it.
func (sh *shell) below(prefix string) string {
	if !strings.HasPrefix(prefix, "/") || unclear(prefix) {
		return ""
	}
	dir := path.Clean(prefix[:strings.LastIndexByte(prefix, '/')+1])
	for _, place := range append(sh.world.temps(), sh.world.project()) {
		if dir == "/" || under(place, dir) {
			return ""
		}
	}
	switch scope := sh.world.scope(dir); scope {
	case scopeHome, scopeSystem, scopeOther:
		return scope
	}
	return ""
}

// real resolves links; of what is deleted or moved the last part stays as it is.
func (w *World) real(p string, last bool) string {
	trimmed := strings.TrimRight(p, "/")
	if !last || trimmed != p || trimmed == "" {
		return w.resolve(p)
	}
	base := path.Base(trimmed)
	if base == ".." || base == "." {
		return w.resolve(p)
	}
	return path.Join(w.resolve(path.Dir(trimmed)), base)
}

func (sh *shell) absolutePattern(f field) string {
	if strings.HasPrefix(f.pattern, "/") {
		return f.pattern
	}
	return escapeGlob(sh.st.dirs[0]) + "/" + f.pattern
}

// expand gives the files that a pattern matches, where its folder can be read. Only
// the last part of the path may have metacharacters.
func (sh *shell) expand(f field) ([]string, bool) {
	if sh.world.ReadDir == nil || unclear(f.text) || len(sh.st.dirs) != 1 {
		return nil, false
	}
	dir, base := "", f.pattern
	if i := strings.LastIndexByte(f.pattern, '/'); i >= 0 {
		dir, base = f.pattern[:i+1], f.pattern[i+1:]
	}
	if strings.ContainsAny(dir, `*?[\(`) || strings.Contains(base, "(") {
		return nil, false
	}
	at := dir
	if !strings.HasPrefix(dir, "/") {
		at = sh.st.dirs[0] + "/" + dir
	}
	names, err := sh.world.ReadDir(sh.world.resolve(at))
	if err != nil {
		return nil, false
	}
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		if matchGlob(base, n, true) {
			out = append(out, clean(dir+n))
		}
	}
	if len(out) == 0 {
		return nil, false
	}
	slices.Sort(out)
	return out, true
}

// store keeps what was written to a file, for those who read or run it later.
func (sh *shell) store(name string, vs values) {
	if strings.HasPrefix(name, "/") && !strings.ContainsRune(name, hole) {
		name = path.Clean(name)
	}
	if sink, ok := sh.sinks[name]; ok {
		sink(vs)
		return
	}
	if len(vs) == 0 {
		vs = anything()
	}
	sh.runsLater(name, vs)
	for _, v := range vs {
		found := Credentials(v.text)
		if n := len(found); n > 0 && !found[n-1].Searched() {
			sh.unread(hook.Span{}, "a text is too much work to be searched for credentials")
			found = found[:n-1]
		}
		if len(found) > 0 {
			sh.tell(hook.Fact{Does: "secret", Kind: found[0].Kind, Path: visible(name), Sure: v.known() && found[0].Sure})
		}
	}
	sh.files[name] = vs
}

// load tells that a file is read and gives what it holds.
func (sh *shell) load(f field, at hook.Span) values {
	sh.path("read", f, effect{})
	return sh.content(f)
}

// content is what a file holds, as far as the line itself says; else only its name.
func (sh *shell) content(f field) values {
	var out values
	for _, p := range sh.places(f.text) {
		if strings.ContainsRune(p, hole) {
			out = out.or(anything("file:" + visible(p)))
			continue
		}
		p = path.Clean(p)
		if p == "/dev/null" {
			out = out.or(text(""))
			continue
		}
		if vs, ok := sh.files[p]; ok {
			out = out.or(vs)
			continue
		}
		from := []string{"file:" + p}
		for dir, sources := range sh.taints {
			if under(p, dir) {
				from = union(from, sources)
			}
		}
		out = out.or(anything(from...))
	}
	return out
}

// taint says that what lies below a folder came from the network.
func (sh *shell) taint(dir string, from []string) {
	var net []string
	for _, f := range from {
		if strings.HasPrefix(f, "net:") {
			net = append(net, f)
		}
	}
	if len(net) > 0 && len(sh.taints) < 16 {
		sh.taints[path.Clean(dir)] = net
	}
}

// isInput reports whether a name is that of the standard input.
func isInput(name string) bool {
	return name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0"
}

// content is what a file holds; the standard input is what comes in by a pipe.
func (c *call) content(f field) values {
	if isInput(f.text) && c.stdin != nil {
		return c.stdin
	}
	return c.shell.content(f)
}

// code gives texts that are known, and reads those that lie in files which may be
// read: what "sh x.sh" runs is a part of the call.
func (sh *shell) code(vs values) values {
	if sh.world.ReadFile == nil {
		return vs
	}
	var out values
	for _, v := range vs {
		if len(v.from) == 1 && v.text == string(hole) && sh.step() {
			if name, ok := strings.CutPrefix(v.from[0], "file:"); ok && strings.HasPrefix(name, "/") && secretFile(name, sh.world) == "" {
				if b, err := sh.world.ReadFile(sh.world.resolve(name), maxText+1); err == nil && len(b) <= maxText {
					sh.steps += len(b) / 256 // what it costs to read a file
					out = append(out, value{clean(string(b)), v.from})
					continue
				}
			}
		}
		out = append(out, v)
	}
	return out
}

// longScript tells of a script of shells that is longer than what is read.
func (sh *shell) longScript(v value, at hook.Span) {
	if sh.tooLong(v) {
		sh.unread(at, "the script is too long to be read")
	}
}

// tooLong reports whether a text stands in a file that is longer than what is read, where
// an agent may have put it. What was installed for the user or the machine is not meant.
func (sh *shell) tooLong(v value) bool {
	name := filePath(v)
	if v.text != string(hole) || !strings.HasPrefix(name, "/") || sh.world.Lstat == nil || !slices.Contains([]string{"project", "worktree", "temp"}, sh.world.scope(name)) {
		return false
	}
	info, err := sh.world.Lstat(sh.world.resolve(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > maxText
}
