package hook

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Patched is a file that a patch names, and what applying it does to that file. A file
// that is renamed is there twice: its old name is moved, and its new one is written.
type Patched struct {
	Does string // read, write, move or delete
	Name string // as a folder names it: without a/ or b/ before it
}

// patchHeads are the lines of patches that name files, as models write them and as diff
// and git do. Agents differ in how exact these must be, so they are read generously.
var patchHeads = sync.OnceValue(func() []patchHead {
	var out []patchHead
	for _, h := range []struct{ does, line string }{
		{"write", `(?i)^\*\*\*\s*(?:add|update)\s+file:\s*(.+)$`}, {"delete", `(?i)^\*\*\*\s*delete\s+file:\s*(.+)$`}, {"to", `(?i)^\*\*\*\s*move\s+to:\s*(.+)$`},
		{"move", `^rename from (.+)$`}, {"write", `^(?:rename|copy) to (.+)$`}, {"read", `^copy from (.+)$`}, {"write", `^Index: (.+)$`},
		{"old", `^--- (.+)$`}, {"new", `^\+\+\+ (.+)$`}, {"git", `^diff --git (.+)$`},
	} {
		out = append(out, patchHead{h.does, regexp.MustCompile(h.line)})
	}
	return out
})

type patchHead struct {
	does string
	line *regexp.Regexp
}

// IsPatch reports whether a text is a patch, of the form that models write or of diff.
// Text around it does not hide it: models put words, fences and whole shell lines there,
// and programs that apply patches pass over them.
func IsPatch(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.Contains(text, "*** Begin Patch") || strings.HasPrefix(text, "diff --git ") || strings.HasPrefix(text, "Index: ") ||
		strings.HasPrefix(text, "--- ") && strings.Contains(text, "\n+++ ") || strings.Contains(text, "\nrename from ") || strings.Contains(text, "\ndiff --git ")
}

// PatchedFiles gives the files that a patch names, in its order; none if a text is no patch.
// It reads
//
//   - what models write: *** Add File, *** Update File, *** Delete File, *** Move to,
//   - unified diffs, where a side that is /dev/null says that a file is made or deleted,
//   - what git adds to them: renames, copies, quoted names, its prefixes and none,
//   - and the Index lines of svn.
//
// What a patch says of a file's content is not looked at. A name that no file has is
// given as it stands: it may be made by what runs before. Safe for concurrent use.
func PatchedFiles(text string) (out []Patched) {
	if !IsPatch(text) {
		return nil
	}
	before, last := "", ""
	add := func(does, name string) {
		if p := (Patched{does, name}); name != "" && name != "/dev/null" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || !strings.Contains("*rcI-+d", line[:1]) || (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ") {
			continue
		}
		for _, head := range patchHeads() {
			m := head.line.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			name := patchName(m[1])
			switch head.does {
			case "to":
				add("move", last)
				add("write", name)
			case "old":
				before = sideless(name)
			case "new":
				if name == "/dev/null" {
					add("delete", before)
					continue
				}
				add("write", sideless(name))
			case "git":
				for _, name := range gitNames(m[1]) {
					add("write", name)
				}
			default:
				add(head.does, name)
				last = name
			}
		}
	}
	return out
}

// patchName is a name in a patch without its quotes, and without the time behind it.
func patchName(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\t")
	text = strings.TrimSpace(text)
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		if plain, err := strconv.Unquote(text); err == nil { // git quotes as C does, and Go the same
			return plain
		}
		return text[1 : len(text)-1]
	}
	return strings.Trim(text, "'`")
}

// sideless takes the side of a diff off a name: a/ and b/, and those of diff.mnemonicPrefix.
func sideless(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.Contains("abciow", name[:1]) {
		return name[2:]
	}
	return name
}

// gitNames are the names of diff --git a/x b/x, of which each may have blanks. Git quotes
// no blanks, so where the first name ends is told only by how the second begins; both are
// the same but in a rename, which has lines of its own.
func gitNames(text string) (out []string) {
	if strings.HasPrefix(text, `"`) {
		for _, quoted := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`).FindAllString(text, -1) {
			out = append(out, sideless(patchName(quoted)))
		}
		return out
	}
	for _, side := range []string{" b/", " w/", " i/", " "} {
		if from, to, ok := strings.Cut(text, side); ok {
			return []string{sideless(patchName(from)), patchName(to)}
		}
	}
	return nil
}
