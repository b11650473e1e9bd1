package hook

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unresolved stands in facts for what shows only when the call runs.
const unresolved = "…"

// place is a glob without braces, over the absolute paths of facts.
type place struct {
	segments []string
	below    bool // it starts at the root
	free     bool // it does not say in which folder
}

// files adds a test of the paths of facts.
func (c *compiler) files(key string, patterns []string, does ...string) {
	places := c.places(key, patterns)
	if len(places) == 0 {
		return
	}
	root := c.root
	c.add(c.anyFact(factTest{
		does:  does,
		files: true,
		holds: func(k *known, i int) bool { return k.mayBeAt(root, places, k.acts()[i]) },
		sure:  func(k *known, i int) bool { return k.isAt(root, places, k.acts()[i]) },
	}))
}

// places compiles patterns of files. Braces make several of one.
func (c *compiler) places(key string, patterns []string) (out []place) {
	for i, pattern := range patterns {
		g, err := CompileGlob(pattern)
		if err != nil {
			c.fail(key, i, err)
			continue
		}
		for _, a := range g.alternatives {
			p := place{segments: a.segments, below: !a.absolute, free: a.base || a.segments[0] == "**"}
			if a.base {
				p.segments = []string{"**", a.segments[0]}
			}
			p.below = p.below && !p.free
			out = append(out, p)
		}
	}
	return out
}

// act is a fact about a file, with its paths taken apart.
type act struct {
	glob, whole bool       // of the fact: a pattern; all that lies below is meant too
	at          [2]actPath // as it is written, and where links lead, if that differs
}

// actPath is a path in segments.
type actPath struct {
	parts []string // nil if there is none
	open  bool     // a part of it is not known, or a pattern
}

// acts are the facts with their paths taken apart, once for all matchers.
func (k *known) acts() []act {
	if k.actsOf == nil {
		k.actsOf = make([]act, len(k.facts))
		for i := range k.facts {
			k.actsOf[i] = newAct(&k.facts[i])
		}
	}
	return k.actsOf
}

// newAct takes the paths of a fact apart. Both count: a guard holds for the name that is
// written and for the file that it leads to.
func newAct(f *Fact) act {
	a := act{glob: f.Glob, whole: f.Recursive || f.Does == "move"} // a folder goes with all that is in it
	for i, name := range [...]string{f.Path, f.Real} {
		if name != "" {
			a.at[i] = actPath{parts: pathParts(name), open: f.Glob || strings.Contains(name, unresolved)}
		}
	}
	return a
}

// mayBeAt reports whether an act may be about a file that one of the patterns names.
func (k *known) mayBeAt(root string, places []place, a act) bool {
	for i := range places {
		p := &places[i]
		for _, form := range k.formsOf(root, p) {
			for _, at := range a.at {
				switch {
				case at.parts == nil:
				case !at.open && matchSegments(form.segments, at.parts):
					return true
				case a.whole && p.free:
					if k.holdsRoot(root, at.parts, a.glob) || at.open && form.meets(at.parts, a.glob, false) {
						return true
					}
				case (at.open || a.whole) && form.meets(at.parts, a.glob, a.whole):
					return true
				}
			}
		}
	}
	return false
}

// isAt reports whether an act is about files that the patterns name, whichever way
// its path is read.
func (k *known) isAt(root string, places []place, a act) bool {
	listed := func(at actPath) bool {
		for i := range places {
			for _, form := range k.formsOf(root, &places[i]) {
				if !at.open && matchSegments(form.segments, at.parts) {
					return true
				}
			}
		}
		return false
	}
	return a.at[0].parts != nil && listed(a.at[0]) && (a.at[1].parts == nil || listed(a.at[1]))
}

// form is a pattern from the top of the file system.
type form struct {
	segments []string
	fixed    int // leading segments that are names
}

// meets reports whether the pattern and an open path have a path in common.
func (f *form) meets(parts []string, glob, below bool) bool {
	for i := range f.fixed {
		if i == len(parts) {
			return below // all that the pattern names lies below
		}
		if f.segments[i] == parts[i] {
			continue
		}
		if !strings.Contains(parts[i], unresolved) && !(glob && strings.ContainsAny(parts[i], "*?[(")) {
			return false
		}
		break
	}
	return meet(f.segments, parts, glob, below)
}

// formsOf are the forms of a pattern: from the root, and for guards also where links
// of the folder lead that it names.
func (k *known) formsOf(root string, p *place) []form {
	key := formKey{p, root}
	if forms, ok := k.forms[key]; ok {
		return forms
	}
	f := form{segments: p.segments}
	if p.below {
		f.segments = slices.Concat(pathParts(k.rootOf(root)), p.segments)
	}
	for f.fixed < len(f.segments) && !hasMeta(f.segments[f.fixed:f.fixed+1]) {
		f.fixed++
	}
	forms := []form{f}
	if k.guard && !p.free {
		given := fromParts(f.segments[:f.fixed])
		if real := k.firstEnd(given); real != given {
			folder := pathParts(filepath.ToSlash(real))
			forms = append(forms, form{slices.Concat(folder, f.segments[f.fixed:]), len(folder)})
		}
	}
	if k.forms == nil {
		k.forms = map[formKey][]form{}
	}
	k.forms[key] = forms
	return forms
}

