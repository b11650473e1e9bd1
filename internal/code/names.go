package code

import (
	"slices"
	"strings"
)

// names gathers what the text assigns: to each name all values that stand anywhere.
func (r *reader) names() {
	var open []string
	for i, t := range r.toks {
		if t.kind == sign {
			switch t.text {
			case "(", "[", "{":
				open = append(open, t.text)
			case ")", "]", "}":
				open = open[:max(0, len(open)-1)]
			case "=", ":=":
				r.assigned(i, open)
			case "+=", ".=", "||=", "??=", "|=", "<<":
				r.doubt(i - 1)
			case "=>":
				r.parameters(i)
			case "|": // do |a, b|
				if i > 0 && (r.tok(i-1).text == "do" || r.tok(i-1).text == "{") {
					for k := i + 1; r.tok(k).kind == name || r.tok(k).text == ","; k++ {
						r.doubt(k)
					}
				}
			}
		}
		if t.kind == name {
			r.named(i)
		}
	}
	r.called()
}

func (r *reader) doubt(i int) {
	if i >= 0 && r.tok(i).kind == name {
		r.unsure[r.tok(i).text] = true
	}
}

// assigned looks at NAME = and what stands before it.
func (r *reader) assigned(i int, open []string) {
	in := ""
	if len(open) > 0 {
		in = open[len(open)-1]
	}
	if in == "(" && r.tok(i).text == "=" && !strings.Contains(r.lang.functions, " function ") { // a named argument
		return
	}
	k := i - 1
	if k < 0 {
		return
	}
	switch t := r.tok(k); {
	case t.kind == name && k >= 2 && r.isMember(k-1):
		if owner := r.tok(k - 2).text; owner == "self" || owner == "this" {
			r.vars[owner+"."+t.text] = append(r.vars[owner+"."+t.text], i+1)
		}
		r.paths(k, i)
	case t.kind == name && k >= 1 && r.tok(k-1).text == "," && !r.lang.single:
		for ; k >= 0 && (r.tok(k).kind == name || r.tok(k).text == ","); k-- {
			r.doubt(k)
		}
	case t.kind == name && k >= 2 && r.tok(k-1).text == ":" && r.tok(k-2).kind == name: // const x: string = …
		r.vars[r.tok(k-2).text] = append(r.vars[r.tok(k-2).text], i+1)
	case t.kind == name:
		r.vars[t.text] = append(r.vars[t.text], i+1)
	case t.text == "]" && r.sliced(k, i):
	case t.text == "}" || t.text == ")" || t.text == "]":
		r.destructured(k, i+1)
	}
}

// sliced is sys.path[:0] = ….
func (r *reader) sliced(k, i int) bool {
	for ; k > 0 && r.tok(k).text != "["; k-- {
	}
	if k < 3 || r.tok(k-1).kind != name || r.tok(k).blank {
		return false
	}
	if r.isMember(k - 2) {
		r.paths(k-1, i)
	}
	return true
}

// paths notes folders that are put into a list by an assignment, as package.path = ….
func (r *reader) paths(k, i int) {
	if do := r.lang.calls["="+r.tok(k-2).text+"."+r.tok(k).text]; do.act != nil {
		vals, to := r.expression(i+1, 0)
		do.act(r, site{args: []argument{{vals: vals, at: i + 1}}, from: k - 2, to: to})
	}
}

// destructured is {a, b: c} = …, or another list of names.
func (r *reader) destructured(k, at int) {
	closing := r.tok(k).text
	for k--; k >= 0 && r.tok(k).kind != line && !oneOf("{ ( [", r.tok(k).text); k-- {
		t := r.tok(k)
		if t.kind != name {
			continue
		}
		switch {
		case closing != "}":
			r.unsure[t.text] = true
		case r.tok(k-1).text == ":" && k >= 2:
			r.taken[t.text] = taken{r.tok(k - 2).text, at}
			k -= 2
		default:
			r.taken[t.text] = taken{t.text, at}
		}
	}
}

// parameters are the names before =>.
func (r *reader) parameters(i int) {
	k := i - 1
	if k < 0 {
		return
	}
	if r.tok(k).kind == name && k >= 1 && (r.tok(k-1).kind != name || r.tok(k-1).text == "async") {
		r.doubt(k)
	}
	if r.tok(k).text == ")" && k > 0 && r.tok(k-1).text != "(" {
		for k--; k > 0 && r.tok(k).text != "("; k-- {
			r.doubt(k)
		}
	}
}

