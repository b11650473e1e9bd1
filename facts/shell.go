package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
	parser "github.com/hookway/hookway/internal/shell"
)

// Bounds of one analysis.
const (
	maxText   = 64 << 10 // bytes of one shell text that are parsed
	maxSteps  = 50_000   // nodes and calls that are looked at
	maxNested = 24       // texts inside texts
	maxFacts  = 1024
	maxLoops  = 24 // passes through a loop over known words
	maxDirs   = 4  // folders in which a line may be
)

// shell reads one text and all that it holds and runs.
type shell struct {
	world *World
	st    *state
	src   string
	outer *hook.Span // where all of a nested text stands in the first one
	sure  bool       // there is one reading of what is read at the moment
	by    string
	*shared
}

// shared is what all texts of one call have in common.
type shared struct {
	out    []hook.Fact
	steps  int
	nested int
	full   bool
	files  map[string]values       // what was written where
	sinks  map[string]func(values) // >(…)
	pipes  int
	taints map[string][]string // folders into which an archive or a repository from the network went
	git    map[string]string   // aliases of git that the line sets
}

// state is what a shell knows as it goes along. A subshell has a copy.
type state struct {
	vars       map[string]values
	funcs      map[string]*syntax.Stmt
	aliases    map[string]string
	dirs       []string // where the line is; more than one if that is not sure
	params     values
	paramsOpen bool // there may be more parameters
	elevated   bool
	remote     string
	calls      int // functions inside functions
}

func (st *state) clone() *state {
	c := *st
	c.vars = maps.Clone(st.vars)
	c.funcs = maps.Clone(st.funcs)
	c.aliases = maps.Clone(st.aliases)
	c.dirs = slices.Clone(st.dirs)
	return &c
}

func (st *state) set(name string, vs values) {
	if st.vars == nil {
		st.vars = map[string]values{}
	}
	st.vars[name] = vs.bounded()
}

// merge adds what another branch leaves behind.
func (st *state) merge(other *state) {
	for name, vs := range other.vars {
		if mine, ok := st.vars[name]; ok {
			st.set(name, mine.or(vs))
		} else {
			st.set(name, text("").or(vs))
		}
	}
	for name, f := range other.funcs {
		if st.funcs == nil {
			st.funcs = map[string]*syntax.Stmt{}
		}
		if _, ok := st.funcs[name]; !ok {
			st.funcs[name] = f
		}
	}
	for _, d := range other.dirs {
		if !slices.Contains(st.dirs, d) && len(st.dirs) < maxDirs {
			st.dirs = append(st.dirs, d)
		}
	}
}

// step counts what is looked at; it is false when that is too much.
func (sh *shell) step() bool {
	sh.steps++
	if sh.steps > maxSteps && !sh.full {
		sh.full = true
		sh.unknown(hook.Span{}, "the command is too long to be read to its end")
	}
	return !sh.full
}

// span is where a node stands in the command.
func (sh *shell) span(n syntax.Node) hook.Span {
	if sh.outer != nil {
		return *sh.outer
	}
	if !n.Pos().IsValid() || !n.End().IsValid() {
		return hook.Span{}
	}
	return hook.Span{From: int(n.Pos().Offset()), To: int(n.End().Offset())}
}

// tell adds a fact.
func (sh *shell) tell(f hook.Fact) {
	if len(sh.out) >= maxFacts {
		if !sh.full {
			sh.full = true
			sh.out = append(sh.out, hook.Fact{Does: "unknown", Because: "the command does too much to be told"})
		}
		return
	}
	f.Sure = f.Sure && sh.sure
	if f.By == "" {
		f.By = sh.by
	}
	f.Elevated = f.Elevated || sh.st.elevated
	if f.Remote == "" && f.Does != "git" {
		f.Remote = sh.st.remote
	}
	sh.out = append(sh.out, f)
}

func (sh *shell) unknown(at hook.Span, because string) {
	for _, f := range sh.out {
		if f.Does == "unknown" && f.Because == because && f.At == at {
			return
		}
	}
	sh.tell(hook.Fact{Does: "unknown", At: at, Because: because})
}

// line reads a whole text in the shell's own state and gives what it prints.
func (sh *shell) line(src string, at hook.Span, stdin values) values {
	if strings.TrimSpace(src) == "" {
		return nil
	}
	if sh.nested >= maxNested || len(src) > maxText {
		sh.unknown(at, "the text is too long or lies too deep to be read")
		return anything()
	}
	sh.steps += 40 + len(src)/64 // what it costs to read a text
	file, err := parser.Parse(src)
	if err != nil {
		if file, err = mended(src); err != nil {
			sh.unknown(at, "it cannot be read as a shell line")
		}
	}
	if file == nil {
		return anything()
	}
	sh.nested++
	oldSrc, oldOuter := sh.src, sh.outer
	if sh.outer == nil && sh.nested > 1 {
		sh.outer = &at
	}
	sh.src = src
	out := sh.list(file.Stmts, stdin)
	sh.src, sh.outer = oldSrc, oldOuter
	sh.nested--
	return out
}

