package shell

import (
	"path"
	"path/filepath"
	"strings"
)

// arg is one argument of a command.
type arg struct {
	value
	known bool
	src   string // as it is written
	rest  string // what follows the part that is not known
}

// tell puts a name into one of the lists.
func (a *analysis) tell(list *[]Name, kind string, n Name) {
	if kind == "r" && (a.data == 0 || a.goes > 0) {
		a.used[n.Path] = true
	}
	key := kind + n.Path + "\x00" + n.Match
	if n.Tree {
		key = "tree " + key
	}
	if n.Script = a.script; n.Script != "" {
		key = "in " + key
	}
	if n.Path == "" || len(n.Path) > 4096 || strings.ContainsRune(n.Path, 0) || a.told[key] {
		return
	}
	if len(a.told) > maxNames {
		if !a.full {
			a.full, a.out.More = true, true
			a.out.Unknown = append(a.out.Unknown, Unknown{Word: n.Word, Why: "it names too many files", Script: a.script})
		}
		return
	}
	a.told[key] = true
	a.steps += 8
	*list = append(*list, n)
}

// places are the paths that an argument may mean.
func (a *analysis) places(g arg) []Name {
	text := g.text
	if !g.known {
		text = strings.TrimLeft(g.rest, "/")
	}
	if text == "" {
		return nil
	}
	text, sure := ownPlace(text)
	if !sure {
		a.unknown(g.src, "it is a link that the kernel makes for a process")
	}
	var out []Name
	if g.glob && g.known {
		for _, dir := range a.from(text) {
			out = append(out, a.expand(dir, text, g)...)
		}
		return out
	}
	for _, dir := range a.from(text) {
		out = append(out, Name{Path: Under(dir, text), Word: g.src, Tree: g.tree, Match: g.match})
		if real := beyond(dir, text); real != "" {
			out = append(out, Name{Path: real, Word: g.src, Tree: g.tree, Match: g.match})
		}
	}
	return out
}

// beyond is where a name with .. leads after a link, which is elsewhere than it looks;
// "" if it has none, or leads to nothing.
func beyond(dir, name string) string {
	if !strings.Contains(name, "..") {
		return ""
	}
	if dir != "" {
		name = dir + string(filepath.Separator) + name
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	return real
}

// from are the folders where a name may start.
func (a *analysis) from(name string) []string {
	if filepath.IsAbs(name) {
		return []string{""}
	}
	if a.place.known() {
		return a.place.now
	}
	return a.dirs
}

// reads notes an argument that may name a file, and what in it may be one.
func (a *analysis) reads(g arg) {
	if g.tree || g.glob || !g.known {
		for _, n := range a.places(g) {
			a.tell(&a.out.Reads, "r", n)
		}
		if g.tree || g.glob {
			return
		}
	}
	a.pieces(g.text, g.src)
}

// writes notes an argument that names a file to be written.
func (a *analysis) writes(g arg) {
	for _, n := range a.places(g) {
		a.tell(&a.out.Writes, "w", n)
	}
}

// sources notes a file that a program takes code from.
func (a *analysis) sources(g arg) {
	for _, n := range a.places(g) {
		a.tell(&a.out.Sources, "s", n)
	}
	a.reads(g)
}

// separators stand between names, for a shell or for a program that is given a line.
const separators = " \t\r\n'\";|&()<>=$`{},"

func isSeparator(c byte) bool {
	return strings.IndexByte(separators, c) >= 0 || c == '\\' && filepath.Separator != '\\'
}

// pieces notes each piece of a text between separators, and the text as a whole. A
// piece that follows a > is written, not read; one that follows an expansion may go
// on from where the line runs, as in "$(pwd)/guard.sh".
func (a *analysis) pieces(text, src string) {
	a.name(text, src)
	if !strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) }) {
		return
	}
	output, open, start := false, false, 0
	piece := func(end int) {
		if start < end && !output {
			p := text[start:end]
			a.name(p, src)
			if open {
				_, rest, _ := strings.Cut(p, "/")
				a.name(rest, src)
			}
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !isSeparator(c) {
			continue
		}
		piece(i)
		read := start < i
		start = i + 1
		switch {
		case c == '>':
			output = i == 0 || strings.IndexByte("\\<-=", text[i-1]) < 0 // no arrow
		case c == ' ' || c == '\t' || c == '"' || c == '\'':
			output = output && !read
		default:
			output = false
		}
		open = strings.IndexByte("$)}`\"'", c) >= 0
	}
	piece(len(text))
}

// name notes what may be the name of a file.
func (a *analysis) name(word, src string) {
	if word == "" || word == "." || len(word) > 4096 {
		return
	}
	word, _ = ownPlace(word)
	if len(word) > 2 && word[0] == '-' && word[1] != '-' { // -rFILE
		a.name(word[2:], src)
	}
	for _, dir := range a.from(word) {
		a.tell(&a.out.Reads, "r", Name{Path: Under(dir, word), Word: src})
		if real := beyond(dir, word); real != "" {
			a.tell(&a.out.Reads, "r", Name{Path: real, Word: src})
		}
	}
}

// expand gives the files that a pattern matches now. ** is a tree.
func (a *analysis) expand(dir, text string, g arg) []Name {
	text = filepath.ToSlash(text)
	if dir == "" {
		dir, text = filepath.VolumeName(text)+string(filepath.Separator), strings.TrimPrefix(text[len(filepath.VolumeName(text)):], "/")
	}
	found := []string{dir}
	segments := strings.Split(text, "/")
	for i, seg := range segments {
		switch {
		case seg == "" || seg == ".":
			continue
		case seg == "**":
			var out []Name
			for _, f := range found {
				out = append(out, Name{Path: f, Word: g.src, Tree: true, Match: plainMatch(segments[i+1:])})
			}
			return out
		case !hasMeta(seg):
			for k := range found {
				found[k] = filepath.Join(found[k], backslashes(seg, ""))
			}
			continue
		}
		var next []string
		for _, f := range found {
			next = append(next, a.matches(f, seg)...)
		}
		if found = next; len(found) > maxNames {
			a.unknown(g.src, "it names too many files")
			return nil
		}
	}
	var out []Name
	for _, f := range found {
		out = append(out, Name{Path: f, Word: g.src})
	}
	return out
}

func plainMatch(rest []string) string {
	if len(rest) == 1 {
		return rest[0]
	}
	return ""
}

// matches lists what a pattern matches in a folder.
func (a *analysis) matches(dir, seg string) []string {
	a.out.Folders = append(a.out.Folders, dir)
	if a.List == nil || len(a.out.Folders) > maxNames {
		return nil
	}
	names, err := a.List(dir)
	if err != nil {
		return nil
	}
	a.steps += len(names)
	var out []string
	for _, name := range names {
		if !strings.HasPrefix(seg, ".") && strings.HasPrefix(name, ".") {
			continue
		}
		if Matches(seg, name) {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// Matches reports whether a shell pattern matches a base name. A pattern that cannot
// be read matches everything.
func Matches(pat, name string) bool {
	if pat == "" {
		return true
	}
	ok, err := path.Match(strings.ReplaceAll(pat, "[!", "[^"), name)
	if err != nil || strings.Contains(pat, "[[") || strings.Contains(pat, "(") {
		return true
	}
	return ok
}
