package facts

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (sh *shell) branches(c *syntax.IfClause, stdin values) values {
	out := sh.list(c.Cond, stdin)
	before := sh.st.clone()
	var then values
	tested := ""
	if len(c.Cond) == 1 {
		tested = testedBy(c.Cond[0], false)
	}
	sh.says(tested, func() { then = sh.list(c.Then, stdin) })
	after := sh.st
	sh.st = before
	var otherwise values
	if c.Else != nil {
		if len(c.Else.Cond) > 0 {
			otherwise = sh.branches(c.Else, stdin)
		} else {
			otherwise = sh.list(c.Else.Then, stdin)
		}
	}
	sh.st.merge(after)
	if len(then) == 0 && len(otherwise) == 0 {
		return out
	}
	if len(then) == 0 {
		then = text("")
	}
	if len(otherwise) == 0 {
		otherwise = text("")
	}
	return out.join(then.or(otherwise))
}

func (sh *shell) while(c *syntax.WhileClause, stdin values) values {
	var out values
	for range 2 { // what the first pass sets, the second sees
		before := sh.st.clone()
		sh.list(c.Cond, stdin)
		out = sh.list(c.Do, nil)
		sh.st.merge(before)
	}
	if len(out) == 0 {
		return nil
	}
	return anything(out.sources()...)
}

func (sh *shell) loop(c *syntax.ForClause, stdin values) values {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if l, ok := c.Loop.(*syntax.CStyleLoop); ok {
			for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
				sh.arithmetic(x)
			}
			if w, ok := firstWord(l.Init); ok {
				sh.st.set(w, someName())
			}
		}
		before := sh.st.clone()
		out := sh.list(c.Do, stdin)
		sh.st.merge(before)
		if len(out) == 0 {
			return nil
		}
		return anything(out.sources()...)
	}
	var words values
	if !iter.InPos.IsValid() {
		words = sh.st.params
		if sh.st.paramsOpen {
			words = append(slices.Clip(words), anything()...)
		}
	} else {
		readings := sh.words(iter.Items)
		for _, fields := range readings {
			for _, f := range fields {
				words = append(words, sh.matches(f)...)
			}
		}
	}
	if len(words) > maxLoops {
		rest := words[maxLoops-1:]
		words = append(words[:maxLoops-1:maxLoops-1], value{string(hole), rest.sources()})
		sh.unread(sh.span(c), "a loop runs over too many words")
	}
	var out values
	for _, w := range words {
		sh.st.set(iter.Name.Value, values{w})
		out = out.join(sh.list(c.Do, stdin))
		if sh.full {
			break
		}
	}
	return out
}

func firstWord(x syntax.ArithmExpr) (string, bool) {
	b, ok := x.(*syntax.BinaryArithm)
	if !ok {
		return "", false
	}
	w, ok := b.X.(*syntax.Word)
	if !ok {
		return "", false
	}
	return w.Lit(), w.Lit() != ""
}

// matches is what a word of a loop becomes: the files that it matches, where the
// folder can be read, and else a name of which only the pattern is known.
func (sh *shell) matches(f field) values {
	if !f.glob {
		return values{f.value}
	}
	if names, ok := sh.expand(f); ok {
		var vs values
		for _, n := range names {
			vs = append(vs, value{n, f.from})
		}
		return vs
	}
	return values{{strings.NewReplacer("**", string(word), "*", string(word), "?", string(word)).Replace(f.text), f.from}}
}

func (sh *shell) cases(c *syntax.CaseClause, stdin values) values {
	sh.one(c.Word)
	before := sh.st.clone()
	var out values
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			sh.one(p)
		}
		after := sh.st
		sh.st = before.clone()
		got := sh.list(item.Stmts, stdin)
		if len(got) == 0 {
			got = text("")
		}
		out = out.or(got)
		sh.st.merge(after)
	}
	return out
}

func (sh *shell) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		sh.one(x)
	case *syntax.UnaryTest:
		sh.test(x.X)
	case *syntax.BinaryTest:
		sh.test(x.X)
		sh.test(x.Y)
	case *syntax.ParenTest:
		sh.test(x.X)
	}
}
