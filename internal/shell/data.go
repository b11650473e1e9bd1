package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// ofData are programs that take what is in a file for data: they never run it, and none
// of it decides what runs.
var ofData = strings.Fields("[ ag b2sum base32 base64 bunzip2 bzip2 cat chmod chown cksum cmp column comm cp csplit cut date dd diff dos2unix du echo egrep envsubst " +
	"expand fgrep file find flock fmt fold grep gunzip gzip head hexdump iconv join jq less ln logger look ls mapfile md5sum mkdir more mv nl notify-send od " +
	"openssl paste patch pr printf read readarray rev rg rm rsync sed gsed sha1sum sha224sum sha256sum sha384sum sha512sum shasum shuf sort split sponge stat strings sum " +
	"tac tail tar tee test touch tr true truncate tsort unexpand uniq unix2dos unlink unxz unzip unzstd wc xargs xmllint xxd xz xzcat yq zcat zip zgrep zstd zstdcat")

// isData reports whether a word is the name of such a program.
func (a *analysis) isData(program string) bool {
	return slices.Contains(ofData, program) && !a.functions[program]
}

// dataCall reports whether a statement is one command of such a program, or holds no other,
// whatever redirections it has.
func (a *analysis) dataCall(s *syntax.Stmt) bool {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return len(call.Args) > 0 && a.isData(base(call.Args[0].Lit()))
	}
	switch s.Cmd.(type) {
	case *syntax.WhileClause, *syntax.ForClause, *syntax.IfClause, *syntax.Block, *syntax.Subshell, *syntax.TestClause, *syntax.CaseClause:
	default:
		return false
	}
	all := true
	syntax.Walk(s.Cmd, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && !slices.Contains(harmless, call.Args[0].Lit()) {
			all = all && a.isData(base(call.Args[0].Lit()))
		}
		return all
	})
	return all
}

// harmless are words of a shell that take no file.
var harmless = []string{":", "true", "false", "break", "continue", "return", "exit", "shift", "local", "export", "sleep"}

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
// may change them, and nothing that runs depends on what they hold. Where a word is not
// known, or the line runs what it has written, nobody can say so.
func (a *analysis) keeps() {
	if len(a.out.Unknown) > 0 {
		return
	}
	written := map[string]bool{}
	for _, n := range a.out.Writes {
		written[n.Path] = !n.Tree
	}
	for _, n := range slices.Concat(a.out.Runs, a.out.Sources) {
		if written[n.Path] {
			return
		}
	}
	a.out.Reads = slices.DeleteFunc(a.out.Reads, func(n Name) bool {
		kept := (written[n.Path] || n.Tree && a.writesBelow(n)) && !a.used[n.Path]
		if kept {
			a.out.Keeps = append(a.out.Keeps, n)
		}
		return kept
	})
}

// writesBelow reports whether the line writes files in a folder that it reads.
func (a *analysis) writesBelow(n Name) bool {
	return slices.ContainsFunc(a.out.Writes, func(w Name) bool {
		rel, err := filepath.Rel(n.Path, w.Path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// asData reads arguments of a program that takes them for data.
func (a *analysis) asData(args []arg) {
	outer := a.data
	a.data = 1
	a.readAll(args)
	a.data = outer
}

// asCode reads one that decides what a program runs.
func (a *analysis) asCode(g arg) {
	outer := a.data
	a.data = 0
	a.reads(g)
	a.data = outer
}

// sedRuns finds the commands of sed that run a line: e, and the flag e of s///.
var sedRuns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[;{}\n0-9$/!])\s*e(?:\s+([^\n]*)|\s*(?:[;}]|$))|s(.)(?:[^\\\n]|\\.)*?[^\w\s]\w*e\w*\s*(?:[;}\n]|$)`)
})

// sedWrites finds the files that commands of sed write.
var sedWrites = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:(?:^|[;{}\n0-9$/!])\s*[wW]|[^\w\s]\w*w)\s+([^\s;}]+)\s*$`)
})

