package suggest

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// words are those of command lines that a rule may leave open, each to what it is: a file
// of which facts say what is done to it, a file or folder of the project, an address of a
// host that is only read. All other words stay as they were seen: which options, and which
// targets of a program somebody trusts, no other words tell.
type words struct {
	root  string
	files map[string]bool            // of which facts tell
	paths map[string]map[string]bool // of the project, by how they begin: "", "./" or its folder
	urls  map[string]map[string]bool // by scheme and host
	shut  bool                       // nothing is left open
}

func newWords(root string) *words {
	return &words{root: root, files: map[string]bool{}, paths: map[string]map[string]bool{}, urls: map[string]map[string]bool{}}
}

// leastFiles of one folder stand for the folder, and as many addresses for their host.
const leastFiles = 3

// What stands for a word that is left open: plain words of a shell, without hidden files.
const (
	fileWord = `[A-Za-z0-9_./][A-Za-z0-9_./@+-]*`
	segment  = `[A-Za-z0-9_@+][A-Za-z0-9_.@+-]*`
	pathWord = segment + `(/` + segment + `)*/?`
	deepWord = `(` + segment + `/)*(\.\.\.|` + segment + `/?)` // as Go says: all below
	urlWord  = `[A-Za-z0-9_./~@+-]*`
)

var (
	isFileWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + fileWord + "$") })
	isDeepWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + deepWord + "$") })
	isURLWord  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(https?://[A-Za-z0-9.-]+(:[0-9]+)?/)` + urlWord + "$")
	})
	isPlainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./@+:,=-]+$`) })
)

// take learns the words of a call.
func (w *words) take(c *call, command string, list []hook.Fact) {
	w.takeFiles(c, list)
	only, _ := c.input["url"].(string)
	line := strings.Split(command, " ")
	if command == "" {
		line = []string{"", only}
	}
	if !plainLine(line) {
		return
	}
	reads, runs := onlyReads(list), runsFiles(list)
	for _, word := range line[1:] {
		switch m := isURLWord().FindStringSubmatch(word); {
		case m != nil && reads:
			put(w.urls, m[1], word)
		case m == nil && command != "" && !runs:
			w.takePath(c.dir, word)
		}
	}
}

func put(in map[string]map[string]bool, key, word string) {
	if in[key] == nil {
		in[key] = map[string]bool{}
	}
	if len(in[key]) < mostCalls {
		in[key][word] = true
	}
}

// plainLine reports whether a line is one command of plain words: nothing in it is of the
// shell's language.
func plainLine(line []string) bool {
	for i, word := range line {
		if i == 0 && word == "" && len(line) == 2 { // an address alone
			continue
		}
		if !isPlainWord().MatchString(word) || i == 0 && strings.Contains(word, "=") {
			return false
		}
	}
	return true
}

// takeFiles learns which words name files of the call.
func (w *words) takeFiles(c *call, list []hook.Fact) {
	there := map[string]bool{}
	for i := range list {
		if p := list[i].Path; p != "" {
			there[p] = true
		}
	}
	for i := range list {
		for _, a := range list[i].Args {
			at := a
			if !path.IsAbs(a) {
				at = path.Join(c.dir, a)
			}
			if list[i].Does == "run" && isFileWord().MatchString(a) && there[path.Clean(at)] && len(w.files) < mostCalls {
				w.files[a] = true
			}
		}
	}
}

// takePath learns a word that names something of the project which is there. What is to be
// executed is none: it may be another thing tomorrow.
func (w *words) takePath(dir, word string) {
	begin, rest := "", word
	switch {
	case strings.HasPrefix(word, "./"):
		begin, rest = "./", word[2:]
	case w.root != "/" && strings.HasPrefix(word, w.root+"/"):
		begin, rest = w.root+"/", word[len(w.root)+1:]
	}
	if w.files[word] || !strings.Contains(rest, "/") || !isDeepWord().MatchString(rest) {
		return
	}
	at := filepath.FromSlash(strings.TrimSuffix(word, "/..."))
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil || !strings.HasPrefix(real, strings.TrimSuffix(w.root, "/")+string(filepath.Separator)) {
		return
	}
	if info, err := os.Stat(real); err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Mode()&0o111 == 0) {
		put(w.paths, begin, word)
	}
}

// onlyReads reports whether a call asks hosts for something, and gives them nothing. What a
// program does with an address of which no fact tells is not known.
func onlyReads(list []hook.Fact) bool {
	asks := false
	for i := range list {
		if f := &list[i]; f.Does == "connect" {
			if asks = true; len(f.Sends) > 0 || f.Method != "GET" && f.Method != "HEAD" {
				return false
			}
		}
	}
	return asks
}

// runsFiles reports whether a program is told to run what it is given.
func runsFiles(list []hook.Fact) bool {
	return slices.ContainsFunc(list, func(f hook.Fact) bool {
		return f.Does == "run" && slices.ContainsFunc(f.Args[:min(len(f.Args), 2)], func(a string) bool {
			return slices.Contains([]string{"run", "exec", "eval", "source"}, a)
		})
	})
}

// open is the pattern of what may stand for a word; false: only the word itself.
func (w *words) open(word string) (pattern string, ok bool) {
	if w.shut {
		return "", false
	}
	if w.files[word] {
		return fileWord, len(w.files) >= leastFiles
	}
	if m := isURLWord().FindStringSubmatch(word); m != nil {
		return regexp.QuoteMeta(m[1]) + urlWord, len(w.urls[m[1]]) >= leastFiles && w.urls[m[1]][word]
	}
	for begin, pool := range w.paths {
		if pool[word] {
			return pathsOf(begin, pool)
		}
	}
	return "", false
}

// pathsOf is the pattern of what lies in the folder of all paths.
func pathsOf(begin string, pool map[string]bool) (pattern string, ok bool) {
	folder, deep, ok := openFolder(begin, pool)
	if deep {
		return regexp.QuoteMeta(folder) + deepWord, ok
	}
	return regexp.QuoteMeta(folder) + pathWord, ok
}

// openFolder is the folder that paths lie in, and whether one stands for all below it.
// false: they are too few, or have nothing in common but the project.
func openFolder(begin string, pool map[string]bool) (folder string, deep, ok bool) {
	var all []string
	for word := range pool {
		all = append(all, "/"+strings.TrimPrefix(word, begin))
		deep = deep || strings.HasSuffix(word, "/...")
	}
	folder = commonFolder(all)
	return begin + folder[1:], deep, len(all) >= leastFiles && folder != "/"
}

// line is the pattern of a command line: word for word the same, but for what is open.
// false: nothing of it is.
func (w *words) line(text string) (pattern string, ok bool) {
	line := strings.Split(text, " ")
	plain := plainLine(line)
	for i, word := range line {
		p, open := w.open(word)
		if open = open && (plain || w.files[word]); open {
			line[i], ok = p, true
		} else {
			line[i] = regexp.QuoteMeta(word)
		}
	}
	return "^" + strings.Join(line, " ") + "$", ok
}

// told says for people what may stand where the calls had something else each.
func (w *words) told() (out []string) {
	if w.shut {
		return nil
	}
	for _, begin := range slices.Sorted(maps.Keys(w.paths)) {
		if folder, _, ok := openFolder(begin, w.paths[begin]); ok {
			out = append(out, folder)
		}
	}
	for _, host := range slices.Sorted(maps.Keys(w.urls)) {
		if len(w.urls[host]) >= leastFiles {
			out = append(out, host)
		}
	}
	return out
}