// named looks at words after which names follow.
func (r *reader) named(i int) {
	t, n := r.tok(i), r.tok(i+1)
	if i > 0 && r.isMember(i-1) {
		return
	}
	switch {
	case oneOf(r.lang.functions, t.text) && n.kind == name:
		r.defined(i + 1)
	case t.text == "for" || t.text == "foreach":
		r.looped(i)
	case t.text == "lambda":
		for k := i + 1; r.tok(k).kind == name || r.tok(k).text == ","; k++ {
			r.doubt(k)
		}
	case t.text == "with":
		r.opened(i + 1)
	case t.text == "as" && i > 0 && n.kind == name && r.tok(i-1).kind == name:
		r.doubt(i + 1)
	}
}

// looped is for NAME in LIST: the name is each of its elements.
func (r *reader) looped(i int) {
	var names []int
	for k := i + 1; k < i+12 && r.tok(k).kind != end && r.tok(k).kind != line; k++ {
		t := r.tok(k)
		if t.kind == name && (t.text == "in" || t.text == "of") {
			if len(names) == 1 {
				r.taken[r.tok(names[0]).text] = taken{"[]", k + 1}
				return
			}
			break
		}
		if t.kind == name && !oneOf(" const let var my each ", t.text) {
			names = append(names, k)
		}
	}
	for _, k := range names {
		r.doubt(k)
	}
}

// opened is with VALUE as NAME.
func (r *reader) opened(i int) {
	for at, depth := i, 0; r.tok(i).kind != end && r.tok(i).kind != line; i++ {
		t := r.tok(i)
		switch {
		case t.kind == sign && oneOf("( [ {", t.text):
			depth++
		case t.kind == sign && oneOf(") ] }", t.text):
			depth--
		case depth == 0 && t.text == ",":
			at = i + 1
		case depth == 0 && t.kind == name && t.text == "as" && r.tok(i+1).kind == name:
			word := r.tok(i + 1).text
			r.vars[word] = append(r.vars[word], at)
		}
	}
}

// defined notes the parameters of a function.
func (r *reader) defined(i int) {
	word := r.tok(i).text
	for r.isMember(i+1) && r.tok(i+2).kind == name {
		i += 2
		word = r.tok(i).text
	}
	if r.tok(i+1).text != "(" {
		return
	}
	params := []string{}
	for k, depth := i+2, 1; r.tok(k).kind != end && depth > 0; k++ {
		t := r.tok(k)
		switch {
		case t.kind == sign && oneOf("( [ {", t.text):
			depth++
		case t.kind == sign && oneOf(") ] }", t.text):
			depth--
		case t.kind == name && depth == 1 && oneOf("( , * ** & ...", r.tok(k-1).text):
			if t.text == "self" || t.text == "cls" {
				continue
			}
			params = append(params, t.text)
			if oneOf("* ** & ...", r.tok(k-1).text) {
				r.unsure[t.text] = true
			}
			for at := k + 1; !oneOf(", )", r.tok(at).text) && r.tok(at).kind != end; at++ {
				if r.tok(at).text == "=" {
					r.vars[t.text] = append(r.vars[t.text], at+1)
					break
				}
			}
		}
	}
	r.params[word] = params
}

// called gives parameters the values with which their functions are called. One that is
// called nowhere is called by somebody else.
func (r *reader) called() {
	seen := map[string]bool{}
	for i, t := range r.toks {
		params, ok := r.params[t.text]
		if !ok || t.kind != name || r.tok(i+1).text != "(" || i > 0 && oneOf(r.lang.functions, r.tok(i-1).text) && r.tok(i-1).kind == name {
			continue
		}
		if i >= 2 && r.isMember(i-1) && !slices.Contains([]string{"self", "this", "cls"}, r.tok(i-2).text) {
			continue
		}
		seen[t.text] = true
		for k, at := range r.starts(i + 1) {
			word := ""
			if k < len(params) {
				word = params[k]
			}
			if r.tok(at).kind == name && r.tok(at+1).text == "=" {
				word, at = r.tok(at).text, at+2
			}
			if word != "" {
				r.vars[word] = append(r.vars[word], at)
			}
		}
	}
	for word, params := range r.params {
		for _, p := range params {
			if !seen[word] {
				r.unsure[p] = true
			}
		}
	}
}

// isMember reports whether a sign leads to a member of what stands before it.
func (r *reader) isMember(i int) bool {
	return r.tok(i).kind == sign && slices.Contains(r.lang.members, r.tok(i).text)
}