// inner reads a text in a shell of its own, with parameters.
func (sh *shell) inner(src string, at hook.Span, stdin, params values, open bool) values {
	old := sh.st
	sh.st = old.clone()
	sh.st.params, sh.st.paramsOpen = params, open
	out := sh.line(src, at, stdin)
	sh.st = old
	return out
}

// unsure runs f for a reading that is one of several.
func (sh *shell) unsure(f func()) {
	old := sh.sure
	sh.sure = false
	f()
	sh.sure = old
}

// output is what a command substitution gives.
func (sh *shell) output(stmts []*syntax.Stmt) values {
	old := sh.st
	sh.st = old.clone()
	out := sh.list(stmts, nil)
	sh.st = old
	if len(out) == 0 {
		return text("")
	}
	return out
}

// list runs statements one after the other and gives what they print together.
func (sh *shell) list(stmts []*syntax.Stmt, stdin values) values {
	var out values
	for _, s := range stmts {
		out = out.join(sh.stmt(s, stdin))
	}
	return out
}

func (sh *shell) stmt(s *syntax.Stmt, stdin values) values {
	if s == nil || !sh.step() {
		return nil
	}
	var sinks []string
	for _, r := range s.Redirs {
		in, to := sh.redirect(r)
		if in != nil {
			stdin = in
		}
		sinks = append(sinks, to...)
	}
	sh.devices(s)
	sh.empties(s)
	out := sh.command(s, stdin)
	if len(sinks) == 0 {
		return out
	}
	for _, to := range sinks {
		sh.store(to, out)
	}
	return nil
}

// empties tells that a file is emptied: by a redirection alone, or of nothing.
func (sh *shell) empties(s *syntax.Stmt) {
	if c, ok := s.Cmd.(*syntax.CallExpr); s.Cmd != nil && (!ok || len(c.Args) != 1 || c.Args[0].Lit() != ":" && c.Args[0].Lit() != "true") {
		return
	}
	for _, r := range s.Redirs {
		if r.Op == syntax.RdrOut || r.Op == syntax.RdrClob {
			for _, fields := range sh.word(r.Word) {
				for _, f := range fields {
					sh.path("delete", f, effect{})
				}
			}
		}
	}
}

// devices tells of redirections to /dev/tcp/HOST/PORT, which bash makes a connection
// of. With a shell at this end they give a shell to whoever is at the other.
func (sh *shell) devices(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		if r.Word == nil || r.Hdoc != nil {
			continue
		}
		for _, fields := range sh.word(r.Word) {
			for _, f := range fields {
				rest, ok := strings.CutPrefix(f.text, "/dev/tcp/")
				if !ok {
					if rest, ok = strings.CutPrefix(f.text, "/dev/udp/"); !ok {
						continue
					}
				}
				host, port, _ := strings.Cut(rest, "/")
				fact := hook.Fact{Does: "connect", Scheme: f.text[len("/dev/"):len("/dev/tcp")], Host: visible(host), Class: hostClass(host), At: sh.span(r), Sure: f.known()}
				fact.Port, _ = strconv.Atoi(port)
				if call, ok := s.Cmd.(*syntax.CallExpr); ok {
					for _, fields := range sh.words(call.Args[:min(len(call.Args), 3)]) {
						for _, w := range fields {
							if name := programName(w.text); isShell(name) || name == "exec" && fact.Class != "loopback" {
								fact.What = "shell"
							}
						}
					}
				}
				sh.tell(fact)
			}
		}
	}
}

// redirect gives what a redirection lets in, and where it lets standard output go.
func (sh *shell) redirect(r *syntax.Redirect) (in values, to []string) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			return text(""), nil
		}
		if quotedWord(r.Word) {
			var b strings.Builder
			for _, p := range r.Hdoc.Parts {
				if lit, ok := p.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
			return text(clean(b.String())), nil
		}
		return sh.one(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: r.Hdoc.Parts}}}), nil
	case syntax.WordHdoc:
		return sh.one(r.Word).join(text("\n")), nil
	case syntax.DplIn:
		return nil, nil
	case syntax.DplOut:
		w := r.Word.Lit()
		if w == "-" || w != "" && strings.Trim(w, "0123456789") == "" {
			return nil, nil
		}
	}
	for _, fields := range sh.word(r.Word) {
		for _, f := range fields {
			switch r.Op {
			case syntax.RdrIn:
				if fd == "" || fd == "0" {
					in = in.or(sh.load(f, sh.span(r)))
				} else {
					sh.path("read", f, effect{})
				}
			case syntax.RdrInOut:
				sh.path("write", f, effect{})
				in = in.or(sh.load(f, sh.span(r)))
			default:
				sh.path("write", f, effect{})
				if fd == "" || fd == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
					to = append(to, sh.places(f.text)...)
				}
			}
		}
	}
	return in, to
}

