package facts

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
	parser "github.com/hookway/hookway/internal/shell"
)

// Bounds of one analysis.
const (
	maxText     = 64 << 10           // bytes of one shell text that are parsed
	maxOpen     = 2*maxText + 16<<10 // bytes of texts inside each other, whose trees are held
	maxTold     = 512 << 10          // bytes of what is told
	maxSteps    = 50_000             // nodes and calls that are looked at
	maxNested   = 24                 // texts inside texts
	maxFacts    = 1024
	maxBrackets = 64 // of PowerShell, inside each other
	maxLoops    = 24 // passes through a loop over known words
	maxDirs     = 4  // folders in which a line may be
)

// shell reads one text and all that it holds and runs.
type shell struct {
	world *World
	st    *state
	src   string     // the text
	outer *hook.Span // where all of a nested text stands in the first one
	sure  bool       // there is one reading of what is read at the moment
	by    string
	*shared
}

// shared is what all texts of one call have in common.
type shared struct {
	out       []hook.Fact
	steps     int
	nested    int
	open      int // bytes of the texts that are being read
	told      int // bytes
	full      bool
	brackets  int                     // of PowerShell, inside each other
	files     map[string]values       // what was written where
	sinks     map[string]func(values) // >(…)
	pipes     int
	taken     int                   // how many take in what is printed: pipes, files, substitutions
	taints    map[string][]string   // folders into which an archive or a repository from the network went
	git       map[string]string     // aliases of git that the line sets
	remotes   map[string][]string   // of git, that the line sets
	repointed bool                  // the line made a reference of git another name
	ssh       map[string]*sshConfig // by the file that is named for it
	onwards   []int                 // facts of connections that lead no further
	traps     []func()              // what runs as the line ends
	proxies   int                   // programs that ssh runs to reach a machine, inside each other
	loaded    bool                  // the line loads a text that is not known, which may set variables
	built     map[string]string     // what a compiler made, and the language it was written in
	asText    bool                  // a text is read that a program was only given
}

// state is what a shell knows as it goes along. A subshell has a copy.
type state struct {
	vars       map[string]values
	lists      map[string][]piece // the words of arrays
	funcs      map[string]*syntax.Stmt
	aliases    map[string]string
	dirs       []string // where the line is; more than one if that is not sure
	params     values
	paramsOpen bool // there may be more parameters
	elevated   bool
	remote     string
	calls      int               // functions inside functions
	refs       map[string]string // variables that are other names for variables
	binds      []bind            // where the container in which the line runs has folders of this machine
}

func (st *state) clone() *state {
	c := *st
	c.vars = maps.Clone(st.vars)
	c.lists = maps.Clone(st.lists)
	c.funcs = maps.Clone(st.funcs)
	c.aliases = maps.Clone(st.aliases)
	c.refs = maps.Clone(st.refs)
	c.dirs = slices.Clone(st.dirs)
	return &c
}

func (st *state) set(name string, vs values) {
	name = st.named(name)
	if st.vars == nil {
		st.vars = map[string]values{}
	}
	st.vars[name] = vs.bounded()
	delete(st.lists, name)
}

// named is the variable that a name stands for: itself, but for declare -n.
func (st *state) named(name string) string {
	for range maxCalls {
		to, ok := st.refs[name]
		if !ok {
			break
		}
		name = to
	}
	return name
}

// merge adds what another branch leaves behind.
func (st *state) merge(other *state) {
	lists := st.lists
	st.lists = nil // they are compared, and not set
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
	st.lists = lists
	st.mergeLists(other)
}

