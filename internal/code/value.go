package code

import (
	"path/filepath"
	"slices"
	"strings"
)

// sort is what a value is.
type sort int

const (
	nothing sort = iota // not known
	plain               // a text
	list                // of values
	content             // what a file holds
	ref                 // what a name stands for that the text does not explain
	method              // of a value
)

// value is one thing that an expression may be.
type value struct {
	sort sort
	text string  // a text, the file of a content, a name
	list []value // of a list
	open bool    // a list may have more
	of   *value  // of a method: whose
}

func textOf(s string) value { return value{sort: plain, text: s} }

func (v value) word() Word { return Word{Text: v.text, Known: v.sort == plain} }

// expression gives what may stand from a token on, and the token after it.
func (r *reader) expression(i, depth int) (out []value, next int) {
	if depth > maxDepth || !r.step() {
		return []value{{}}, r.skip(i)
	}
	out, i = r.term(i, depth)
	for {
		t := r.tok(i)
		op := t.text
		switch {
		case r.ends(i):
			return out, i
		case t.kind == text && r.tok(i-1).kind == text && r.lang.joins == "+": // "a" "b"
			more, after := r.term(i, depth+1)
			out, i = cross(out, more, join), after
		case t.kind == sign && (op == r.lang.joins || op == "+"):
			more, after := r.term(i+1, depth+1)
			out, i = cross(out, more, join), after
		case t.kind == sign && op == "/" && r.lang.joins == "+":
			more, after := r.term(i+1, depth+1)
			out, i = cross(out, more, under), after
		case t.kind == sign && op == "%" && r.lang.joins == "+":
			more, after := r.term(i+1, depth+1)
			out, i = cross(out, more, format), after
		case t.kind == sign && (op == "||" || op == "??" || op == "//") || t.kind == name && op == "or":
			more, after := r.expression(i+1, depth+1)
			return bound(append(out, more...)), after
		default:
			return []value{{}}, r.skip(i)
		}
	}
}

// ends reports whether an expression ends before a token.
func (r *reader) ends(i int) bool {
	t := r.tok(i)
	switch t.kind {
	case end:
		return true
	case line:
		n := r.tok(i + 1)
		return !(n.kind == sign && (n.text == "." || n.text == "?." || n.text == "->"))
	case sign:
		return oneOf(" , ) ] } ; : => ", t.text)
	case name:
		return oneOf(r.lang.words, t.text)
	}
	return false
}

// skip gives the token at which an expression ends.
func (r *reader) skip(i int) int {
	for ; r.tok(i).kind != end && !r.ends(i); i++ {
		if to := r.after(i); to > i+1 {
			i = to - 1
		}
		if r.steps++; r.steps > 4*maxSteps {
			return len(r.toks)
		}
	}
	return i
}

// after gives the token behind the bracket that closes the one at i.
func (r *reader) after(i int) int {
	if i < 0 || i >= len(r.closed) || r.closed[i] == 0 {
		return i + 1
	}
	return r.closed[i]
}

// term is a value without signs between values.
func (r *reader) term(i, depth int) ([]value, int) {
	if depth > maxDepth || !r.step() {
		return []value{{}}, r.skip(i)
	}
	t := r.tok(i)
	var out []value
	switch {
	case t.kind == text || t.kind == run:
		out = r.textAt(t, depth)
		if t.kind == run {
			out = []value{{}}
		}
		return r.behind(out, i+1, depth, false)
	case t.kind == number:
		return r.behind([]value{textOf(t.text)}, i+1, depth, false)
	case t.kind == name && (t.text == "new" || t.text == "await" || t.text == "return"):
		return r.term(i+1, depth+1)
	case t.kind == name:
		return r.chain(i, depth, false)
	case t.kind == sign && t.text == "[":
		return r.listAt(i, depth)
	case t.kind == sign && t.text == "(":
		return r.group(i, depth)
	case t.kind == sign && oneOf("... * ** & @", t.text) && t.text != "":
		vals, next := r.term(i+1, depth+1)
		for k := range vals {
			if vals[k].sort == list {
				vals[k].open = true
			} else {
				vals[k] = value{sort: list, open: true}
			}
		}
		return vals, next
	}
	if t.kind == sign && t.text == "{" {
		return []value{{}}, r.after(i)
	}
	return []value{{}}, r.skip(i)
}

// group is what stands in parentheses: a value, or several.
func (r *reader) group(i, depth int) ([]value, int) {
	args := r.arguments(i, depth)
	next := r.after(i)
	switch {
	case len(args) == 1 && args[0].name == "":
		return r.behind(args[0].vals, next, depth, false)
	case len(args) > 1:
		return r.behind([]value{listOf(args)}, next, depth, false)
	}
	return []value{{}}, next
}

