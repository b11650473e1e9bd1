package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text reads a line or a script. What cannot be read is searched for names.
func (a *analysis) text(text, word string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if a.texts++; a.texts > 16*maxTexts || a.nested > maxNested {
		a.unknown(word, "it holds too many lines to be read")
		return
	}
	p := a.parsed[text]
	if p == nil {
		if len(a.parsed) > maxTexts {
			a.unknown(word, "it holds too many lines to be read")
			return
		}
		p = parse(text)
		a.parsed[text] = p
	}
	if p.err != nil {
		a.unknown(orText(word, text), "it cannot be read as a shell line: "+p.err.Error())
		a.pieces(text, text)
		return
	}
	a.nested++
	w := newWalker(a, p.src)
	w.list(p.file)
	a.nested--
}

func orText(word, text string) string {
	if word == "" {
		return text
	}
	return word
}

// code is a text that some program runs as a line.
func (a *analysis) code(text string) { a.text(text, "") }

// expansions reads what a text holds between $( ) and backquotes, which some
// programs expand where the shell does not.
func (a *analysis) expansions(text string) {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") && !strings.Contains(text, "${") || a.nested > maxNested {
		return
	}
	if a.texts++; a.texts > 16*maxTexts {
		a.unknown(text, "it holds too many lines to be read")
		return
	}
	word, err := document(text)
	if err != nil || word == nil {
		a.pieces(text, text)
		return
	}
	a.nested++
	a.guess++
	w := newWalker(a, text)
	w.walk(word)
	a.guess--
	a.nested--
}

// walker goes through one tree.
type walker struct {
	a     *analysis
	src   string
	stdin map[*syntax.Stmt]*syntax.Stmt // what is piped into a command
	depth int
	// toData are the redirections of programs that only handle data.
	toData map[*syntax.Redirect]bool
	open   []opened // by depth
}

func newWalker(a *analysis, src string) *walker {
	return &walker{a: a, src: src, stdin: map[*syntax.Stmt]*syntax.Stmt{}, toData: map[*syntax.Redirect]bool{}}
}

// walk visits a node and all below it, whatever they are: a substitution can stand
// in each word.
func (w *walker) walk(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			w.depth--
			w.leave(w.open[w.depth])
			w.open = w.open[:w.depth]
			return true
		}
		if !w.a.step() {
			return false
		}
		if w.depth >= maxDepth {
			w.a.unknown(w.text(n), "it nests too deeply to be read")
			return false
		}
		w.depth++
		w.open = append(w.open, w.enter(n))
		w.node(n)
		return true
	})
}

// takes reports whether what is printed in a node goes to a command, and not to the
// terminal.
func takes(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	case *syntax.BinaryCmd:
		return n.Op == syntax.Pipe || n.Op == syntax.PipeAll
	}
	return false
}

// text is a node as it is written.
func (w *walker) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from >= to {
		return ""
	}
	return w.src[from:to]
}

func (w *walker) node(n syntax.Node) {
	a := w.a
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			w.stdin[n.Y] = n.X
		}
	case *syntax.Stmt:
		w.statement(n)
	case *syntax.DeclClause:
		w.declare(n)
	case *syntax.FuncDecl:
		if n.Name != nil {
			a.functions[n.Name.Value] = true
		}
	case *syntax.ForClause:
		w.loop(n)
	case *syntax.Redirect:
		w.redirect(n)
	case *syntax.ExtGlob:
		a.expansions(n.Pattern.Value)
	case *syntax.SglQuoted:
		a.expansions(n.Value)
	case *syntax.ParamExp:
		w.expansion(n)
	case *syntax.BinaryArithm: // x = 1
		if word, ok := n.X.(*syntax.Word); ok && strings.HasSuffix(n.Op.String(), "=") && word.Lit() != "" {
			a.touch(word.Lit())
		}
	}
}

// expansion looks at expansions that run what the variable holds.
func (w *walker) expansion(n *syntax.ParamExp) {
	if n.Param == nil || n.Exp == nil || n.Exp.Op != syntax.OtherParamOps || n.Exp.Word == nil || n.Exp.Word.Lit() != "P" {
		return
	}
	vals, known := w.a.variable(n.Param.Value)
	if !known {
		w.a.unknown(w.text(n), "what it runs is not in the text")
	}
	for _, v := range vals {
		w.a.expansions(v.text)
	}
}

