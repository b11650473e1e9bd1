package facts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// leavesNothing tells of a file that a script of an editor leaves without what it held.
func (c *call) leavesNothing(f field) {
	c.shell.path("delete", f, effect{empties: true})
}

// lineEditors are editors that take commands in words or from their input.
var lineEditors = []string{"vi", "vim", "nvim", "ex", "ed"}

// fedNothing reports whether a program's input is known to be empty.
func (c *call) fedNothing() bool {
	return c.stdin.known() && !slices.ContainsFunc(c.stdin, func(v value) bool { return v.text != "" })
}

// edited tells of the files that an editor of lines empties: by commands of its options, of
// words that begin with a plus, and of its input.
func (c *call) edited(p parsed) {
	var commands []string
	for _, v := range p.valued {
		if v.role == "vim" && v.known() {
			commands = append(commands, v.text)
		}
	}
	for _, o := range p.operands {
		if rest, ok := strings.CutPrefix(o.text, "+"); ok {
			commands = append(commands, rest)
		}
	}
	for _, v := range c.stdin {
		if v.known() {
			commands = append(commands, v.text)
		}
	}
	if !viEmpties(commands) {
		return
	}
	for _, o := range p.operands {
		if !strings.HasPrefix(o.text, "+") {
			c.leavesNothing(o.field)
		}
	}
}

// wholeLine is a pattern of sed, perl or vi that any line matches from its beginning to its end.
func wholeLine(pattern string) bool {
	p := strings.NewReplacer(`\_.`, ".", `\+`, "+", `\{1,}`, "+", "(", "", ")", "", `\`, "").Replace(pattern)
	p = strings.TrimSuffix(strings.TrimPrefix(p, "^"), "$")
	return slices.Contains([]string{".*", ".+", "..*", ".*?", "[^\n]*", "[sS]*", "[Ss]*", "[sS]+"}, p)
}

// anyLine is a pattern that some place of nearly every line matches.
func anyLine(pattern string) bool {
	return wholeLine(pattern) || slices.Contains([]string{".", "^", "$", "^.", ".$", ""}, pattern)
}

// replaced takes s/PATTERN/TEXT/FLAGS apart, which begins a text.
func replaced(s string) (pattern, with, flags string, ok bool) {
	if len(s) < 4 || s[0] != 's' || strings.IndexByte(`abcdefghijklmnopqrstuvwxyz0123456789 ;\`, s[1]|0x20) >= 0 && s[1] != '{' {
		return "", "", "", false
	}
	end := s[1:2]
	if s[1] == '{' { // perl: s{a}{b}
		s, end = "s}"+strings.Replace(s[2:], "}{", "}", 1), "}"
	}
	parts := strings.SplitN(s[2:], end, 3)
	if len(parts) < 3 {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// keepsMatch reports whether a replacement has something of what it replaces.
func keepsMatch(with string) bool { return strings.ContainsAny(with, `&\$`) }

// sedEmpties reports whether a script of sed leaves nothing of what it reads: it deletes all
// lines, replaces each as a whole, or prints none.
func sedEmpties(scripts []field, quiet bool) bool {
	prints := false
	for _, s := range scripts {
		if !s.known() || strings.Contains(strings.ReplaceAll(s.text, `\{`, ""), "{") {
			return false
		}
		for l := range strings.FieldsFuncSeq(s.text, func(r rune) bool { return r == '\n' || r == ';' }) {
			l = strings.TrimSpace(l)
			if l == "" || l[0] == '#' {
				continue
			}
			rest, all := sedAddress(l)
			rest = strings.TrimSpace(rest)
			if rest == "" {
				return false
			}
			pattern, with, flags, ok := replaced(rest)
			switch {
			case all && (rest == "d" || rest[0] == 'c' && len(rest) > 1):
				return true
			case all && ok && wholeLine(pattern) && !keepsMatch(with):
				return true
			case ok:
				prints = prints || strings.ContainsAny(flags, "pew")
				continue
			}
			if strings.IndexByte("btTnNpPqQwrR", rest[0]) >= 0 { // some lines are out before the next command
				return false
			}
			prints = prints || strings.ContainsAny(rest, "pPlriaIcweq=FR")
		}
	}
	return quiet && !prints
}

// sedAddress takes the address off a command of sed, and says whether it means all lines.
func sedAddress(l string) (rest string, all bool) {
	if l[0] == '/' {
		if i := strings.IndexByte(l[1:], '/'); i >= 0 {
			pattern, rest := l[1:i+1], l[i+2:]
			if !strings.HasPrefix(rest, ",") {
				inverts := strings.HasPrefix(rest, "!")
				return strings.TrimLeft(rest, "!"), anyLine(pattern) != inverts && (!inverts || pattern == "^$") || pattern == "^$" && inverts
			}
		}
		return "", false
	}
	i := span(l, func(c byte) bool { return c >= '0' && c <= '9' || c == ',' || c == '$' || c == ' ' || c == '~' })
	address := strings.ReplaceAll(l[:i], " ", "")
	return l[i:], slices.Contains([]string{"", "1,$", "0~1", "1~1", "1,"}, address)
}

// perlEmpties reports whether code that perl or ruby runs for each line of a file leaves
// nothing of it: with -n it prints nothing, with -p it puts nothing in the place of each line.
func perlEmpties(code string, prints bool) bool {
	code = strings.TrimSpace(code)
	if !prints {
		return !perlPrints().MatchString(code)
	}
	for l := range strings.FieldsFuncSeq(code, func(r rune) bool { return r == '\n' || r == ';' }) {
		l = strings.TrimSpace(l)
		if pattern, with, _, ok := replaced(l); ok && wholeLine(pattern) && !keepsMatch(with) || emptiesLine().MatchString(l) {
			return true
		}
	}
	return false
}

var (
	perlPrints = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(print|printf|say|puts|p|pp|syswrite|write|eval|do|require|system|exec|putc|display)\b|\$stdout|STDOUT|ARGVOUT|<<`)
	})
	emptiesLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\$_\s*=\s*(""|''|undef|q\(\)|nil)|undef\s+\$_|undef\(\$_\)|\$_\.(clear|replace\(?\s*(""|'')\)?)|next\s+LINE\s+if\s+1)$`)
	})
)

// awkEmpties reports whether a program of awk prints nothing of what it reads.
func awkEmpties(src string) bool {
	if awkPrints().MatchString(src) {
		return false
	}
	var patterns strings.Builder // what stands outside the brackets of actions
	depth, acts := 0, false
	for _, r := range withoutPatterns(src) {
		switch {
		case r == '{':
			depth++
		case r == '}' && depth > 0:
			depth--
			acts = true
			patterns.WriteString("\x00\n")
		case depth == 0 && r == ';':
			patterns.WriteByte('\n')
		case depth == 0:
			patterns.WriteRune(r)
		}
	}
	for p := range strings.SplitSeq(patterns.String(), "\n") {
		p = strings.ReplaceAll(p, " ", "")
		switch {
		case strings.HasSuffix(p, "\x00"), p == "": // a rule with an action, which does not print
		case slices.Contains([]string{"0", `""`, "NR<0", "NR==0", "NR<1", "!1", "1==0", "0==1"}, p):
			acts = true
		default:
			return false
		}
	}
	return acts
}

var awkPrints = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(print|printf|getline|system|fflush)\b|@`) })

