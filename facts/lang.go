package facts

import (
	"slices"
	"strings"
)

// interpreters are programs that run code of a language.
var interpreters = map[string]string{
	"python": "python", "pypy": "python", "ipython": "python", "node": "javascript", "nodejs": "javascript", "bun": "javascript", "deno": "javascript", "tsx": "javascript", "ts-node": "javascript",
	"ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "julia": "julia", "tclsh": "tcl", "emacs": "lisp", "guile": "lisp", "sbcl": "lisp", "osascript": "applescript", "rscript": "r",
	"r": "r", "irb": "ruby", "pry": "ruby", "jruby": "ruby", "mruby": "ruby", "jython": "python", "micropython": "python", "luajit": "lua", "texlua": "lua", "raku": "perl", "jshell": "java", "ghci": "haskell", "runghc": "haskell", "runhaskell": "haskell", "octave": "octave", "octave-cli": "octave", "matlab": "octave", "erl": "erlang", "escript": "erlang", "ocaml": "ocaml",
}

// lineOptions are the options of an interpreter after which code stands.
var lineOptions = map[string]string{"python": "c", "javascript": "ep", "ruby": "e", "perl": "eE", "php": "r", "lua": "e", "applescript": "e", "r": "e", "julia": "eE", "lisp": "ce", "tcl": "\x00", "java": "\x00", "haskell": "e", "octave": "r", "erlang": "\x00", "ocaml": "e"}

// interpreterCall is an interpreter with its words.
type interpreterCall struct {
	*call
	language string
	letters  string // of options after which code stands
	words    []field
	ran      bool // code of an option has been read
	codes    []string
}

// interpreter is a program that runs code: in an option, a file, or what it reads.
func (c langCall) interpreter() values {
	language := interpreters[c.name]
	r := interpreterCall{call: c.call, language: language, letters: lineOptions[language], words: c.args}
	if c.name == "bun" || c.name == "deno" {
		if out, done := r.subCommand(); done {
			return out
		}
	}
	for i := 0; i < len(r.words); i++ {
		more, out, done := r.word(i)
		if done {
			return out
		}
		i += more
	}
	if !r.ran && c.stdin != nil {
		return c.runInput(language)
	}
	return anything()
}

// subCommand reads the first word of bun and deno.
func (r *interpreterCall) subCommand() (values, bool) {
	if len(r.words) == 0 {
		return nil, false
	}
	switch first := r.words[0].text; {
	case first == "eval" && len(r.words) > 1:
		r.lang().program(r.language, r.words[1].value)
		return anything(), true
	case first == "run" || first == "x":
		r.words = r.words[1:]
	default:
		if e := programs()[r.name]; e != nil && e.subs[first] != nil {
			return e.run(r.call), true
		}
	}
	return nil, false
}

// word reads one word, and gives how many more belong to it. It is done when the rest
// are words for the code.
func (r *interpreterCall) word(i int) (more int, out values, done bool) {
	f := r.words[i]
	perlish := r.language == "perl" || r.language == "ruby"
	switch t := f.text; {
	case t == "-":
		return 0, r.lang().runInput(r.language), true
	case slices.Contains([]string{"--eval", "--print", "--execute", "-eval", "--eval-string", "-batch"}, t):
		return r.nextCode(i), nil, false
	case strings.HasPrefix(t, "--eval=") || strings.HasPrefix(t, "--print="):
		_, f.text, _ = strings.Cut(t, "=")
		r.ran = true
		r.lang().program(r.language, f.value)
	case t == "-m" && r.language == "python":
		return 0, r.module(r.words[i+1:]), true
	case slices.Contains([]string{"--require", "--import", "--loader", "-W", "-X", "-I"}, t) || t == "-r" && r.language == "javascript":
		return 1, nil, false
	case strings.HasPrefix(t, "--"), perlish && len(t) > 2 && t[0] == '-' && strings.IndexByte("MmIr", t[1]) >= 0:
	case strings.HasPrefix(t, "-") && len(t) > 1:
		k := strings.IndexAny(t, r.letters)
		if takes := strings.IndexAny(t, "iFx"); perlish && takes > 0 && takes < k { // -i.orig: an ending, and no code
			break
		}
		if k <= 0 {
			break
		}
		if r.language != "javascript" && t[k+1:] != "" {
			f.text = t[k+1:]
			r.ran = true
			r.lang().program(r.language, f.value)
			break
		}
		return r.nextCode(i), nil, false
	case r.ran && perlish && slices.ContainsFunc(r.words[:i], inPlace):
		r.shell.path("write", f, effect{})
		if r.empties(i) {
			r.leavesNothing(f)
		}
	case r.ran && perlish && slices.ContainsFunc(r.words[:i], eachLine):
		r.shell.path("read", f, effect{})
	case r.ran:
		r.mayRead(f)
	default:
		return 0, r.file(i), true
	}
	return 0, nil, false
}