// step counts what is looked at; it is false when that is too much.
func (sh *shell) step() bool {
	sh.steps++
	if sh.steps > maxSteps && !sh.full {
		sh.full = true
		sh.unread(hook.Span{}, "the command is too long to be read to its end")
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
	if sh.told += size(&f); len(sh.out) >= maxFacts || sh.told > maxTold {
		if !sh.full {
			sh.full = true
			sh.out = append(sh.out, hook.Fact{Does: "unknown", Many: true, Because: "the command does too much to be told"})
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

// size is about how many bytes a fact takes: a path, or words of a program, may be long.
func size(f *hook.Fact) int {
	n := len(f.Path) + len(f.Real) + len(f.Link) + len(f.Inside) + len(f.Object) + len(f.Remote) + len(f.Host) + len(f.Ref) + len(f.Name) + len(f.Because)
	for _, list := range [][]string{f.Args, f.Sends, f.Receives} {
		for _, s := range list {
			n += len(s)
		}
	}
	return n
}

func (sh *shell) unknown(at hook.Span, because string) {
	for _, f := range sh.out {
		if f.Does == "unknown" && f.Because == because && f.At == at {
			return
		}
	}
	sh.tell(hook.Fact{Does: "unknown", At: at, Because: because})
}

// unread tells that there is more of the call than was looked at.
func (sh *shell) unread(at hook.Span, because string) {
	for _, f := range sh.out {
		if f.Does == "unknown" && f.Many && f.Because == because && f.At == at {
			return
		}
	}
	sh.tell(hook.Fact{Does: "unknown", Many: true, At: at, Because: because})
}

// line reads a whole text in the shell's own state and gives what it prints.
func (sh *shell) line(src string, at hook.Span, stdin values) values {
	if strings.TrimSpace(src) == "" {
		return nil
	}
	if sh.nested >= maxNested || len(src) > maxText || sh.open+len(src) > maxOpen {
		sh.unread(at, "the text is too long or lies too deep to be read")
		return anything()
	}
	if sh.steps += 40 + len(src)/64; !sh.step() { // what it costs to read a text
		return anything()
	}
	sh.open += len(src)
	defer func() { sh.open -= len(src) }()
	file, err := parser.Parse(src)
	if err != nil {
		file, err = substituted(src, err)
	}
	if err != nil && !unquoted(src) {
		sh.unread(at, "it cannot be read as a shell line")
	}
	sh.nested++
	oldOuter, oldText := sh.outer, sh.src
	sh.src = src
	if sh.outer == nil && sh.nested > 1 {
		sh.outer = &at
	}
	var out values
	if err == nil {
		out = sh.list(file.Stmts, stdin)
	} else {
		out = sh.broken(src, at, stdin)
	}
	if sh.nested == 1 {
		sh.trapped()
	}
	sh.outer, sh.src = oldOuter, oldText
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
	out := sh.takes(func() values { return sh.list(stmts, nil) })
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
		sh.saysFrom(endsUnless(s))
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
	if len(sinks) == 0 {
		return sh.command(s, stdin)
	}
	out := sh.takes(func() values { return sh.command(s, stdin) })
	sh.emptiedBy(s, out)
	for _, to := range sinks {
		sh.store(to, out)
	}
	return nil
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
		sh.references(c)
		if sh.printsAll(c) {
			return sh.environment(sh.span(c))
		}
	case *syntax.TimeClause:
		return sh.stmt(c.Stmt, stdin)
	case *syntax.CoprocClause:
		return sh.stmt(c.Stmt, stdin)
	case *syntax.ArithmCmd:
		sh.sum(c)
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
		mid := sh.takes(func() values { return sh.stmt(c.X, stdin) })
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
	out := sh.stmt(c.X, stdin)
	sh.says(testedBy(c.X, false), func() { out = out.join(sh.stmt(c.Y, stdin)) })
	return out
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
		vs, lists := sh.assigned(as), sh.st.lists
		if as.Array != nil || as.Index != nil {
			lists = maps.Clone(lists)
		}
		sh.st.set(as.Name.Value, vs)
		if as.Array != nil || as.Index != nil {
			sh.st.lists = lists
			sh.keepList(as)
		}
	}
}

// references notes the other names of declare -n: what they were set to is a name.
func (sh *shell) references(c *syntax.DeclClause) {
	other := false
	for _, as := range c.Args {
		if as.Name == nil && as.Value != nil {
			flags := as.Value.Lit()
			other = other || strings.HasPrefix(flags, "-") && strings.Contains(flags, "n")
			continue
		}
		if !other || as.Name == nil || as.Value == nil {
			continue
		}
		if vs := sh.st.vars[as.Name.Value]; len(vs) == 1 && vs[0].known() && len(sh.st.refs) < maxFields {
			if sh.st.refs == nil {
				sh.st.refs = map[string]string{}
			}
			delete(sh.st.vars, as.Name.Value)
			sh.st.refs[as.Name.Value] = vs[0].text
		}
	}
}

// elementsAsOne are the words of an array, joined by blanks; of very many the first ones.
func (sh *shell) elementsAsOne(list []*syntax.ArrayElem) values {
	all := text("")
	for i, e := range list {
		if !sh.step() {
			break
		}
		vs := sh.one(e.Value) // it may hold commands
		switch {
		case i > maxFields:
		case i == maxFields:
			all = all.join(anything())
		case i > 0:
			all = all.join(text(" ")).join(vs)
		default:
			all = vs
		}
	}
	return all
}

// assigned is the value of an assignment; of an array the words joined by blanks.
func (sh *shell) assigned(as *syntax.Assign) values {
	var vs values
	if as.Array != nil {
		vs = sh.elementsAsOne(as.Array.Elems)
	} else {
		vs = sh.one(as.Value)
	}
	if as.Append {
		old, unset := sh.lookup(as.Name.Value)
		if unset {
			old = text("").or(old)
		}
		if as.Array != nil {
			old = old.join(text(" "))
		}
		vs = old.join(vs)
	}
	return vs
}
