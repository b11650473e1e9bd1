package facts

import (
	"slices"
	"strings"
)

// interpreters are programs that run code of a language.
var interpreters = map[string]string{
	"python": "python", "pypy": "python", "ipython": "python", "node": "javascript", "nodejs": "javascript", "bun": "javascript", "deno": "javascript", "tsx": "javascript", "ts-node": "javascript",
	"ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "julia": "julia", "tclsh": "tcl", "emacs": "lisp", "guile": "lisp", "sbcl": "lisp", "osascript": "applescript", "rscript": "r",
}

// lineOptions are the options of an interpreter after which code stands.
var lineOptions = map[string]string{"python": "c", "javascript": "ep", "ruby": "e", "perl": "eE", "php": "r", "lua": "e", "applescript": "e", "r": "e", "julia": "eE", "lisp": "\x00", "tcl": "\x00"}

// code1 is an interpreter: code in an option, a file, or what it reads.
func (c *call) interpreter() values {
	language := interpreters[c.name]
	letters := lineOptions[language]
	args := c.args
	if c.name == "bun" || c.name == "deno" {
		if len(args) > 0 && args[0].text == "eval" && len(args) > 1 {
			c.program(language, args[1].value)
			return anything()
		}
		if len(args) > 0 && (args[0].text == "run" || args[0].text == "x") {
			args = args[1:]
		} else if e := programs()[c.name]; e != nil && len(args) > 0 && e.subs[args[0].text] != nil {
			return e.run(c)
		}
	}
	ran := false
	for i := 0; i < len(args); i++ {
		f := args[i]
		t := f.text
		switch {
		case t == "-":
			return c.runInput(language)
		case t == "--eval" || t == "--print" || t == "--execute" || t == "-eval" || t == "--eval-string":
			if i++; i < len(args) {
				ran = true
				c.program(language, args[i].value)
			}
		case strings.HasPrefix(t, "--eval=") || strings.HasPrefix(t, "--print="):
			ran = true
			f.text = t[strings.IndexByte(t, '=')+1:]
			c.program(language, f.value)
		case t == "-m" && language == "python":
			if i+1 < len(args) { // a module that is a program: python -m pip
				module := strings.TrimPrefix(args[i+1].text, "pip3")
				if module == "" {
					module = "pip"
				}
				if e := programs()[module]; e != nil && module != "http.server" {
					g := args[i+1]
					g.text = module
					return c.shell.run(append([]field{g}, args[i+2:]...), c.stdin, c.at)
				}
			}
			for _, g := range args[i+1:] {
				c.mayRead(g)
			}
			return anything()
		case t == "--require" || t == "-r" && language == "javascript" || t == "--import" || t == "--loader" || t == "-W" || t == "-X" || t == "-I":
			i++
		case strings.HasPrefix(t, "--"):
		case (language == "perl" || language == "ruby") && len(t) > 2 && strings.IndexByte("MmIr", t[1]) >= 0:
		case strings.HasPrefix(t, "-") && len(t) > 1:
			if k := strings.IndexAny(t, letters); k > 0 {
				ran = true
				if rest := t[k+1:]; rest != "" && language != "javascript" && language != "perl" && language != "ruby" && language != "php" {
					f.text = rest
					c.program(language, f.value)
				} else if i++; i < len(args) {
					c.program(language, args[i].value)
				}
			}
		default:
			if ran && slices.ContainsFunc(args[:i], func(a field) bool {
				return (language == "perl" || language == "ruby") && strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && len(a.text) < 8 && strings.Contains(a.text, "i")
			}) {
				c.shell.path("write", f, effect{})
				continue
			}
			if ran {
				c.mayRead(f)
				continue
			}
			if base := strings.ToLower(f.text[strings.LastIndexByte(f.text, '/')+1:]); programs()[base] != nil && programs()[base].subs != nil { // php artisan, python manage.py
				g := f
				g.text = base
				return c.shell.run(append([]field{g}, args[i+1:]...), c.stdin, c.at)
			}
			c.runFile(f, language)
			for _, g := range args[i+1:] {
				c.mayRead(g)
			}
			return anything()
		}
	}
	if !ran && c.stdin != nil {
		return c.runInput(language)
	}
	return anything()
}
