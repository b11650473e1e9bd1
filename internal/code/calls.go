package code

import (
	"slices"
	"strconv"
	"strings"
)

// call is what a function does: a value that it gives, or something that is told.
type call struct {
	value func(r *reader, args []argument) []value
	act   func(r *reader, s site)
}

// site is where something is called.
type site struct {
	args     []argument
	from, to int
}

// argument is one of a call.
type argument struct {
	name string
	vals []value
	at   int
}

// arg is an argument by its place or its name.
func (s site) arg(i int, names ...string) []value {
	for _, a := range s.args {
		if a.name != "" && slices.Contains(names, a.name) {
			return a.vals
		}
	}
	for _, a := range s.args {
		if a.name != "" {
			continue
		}
		if i == 0 {
			return a.vals
		}
		i--
	}
	return nil
}

// starts are the tokens at which the arguments begin that stand in brackets.
func (r *reader) starts(i int) (out []int) {
	to := r.after(i) - 1
	if to < len(r.toks) && !oneOf(") ] }", r.tok(to).text) { // it is never closed
		to = len(r.toks)
	}
	for i++; i < to; {
		out = append(out, i)
		for i < to && !(r.tok(i).kind == sign && r.tok(i).text == ",") {
			i = r.after(i)
			r.steps++
		}
		i++
	}
	return out
}

// arguments reads what stands in brackets. Members of an object count by their names.
func (r *reader) arguments(i, depth int) (out []argument) {
	if depth > maxDepth || !r.step() {
		return nil
	}
	for _, at := range r.starts(i) {
		out = append(out, r.argument(at, depth)...)
	}
	return out
}

func (r *reader) argument(at, depth int) []argument {
	for r.tok(at).kind == line {
		at++
	}
	a := argument{at: at}
	t, n := r.tok(at), r.tok(at+1)
	switch {
	case t.kind == sign && t.text == ":" && n.kind == name && r.tok(at+2).text == "=>": // :name => value
		a.name, at = n.text, at+3
	case (t.kind == name || t.kind == text) && n.kind == sign && (n.text == "=" || n.text == ":" || n.text == "=>"):
		a.name, at = t.text, at+2
	case t.kind == sign && t.text == "{":
		var out []argument
		for _, m := range r.arguments(at, depth+1) {
			if m.name != "" {
				out = append(out, m)
			}
		}
		return append(out, argument{at: at, vals: []value{{}}})
	case t.kind == sign && oneOf(") ] }", t.text):
		return nil
	}
	a.vals, _ = r.expression(at, depth+1)
	return []argument{a}
}

// chain is a name with its members and calls.
func (r *reader) chain(i, depth int, tell bool) ([]value, int) {
	word := r.tok(i).text
	from := i
	var vals []value
	known := false
	if to, ok := r.alias(word); ok {
		vals = []value{r.constant(to)}
	} else if vals, known = r.lookup(word, depth); !known {
		vals = []value{r.constant(word)}
	}
	return r.links(vals, i+1, from, depth, tell)
}

func (r *reader) alias(word string) (string, bool) {
	if r.around != nil {
		return r.around.alias(word)
	}
	to, ok := r.aliases[word]
	return to, ok
}

// constant is what a language says that a name is.
func (r *reader) constant(word string) value {
	if c := r.lang.constants[word]; c != nil {
		return c(r)
	}
	return value{sort: ref, text: word}
}

// behind is what members and calls behind a value make of it.
func (r *reader) behind(vals []value, i, depth int, tell bool) ([]value, int) {
	return r.links(vals, i, i-1, depth, tell)
}

func (r *reader) links(vals []value, i, from, depth int, tell bool) ([]value, int) {
	for r.step() {
		t := r.tok(i)
		k := i
		for t.kind == line { // .then(…) on the next line
			k++
			t = r.tok(k)
		}
		if k != i && !(t.kind == sign && (t.text == "." || t.text == "?." || t.text == "->")) {
			return vals, i
		}
		i = k
		switch {
		case r.isMember(i) && r.tok(i+1).kind == name:
			vals = r.members(vals, r.tok(i+1).text)
			i += 2
		case t.kind == sign && t.text == "(" && !(t.blank && r.tok(i-1).kind == line):
			s := site{args: r.arguments(i, depth+1), from: from, to: r.after(i)}
			vals = r.apply(vals, s, tell && !r.isMethod(s))
			i = s.to
		case t.kind == sign && t.text == "[" && !t.blank:
			vals = r.indexed(vals, i, depth)
			i = r.after(i)
		case t.kind == text && r.tags(vals): // $`…`
			if tell {
				r.runs(r.textAt(t, depth), Line, from, i)
			}
			return []value{{}}, i + 1
		default:
			return r.settled(vals), i
		}
	}
	return []value{{}}, r.skip(i)
}

// isMethod reports whether a call is a definition: run(x) { … }.
func (r *reader) isMethod(s site) bool {
	return r.lang.regexps && r.tok(s.to).kind == sign && r.tok(s.to).text == "{" && r.tok(s.from+1).text == "("
}