// viEmpties reports whether commands of vi, ex or ed leave nothing of a file and write it.
func viEmpties(commands []string) bool {
	empties, writes := false, false
	for _, line := range commands {
		for l := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == '\n' || r == '|' }) {
			l = strings.TrimLeft(strings.TrimSpace(l), ": ")
			for _, start := range []string{"silent! ", "silent ", "sil! ", "sil ", "execute ", "exe "} {
				l = strings.Trim(strings.TrimPrefix(l, start), `"'`)
			}
			writes = writes || viWrites().MatchString(l)
			empties = empties || viDeletes().MatchString(l)
			if rest, ok := strings.CutPrefix(l, "%"); ok {
				pattern, with, _, ok := replaced(strings.Replace(strings.TrimSpace(rest), "substitute", "s", 1))
				empties = empties || ok && wholeLine(pattern) && !keepsMatch(with)
			}
		}
	}
	return empties && writes
}

var (
	viWrites = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(w|write|wq|x|xit|exit|up|update|wa|wall|wqa|xa|xall|wqall|norm(al)?!?.*ZZ)!?$`)
	})
	viDeletes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((%|,|1,\$|0,\$)\s*(d|de|del|delete)( _)?|(norm|normal)!?\s+(gg"?_?dG|ggVGd|:%d|ggcG.*)|(g|global)/(\.|\^|\$|\.\*|\^\.\*\$)?/\s*(d|delete)( _)?|call deletebufline\('?%'?, ?1, ?'?\$'?\))$`)
	})
)