// sed has its program in its first operand, or in files; its other operands are data.
func sed(a *analysis, _ string, args []arg) {
	var programs []arg
	changes := false
	operands := options(args, "-e -f -l --expression --file", func(option string, val *arg) {
		switch {
		case option == "--in-place" || option == "-i":
			changes = true
		case val == nil:
		case option == "-f" || option == "--file":
			a.load(interpreter{}, *val, nil)
			for _, n := range a.places(*val) {
				if a.Open != nil {
					if data, err := a.Open(n.Path); err == nil {
						programs = append(programs, arg{value: value{text: string(data)}, known: true, src: val.src})
					}
				}
			}
		default:
			programs = append(programs, *val)
		}
	})
	if changes = changes || strings.Contains(text(args), " -i"); len(programs) == 0 && len(operands) > 0 {
		programs, operands = operands[:1], operands[1:]
	}
	runs := false
	for _, p := range programs {
		runs = a.sedProgram(p) || runs
	}
	for _, g := range operands {
		switch {
		case runs:
			a.asCode(g)
		case changes:
			a.reads(g)
			a.writes(g)
		default:
			a.reads(g)
		}
	}
}

// text is a command's arguments as one line.
func text(args []arg) string {
	var b strings.Builder
	for _, g := range args {
		b.WriteString(" " + g.text)
	}
	return b.String()
}

// sedProgram looks at what a program of sed runs and writes, and reports whether it runs
// what it edits.
func (a *analysis) sedProgram(p arg) (runs bool) {
	if !p.known && strings.Contains(p.src, "`") {
		a.unknown(p.src, "what runs is not in the text")
	}
	for _, m := range sedRuns().FindAllStringSubmatch(p.text, maxTexts) {
		if m[1] != "" {
			a.child(func() { a.line(arg{value: value{text: m[1]}, known: p.known, src: p.src}) })
			continue
		}
		runs = true
	}
	for _, m := range sedWrites().FindAllStringSubmatch(p.text, maxTexts) {
		a.writes(arg{value: value{text: m[1]}, known: p.known, src: p.src})
	}
	if a.reads(p); runs {
		a.asCode(p)
	}
	return runs
}

// tar writes the archive that it makes, and may run lines that its options hold.
func tar(a *analysis, _ string, args []arg) {
	letters, rest := "", args
	if len(args) > 0 && !strings.HasPrefix(args[0].text, "-") { // tar czf
		letters, rest = args[0].text, args[1:]
	}
	var archive *arg
	named := strings.Contains(letters, "f")
	for i := 0; i < len(rest); i++ {
		g := rest[i]
		option, val, joined := strings.Cut(g.text, "=")
		value := arg{value: value{text: val}, known: g.known, src: g.src}
		switch {
		case named && !strings.HasPrefix(g.text, "-") || option == "--file" && joined:
			if joined {
				g = value
			}
			archive, named = &g, false
		case option == "--create" || option == "--append" || option == "--update":
			letters += "c"
		case joined && (option == "--to-command" || option == "--use-compress-program" || option == "--info-script" || option == "--new-volume-script" || option == "--rsh-command"):
			a.child(func() { a.line(value) })
		case option == "--checkpoint-action":
			if line, ok := strings.CutPrefix(val, "exec="); ok {
				value.text = strings.Trim(line, `"'`)
				a.child(func() { a.line(value) })
			}
		case strings.HasPrefix(g.text, "-") && !strings.HasPrefix(g.text, "--"):
			letters += g.text
			named = named || strings.HasSuffix(g.text, "f")
			if strings.HasSuffix(g.text, "I") || strings.HasSuffix(g.text, "F") {
				if i++; i < len(rest) {
					a.child(func() { a.line(rest[i]) })
				}
			}
		default:
			a.reads(g)
		}
	}
	if archive == nil {
		return
	}
	if strings.ContainsAny(letters, "cru") {
		a.writes(*archive)
	}
	a.reads(*archive)
}

// jq has its program in its first operand or in a file, and modules in folders.
func jq(a *analysis, _ string, args []arg) {
	operands := options(args, "-f --from-file -L --library-path --arg --argjson --slurpfile --rawfile --indent", func(option string, val *arg) {
		switch {
		case val == nil:
		case option == "-f" || option == "--from-file":
			a.sources(*val)
		case option == "-L" || option == "--library-path":
			a.loaded(*val, true)
		default:
			a.reads(*val)
		}
	})
	a.readAll(operands)
}

// inPlace are programs that change the files which they are given.
func inPlace(a *analysis, name string, args []arg) {
	changes := name == "patch" || name == "sponge" || name == "zip" || slices.Contains([]string{"gzip", "xz", "bzip2", "zstd", "dos2unix", "unix2dos"}, name)
	for _, g := range args {
		changes = changes || g.text == "-i" || g.text == "--inplace" || strings.HasPrefix(g.text, "--in-place")
	}
	for _, g := range args {
		if a.reads(g); changes && !strings.HasPrefix(g.text, "-") {
			a.writes(g)
		}
	}
}
