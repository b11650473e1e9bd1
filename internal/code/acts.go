package code

import (
	"slices"
	"strings"
)

// loads is a function that loads what one argument names.
func loads(kind Kind, i int, names ...string) call {
	return call{act: func(r *reader, s site) {
		for _, v := range s.arg(i, names...) {
			u := Use{Kind: kind, Words: []Word{v.word()}}
			if v.sort == content {
				u.Kind, u.Words = File, []Word{{Text: v.text, Known: true}}
			}
			if v.sort != list {
				r.use(u, s.from, s.to)
				continue
			}
			for _, one := range v.list {
				r.use(Use{Kind: kind, Words: []Word{one.word()}}, s.from, s.to)
			}
		}
	}}
}

// and is a call that also gives a value.
func (c call) and(value func(r *reader, args []argument) []value) call {
	c.value = value
	return c
}

// runsCode is a function that runs a text of the same language.
func runsCode(i int, names ...string) call {
	return call{act: func(r *reader, s site) {
		for _, v := range s.arg(i, names...) {
			switch v.sort {
			case plain:
				r.inner(v.text)
			case content:
				r.use(Use{Kind: File, Words: []Word{{Text: v.text, Known: true}}}, s.from, s.to)
			default:
				r.use(Use{Kind: File, Words: []Word{{}}}, s.from, s.to)
			}
		}
	}}
}

// shellLine is a function that has a shell run a line: one argument, or in some languages
// several, which are a program and its arguments.
func shellLine(i int) call {
	return call{act: func(r *reader, s site) { r.runs(s.arg(i), Line, s.from, s.to, dirs(s)...) }}
}

// program is a function that runs a program: one text, a list, or a program and a list.
func program(i int, alone Kind, names ...string) call {
	return call{act: func(r *reader, s site) {
		kind := alone
		if on := s.arg(99, "shell"); len(on) == 1 && (on[0].sort != ref || !slices.Contains([]string{"False", "false"}, on[0].text)) {
			kind = Line
		}
		first := s.arg(i, names...)
		more := s.arg(i + 1)
		if len(names) > 0 { // Python: what follows is no argument of the program
			more = nil
		}
		if len(more) == 1 && more[0].sort == list {
			first = cross(first, more, func(a, b value) value {
				if a.sort == list {
					return a
				}
				return value{sort: list, list: append([]value{a}, b.list...), open: b.open}
			})
		} else if len(more) == 1 && kind == Words && len(names) == 0 && (more[0].sort == nothing && !named(s)) {
			first = cross(first, more, func(a, _ value) value { return value{sort: list, list: []value{a}, open: true} })
		}
		r.runs(first, kind, s.from, s.to, dirs(s)...)
	}}
}

func named(s site) bool {
	return slices.ContainsFunc(s.args, func(a argument) bool { return a.name != "" })
}

// dirs are where a call says that something shall run.
func dirs(s site) (out []value) {
	for _, a := range s.args {
		if slices.Contains([]string{"cwd", "chdir"}, a.name) {
			out = append(out, a.vals...)
		}
	}
	return slices.DeleteFunc(out, func(v value) bool { return v.sort == ref && (v.text == "None" || v.text == "undefined") })
}

// eachWord is a function whose arguments, from one on, are a program and its arguments.
// With one argument alone it is a line for a shell, if the language has it so.
func eachWord(from int, alone Kind) call {
	return call{act: func(r *reader, s site) {
		var all []value
		open := false
		for _, a := range s.args {
			if a.name != "" || len(a.vals) == 0 {
				continue
			}
			v := a.vals[0]
			if len(a.vals) > 1 {
				v = value{}
			}
			if v.sort == list {
				all, open = append(all, v.list...), open || v.open
				continue
			}
			all = append(all, v)
		}
		if len(all) <= from {
			if open {
				r.runs([]value{{}}, Words, s.from, s.to)
			}
			return
		}
		all = all[from:]
		if len(all) == 1 && !open && alone == Line {
			r.runs(s.arg(from), Line, s.from, s.to, dirs(s)...)
			return
		}
		r.runs([]value{{sort: list, list: all, open: open}}, Words, s.from, s.to, dirs(s)...)
	}}
}

// runs tells of lines or programs.
func (r *reader) runs(vals []value, kind Kind, from, to int, dirs ...value) {
	for _, v := range vals {
		u := Use{Kind: kind}
		switch {
		case v.sort == plain && kind == Line:
			u.Words = []Word{v.word()}
		case v.sort == plain:
			u.Words = []Word{v.word()}
		case v.sort == list && len(v.list) > 0:
			u.Kind = Words
			for _, one := range v.list {
				u.Words = append(u.Words, one.word())
			}
			if v.open {
				u.Words = append(u.Words, Word{})
			}
		default:
			u.Words = []Word{{}}
		}
		if len(dirs) == 0 {
			r.use(u, from, to)
		}
		for _, d := range dirs {
			if u.Dir = d.text; d.sort != plain { // what is named without a folder may be anywhere
				for i := range u.Words {
					u.Words[i].Known = u.Words[i].Known && (u.Kind == Words && !strings.Contains(u.Words[i].Text, "/") && i == 0)
				}
				u.Dir = ""
			}
			r.use(u, from, to)
		}
	}
}

