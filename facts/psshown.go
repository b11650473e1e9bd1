package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// isVariable reports whether a word begins an expression with a variable, and calls no
// member of it.
func isVariable(w psWord) bool {
	if w.quoted || len(w.text) < 2 || w.text[0] != '$' {
		return false
	}
	name := w.text[1:]
	if i := strings.IndexAny(name, "+-"); i > 0 {
		name = name[:i]
	}
	return !strings.ContainsAny(name, ".(")
}

// psExpression is a statement that begins with a variable: it gives what is in it. What
// operators make of it is not known.
func (sh *shell) psExpression(words []psWord, at hook.Span) values {
	out := values{sh.psValue(words[0])}
	for i, w := range words[1:] {
		switch before := words[i]; {
		case w.sub || w.block || strings.HasPrefix(w.text, "-"): // a comparison says yes or no
			out = anything()
		case !w.quoted && w.text != "" && letter(w.text[0]) && !strings.HasPrefix(before.text, "-"):
			sh.unknown(at, "what stands behind a variable is no expression that can be read")
		}
	}
	sh.psOperands(words[1:], at)
	return out
}

// psOperands runs what stands in brackets behind the beginning of an expression.
func (sh *shell) psOperands(words []psWord, at hook.Span) {
	for _, w := range words {
		if w.sub || w.block {
			sh.takes(func() values { return sh.psRun(psCommand{words: []psWord{w}}, nil, at) })
		}
	}
}

// psPrinting are cmdlets that show what they are given.
var psPrinting = []string{"write-output", "write-host", "write-verbose", "write-warning", "write-error", "write-information", "write-debug", "out-host", "out-default", "out-string",
	"format-table", "format-list", "format-wide", "select-object", "where-object", "sort-object", "get-unique", "select-string", "get-content", "get-item", "get-childitem", "convertto-json", "convertto-csv"}

// psPrints tells of variables with a credential that the end of a pipeline shows. What the
// pipeline told since then of the whole environment counts as names where only names come out.
func (sh *shell) psPrints(c psCommand, out values, since int, at hook.Span) {
	if len(c.words) == 0 {
		return
	}
	first := c.words[0]
	name := ""
	if !first.sub && !first.block && !first.quoted {
		name = strings.ToLower(first.text)
		if alias, ok := psAliases[name]; ok {
			name = alias
		}
	}
	if c.piped && psNames(name, c.words[1:]) {
		for i := min(since, len(sh.out)); i < len(sh.out); i++ {
			if f := &sh.out[i]; f.Does == "read" && f.Path == "env:*" {
				f.Dry = true
			}
		}
		return
	}
	if name != "" && (name[0] == '$' || name[0] == '[') {
		name = ""
	}
	shows := name == "" || slices.Contains(psPrinting, name)
	if sh.taken > 0 || !shows {
		return
	}
	for _, from := range out.sources() {
		if v, ok := strings.CutPrefix(from, "env:"); ok && secretVariable(v) {
			sh.tell(hook.Fact{Does: "read", Path: from, Secret: "variable", By: cmp.Or(name, sh.by, "powershell"), At: at, Sure: true})
		}
	}
}

// psNames reports whether a cmdlet lets only the names of variables pass, or counts them.
func psNames(name string, words []psWord) bool {
	switch name {
	case "measure-object":
		return true
	case "select-object", "foreach-object":
		for _, w := range words {
			if t := strings.ToLower(strings.TrimSpace(w.text)); !strings.HasPrefix(t, "-") {
				return t == "name" || t == "key" || t == "$_.name" || t == "$_.key"
			}
		}
	}
	return false
}

// psDrive reads a path of the drive of variables, Env:NAME. It gives what that holds.
func (p *psCall) psDrive(path string) (values, bool) {
	name, ok := cutPrefixFold(path, "env:")
	if !ok {
		return nil, false
	}
	name = strings.ToUpper(strings.Trim(name, `\/`))
	if name == "" || strings.ContainsAny(name, "*?[") {
		if name != "" && strings.Trim(name, "*") == "" || name == "" || secretVariable(strings.Trim(name, "*?")) {
			p.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: p.at, Sure: true})
			return anything("env:*"), true
		}
		return anything(), true
	}
	return anything("env:" + name), true
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
