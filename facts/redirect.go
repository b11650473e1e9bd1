package facts

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
)

// empties tells that a file is emptied: by a redirection alone, or of nothing.
func (sh *shell) empties(s *syntax.Stmt) {
	if c, ok := s.Cmd.(*syntax.CallExpr); s.Cmd != nil && (!ok || len(c.Args) != 1 || c.Args[0].Lit() != ":" && c.Args[0].Lit() != "true") {
		return
	}
	for _, r := range s.Redirs {
		if r.Op == syntax.RdrOut || r.Op == syntax.RdrClob {
			for _, fields := range sh.word(r.Word) {
				for _, f := range fields {
					sh.path("delete", f, effect{empties: true})
				}
			}
		}
	}
}

// emptiedBy tells of the files of which a redirection leaves nothing: the command in front of
// it prints no text at all.
func (sh *shell) emptiedBy(s *syntax.Stmt, out values) {
	if c, ok := s.Cmd.(*syntax.CallExpr); !ok || len(c.Args) == 0 || len(out) == 0 || slices.ContainsFunc(out, func(v value) bool { return v.text != "" }) {
		return
	}
	for _, r := range s.Redirs {
		if fd := r.N; (r.Op == syntax.RdrOut || r.Op == syntax.RdrClob || r.Op == syntax.RdrAll) && (fd == nil || fd.Value == "1") {
			for _, fields := range sh.word(r.Word) {
				for _, f := range fields {
					sh.path("delete", f, effect{empties: true})
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