// statement looks at a simple command, with what it is given to read.
func (w *walker) statement(s *syntax.Stmt) {
	if w.a.dataCall(s) {
		for _, r := range s.Redirs {
			w.toData[r] = true
		}
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	for _, one := range call.Assigns {
		w.assign(one)
	}
	if len(call.Args) == 0 {
		return
	}
	in, outer := w.input(s), w.a.input
	for _, args := range w.alternatives(call.Args) {
		w.a.input = &in
		w.a.call(args)
	}
	w.a.input = outer
}

func (w *walker) assign(one *syntax.Assign) {
	if one.Name == nil {
		return
	}
	w.a.assignment(one, w.text(one))
}

// alternatives are the lists of arguments that the words of a command may expand to.
func (w *walker) alternatives(words []*syntax.Word) [][]arg {
	all := [][]arg{nil}
	for _, word := range words {
		if w.a.steps += 8; !w.a.step() {
			return nil
		}
		lists := w.fields(word)
		if len(lists)*len(all) > maxValues {
			w.a.unknown(w.text(word), "it expands to too many things")
			lists = lists[:1]
		}
		if len(lists) == 1 {
			for i := range all {
				all[i] = append(all[i], lists[0]...)
			}
			continue
		}
		var next [][]arg
		for _, fields := range lists {
			for _, before := range all {
				next = append(next, append(slices.Clone(before), fields...))
			}
		}
		all = next
	}
	return all
}

// fields are the lists of arguments that one word may expand to.
func (w *walker) fields(word *syntax.Word) [][]arg {
	src := w.text(word)
	if isParams(word) {
		return w.a.paramLists(src)
	}
	var out [][]arg
	for _, one := range braces(word) {
		vals, known := w.a.word(one)
		if len(vals) == 0 {
			vals = []value{{}}
		}
		for _, v := range vals {
			made := bare(one)
			switch {
			case made && strings.ContainsAny(v.text, " \t\n"):
				var fields []arg
				for _, f := range strings.Fields(v.text) {
					fields = append(fields, arg{value: value{text: f, glob: v.glob}, known: known, src: src})
				}
				out = append(out, fields)
			case made && v.text == "" && known:
				out = append(out, nil)
			default:
				g := arg{value: v, known: known, src: src}
				if !known && len(vals) == 1 {
					g.rest = w.rest(one)
				}
				out = append(out, []arg{g})
			}
		}
	}
	if len(out) > 1 && len(braces(word)) > 1 { // {a,b} are two words
		var all []arg
		for _, fields := range out {
			all = append(all, fields...)
		}
		return [][]arg{all}
	}
	return out
}

// bare reports whether a word is one expansion outside of quotes, which may become
// several words or none.
func bare(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	switch word.Parts[0].(type) {
	case *syntax.ParamExp, *syntax.CmdSubst:
		return true
	}
	return false
}

// isParams reports whether a word is "$@", or $*.
func isParams(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	part := word.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	exp, ok := part.(*syntax.ParamExp)
	return ok && exp.Param != nil && exp.Exp == nil && exp.Slice == nil && (exp.Param.Value == "@" || exp.Param.Value == "*")
}

// rest is what a word has after an expansion that is not known: the path from some
// folder, as in "$(git rev-parse --show-toplevel)/guard.sh".
func (w *walker) rest(word *syntax.Word) string {
	parts := word.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	rest := ""
	for _, p := range parts {
		vals, known := w.a.part(p, true, false)
		if !known || len(vals) != 1 {
			rest = ""
			continue
		}
		rest += vals[0].text
	}
	return rest
}

// braces expands {a,b}, as long as that gives few words.
func braces(word *syntax.Word) []*syntax.Word {
	open := 0
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	unknown := []*syntax.Word{{Parts: []syntax.WordPart{&syntax.ArithmExp{}}}}
	switch {
	case open == 0:
		return []*syntax.Word{word}
	case open > maxBraces:
		return unknown
	}
	split := *word
	split.Parts = slices.Clone(word.Parts)
	syntax.SplitBraces(&split)
	out := []*syntax.Word{{}}
	for _, p := range split.Parts {
		exp, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range out {
				out[i].Parts = append(slices.Clone(out[i].Parts), p)
			}
			continue
		}
		if exp.Sequence || len(exp.Elems)*len(out) > maxValues {
			return unknown
		}
		var next []*syntax.Word
		for _, before := range out {
			for _, e := range exp.Elems {
				for _, inner := range braces(e) {
					next = append(next, &syntax.Word{Parts: append(slices.Clone(before.Parts), inner.Parts...)})
				}
			}
		}
		if out = next; len(out) > maxValues {
			return unknown
		}
	}
	return out
}

