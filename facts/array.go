package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// keepList notes the words of an array, so that "${a[@]}" is as many words again.
func (sh *shell) keepList(as *syntax.Assign) {
	name := sh.st.named(as.Name.Value)
	var list []piece
	if as.Append || as.Index != nil {
		list = slices.Clone(sh.st.lists[name])
	}
	if as.Array == nil {
		if as.Index == nil {
			return
		}
		list = append(list, sh.elements(as.Value)...)
	} else {
		for _, e := range as.Array.Elems {
			list = append(list, sh.elements(e.Value)...)
		}
	}
	sh.st.setList(name, list)
}

// elements are the words that one word of an array comes to.
func (sh *shell) elements(w *syntax.Word) []piece {
	readings := sh.word(w)
	if len(readings) != 1 {
		return []piece{{value: value{text: string(hole)}, split: true}}
	}
	var out []piece
	for _, f := range readings[0] {
		out = append(out, piece{value: f.value, quoted: !f.glob, split: f.many})
	}
	return out
}

func (st *state) setList(name string, list []piece) {
	if len(list) > maxFields || len(st.lists) >= maxNamed {
		delete(st.lists, name)
		return
	}
	if st.lists == nil {
		st.lists = map[string][]piece{}
	}
	st.lists[name] = list
}

// mergeLists keeps the arrays that another branch left as they are here.
func (st *state) mergeLists(other *state) {
	maps.DeleteFunc(st.lists, func(name string, list []piece) bool {
		there := other.lists[name]
		return !slices.EqualFunc(list, there, func(a, b piece) bool { return a.text == b.text && a.split == b.split })
	})
}

// all is "$@" and "${a[@]}": their words, each quoted, with a break between them.
func (sh *shell) all(q *syntax.DblQuoted) (reading, bool) {
	if len(q.Parts) != 1 {
		return nil, false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Exp != nil || p.Repl != nil || p.Length || p.Excl {
		return nil, false
	}
	list, ok := sh.listOf(p)
	if !ok {
		return nil, false
	}
	var r reading
	for i, v := range list {
		if i > 0 {
			r = append(r, piece{value: value{text: " "}, split: true})
		}
		r = append(r, v)
	}
	return r, true
}

// listOf are the words of the list that an expansion names, from where it begins.
func (sh *shell) listOf(p *syntax.ParamExp) ([]piece, bool) {
	var list []piece
	if p.Param.Value == "@" {
		for _, v := range sh.st.params {
			list = append(list, piece{value: v, quoted: true})
		}
		if sh.st.paramsOpen {
			list = append(list, piece{value: value{text: string(hole)}, split: true})
		}
	} else {
		known := false
		if w, ok := p.Index.(*syntax.Word); !ok || w.Lit() != "@" {
			return nil, false
		}
		if list, known = sh.st.lists[sh.st.named(p.Param.Value)]; !known {
			return nil, false
		}
	}
	if p.Slice == nil {
		return list, true
	}
	from, ok := sh.number(p.Slice.Offset)
	if p.Param.Value == "@" {
		from-- // $0 is no parameter
	}
	n, bounded := sh.number(p.Slice.Length)
	if !ok || from < 0 || p.Slice.Length != nil && (!bounded || n < 0) {
		return []piece{{value: value{text: string(hole)}, split: true}}, true
	}
	list = list[min(from, len(list)):]
	if bounded {
		list = list[:min(n, len(list))]
	}
	return list, true
}

// asOne is a list of words as one text, with blanks.
func asOne[T field | piece](list []T, of func(T) value) values {
	var text strings.Builder
	var from []string
	for i, e := range list {
		if i > 0 {
			text.WriteByte(' ')
		}
		v := of(e)
		if text.Len() <= maxBytes { // more is cut anyway
			text.WriteString(v.text)
		}
		from = union(from, v.from)
	}
	return values{{text.String(), from}}.bounded()
}

// element is what ${a[1]} and $a give of an array whose words are known.
func (sh *shell) element(p *syntax.ParamExp) (values, bool) {
	list, ok := sh.st.lists[sh.st.named(p.Param.Value)]
	if !ok || slices.ContainsFunc(list, func(e piece) bool { return e.split }) {
		return nil, false
	}
	n := 0
	if w, isWord := p.Index.(*syntax.Word); isWord {
		var err error
		if n, err = strconv.Atoi(w.Lit()); err != nil {
			return nil, false
		}
	} else if p.Index != nil {
		return nil, false
	}
	if n < 0 || n >= len(list) {
		return text(""), true
	}
	return values{list[n].value}, true
}

// mapfile reads the lines that come in into an array.
func (c builtinCall) mapfile() values {
	name, delimiter := "MAPFILE", "\n"
	for i := 0; i < len(c.args); i++ {
		switch t := c.args[i].text; {
		case t == "-d" && i+1 < len(c.args):
			i++
			if delimiter = c.args[i].text; delimiter == "" {
				delimiter = "\x00"
			}
		case len(t) == 2 && strings.Contains("nOsuCc", t[1:]) && t[0] == '-':
			i++
		case !strings.HasPrefix(t, "-"):
			name = t
		}
	}
	in := c.stdin
	if len(in) == 0 {
		in = anything("stdin")
	}
	c.st.set(name, in)
	var list []piece
	if len(in) == 1 && in[0].known() {
		for line := range strings.SplitSeq(strings.TrimSuffix(in[0].text, delimiter), delimiter) {
			list = append(list, piece{value: value{line, in[0].from}, quoted: true})
		}
	} else {
		list = []piece{{value: value{string(hole), in.sources()}, split: true}}
	}
	c.st.setList(c.st.named(name), list)
	return nil
}