func quotedWord(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.Contains(p.Value, "\\") {
				return true
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

// command runs what a statement holds.
func (sh *shell) command(s *syntax.Stmt, stdin values) values {
	switch c := s.Cmd.(type) {
	case nil:
		return nil
	case *syntax.CallExpr:
		return sh.simple(c, stdin)
	case *syntax.BinaryCmd:
		return sh.binary(c, stdin)
	case *syntax.Block:
		return sh.list(c.Stmts, stdin)
	case *syntax.Subshell:
		old := sh.st
		sh.st = old.clone()
		out := sh.list(c.Stmts, stdin)
		sh.st = old
		return out
	case *syntax.IfClause:
		return sh.branches(c, stdin)
	case *syntax.WhileClause:
		return sh.while(c, stdin)
	case *syntax.ForClause:
		return sh.loop(c, stdin)
	case *syntax.CaseClause:
		return sh.cases(c, stdin)
	case *syntax.FuncDecl:
		if sh.st.funcs == nil {
			sh.st.funcs = map[string]*syntax.Stmt{}
		}
		if c.Name != nil {
			sh.st.funcs[c.Name.Value] = c.Body
		}
		for _, n := range c.Names {
			sh.st.funcs[n.Value] = c.Body
		}
	case *syntax.DeclClause:
		sh.assign(c.Args)
	case *syntax.TimeClause:
		return sh.stmt(c.Stmt, stdin)
	case *syntax.CoprocClause:
		return sh.stmt(c.Stmt, stdin)
	case *syntax.ArithmCmd:
		sh.arithmetic(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			sh.arithmetic(x)
		}
	case *syntax.TestClause:
		sh.test(c.X)
	default:
		sh.unknown(sh.span(s), "a kind of command that is not read")
	}
	return nil
}

func (sh *shell) binary(c *syntax.BinaryCmd, stdin values) values {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		sh.steps += 8 // for two shells of their own
		old := sh.st
		sh.st = old.clone()
		before := len(sh.out)
		mid := sh.stmt(c.X, stdin)
		if hidesValues(c.Y) {
			for i := before; i < len(sh.out); i++ {
				if f := &sh.out[i]; f.Does == "read" && (f.Path == "env:*" || f.Secret == "environment") {
					f.Dry = true
				}
			}
		}
		sh.st = old.clone()
		if mid == nil {
			mid = text("")
		}
		out := sh.stmt(c.Y, mid)
		sh.st = old
		return out
	case syntax.OrStmt: // the second runs only if the first failed: both ways go on
		out := sh.stmt(c.X, stdin)
		before := sh.st.clone()
		more := sh.stmt(c.Y, stdin)
		if leaves(c.Y) {
			sh.st = before
			return out
		}
		sh.st.merge(before)
		return out.or(out.join(more))
	}
	return sh.stmt(c.X, stdin).join(sh.stmt(c.Y, stdin))
}

// leaves reports whether a statement ends the line: exit, return, break, continue.
func leaves(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			switch c.Args[0].Lit() {
			case "exit", "return", "break", "continue":
				return true
			}
		}
	case *syntax.Block:
		return len(c.Stmts) > 0 && leaves(c.Stmts[len(c.Stmts)-1])
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && leaves(c.Y)
	}
	return false
}

func (sh *shell) branches(c *syntax.IfClause, stdin values) values {
	out := sh.list(c.Cond, stdin)
	before := sh.st.clone()
	then := sh.list(c.Then, stdin)
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
		sh.unknown(sh.span(c), "a loop runs over too many words")
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

// assign sets the variables of assignments.
func (sh *shell) assign(list []*syntax.Assign) {
	for _, as := range list {
		if as.Name == nil {
			if as.Value != nil {
				sh.one(as.Value)
			}
			continue
		}
		if w, ok := as.Index.(*syntax.Word); ok {
			sh.one(w)
		}
		if as.Naked {
			continue
		}
		sh.st.set(as.Name.Value, sh.assigned(as))
	}
}

// assigned is the value of an assignment; of an array the words joined by blanks.
func (sh *shell) assigned(as *syntax.Assign) values {
	var vs values
	if as.Array != nil {
		vs = text("")
		for i, e := range as.Array.Elems {
			if i > 0 {
				vs = vs.join(text(" "))
			}
			vs = vs.join(sh.one(e.Value))
		}
	} else {
		vs = sh.one(as.Value)
	}
	if as.Append {
		old, unset := sh.lookup(as.Name.Value)
		if unset {
			old = text("").or(old)
		}
		vs = old.join(vs)
	}
	return vs
}

// process is <( … ) and >( … ): a file of which the other end is a command.
func (sh *shell) process(p *syntax.ProcSubst) values {
	sh.pipes++
	name := "/dev/fd/" + string(rune('a'+sh.pipes%26)) + strings.Repeat("0", sh.pipes/26)
	if p.Op == syntax.CmdIn || p.Op == syntax.CmdInTemp {
		sh.files[name] = sh.output(p.Stmts)
		return text(name)
	}
	st := sh.st.clone()
	sh.output(p.Stmts)
	sh.sinks[name] = func(in values) {
		old := sh.st
		sh.st = st.clone()
		sh.list(p.Stmts, in)
		sh.st = old
	}
	return text(name)
}
