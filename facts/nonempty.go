package facts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// testedBy gives the variable of a test that holds only if it says something: [ -n "$X" ],
// [[ -d $X ]]. With empty it is that of one that holds only if it says nothing: [ -z "$X" ].
func testedBy(s *syntax.Stmt, empty bool) string {
	if s == nil || s.Negated {
		return ""
	}
	var words []*syntax.Word
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) < 2 || c.Args[0].Lit() != "[" && c.Args[0].Lit() != "test" {
			return ""
		}
		words = c.Args[1:]
		if words[len(words)-1].Lit() == "]" {
			words = words[:len(words)-1]
		}
	case *syntax.TestClause:
		if u, ok := c.X.(*syntax.UnaryTest); ok {
			if w, isWord := u.X.(*syntax.Word); isWord && asksForText(u.Op.String(), empty) {
				return variableIn(w)
			}
		}
		return ""
	default:
		return ""
	}
	switch {
	case len(words) == 2 && asksForText(words[0].Lit(), empty):
		return variableIn(words[1])
	case len(words) == 1 && !empty:
		return variableIn(words[0])
	}
	return ""
}

func asksForText(op string, empty bool) bool {
	if empty {
		return op == "-z"
	}
	return len(op) == 2 && strings.Contains("ndefrwxs", op[1:])
}

// variableIn is the variable of which a word is made, alone or between quotes.
func variableIn(w *syntax.Word) string {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return ""
	}
	if p, ok := parts[0].(*syntax.ParamExp); ok && p.Param != nil && p.Exp == nil && p.Index == nil && p.Slice == nil {
		return p.Param.Value
	}
	return ""
}

// says runs f where a variable is known to say something, whatever that is.
func (sh *shell) says(name string, f func()) {
	if _, unset := sh.lookup(name); name == "" || !unset {
		f()
		return
	}
	sh.st.set(name, anything("env:"+name))
	f()
	if vs := sh.st.vars[name]; len(vs) == 1 && vs[0].text == string(hole) {
		delete(sh.st.vars, name)
	}
}

// saysFrom notes that a variable says something from here on: the line would have ended.
func (sh *shell) saysFrom(name string) {
	if _, unset := sh.lookup(name); name != "" && unset {
		sh.st.set(name, anything("env:"+name))
	}
}

// endsUnless gives the variable without which a statement ends the line:
// [ -z "$X" ] && exit, [ -n "$X" ] || exit, if [ -z "$X" ]; then exit; fi.
func endsUnless(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt) && leaves(c.Y) {
			return testedBy(c.X, c.Op == syntax.AndStmt)
		}
	case *syntax.IfClause:
		if n := len(c.Then); len(c.Cond) == 1 && n > 0 && leaves(c.Then[n-1]) && c.Else == nil {
			return testedBy(c.Cond[0], true)
		}
	}
	return ""
}