// nextCode reads the next word as code.
func (r *interpreterCall) nextCode(i int) (more int) {
	if i+1 < len(r.words) {
		r.codes = append(r.codes, r.words[i+1].text)
		r.lang().program(r.language, r.words[i+1].value)
	}
	r.ran = true
	return 1
}

// eachLine reports whether an option has perl or ruby read the files behind the code, line by
// line.
func eachLine(f field) bool {
	return strings.HasPrefix(f.text, "-") && !strings.HasPrefix(f.text, "--") && len(f.text) < 12 && strings.IndexByte("MmIr", (f.text + "  ")[1]) < 0 && strings.ContainsAny(strings.SplitN(f.text, "e", 2)[0], "np")
}

// inPlace reports whether an option has perl or ruby write the files that it reads.
func inPlace(f field) bool {
	return strings.HasPrefix(f.text, "-") && !strings.HasPrefix(f.text, "--") && len(f.text) < 8 && strings.Contains(f.text, "i")
}

// empties reports whether code that runs for each line of the files behind word i leaves
// nothing of them, and no other file has what was there.
func (r *interpreterCall) empties(i int) bool {
	loops, prints := false, false
	for _, f := range r.words[:i] {
		if !strings.HasPrefix(f.text, "-") || strings.HasPrefix(f.text, "--") || len(f.text) > 7 {
			continue
		}
		if k := strings.IndexByte(f.text, 'i'); k > 0 && k+1 < len(f.text) && f.text[k+1] != 'e' && f.text[k+1] != 'n' && f.text[k+1] != 'p' {
			return false // -i.bak
		}
		loops = loops || strings.ContainsAny(f.text, "np")
		prints = prints || strings.Contains(f.text, "p")
	}
	code := strings.Join(r.codes, ";")
	return loops && (value{text: code}).known() && perlEmpties(code, prints)
}

// module is python -m: a module that is a program too is run as that.
func (r *interpreterCall) module(words []field) values {
	if len(words) > 0 {
		name := strings.TrimPrefix(words[0].text, "pip3")
		if name == "" {
			name = "pip"
		}
		if e := programs()[name]; e != nil && name != "http.server" {
			f := words[0]
			f.text = name
			return r.shell.run(append([]field{f}, words[1:]...), r.stdin, r.at)
		}
	}
	for _, f := range words {
		r.mayRead(f)
	}
	return anything()
}

// file runs a file of code; php artisan and python manage.py have commands of their own.
func (r *interpreterCall) file(i int) values {
	f := r.words[i]
	base := strings.ToLower(f.text[strings.LastIndexByte(f.text, '/')+1:])
	if e := programs()[base]; e != nil && e.subs != nil {
		f.text = base
		return r.shell.run(append([]field{f}, r.words[i+1:]...), r.stdin, r.at)
	}
	r.lang().runFile(f, r.language)
	for _, g := range r.words[i+1:] {
		r.mayRead(g)
	}
	return anything()
}
