package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// place is where a line is, as far as that is certain. What is told of a folder only
// narrows what may be meant: where nothing is certain, names start from each folder
// that the text goes to.
type place struct {
	now   []string // one folder, or none if it is not certain
	moves int      // how often it went anywhere
	later int      // above 0 in what runs at another time than where it stands
	roams bool     // a function goes somewhere, at each time that it is called
}

func (p place) known() bool { return len(p.now) > 0 && p.later == 0 && !p.roams }

// moved notes that the line goes somewhere.
func (a *analysis) moved() {
	a.place.now = nil
	a.place.moves++
}

// later reads what runs at another time than where it stands.
func (a *analysis) later(read func()) {
	a.place.later++
	read()
	a.place.later--
}

// child reads what another process runs, which does not take this one along.
func (a *analysis) child(read func()) {
	now, moves := a.place.now, a.place.moves
	read()
	a.place.now, a.place.moves = now, moves
}

// opened is what is to be undone when a node has been walked.
type opened struct {
	node  syntax.Node
	now   []string
	moves int
	goes  bool
}

// enter begins a node.
func (w *walker) enter(n syntax.Node) opened {
	if takes(n) {
		w.a.taken++
	}
	passes := w.a.passesOn(n)
	if passes {
		w.a.goes++
	}
	switch n.(type) {
	case *syntax.FuncDecl:
		w.a.place.later++
	case *syntax.ForClause, *syntax.WhileClause:
		w.a.loops++
	}
	return opened{n, w.a.place.now, w.a.place.moves, passes}
}

// leave ends it.
func (w *walker) leave(o opened) {
	if takes(o.node) {
		w.a.taken--
	}
	if o.goes {
		w.a.goes--
	}
	switch n := o.node.(type) {
	case *syntax.FuncDecl:
		w.a.place.later--
		w.a.place.roams = w.a.place.roams || w.a.place.moves != o.moves
	case *syntax.ForClause, *syntax.WhileClause:
		w.a.loops--
	case *syntax.CmdSubst:
		if isPair(n.Stmts) { // $(cd X && pwd)
			w.a.place.now, w.a.place.moves = o.now, o.moves
		}
	}
}

// isPair reports whether statements are A && B of simple commands.
func isPair(stmts []*syntax.Stmt) bool {
	if len(stmts) != 1 {
		return false
	}
	pair, ok := stmts[0].Cmd.(*syntax.BinaryCmd)
	if !ok {
		return false
	}
	_, left := pair.X.Cmd.(*syntax.CallExpr)
	_, right := pair.Y.Cmd.(*syntax.CallExpr)
	return left && right
}

// list walks the statements of a text one after the other.
func (w *walker) list(f *syntax.File) {
	for _, s := range f.Stmts {
		w.next(s)
	}
}

// next walks a statement, and knows where the one after it is if this one goes there.
func (w *walker) next(s *syntax.Stmt) {
	p := &w.a.place
	if both, ok := s.Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt && alone(s) && w.depth < maxDepth {
		w.depth++
		w.open = append(w.open, opened{node: s, now: p.now, moves: p.moves})
		w.next(both.X)
		moves := p.moves
		if w.next(both.Y); p.moves != moves { // only if the left side let it
			p.now = nil
		}
		w.depth--
		w.open = w.open[:w.depth]
		return
	}
	to, moves, certain := w.goes(s), p.moves, p.known()
	w.walk(s)
	switch {
	case to != "":
		p.now = []string{to}
	case p.moves != moves && certain: // in a loop, what stands before it may run after it
		p.now = nil
		w.walk(s)
	}
}

func alone(s *syntax.Stmt) bool { return !s.Negated && !s.Background && !s.Coprocess }

// goes gives the folder to which a cd goes for certain, or "".
func (w *walker) goes(s *syntax.Stmt) string {
	if !w.a.Narrow || w.a.List == nil || !alone(s) || w.a.functions["cd"] {
		return ""
	}
	if or, ok := s.Cmd.(*syntax.BinaryCmd); ok && or.Op == syntax.OrStmt {
		return w.goes(or.X)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 || call.Args[0].Lit() != "cd" {
		return ""
	}
	words := call.Args[1:]
	for len(words) > 1 && slices.Contains([]string{"-P", "-L", "--"}, words[0].Lit()) {
		words = words[1:]
	}
	vals, known := w.a.word(words[0])
	if !known || len(words) != 1 || len(vals) == 0 || w.a.Env["CDPATH"] != "" || len(w.a.vars["CDPATH"]) > 0 {
		return ""
	}
	to := ""
	for _, v := range vals {
		froms := w.a.from(v.text)
		if v.glob || v.text == "" || strings.HasPrefix(v.text, "-") || len(froms) != 1 {
			return ""
		}
		full := Under(froms[0], v.text)
		if real, err := filepath.EvalSymlinks(full); err == nil {
			full = real
		}
		if to != "" && to != full {
			return ""
		}
		to = full
	}
	if _, err := w.a.List(to); err != nil {
		return ""
	}
	return to
}
