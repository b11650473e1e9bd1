package facts

import (
	"path"
	"strings"

	"github.com/hookway/hookway/hook"
)

// shellOptions are what the options of a shell say.
type shellOptions struct {
	line   bool // -c: the next word is a line
	script bool // -s: it reads its input
	noexec bool // -n: it only checks
}

// sh is a shell: a line after -c, a script, or what it reads.
func (c langCall) sh() values {
	o, args, stop := c.shellOptions()
	if stop {
		return anything()
	}
	if o.noexec {
		return nil
	}
	old := c.st
	defer func() { c.shell.st = old }()
	c.shell.st = old.clone()
	if !o.line && len(args) > 0 && args[0].text == "-" {
		args, o.script = args[1:], true
	}
	switch {
	case o.line && len(args) > 0:
		c.params(args[min(2, len(args)):])
		if len(args) > 1 {
			c.st.set("0", values{args[1].value})
		}
		return c.builtin().runText(args[0].value, c.stdin)
	case !o.script && len(args) > 0:
		c.params(args[1:])
		return c.runFile(args[0], "sh")
	}
	c.params(args)
	return c.runInput("sh")
}

// params sets the parameters $1, $2, …
func (c langCall) params(fs []field) {
	c.st.params, c.st.paramsOpen = nil, false
	for _, f := range fs {
		c.st.params = append(c.st.params, f.value)
		c.st.paramsOpen = c.st.paramsOpen || f.many
	}
}

// shellOptions reads the options of a shell; stop says that it only tells of itself.
func (c langCall) shellOptions() (o shellOptions, args []field, stop bool) {
	args = c.args
	for len(args) > 0 && len(args[0].text) > 1 && (args[0].text[0] == '-' || args[0].text[0] == '+') {
		t := args[0].text
		args = args[1:]
		switch {
		case t == "--" || t == "-":
			return o, args, false
		case t == "--help" || t == "--version":
			return o, nil, true
		case t == "--rcfile" || t == "--init-file":
			if len(args) > 0 {
				c.runFile(args[0], "sh")
				args = args[1:]
			}
			continue
		case t == "--command":
			o.line = true
			continue
		case strings.HasPrefix(t, "--"):
			continue
		}
		o.line = o.line || strings.Contains(t, "c") && t[0] == '-'
		o.script = o.script || strings.Contains(t, "s")
		o.noexec = o.noexec || strings.Contains(t, "n")
		if takes := strings.HasSuffix(t, "o") || strings.HasSuffix(t, "O"); takes && len(args) > 0 && !(o.line && len(args) == 1) {
			o.noexec = o.noexec || args[0].text == "noexec"
			args = args[1:]
		}
	}
	return o, args, false
}

// runInput runs what comes in by a pipe.
func (c langCall) runInput(language string) values {
	var out values
	in := c.code(c.stdin)
	for _, v := range in {
		if !v.known() || v.from != nil {
			c.tell(hook.Fact{Does: "execute", From: origin(v), Path: filePath(v), Language: language, At: c.at, Sure: len(in) == 1})
		}
		if v.text == string(hole) {
			if len(notEvery(v.from)) == 0 {
				c.unknown(c.at, "a text is run that shows only when it runs")
			}
			c.someScript(v, c.at)
			if language == "sh" {
				c.longScript(v, c.at)
			}
			continue
		}
		c.promptLines(language, v)
		out = out.or(c.interpret(language, v, nil, nil))
	}
	return out
}

// someScript tells that code comes from a file of which the name is not known.
func (sh *shell) someScript(v value, at hook.Span) {
	if strings.Contains(filePath(v), visible(string(hole))) {
		sh.unknown(at, "which script runs shows only when it runs")
	}
}

// runFile runs a file as a script of a language.
func (c langCall) runFile(f field, language string) values {
	var out values
	if strings.HasPrefix(f.text, "http://") || strings.HasPrefix(f.text, "https://") {
		from := c.net().connect(f, "GET", nil, nil)
		c.tell(hook.Fact{Does: "execute", From: "download", Path: visible(f.text), Language: language, At: f.at, Sure: true})
		return anything(from)
	}
	for _, p := range c.places(f.text) {
		secret := ""
		if !strings.ContainsRune(p, hole) {
			p = path.Clean(p)
			secret = secretFile(p, c.world)
		}
		if secret != "" {
			c.shell.path("read", f, effect{})
		}
		g := f
		g.text = p
		for _, v := range c.code(c.content(g)) {
			fact := hook.Fact{Does: "execute", From: origin(v), Path: visible(p), Language: language, At: f.at, Sure: f.known()}
			if !strings.ContainsRune(p, hole) {
				fact.Scope = c.world.scope(p)
			} else {
				c.unknown(f.at, "which script runs shows only when it runs")
			}
			if !v.known() || len(v.from) > 0 { // else it stands in the call, and is read as a part of it
				c.tell(fact)
			}
			if v.text != string(hole) {
				out = out.or(c.interpret(language, v, nil, nil))
			} else if language == "sh" {
				c.longScript(v, f.at)
			}
		}
	}
	return out
}

// interpret reads code of a language.
func (c langCall) interpret(language string, v value, args []field, stdin values) values {
	if language == "sh" || language == "" {
		var params values
		for _, f := range args {
			params = append(params, f.value)
		}
		return c.inner(v.text, c.at, stdin, params, false)
	}
	c.program(language, v)
	return anything(v.from...)
}

// languageOf guesses the language of a file by its first line, and then by its name.
func languageOf(name, src string) string {
	first, _, _ := strings.Cut(src, "\n")
	if strings.HasPrefix(first, "#!") {
		for w := range strings.FieldsSeq(first[2:]) {
			if base := programName(w); base != "env" && !strings.HasPrefix(w, "-") {
				if l, ok := interpreters[base]; ok {
					return l
				}
				return "sh"
			}
		}
	}
	if l := extensions[path.Ext(name)]; l != "" {
		return l
	}
	return "sh"
}
