package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Beside says what a line does besides one command of plain words: what else decides
// its exit code, where its output goes, and whether anybody waits for it. It is empty
// for a line that is that command alone.
func Beside(line string) []string {
	p := parse(line)
	if p.err != nil {
		return []string{"a shell cannot read it: " + p.err.Error()}
	}
	w := &walker{src: p.src}
	if len(p.file.Stmts) == 0 {
		return nil
	}
	var out []string
	for i, s := range p.file.Stmts {
		if i > 0 {
			out = append(out, "; "+w.text(s)+" follows, and decides what the agent is told")
		}
	}
	return append(w.beside(p.file.Stmts[0]), out...)
}

// beside looks at one statement.
func (w *walker) beside(s *syntax.Stmt) (out []string) {
	if s.Background {
		out = append(out, "& lets it go on alone, so that nobody waits for its answer")
	}
	if s.Negated {
		out = append(out, "! turns its exit code round")
	}
	for _, r := range s.Redirs {
		if said := w.diverts(r); said != "" {
			out = append(out, said)
		}
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Assigns) > 0 {
			out = append(out, w.text(cmd.Assigns[0])+" changes its environment")
		}
		for _, word := range cmd.Args {
			if word.Lit() == "" && slices.ContainsFunc(word.Parts, expands) {
				out = append(out, w.text(word)+" may become anything")
			}
		}
	case *syntax.BinaryCmd:
		out = append(out, cmd.Op.String()+" "+w.text(cmd.Y)+" follows, and decides what the agent is told")
		out = append(out, w.beside(cmd.X)...)
	default:
		out = append(out, "it stands in "+firstWord(w.text(s))+" …, which decides whether it is asked")
	}
	return out
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// expands reports whether a part of a word is not what it looks like.
func expands(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return false
	case *syntax.DblQuoted:
		return slices.ContainsFunc(p.Parts, expands)
	}
	return true
}

// diverts says what a redirection takes from the agent, or "".
func (w *walker) diverts(r *syntax.Redirect) string {
	to := ""
	if r.Word != nil {
		to = w.text(r.Word)
	}
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if n == "" || n == "0" {
			return "it reads " + to + " in place of the event"
		}
	case syntax.DplOut:
		if (n == "" || n == "1") && to != "1" {
			return "its answer goes to " + to + ", where the agent does not look"
		}
	default:
		if n == "" || n == "1" {
			return "its answer goes to " + to + ", and not to the agent"
		}
	}
	return ""
}

// Calls reports whether a line, or a line that it runs, calls a program of a name.
func Calls(line, program string) bool { return calls(Reader{}.Line(line), program) }

// WordsCall is Calls for a program and its arguments.
func WordsCall(words []string, program string) bool { return calls(Reader{}.Words(words), program) }

func calls(r Reading, program string) bool {
	return slices.ContainsFunc(r.Runs, func(n Name) bool { return base(n.Path) == program })
}
