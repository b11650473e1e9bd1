// Package shell reads a shell line and the scripts that it names, without running
// anything, and tells which files it runs, sources, reads and only writes, and what
// nobody can know before it runs.
//
// It errs on one side: a name that might be a file is told, and of a variable all
// values count that the text anywhere gives it. What a word expands to by a value
// that is nowhere in the text is [Unknown].
package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of one reading. What is beyond them is told as Unknown.
const (
	MaxText   = 64 << 10 // bytes of a line, or of one script
	maxTexts  = 64       // scripts, and lines inside lines
	maxSteps  = 100_000  // nodes that are looked at
	maxNames  = 4096     // names that are told
	maxDepth  = 200      // nodes inside nodes
	maxNested = 24       // lines inside lines
	maxValues = 32       // of one variable, or of one word
	maxBraces = 8        // { in one word
	maxRounds = 6        // until all values are known
)

// Reader says where a line runs.
type Reader struct {
	// Env is what is known of the environment.
	Env map[string]string
	// Dirs are the folders from which relative names may start.
	Dirs []string
	// Open gives the first MaxText+1 bytes of a file. Without it no script is read.
	Open func(path string) ([]byte, error)
	// List gives the names in a folder. Without it no pattern is expanded.
	List func(dir string) ([]string, error)
	// Code tells what a program in another language loads and runs, and whether it was read
	// to its end. Without it only the program itself is told.
	Code func(Program) (uses []Use, whole bool)
	// Narrow lets names start only from the folder of the last cd, where that is
	// certain; without it they may start from each folder that the line goes to.
	Narrow bool
	// Chosen adds to Sources what decides what programs such as make run: the files that
	// they look for by themselves, and those that these name. It needs Open and List.
	Chosen bool
}

// Reading is what a line would do.
type Reading struct {
	Runs    []Name // programs and scripts
	Sources []Name // what a program takes code or settings from
	Reads   []Name // every other name that may be a file's
	Writes  []Name // what is written; the same file may be read, too
	Keeps   []Name // what is written, and read as data alone: a count, a log
	Folders []string
	Unknown []Unknown
	More    bool // there is more than was read, and Unknown says so
}

// Name is a file, or what may be one.
type Name struct {
	Path  string // absolute; a program that is looked up has no separator in it
	Word  string // as it is written
	Tree  bool   // all files below it
	Match string // of a tree: only those with a base name of this pattern
	// Script is the script in which the word stands, or "" if it is in the line.
	Script string
}

// Unknown is a word, as it is written, that decides what runs in a way that only
// shows when it runs.
type Unknown struct {
	Word   string
	Why    string
	Script string // as in Name
	// Loose is a program that runs files of its own choice, as make does: no
	// expansion, but a way of its own to find them.
	Loose bool
}

// Line reads a line as a shell does.
func (r Reader) Line(text string) Reading {
	return r.read(text, func(a *analysis) { a.text(text, "") })
}

// Words reads a program and its arguments, which no shell expands.
func (r Reader) Words(words []string) Reading {
	return r.read(strings.Join(words, " "), func(a *analysis) {
		var args []arg
		for _, w := range words {
			args = append(args, arg{value: value{text: w}, known: true, src: w})
		}
		a.call(args)
	})
}

func (r Reader) read(whole string, from func(*analysis)) Reading {
	a := &analysis{Reader: r, whole: whole, vars: map[string][]string{}, dirs: slices.Clone(r.Dirs), parsed: map[string]*parsed{}, functions: map[string]bool{}, went: map[string]map[string]bool{}, alias: map[string]string{}, appended: map[*syntax.Assign]map[string]bool{}}
	for round := range maxRounds {
		before := a.state()
		a.begin()
		a.environment()
		from(a)
		a.unsure, a.tainted = a.tainted, nil
		if round == 0 {
			if a.state() == before {
				break // nothing is assigned
			}
			a.unsure = nil // what was assigned further down was not known yet
			continue
		}
		if a.state() == before || a.full {
			break
		}
		if round == maxRounds-1 {
			a.unknown(whole, "its variables depend on each other in too many ways")
		}
	}
	a.keeps()
	return a.out.tidy()
}