func (r *reader) listAt(i, depth int) ([]value, int) {
	return r.behind([]value{listOf(r.arguments(i, depth))}, r.after(i), depth, false)
}

func listOf(args []argument) value {
	out := value{sort: list}
	for _, a := range args {
		switch one := a.vals; {
		case len(one) == 1 && one[0].sort == list && one[0].open:
			out.list, out.open = append(out.list, one[0].list...), true
		case len(one) == 1:
			out.list = append(out.list, one[0])
		default:
			out.list = append(out.list, value{})
		}
	}
	return out
}

// textAt is what a text says, with what expands in it.
func (r *reader) textAt(t token, depth int) []value {
	if t.parts == nil {
		return []value{textOf(t.text)}
	}
	out := []value{textOf("")}
	for _, p := range t.parts {
		if p.code == "" {
			out = cross(out, []value{textOf(p.text)}, join)
			continue
		}
		out = cross(out, r.embedded(p.code, depth), join)
	}
	return out
}

// embedded is an expression in a text.
func (r *reader) embedded(text string, depth int) []value {
	in := *r
	in.text, in.toks = text, lex(r.lang, text)
	in.closed = brackets(in.toks)
	if len(in.toks) == 0 {
		return []value{{}}
	}
	// What its names stand for is in the text around it.
	in.outer(r)
	out, next := in.expression(0, depth+1)
	r.steps = in.steps
	if t := in.tok(next); t.kind != end && t.text != ":" {
		return []value{{}}
	}
	return out
}

// outer has names looked up in another reading.
func (r *reader) outer(of *reader) {
	vars := map[string][]int{}
	r.around = of
	r.vars, r.taken = vars, nil
}

// lookup is what a variable may be. It reports false of a name that is none.
func (r *reader) lookup(word string, depth int) ([]value, bool) {
	if r.around != nil {
		return r.around.lookup(word, depth)
	}
	if t, ok := r.taken[word]; ok {
		var out []value
		for _, v := range r.valueAt(t.at, depth) {
			out = append(out, r.member(v, t.member))
		}
		return out, true
	}
	at, known := r.vars[word]
	if !known {
		return []value{{}}, r.unsure[word]
	}
	var out []value
	for _, i := range at {
		out = append(out, r.valueAt(i, depth)...)
	}
	if r.unsure[word] {
		out = append(out, value{})
	}
	return bound(out), true
}

// valueAt is an expression that a variable was given.
func (r *reader) valueAt(i, depth int) []value {
	if r.busy[i] {
		return nil
	}
	r.busy[i] = true
	defer delete(r.busy, i)
	out, _ := r.expression(i, depth+1)
	return out
}

func bound(vals []value) []value {
	var out []value
	for _, v := range vals {
		if !slices.ContainsFunc(out, func(o value) bool {
			return o.sort == v.sort && o.text == v.text && len(o.list) == 0 && len(v.list) == 0 && o.sort != method
		}) {
			out = append(out, v)
		}
	}
	if len(out) > maxValues {
		return append(out[:maxValues-1], value{})
	}
	return out
}

// cross joins each of some values with each of others.
func cross(left, right []value, how func(a, b value) value) (out []value) {
	for _, a := range left {
		for _, b := range right {
			out = append(out, how(a, b))
		}
	}
	return bound(out)
}

func join(a, b value) value {
	switch {
	case a.sort == plain && b.sort == plain:
		return textOf(a.text + b.text)
	case a.sort == list && b.sort == list:
		return value{sort: list, list: slices.Concat(a.list, b.list), open: a.open || b.open}
	case a.sort == list:
		return value{sort: list, list: a.list, open: true}
	}
	return value{}
}

// under is a path from a folder.
func under(a, b value) value {
	if a.sort != plain || b.sort != plain {
		return value{}
	}
	if filepath.IsAbs(b.text) || strings.HasPrefix(b.text, "/") || a.text == "" {
		return b
	}
	return textOf(filepath.ToSlash(filepath.Join(a.text, b.text)))
}

// format is "…%s…" % x.
func format(a, b value) value {
	vals := []value{b}
	if b.sort == list {
		vals = b.list
	}
	return filled(a, "%s", vals)
}

func filled(a value, mark string, vals []value) value {
	if a.sort != plain {
		return value{}
	}
	text := a.text
	for _, v := range vals {
		if v.sort != plain {
			return value{}
		}
		text = strings.Replace(text, mark, v.text, 1)
	}
	if strings.ContainsAny(text, "%{") {
		return value{}
	}
	return textOf(text)
}