// opens gives what a file holds, and tells that it is written if its mode says so.
func opens(i, mode int, names ...string) call {
	c := contents(i, names...)
	c.act = func(r *reader, s site) {
		for _, m := range s.arg(mode, "mode") {
			if m.sort == plain && strings.ContainsAny(m.text, "wax+>") {
				r.wrote(s.arg(i, names...), s)
			}
		}
	}
	return c
}

// contents gives what a file holds.
func contents(i int, names ...string) call {
	return call{value: func(r *reader, args []argument) (out []value) {
		for _, v := range (site{args: args}).arg(i, names...) {
			if v.sort == plain {
				v.sort = content
			} else if v.sort != content {
				v = value{}
			}
			out = append(out, v)
		}
		return out
	}}
}

// writes is a function that writes the files which some arguments name.
func writes(places ...int) call {
	return call{act: func(r *reader, s site) {
		for _, i := range places {
			r.wrote(s.arg(i), s)
		}
	}}
}

func (r *reader) wrote(vals []value, s site) {
	for _, v := range vals {
		if v.sort == plain || v.sort == content {
			r.use(Use{Kind: Write, Words: []Word{{Text: v.text, Known: true}}}, s.from, s.to)
		}
	}
}

// written1 notes that a method of a path writes it.
func (r *reader) written1(v value, s site) {
	if v.of.sort != plain && v.of.sort != content {
		return
	}
	switch v.text {
	case "write_text", "write_bytes", "touch", "unlink", "mkdir":
		r.wrote([]value{*v.of}, s)
	case "open":
		for _, m := range s.arg(0, "mode") {
			if m.sort == plain && strings.ContainsAny(m.text, "wax+") {
				r.wrote([]value{*v.of}, s)
			}
		}
	}
}

// Values of functions.

func same(i int) func(*reader, []argument) []value {
	return func(_ *reader, args []argument) []value { return site{args: args}.arg(i) }
}

func joins(_ *reader, args []argument) []value {
	out := []value{textOf("")}
	for _, a := range args {
		out = cross(out, a.vals, under)
	}
	return out
}

func folderOf(_ *reader, args []argument) (out []value) {
	for _, v := range (site{args: args}).arg(0) {
		if v.sort == plain {
			out = append(out, textOf(dirname(v.text)))
		} else {
			out = append(out, value{})
		}
	}
	return out
}

// expands is File.expand_path(name, from): from a file, .. leads to its folder.
func expands(_ *reader, args []argument) []value {
	s := site{args: args}
	from := s.arg(1)
	if len(from) == 0 {
		return s.arg(0)
	}
	return cross(from, s.arg(0), under)
}

// located is new URL(name, base).
func located(_ *reader, args []argument) []value {
	s := site{args: args}
	base := s.arg(1)
	if len(base) == 0 {
		return s.arg(0)
	}
	return cross(base, s.arg(0), func(b, n value) value {
		if b.sort != plain {
			return value{}
		}
		return under(textOf(dirname(b.text)), n)
	})
}

func splits(_ *reader, args []argument) (out []value) {
	for _, v := range (site{args: args}).arg(0) {
		if v.sort != plain {
			out = append(out, value{})
			continue
		}
		out = append(out, words(v.text))
	}
	return out
}

// moduleNamed stands for a module that a call gives.
func moduleNamed(_ *reader, args []argument) (out []value) {
	for _, v := range (site{args: args}).arg(0) {
		if v.sort == plain {
			v = value{sort: ref, text: strings.TrimPrefix(v.text, "node:")}
		}
		out = append(out, v)
	}
	return out
}

// madeName is a member that is looked up by a name: getattr(os, 'system').
var madeName = call{value: func(r *reader, args []argument) (out []value) {
	s := site{args: args}
	return cross(s.arg(0), s.arg(1), func(of, member value) value {
		if of.sort == ref && member.sort == plain {
			return r.constant(of.text + "." + member.text)
		}
		return value{}
	})
}, act: func(r *reader, s site) {
	for _, of := range s.arg(0) {
		for _, m := range s.arg(1) {
			if of.sort == ref && m.sort != plain && slices.Contains([]string{"os", "subprocess", "importlib", "builtins", "__builtins__"}, of.text) {
				r.use(Use{Kind: Line, Words: []Word{{}}}, s.from, s.to)
			}
		}
	}
}}