// analysis is one reading.
type analysis struct {
	Reader
	whole string // what is read
	out   Reading
	told  map[string]bool
	steps int
	texts int
	full  bool

	vars      map[string][]string // all that each is anywhere assigned
	unsure    map[string]bool     // variables that may have other values, as of the round before
	tainted   map[string]bool     // the same, of this round
	dirs      []string
	went      map[string]map[string]bool // by which names each folder was come to
	functions map[string]bool
	alias     map[string]string // declare -n
	appended  map[*syntax.Assign]map[string]bool
	params    int // how many are named by number
	shifts    bool

	parsed map[string]*parsed
	walked map[string]bool // in this round
	script string          // that is being read
	input  *input          // of the command that is being read
	nested int
	taken  int // above 0 where what is printed goes to another command
	place  place
	loops  int // above 0 in what may run several times
	guess  int // above 0 in what may not be code at all

	choice *chosen  // nil until a runner is met
	search []string // folders of modules, besides a program's own

	used map[string]bool // names that are read by more than programs of data
	data int             // above 0 where a program only handles data
	goes int             // above 0 where what is printed goes to a program that does more
}

// begin forgets what a round has told, but not what variables may be.
func (a *analysis) begin() {
	a.out, a.told, a.walked, a.used = Reading{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	a.steps, a.texts, a.full, a.place, a.choice = 0, 0, false, place{}, nil
}

// state changes as long as something new is found.
func (a *analysis) state() [6]int {
	values, sure := 0, 0
	for _, v := range a.vars {
		values += len(v)
	}
	sure = len(a.unsure)
	return [6]int{len(a.vars), values, sure, len(a.dirs), len(a.functions) + len(a.alias), a.params}
}

// step counts the work, and is false when there was too much of it.
func (a *analysis) step() bool {
	if a.steps++; a.steps > maxSteps && !a.full {
		a.full, a.out.More = true, true
		a.out.Unknown = append(a.out.Unknown, Unknown{Word: a.whole, Why: "it is too much to be read", Script: a.script})
	}
	return !a.full
}

func (a *analysis) unknown(word, why string) { a.doubt(word, why, false) }

func (a *analysis) loose(word string) { a.doubt(word, "it runs files of its own choice", true) }

func (a *analysis) doubt(word, why string, loose bool) {
	if key := "?" + word + "\x00" + why; a.guess == 0 && !a.told[key] && len(a.out.Unknown) < maxNames {
		a.told[key] = true
		a.out.Unknown = append(a.out.Unknown, Unknown{Word: word, Why: why, Script: a.script, Loose: loose})
	}
}

// tidy sorts the reading.
func (r Reading) tidy() Reading {
	for _, list := range []*[]Name{&r.Runs, &r.Sources, &r.Reads, &r.Writes, &r.Keeps} {
		slices.SortStableFunc(*list, func(a, b Name) int {
			return strings.Compare(a.Path+"\x00"+a.Match+"\x00"+a.Script, b.Path+"\x00"+b.Match+"\x00"+b.Script)
		})
		*list = slices.CompactFunc(*list, func(a, b Name) bool { return a.Path == b.Path && a.Tree == b.Tree && a.Match == b.Match })
	}
	slices.Sort(r.Folders)
	r.Folders = slices.Compact(r.Folders)
	return r
}

// Under makes a path absolute, from a folder.
func Under(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// isPath reports whether a word is written as a path.
func isPath(word string) bool {
	return strings.ContainsRune(word, '/') || filepath.IsAbs(word) || filepath.Separator == '\\' && strings.ContainsRune(word, '\\')
}

// Quote writes a text so that a shell takes it as one word.
func Quote(text string) string {
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !Plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Plain reports whether a shell takes a character of a word as itself.
func Plain(r rune) bool {
	return r == '_' || r == '.' || r == '/' || r == '-' || r == '+' || r == '@' || r == '%' || r == ',' || r == ':' || r == '=' ||
		'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x7f
}
