package facts

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// namesOnly reports whether a program lets only the names of NAME=value lines pass,
// or only counts them: cut -d= -f1, sed 's/=.*//', awk -F= '{print $1}', jq keys, wc.
func namesOnly(name string, args []string) bool {
	all := strings.Join(args, " ")
	switch name {
	case "cut":
		return (strings.Contains(all, "-d=") || strings.Contains(all, "-d =") || strings.Contains(all, "--delimiter==")) && (strings.Contains(all, "-f1") || strings.Contains(all, "-f 1") || strings.Contains(all, "--fields=1"))
	case "awk", "gawk", "mawk":
		return (strings.Contains(all, "-F=") || strings.Contains(all, "-F =")) && strings.Contains(all, "print $1") && !strings.Contains(all, "$2") && !strings.Contains(all, "$0") && !strings.Contains(all, "$NF")
	case "sed":
		return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "s/=.*") && strings.Contains(a, "//") })
	case "grep", "egrep", "rg":
		if slices.ContainsFunc(args, func(a string) bool {
			return a == "--count" || a == "--quiet" || len(a) > 1 && len(a) < 5 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "cq")
		}) {
			return true
		}
		for i, a := range args {
			if strings.HasPrefix(a, "-") && strings.Contains(a, "o") && i+1 < len(args) {
				p := args[i+1]
				return strings.HasPrefix(p, "^[") && !strings.ContainsAny(p, "=.")
			}
		}
	case "wc":
		return true
	case "jq", "yq", "gojq", "jaq":
		return slices.ContainsFunc(args, func(a string) bool {
			return strings.HasSuffix(a, "keys") || strings.HasSuffix(a, "keys[]") || strings.HasSuffix(a, "length")
		})
	}
	return false
}

// hidesValues reports whether a statement lets only names of its input pass.
func hidesValues(s *syntax.Stmt) bool {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe {
		return hidesValues(b.X)
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	var words []string
	for _, w := range c.Args {
		words = append(words, literalText(w))
	}
	return namesOnly(words[0], words[1:])
}

// literalText is the text of a word without anything to expand, or "".
func literalText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if l, ok := q.(*syntax.Lit); ok {
					b.WriteString(l.Value)
				}
			}
		}
	}
	return b.String()
}
