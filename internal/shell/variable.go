package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// here are the folders in which it may be at any time.
func (a *analysis) here() []value {
	var out []value
	for _, dir := range a.from("") {
		out = append(out, value{text: dir})
	}
	return out
}

// variable gives all values that the text anywhere gives a variable, besides the one
// that it has in the environment.
func (a *analysis) variable(name string) ([]value, bool) {
	switch name {
	case "PWD", "OLDPWD":
		at := a.place.now
		if name == "OLDPWD" { // anywhere
			a.place.now = nil
		}
		vals, known := bounded(a.here(), true)
		a.place.now = at
		return vals, known && !a.unsure[name]
	case "0", "BASH_SOURCE":
		if a.script != "" {
			return []value{{text: a.script}}, true
		}
		return nil, false
	case "@", "*":
		return a.allParams()
	}
	if n, err := strconv.Atoi(name); err == nil {
		if a.shifts || a.unsure["@"] {
			return a.allParams()
		}
		return a.values(strconv.Itoa(n), true)
	}
	if to, ok := a.alias[name]; ok && to != name {
		vals, known := a.values(to, false)
		own, _ := a.values(name, true)
		return append(vals, own...), known
	}
	return a.values(name, false)
}

// values are those of a variable. One that is nowhere set is known if it is empty then.
func (a *analysis) values(name string, empty bool) ([]value, bool) {
	var out []value
	env, inherited := a.Env[name]
	if name == "PATH" && !inherited { // the user's own, of which nobody pins anything
		env, inherited = "/usr/bin", true
	}
	if inherited {
		out = append(out, value{text: env})
	}
	texts, assigned := a.vars[name]
	for _, t := range texts {
		v := value{text: t}
		if strings.HasPrefix(t, "\x00") { // a pattern
			v = value{text: t[1:], glob: true}
		}
		out = append(out, v)
	}
	if !inherited && !assigned {
		return []value{{}}, empty
	}
	return out, !a.unsure[name]
}

func (a *analysis) allParams() ([]value, bool) {
	out, known := []value{}, !a.unsure["@"]
	for i := 1; i <= a.params; i++ {
		vals, sure := a.values(strconv.Itoa(i), true)
		out, known = append(out, vals...), known && sure
	}
	if len(out) == 0 {
		out = []value{{}}
	}
	return bounded(out, known)
}

// paramLists are the lists that "$@" may be: one for each time that $1 and the like
// were set, and after a shift all that such a list may end with.
func (a *analysis) paramLists(src string) [][]arg {
	most, sure := 0, !a.unsure["@"]
	for i := 1; i <= a.params; i++ {
		most = max(most, len(a.vars[strconv.Itoa(i)]))
	}
	var out [][]arg
	for k := range most {
		var list []arg
		for i := 1; i <= a.params; i++ {
			vals, known := a.values(strconv.Itoa(i), true)
			list = append(list, arg{value: vals[min(k, len(vals)-1)], known: known && sure, src: src})
		}
		out = append(out, list)
		for a.shifts && len(list) > 1 && len(out) < maxValues {
			list = list[1:]
			out = append(out, list)
		}
	}
	if len(out) == 0 {
		return [][]arg{nil}
	}
	return out
}

// assign notes values of a variable.
func (a *analysis) assign(name string, vals []value, known bool) {
	if to, ok := a.alias[name]; ok {
		name = to
	}
	a.touch(name)
	if !known {
		a.taint(name)
	}
	if name == "PATH" || slices.Contains(folderVariables, name) { // each folder for itself: PATH=a:$PATH then comes to an end
		vals = split(vals)
	}
	for _, v := range vals {
		text := v.text
		if v.glob {
			text = "\x00" + text
		}
		if len(text) > 4096 || v.tree {
			a.taint(name)
			continue
		}
		if slices.Contains(a.vars[name], text) {
			continue
		}
		if len(a.vars[name]) >= maxValues {
			a.taint(name)
			return
		}
		a.vars[name] = append(a.vars[name], text)
	}
}

// split are the folders of a list.
func split(vals []value) (out []value) {
	for _, v := range vals {
		for _, one := range strings.Split(v.text, ":") {
			out = append(out, value{text: one, glob: v.glob})
		}
	}
	return out
}

// touch makes a variable one that the text assigns.
func (a *analysis) touch(name string) {
	if _, ok := a.vars[name]; !ok {
		a.vars[name] = nil
	}
}

// taint says that a variable may have any value.
func (a *analysis) taint(name string) {
	a.touch(name)
	if a.tainted == nil {
		a.tainted = map[string]bool{}
	}
	a.tainted[name] = true
}

// setParams notes arguments as what $1 and the like may be.
func (a *analysis) setParams(args []arg) {
	if len(args) > maxValues {
		args = args[:maxValues]
		a.taint("@")
	}
	for i, g := range args {
		a.params = max(a.params, i+1)
		a.assign(strconv.Itoa(i+1), []value{g.value}, g.known)
	}
}

// assignment notes what NAME=word assigns, and what programs do with such a name.
func (a *analysis) assignment(s *syntax.Assign, src string) {
	if s.Name == nil || s.Naked && s.Array == nil {
		return
	}
	name := s.Name.Value
	vals, known := a.word(s.Value)
	if s.Array != nil {
		vals, known = nil, true
		for _, e := range s.Array.Elems {
			more, sure := a.word(e.Value)
			vals, known = append(vals, more...), known && sure
		}
	}
	if s.Append && s.Array == nil {
		before, sure := a.variable(name)
		if a.loops == 0 && a.place.later == 0 { // what was appended here once is not there before
			before = slices.DeleteFunc(slices.Clone(before), func(v value) bool { return a.appended[s][v.text] })
		}
		longer, fits := join(before, vals)
		for _, v := range longer {
			a.madeAt(s, v.text)
		}
		known = known && sure && fits
		if a.grows(longer) {
			longer, known = nil, false
		}
		vals = longer
	}
	a.assign(name, vals, known)
	a.special(name, vals, known, src)
}

// madeAt notes a text that was made by appending to a variable.
func (a *analysis) madeAt(at *syntax.Assign, text string) {
	if a.appended[at] == nil {
		a.appended[at] = map[string]bool{}
	}
	a.appended[at][text] = true
}

// grows reports whether a variable that is appended to has been so several times.
func (a *analysis) grows(vals []value) bool {
	return slices.ContainsFunc(vals, func(v value) bool { return len(v.text) > 1024 }) || len(vals) > maxValues/2
}

// enter notes folders in which relative names may be found from now on, if they are
// there. One name leads at most once from a folder to the next.
func (a *analysis) enter(names []string) {
	for _, name := range names {
		for _, dir := range slices.Clone(a.dirs) {
			full := Under(dir, name)
			if a.went[dir][name] || slices.Contains(a.dirs, full) {
				continue
			}
			if a.List != nil {
				if _, err := a.List(full); err != nil {
					a.out.Folders = append(a.out.Folders, full) // it may come
					continue
				}
			}
			if len(a.dirs) >= maxValues {
				a.unknown(name, "there are too many folders to go to")
				return
			}
			a.dirs = append(a.dirs, full)
			a.went[full] = maps.Clone(a.went[dir])
			if a.went[full] == nil {
				a.went[full] = map[string]bool{}
			}
			a.went[full][name] = true
		}
	}
}