// formKey is for what the forms of a pattern depend on, beside the event.
type formKey struct {
	p    *place
	root string
}

// rootOf is where relative patterns start.
func (k *known) rootOf(root string) string {
	if root == "" {
		root = k.head.CWD
	}
	return filepath.ToSlash(root)
}

// holdsRoot reports whether a folder, or all that is in it, is the root or has it below.
func (k *known) holdsRoot(root string, folder []string, glob bool) bool {
	for glob && len(folder) > 0 && strings.Trim(folder[len(folder)-1], "*") == "" {
		folder = folder[:len(folder)-1]
	}
	under := func(dir string) bool { return matchSegments(append(literal(folder), "**"), pathParts(dir)) }
	at := k.rootOf(root)
	return at != "" && (under(at) || k.guard && under(filepath.ToSlash(k.firstEnd(filepath.FromSlash(at)))))
}

// literal are the segments of a path as a pattern that means that path.
func literal(parts []string) []string {
	out := make([]string, len(parts), len(parts)+1)
	for i, s := range parts {
		out[i] = escapeMeta.Replace(s)
	}
	return out
}

// escapeMeta has the signs of patterns stand for themselves.
var escapeMeta = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// pathParts are the segments of an absolute path with slashes; / has none.
func pathParts(name string) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return []string{}
	}
	return strings.Split(name, "/")
}

// fromParts makes a path of segments, as the system writes it.
func fromParts(parts []string) string {
	name := strings.Join(parts, "/")
	if len(parts) > 0 && len(parts[0]) == 2 && parts[0][1] == ':' { // a drive
		return filepath.FromSlash(name)
	}
	return filepath.FromSlash("/" + name)
}

// sends adds a test of what a connection sends: files by their paths, all else by name.
func (c *compiler) sends(patterns []string) {
	if len(patterns) == 0 {
		return
	}
	var want sent
	for i, pattern := range patterns {
		name, ok := strings.CutPrefix(pattern, "file:")
		switch {
		case !ok || name == "*":
			c.sentName(&want, i, pattern)
		case name == "":
			c.fail("sends", i, errors.New(`"file:" names no file; write file:** for any`))
		default:
			c.sentFile(&want, i, name)
		}
	}
	root := c.root
	c.add(c.anyFact(factTest{
		does: []string{"connect"},
		holds: func(k *known, i int) bool {
			return slices.ContainsFunc(k.facts[i].Sends, func(text string) bool { return want.isIn(k, root, text, false) })
		},
		// An exception must cover all that goes out: one file of two is not enough.
		sure: func(k *known, i int) bool {
			return !slices.ContainsFunc(k.facts[i].Sends, func(text string) bool { return !want.isIn(k, root, text, true) })
		},
	}))
}

// sent is what a match asks for in what a connection sends.
type sent struct {
	places []place    // of files
	globs  []nameGlob // of all else, such as env:NAME or secret:KIND
}

// sentFile adds a pattern of files.
func (c *compiler) sentFile(want *sent, i int, pattern string) {
	before := len(c.errs)
	found := c.places("sends", []string{pattern})
	for _, err := range c.errs[before:] { // places has counted from 0: the place in the list of sends is i
		if bad := new(PatternError); errors.As(err, &bad) {
			c.errs = c.errs[:before]
			c.fail("sends", i, bad.Err)
		}
	}
	want.places = append(want.places, found...)
}

// sentName adds a pattern of what is not a file.
func (c *compiler) sentName(want *sent, i int, pattern string) {
	g, err := compileName(pattern)
	if err == nil {
		err = checkSent(pattern)
	}
	if err != nil {
		c.fail("sends", i, err)
		return
	}
	want.globs = append(want.globs, g)
}

// isIn reports whether one thing that is sent is meant: sure asks for every reading of
// it, and else one is enough.
func (w *sent) isIn(k *known, root, text string, sure bool) bool {
	if file, ok := strings.CutPrefix(text, "file:"); ok && len(w.places) > 0 {
		a := newAct(&Fact{Path: file})
		if k.isAt(root, w.places, a) || !sure && k.mayBeAt(root, w.places, a) {
			return true
		}
	}
	for _, g := range w.globs {
		if g.match(text) || !sure && strings.Contains(text, unresolved) && g.may(text) {
			return true
		}
	}
	return false
}