// declare looks at declare, export, local, readonly and typeset.
func (w *walker) declare(n *syntax.DeclClause) {
	ref := false
	for _, one := range n.Args {
		if one.Name == nil {
			flag := ""
			if one.Value != nil {
				flag = one.Value.Lit()
			}
			ref = ref || strings.HasPrefix(flag, "-") && strings.Contains(flag, "n")
			continue
		}
		if ref || n.Variant.Value == "nameref" {
			vals, _ := w.a.word(one.Value)
			for _, v := range vals {
				if v.text != "" && v.text != one.Name.Value {
					w.a.alias[one.Name.Value] = v.text
				}
			}
			continue
		}
		w.assign(one)
	}
}

// loop gives the variable of a loop its values.
func (w *walker) loop(n *syntax.ForClause) {
	iter, ok := n.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	if !iter.InPos.IsValid() {
		vals, known := w.a.allParams()
		w.a.assign(iter.Name.Value, vals, known)
		return
	}
	w.a.touch(iter.Name.Value)
	for _, word := range iter.Items {
		for _, fields := range w.fields(word) {
			for _, f := range fields {
				w.a.assign(iter.Name.Value, []value{f.value}, f.known)
				w.a.reads(f)
			}
		}
	}
}

// input is what a command reads.
type input struct {
	piped bool  // from another command
	files []arg // <file
	lines []string
	known bool // lines are all that there is
}

// redirect notes the files of redirections.
func (w *walker) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return // what is in them is walked
	case syntax.DplIn, syntax.DplOut:
		if lit := r.Word.Lit(); lit == "-" || strings.Trim(lit, "0123456789-") == "" {
			return
		}
	}
	if w.toData[r] {
		w.a.data++
		defer func() { w.a.data-- }()
	}
	for _, fields := range w.fields(r.Word) {
		for _, f := range fields {
			if r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut || r.Op == syntax.DplIn {
				w.a.reads(f)
			} else {
				w.a.writes(f)
			}
		}
	}
}

// input gathers what a command reads.
func (w *walker) input(s *syntax.Stmt) input {
	in := input{}
	if left := w.stdin[s]; left != nil {
		in.piped = true
		in.files, in.lines, in.known = w.printed(left)
	}
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			vals, known := w.a.word(r.Hdoc)
			in = input{piped: true, known: known}
			for _, v := range vals {
				in.lines = append(in.lines, v.text)
			}
			if !known && r.Hdoc != nil { // as it stands, but for what expands
				in.lines, in.known = append(in.lines, w.text(r.Hdoc)), true
			}
		case syntax.WordHdoc:
			vals, known := w.a.word(r.Word)
			in = input{piped: true, known: known}
			for _, v := range vals {
				in.lines = append(in.lines, v.text)
			}
		case syntax.RdrIn, syntax.RdrInOut:
			if r.N != nil && r.N.Value != "0" {
				continue
			}
			in = input{piped: true, known: true}
			for _, fields := range w.fields(r.Word) {
				in.files = append(in.files, fields...)
			}
		}
	}
	return in
}

// printed is what a command before a pipe prints, if it only passes something on.
func (w *walker) printed(s *syntax.Stmt) (files []arg, lines []string, known bool) {
	if pipe, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		s = pipe.Y
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 {
		return nil, nil, false
	}
	switch call.Args[0].Lit() {
	case "echo", "printf":
		vals, known := w.a.printed(call.Args)
		for _, v := range vals {
			lines = append(lines, v.text)
		}
		return nil, lines, known
	case "cat":
		known = true
		for _, word := range call.Args[1:] {
			for _, fields := range w.fields(word) {
				for _, f := range fields {
					files, known = append(files, f), known && f.known
				}
			}
		}
		return files, nil, known
	}
	return nil, nil, false
}
