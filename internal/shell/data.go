package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// ofData are programs that take what is in a file for data: they never run it, and none
// of it decides what runs.
var ofData = []string{
	"[", "base64", "cat", "cmp", "column", "comm", "cp", "cut", "date", "dd", "diff", "du", "echo", "egrep", "fgrep", "fold", "grep", "gunzip", "gzip",
	"head", "join", "jq", "ln", "ls", "mkdir", "mv", "nl", "od", "paste", "printf", "read", "rev", "rm", "sha1sum", "sha256sum", "md5sum", "shuf", "sort",
	"split", "stat", "tac", "tail", "tar", "tee", "test", "touch", "tr", "truncate", "uniq", "wc", "xxd", "zcat",
}

// isData reports whether a word is the name of such a program.
func (a *analysis) isData(program string) bool {
	return slices.Contains(ofData, program) && !a.functions[program]
}

// dataCall reports whether a statement is one command of such a program, whatever
// redirections it has.
func (a *analysis) dataCall(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && a.isData(call.Args[0].Lit())
}

// passesOn reports whether what is printed in a node goes to a program that may do
// anything with it.
func (a *analysis) passesOn(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ProcSubst:
		return true
	case *syntax.BinaryCmd:
		return takes(n) && !a.dataCall(n.Y)
	}
	return false
}

// keeps sets those files apart that a line writes, and reads as data alone. Each run of it
// may change them, and nothing that runs depends on what they hold; where a word is not
// known, nobody can say so.
func (a *analysis) keeps() {
	if len(a.out.Unknown) > 0 {
		return
	}
	written := map[string]bool{}
	for _, n := range a.out.Writes {
		written[n.Path] = !n.Tree
	}
	for _, n := range slices.Concat(a.out.Runs, a.out.Sources) {
		written[n.Path] = false
	}
	a.out.Reads = slices.DeleteFunc(a.out.Reads, func(n Name) bool {
		kept := written[n.Path] && !a.used[n.Path]
		if kept {
			a.out.Keeps = append(a.out.Keeps, n)
		}
		return kept
	})
}
