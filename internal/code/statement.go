package code

import (
	"path/filepath"
	"strings"
	"sync"
)

// languages by their names. Their tables are large, and most processes read no program.
var languages = sync.OnceValue(func() map[string]*language {
	return map[string]*language{
		"python": python(), "javascript": javascript(), "ruby": ruby(), "perl": perl(), "php": php(), "lua": lua(), "awk": awk(), "julia": julia(), "r": rscript(),
		"tcl":  {lines: byLine(map[string]Kind{"source": File, "load": File, "exec": Words, "spawn": Words, "eval": Line})},
		"fish": {lines: byLine(map[string]Kind{"source": File, ".": File, "eval": Line, "exec": Words})},
		"powershell": {lines: byLine(map[string]Kind{".": File, "&": File, "import-module": File, "ipmo": File, "using module": File, "invoke-expression": Line, "iex": Line,
			"start-process": Words, "invoke-item": File, "powershell": Line, "pwsh": Line, "python": Line, "python3": Line, "node": Line, "bash": Line, "sh": Line})},
	}
})

// statement looks at what begins at a token.
func (r *reader) statement(i int) {
	t := r.tok(i)
	if r.lang.statements != nil && r.step() {
		r.lang.statements(r, i)
	}
	switch t.kind {
	case run:
		r.runs(r.textAt(t, 0), Line, i, i+1)
		r.inside(t)
	case text:
		r.inside(t)
	case name:
		if i > 0 && (r.isMember(i-1) || r.tok(i-1).kind == name && oneOf(r.lang.functions, r.tok(i-1).text)) {
			return
		}
		if do := r.lang.calls[t.text]; r.lang.bare && do.act != nil && r.plainCall(i) {
			args, to := r.bare(i + 1)
			do.act(r, site{args: args, from: i, to: to})
			return
		}
		if to, next := r.chainName(i); r.lang.bare && next > i+1 && r.plainCall(next-1) {
			if do := r.lang.calls[to]; do.act != nil {
				args, to := r.bare(next)
				do.act(r, site{args: args, from: i, to: to})
				return
			}
		}
		r.chain(i, 0, true)
	}
}

// chainName is a name with its members, as Open3.capture2.
func (r *reader) chainName(i int) (string, int) {
	text := r.tok(i).text
	for i++; r.isMember(i) && r.tok(i+1).kind == name; i += 2 {
		text += "." + r.tok(i+1).text
	}
	return text, i
}

// plainCall reports whether a value follows on the line: arguments without parentheses.
func (r *reader) plainCall(i int) bool {
	t, n := r.tok(i), r.tok(i+1)
	if r.text[t.at] == '$' || r.text[t.at] == '@' || r.text[t.at] == ':' || i > 0 && oneOf(r.lang.functions, r.tok(i-1).text) && r.tok(i-1).kind == name {
		return false
	}
	switch n.kind {
	case text, run:
		return n.blank || n.text == ""
	case name:
		return !oneOf(r.lang.words+" or = ", n.text) && n.blank
	case sign:
		return n.text == "[" && n.blank && r.lang.regexps || n.text == "(" && n.blank && r.lang.bare && r.tok(r.after(i+1)).text == r.lang.joins
	}
	return false
}

// bare reads arguments up to the end of a statement.
func (r *reader) bare(i int) (out []argument, to int) {
	for r.step() {
		out = append(out, r.argument(i, 0)...)
		i = r.skip(i)
		if r.tok(i).kind != sign || r.tok(i).text != "," && r.tok(i).text != "=>" && r.tok(i).text != ":" {
			break
		}
		i++
	}
	return out, i
}

// inside looks at what expands in a text.
func (r *reader) inside(t token) {
	for _, p := range t.parts {
		if p.code == "" {
			continue
		}
		in := *r
		in.text, in.toks, in.uses = p.code, lex(r.lang, p.code), nil
		in.closed = brackets(in.toks)
		in.outer(r)
		for i := 0; i < len(in.toks) && !in.full; i++ {
			in.statement(i)
		}
		r.uses, r.steps, r.full = append(r.uses, in.uses...), in.steps, r.full || in.full
	}
}

// byLine reads a language in which each line is a command and its words.
func byLine(loaders map[string]Kind) func(*reader) {
	return func(r *reader) {
		for one := range strings.SplitSeq(strings.ReplaceAll(r.text, ";", "\n"), "\n") {
			given := strings.Fields(one)
			if len(given) == 0 || strings.HasPrefix(given[0], "#") || !r.step() {
				continue
			}
			r.command(given, strings.TrimSpace(one), loaders)
		}
	}
}

func (r *reader) command(given []string, whole string, loaders map[string]Kind) {
	kind, ok := loaders[strings.ToLower(given[0])]
	switch {
	case !ok && (strings.HasPrefix(given[0], "./") || strings.HasPrefix(given[0], `.\`) || filepath.IsAbs(given[0])):
		kind = Words
	case !ok || len(given) < 2:
		return
	case kind == Line && given[0] == strings.ToLower(given[0]) && given[0] != "iex" && given[0] != "eval":
		kind = Words
	default:
		given = given[1:]
	}
	for strings.HasPrefix(given[0], "-") && len(given) > 1 && kind != Words {
		given = given[1:]
	}
	u := Use{Kind: kind, Src: clip(whole)}
	if kind == File {
		given = given[:1]
	}
	if kind == Line {
		given = []string{strings.Join(given, " ")}
	}
	for _, w := range given {
		w = strings.Trim(w, `"'{}`)
		w = strings.ReplaceAll(strings.ReplaceAll(w, `$PSScriptRoot`, filepath.ToSlash(r.folder())), `\`, "/")
		u.Words = append(u.Words, Word{Text: w, Known: !strings.ContainsAny(w, "$[(`")})
	}
	r.uses = append(r.uses, u)
}

func clip(text string) string {
	if cut := []rune(text); len(cut) > maxShown {
		return string(cut[:maxShown]) + "…"
	}
	return text
}
