package facts

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param expands $x, ${x…} and their kin.
func (sh *shell) param(p *syntax.ParamExp) values {
	if p.Param == nil {
		return anything()
	}
	name := p.Param.Value
	if p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); ok {
			sh.one(w)
		}
	}
	if one, ok := sh.element(p); ok && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl {
		return one
	}
	vs, unset := sh.lookup(name)
	switch {
	case p.Length || p.Width:
		return someName()
	case p.Excl && p.Names != 0:
		return anything()
	case p.Excl:
		return sh.indirect(vs)
	}
	if p.Exp != nil {
		return sh.operator(name, vs, unset, p.Exp)
	}
	if unset {
		vs = text("").or(vs)
	}
	switch {
	case p.Slice != nil:
		if list, ok := sh.listOf(p); ok {
			return asOne(list, func(p piece) value { return p.value })
		}
		return sh.slice(vs, p.Slice)
	case p.Repl != nil:
		return sh.replace(vs, p.Repl)
	}
	return vs
}

// lookup gives what a variable may hold, and whether it may be unset.
func (sh *shell) lookup(name string) (vs values, unset bool) {
	st := sh.st
	name = st.named(name)
	if v, ok := st.vars[name]; ok {
		return v, false
	}
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case n == 0:
			return text("bash"), false
		case n <= len(st.params):
			return values{st.params[n-1]}, false
		case st.paramsOpen:
			return anything(), true
		}
		return text(""), false
	}
	switch name {
	case "@", "*":
		var all []string
		for _, v := range st.params {
			all = append(all, v.text)
		}
		if st.paramsOpen {
			all = append(all, string(hole))
		}
		return values{{text: strings.Join(all, " "), from: values(st.params).sources()}}, false
	case "?", "$", "!", "#", "-", "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "LINENO", "UID", "EUID", "PPID", "BASHPID", "COLUMNS", "LINES", "HOSTNAME", "HOSTTYPE", "OSTYPE", "BASH_VERSION":
		return someName(), false
	case "IFS":
		return text(" \t\n"), false
	case "PWD":
		var dirs values
		for _, d := range st.dirs {
			dirs = append(dirs, value{text: d})
		}
		return dirs, false
	case "HOME":
		h, _ := sh.tilde("")
		return text(h), false
	case "TMPDIR":
		if _, ok := sh.world.Env[name]; !ok {
			return text(sh.world.temps()[0]), false
		}
	case "USER", "LOGNAME":
		if _, ok := sh.world.Env[name]; !ok && sh.world.Home != "" {
			return text(path.Base(sh.world.Home)), false
		}
	case "SHELL", "BASH":
		return text("/bin/bash"), false
	}
	if dir, ok := xdg[name]; ok && sh.world.Env[name] == "" && sh.world.Home != "" {
		return text(sh.world.Home + dir), true
	}
	if v, ok := sh.world.Env[name]; ok {
		return values{{text: clean(v), from: []string{"env:" + name}}}, false
	}
	return anything("env:" + name), true
}

// xdg are folders below the home that programs agree on.
var xdg = map[string]string{"XDG_CACHE_HOME": "/.cache", "XDG_CONFIG_HOME": "/.config", "XDG_DATA_HOME": "/.local/share", "XDG_STATE_HOME": "/.local/state"}

// indirect is ${!x}: the variable that x names.
func (sh *shell) indirect(names values) values {
	var out values
	for _, n := range names {
		if !n.known() {
			return anything()
		}
		vs, unset := sh.lookup(n.text)
		if unset {
			vs = text("").or(vs)
		}
		out = out.or(vs)
	}
	return out
}

// operator is ${x:-y} and its kin.
func (sh *shell) operator(name string, vs values, unset bool, exp *syntax.Expansion) values {
	switch exp.Op {
	case syntax.AlternateUnset, syntax.DefaultUnset, syntax.ErrorUnset, syntax.AssignUnset:
		return sh.fallback(name, vs, vs, unset, exp)
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		full := slices.DeleteFunc(slices.Clone(vs), func(v value) bool { return v.text == "" })
		return sh.fallback(name, vs, full, unset || len(full) < len(vs), exp)
	}
	if unset {
		vs = text("").or(vs)
	}
	arg := sh.one(exp.Word)
	if len(arg) != 1 || !arg[0].known() {
		return anything(vs.sources()...)
	}
	pattern := arg[0].text
	switch exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return vs.eachKnown(func(s string) (string, bool) { return trim(s, pattern, exp.Op), true })
	case syntax.UpperAll:
		return vs.each(strings.ToUpper)
	case syntax.LowerAll:
		return vs.each(strings.ToLower)
	case syntax.UpperFirst:
		return vs.each(func(s string) string { return firstAs(s, strings.ToUpper) })
	case syntax.LowerFirst:
		return vs.each(func(s string) string { return firstAs(s, strings.ToLower) })
	case syntax.OtherParamOps:
		switch pattern {
		case "Q", "E", "P", "A", "U", "u", "L":
			return vs
		}
	}
	return anything(vs.sources()...)
}