// tags reports whether a text behind a value is a line for a shell.
func (r *reader) tags(vals []value) bool {
	return r.lang.regexps && slices.ContainsFunc(vals, func(v value) bool {
		return v.sort == ref && (v.text == "$" || strings.HasSuffix(v.text, ".$"))
	})
}

func (r *reader) members(vals []value, member string) (out []value) {
	for _, v := range vals {
		out = append(out, r.member(v, member))
	}
	return bound(out)
}

// member is one of a value.
func (r *reader) member(v value, member string) value {
	switch {
	case member == "[]":
		return element(v)
	case v.sort == ref:
		whole := v.text + "." + member
		if vals, known := r.lookup(whole, 1); known && len(vals) == 1 {
			return vals[0]
		}
		return r.constant(whole)
	}
	return value{sort: method, of: &v, text: member}
}

// element is any of a list, if there is only one.
func element(v value) value {
	if v.sort == list && !v.open && len(v.list) == 1 {
		return v.list[0]
	}
	return value{}
}

// settled are values of which nothing more is asked: properties are what they are.
func (r *reader) settled(vals []value) []value {
	out := slices.Clone(vals)
	for i, v := range vals {
		if v.sort != method {
			continue
		}
		out[i] = value{}
		if v.of.sort == plain && (v.text == "parent" || v.text == "dirname") {
			out[i] = textOf(dirname(v.of.text))
		} else if v.of.sort == plain && (v.text == "pathname" || v.text == "href" || v.text == "strip" || v.text == "to_s" || v.text == "chomp") {
			out[i] = *v.of
		} else if v.of.sort == content {
			out[i] = *v.of
		}
	}
	return bound(out)
}

func (r *reader) indexed(vals []value, i, depth int) []value {
	args := r.arguments(i, depth+1)
	var out []value
	for _, v := range r.settled(vals) {
		one := value{}
		if len(args) == 1 && len(args[0].vals) == 1 && args[0].vals[0].sort == plain && v.sort == list {
			if n, err := strconv.Atoi(args[0].vals[0].text); err == nil && n >= 0 && n < len(v.list) {
				one = v.list[n]
			}
		}
		out = append(out, one)
	}
	return bound(out)
}

// apply calls values.
func (r *reader) apply(vals []value, s site, tell bool) (out []value) {
	for _, v := range vals {
		switch v.sort {
		case ref:
			word := strings.TrimPrefix(v.text, "node:")
			do, ok := r.lang.calls[word]
			if !ok {
				out = append(out, value{})
				continue
			}
			if do.act != nil && tell {
				do.act(r, s)
			}
			if do.value != nil {
				out = append(out, do.value(r, s.args)...)
			} else {
				out = append(out, value{})
			}
		case method:
			if tell {
				r.written1(v, s)
			}
			out = append(out, r.methodOf(v, s))
		default:
			out = append(out, value{})
		}
	}
	return bound(out)
}

// methodOf is what a method of a text, a list or a file's content gives.
func (r *reader) methodOf(v value, s site) value {
	one := func() value {
		if vals := s.arg(0); len(vals) == 1 {
			return vals[0]
		}
		return value{}
	}
	of := *v.of
	switch of.sort {
	case content:
		if oneOf(" read strip decode toString trim text rstrip chomp readAsText encode ", v.text) {
			return of
		}
	case list:
		if v.text == "join" {
			return joined(of, one())
		}
		if v.text == "concat" {
			return join(of, one())
		}
	case plain:
		switch v.text {
		case "strip", "trim", "rstrip", "decode", "encode", "toString", "as_posix", "absolute", "resolve", "expanduser", "to_s", "chomp", "lower", "freeze":
			return of
		case "read_text", "read_bytes", "read", "open":
			return value{sort: content, text: of.text}
		case "joinpath", "join":
			if l := one(); l.sort == list && v.text == "join" {
				return joined(l, of)
			}
			out := of
			for _, a := range s.args {
				if len(a.vals) != 1 {
					return value{}
				}
				out = under(out, a.vals[0])
			}
			return out
		case "with_name":
			return under(textOf(dirname(of.text)), one())
		case "format":
			var vals []value
			for _, a := range s.args {
				if a.name != "" || len(a.vals) != 1 {
					return value{}
				}
				vals = append(vals, a.vals[0])
			}
			return filled(of, "{}", vals)
		case "split":
			if len(s.args) == 0 {
				return words(of.text)
			}
		}
	}
	return value{}
}

// words are those of a line, as values.
func words(text string) value {
	out := value{sort: list}
	for _, w := range strings.Fields(text) {
		out.list = append(out.list, textOf(strings.Trim(w, `"'`)))
	}
	return out
}

// joined is a list as one text.
func joined(l, by value) value {
	if l.open || by.sort != plain {
		return value{}
	}
	var texts []string
	for _, v := range l.list {
		if v.sort != plain {
			return value{}
		}
		texts = append(texts, v.text)
	}
	return textOf(strings.Join(texts, by.text))
}

func dirname(p string) string {
	at := strings.LastIndexByte(strings.TrimRight(p, "/"), '/')
	switch {
	case at < 0:
		return "."
	case at == 0:
		return "/"
	}
	return p[:at]
}
