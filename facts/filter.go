package facts

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// has reports whether one of grep's options is there, as a letter or by its long name.
func (g *grepCall) has(letter, long string) bool {
	return slices.ContainsFunc(g.args, func(f field) bool {
		return f.text == long || len(f.text) > 1 && f.text[0] == '-' && f.text[1] != '-' && strings.Contains(f.text, letter)
	})
}

// passed is what grep lets through of its input: lines that are known are looked at, of the
// others nobody knows. So a name that came in is one that goes out.
func (g *grepCall) passed() values {
	if g.has("o", "--only-matching") || g.has("c", "--count") || g.has("q", "--quiet") {
		return anything(g.stdin.sources()...)
	}
	re, inverts := g.expression(), g.has("v", "--invert-match")
	var out values
	for _, v := range g.stdin {
		if v.text == string(hole) {
			if name := g.secretName(); name != "" && !inverts {
				v.text += "/" + name + "\n"
			}
			out = append(out, v)
			continue
		}
		var b strings.Builder
		unknown := re == nil
		for line := range strings.Lines(v.text) {
			known := value{text: line}.known()
			unknown = unknown || !known
			if re == nil || re.MatchString(strings.TrimSuffix(line, "\n")) != inverts || !known && !inverts {
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
		}
		if unknown {
			b.WriteRune(hole)
		}
		out = append(out, value{b.String(), v.from})
	}
	return out.bounded()
}

// names are those of files in which grep finds something, and of more below a folder.
func (g *grepCall) names() values {
	var b strings.Builder
	var from []string
	for _, f := range g.operands {
		for _, v := range g.matches(f) {
			b.WriteString(v.text)
			if g.recursive && !strings.Contains(path.Base(v.text), ".") {
				b.WriteString("/" + string(word))
			}
			b.WriteString("\n")
			from = union(from, v.from)
		}
	}
	for _, p := range g.keysBelow() {
		b.WriteString(p + "/" + string(word) + "/id_rsa\n")
	}
	b.WriteRune(hole)
	return values{{b.String(), from}}.bounded()
}

// keyMarks are what texts with credentials have in them, and others only if they are about them.
var keyMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)BEGIN.{0,3}(RSA|OPENSSH|EC|DSA|PGP|ENCRYPTED)|PRIVATE.{1,3}KEY|aws_secret_access_key|\bAKIA|\bASIA|ghp_|github_pat_|glpat-|xox[bp]|sk_live|sk-ant|npm_\[|_authToken|client_secret"`)
})

// keysBelow are the places outside the project where grep looks for texts that are credentials:
// what it finds there, or in which files, are some.
func (g *grepCall) keysBelow() (out []string) {
	if !slices.ContainsFunc(g.patterns, keyMarks().MatchString) || g.has("v", "--invert-match") || g.has("L", "--files-without-match") || g.has("c", "--count") || g.has("q", "--quiet") {
		return nil
	}
	for _, f := range g.operands {
		for _, p := range g.places(f.text) {
			p = path.Clean(p)
			if known := !strings.HasPrefix(p, string(hole)); known && p != g.world.project() && slices.Contains([]string{scopeRoot, scopeHome, scopeSystem, scopeOther}, g.world.scope(p)) && (g.recursive || !f.known() || f.glob || strings.ContainsAny(p, "*"+string(word))) {
				out = append(out, strings.TrimSuffix(visible(p), "/"))
			}
		}
	}
	return out
}

// expression is what grep looks for, or nil if that cannot be told.
func (g *grepCall) expression() *regexp.Regexp {
	if len(g.patterns) == 0 || len(g.patterns) > maxValues || g.has("f", "--file") || g.has("P", "--perl-regexp") || g.has("w", "--word-regexp") || g.has("x", "--line-regexp") {
		return nil
	}
	extended := g.name == "egrep" || g.name == "rg" || g.has("E", "--extended-regexp")
	var all []string
	for _, p := range g.patterns {
		switch {
		case len(p) > maxPattern || !(value{text: p}).known():
			return nil
		case g.name == "fgrep" || g.has("F", "--fixed-strings"):
			p = regexp.QuoteMeta(p)
		case !extended && strings.ContainsAny(p, `+?(){}|`): // letters there, and signs behind a backslash
			return nil
		}
		all = append(all, p)
	}
	flags := ""
	if g.has("i", "--ignore-case") {
		flags = "(?i)"
	}
	re, err := regexp.Compile(flags + strings.Join(all, "|"))
	if err != nil {
		return nil
	}
	return re
}

// maxPattern bounds a pattern that is compiled.
const maxPattern = 256

// secretName is the name of a file with credentials that the pattern asks for, or "".
func (g *grepCall) secretName() string {
	for _, p := range g.patterns {
		p = strings.NewReplacer(`(^|/)`, "", `\|`, "|", `\.`, ".", "^", "", "$", "", "(", "", ")", "").Replace(p)
		for name := range strings.SplitSeq(p, "|") {
			if name != "" && len(name) < maxPattern && !strings.ContainsAny(name, `*+?[]{}\ /`) && secretFile("/x/"+name, g.world) != "" {
				return name
			}
		}
	}
	return ""
}