// fallback is what ${x-y}, ${x+y}, ${x=y} and ${x?y} give. Kept is what x gives where
// it does not count as missing.
func (sh *shell) fallback(name string, vs, kept values, missing bool, exp *syntax.Expansion) values {
	switch exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		out := sh.one(exp.Word)
		if missing {
			out = text("").or(out)
		}
		return out
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if len(kept) > 0 {
			return kept
		}
		return vs
	}
	if !missing {
		return vs
	}
	out := sh.one(exp.Word).or(kept)
	if exp.Op == syntax.AssignUnset || exp.Op == syntax.AssignUnsetOrNull {
		sh.st.set(name, out)
	}
	return out
}

// firstAs changes the first byte of a text.
func firstAs(s string, change func(string) string) string {
	if s == "" {
		return s
	}
	return change(s[:1]) + s[1:]
}

// trim takes a matching prefix or suffix off a text.
func trim(s, pattern string, op syntax.ParExpOperator) string {
	n := len(s)
	for i := 0; i <= n; i++ {
		k := i
		if op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix {
			k = n - i
		}
		if op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix {
			if matchGlob(pattern, s[:k], true) {
				return s[k:]
			}
		} else if matchGlob(pattern, s[n-k:], true) {
			return s[:n-k]
		}
	}
	return s
}

// number is the value of an expression, if it is known.
func (sh *shell) number(x syntax.ArithmExpr) (int, bool) {
	if x == nil {
		return 0, false
	}
	got := sh.arithmetic(x)
	if len(got) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(got[0].text))
	return n, err == nil
}

func (sh *shell) slice(vs values, s *syntax.Slice) values {
	from, ok := sh.number(s.Offset)
	if !ok {
		return anything(vs.sources()...)
	}
	n, bounded := sh.number(s.Length)
	if s.Length != nil && !bounded {
		return anything(vs.sources()...)
	}
	return vs.eachKnown(func(t string) (string, bool) {
		start := from
		if start < 0 {
			start = max(0, len(t)+start)
		}
		if start > len(t) {
			return "", true
		}
		t = t[start:]
		if s.Length == nil {
			return t, true
		}
		if n < 0 {
			return t[:max(0, len(t)+n)], true
		}
		return t[:min(n, len(t))], true
	})
}

func (sh *shell) replace(vs values, r *syntax.Replace) values {
	orig, with := sh.one(r.Orig), sh.one(r.With)
	if len(orig) != 1 || len(with) != 1 || !orig[0].known() || strings.ContainsAny(orig[0].text, "*?[#%") || orig[0].text == "" {
		return anything(union(vs.sources(), with.sources())...)
	}
	n := 1
	if r.All {
		n = -1
	}
	return vs.each(func(s string) string { return strings.Replace(s, orig[0].text, with[0].text, n) })
}

// arithmetic reads what $(( … )) holds: its expansions run, its value is a number.
func (sh *shell) arithmetic(x syntax.ArithmExpr) values {
	switch x := x.(type) {
	case *syntax.Word:
		vs := sh.one(x)
		if len(vs) == 1 {
			if _, err := strconv.Atoi(vs[0].text); err == nil {
				return vs
			}
		}
	case *syntax.BinaryArithm:
		sh.arithmetic(x.X)
		sh.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		got := sh.arithmetic(x.X)
		if x.Op == syntax.Minus && len(got) == 1 && got[0].known() && !x.Post {
			return text("-" + got[0].text)
		}
	case *syntax.ParenArithm:
		return sh.arithmetic(x.X)
	}
	return someName()
}

// matchGlob matches a text with a shell pattern; slashes matches * with slashes, too.
// It takes no more steps than the product of both lengths.
func matchGlob(pattern, s string, slashes bool) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		if p < len(pattern) {
			switch c := pattern[p]; {
			case c == '*':
				star, mark = p, i
				p++
				continue
			case c == '?' && (slashes || s[i] != '/'):
				p, i = p+1, i+1
				continue
			case c == '[':
				if end, ok := class(pattern[p:], s[i]); end > 0 && (slashes || s[i] != '/') {
					if ok {
						p, i = p+end, i+1
						continue
					}
					break
				} else if s[i] == '[' {
					p, i = p+1, i+1
					continue
				}
			case c == '\\' && p+1 < len(pattern) && pattern[p+1] == s[i]:
				p, i = p+2, i+1
				continue
			case c == s[i] && c != '\\':
				p, i = p+1, i+1
				continue
			}
		}
		if star < 0 || !slashes && s[mark] == '/' {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// class matches one byte with a [class]; end is its length, 0 if it is none.
func class(pattern string, c byte) (end int, ok bool) {
	i, not := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pattern) && (pattern[i] != ']' || first); first = false {
		lo := pattern[i]
		if lo == '[' && strings.HasPrefix(pattern[i:], "[:") {
			if j := strings.Index(pattern[i:], ":]"); j > 0 {
				ok = true // what a named class holds counts as anything
				i += j + 2
				continue
			}
		}
		i++
		hi := lo
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			hi = pattern[i+1]
			i += 2
		}
		if lo <= c && c <= hi {
			ok = true
		}
	}
	if i >= len(pattern) {
		return 0, false
	}
	return i + 1, ok != not
}
