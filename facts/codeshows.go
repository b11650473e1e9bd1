package facts

import (
	"slices"
	"strings"
)

// shows are calls that only make texts, and show them.
var shows = []string{"log", "info", "warn", "debug", "print", "len", "str", "repr", "join", "push", "stringify", "keys", "values", "entries", "map", "filter", "foreach", "includes", "startswith", "endswith", "upper", "lower", "touppercase", "tolowercase", "split", "trim", "strip", "format", "sorted", "range", "if", "for", "while", "of", "in"}

// onlyShows reports whether code calls nothing but what shows texts: names of files in
// it are then no files that it reads.
func (r *reader) onlyShows() bool {
	if r.language != "javascript" && r.language != "python" {
		return false
	}
	for i, t := range r.tokens {
		switch {
		case t.kind == 'b' || t.text == "import" || len(t.expr) > 0:
			return false
		case t.kind == '(' && i > 0:
			if before := r.tokens[i-1]; before.kind != 'i' && strings.IndexByte("=,;(+&|?:>", before.kind) < 0 || before.kind == 'i' && !slices.Contains(shows, strings.ToLower(before.text)) {
				return false
			}
		}
	}
	return true
}

// readable is false for a text that ends in the middle of an expression: it is no
// code of that language, and what runs it may have another idea of it.
func (r *reader) readable() bool {
	last := len(r.tokens) - 1
	for last >= 0 && r.tokens[last].kind == ';' {
		last--
	}
	if last < 0 || r.language == "awk" {
		return true
	}
	if first := r.tokens[0]; (r.language == "perl" || r.language == "ruby") && first.kind == 'i' && (first.text == "s" || first.text == "m" || first.text == "y" || first.text == "tr") {
		return true // s/…/…/
	}
	slashes := 0
	for _, t := range r.tokens {
		if t.kind == '/' {
			slashes++
		}
	}
	switch r.tokens[last].kind {
	case '/':
		return slashes%2 == 0 // a regular expression ends so
	case '+', '-', '=', '|', '&', '<', '~', ',':
		return r.tokens[last].kind == '-' && last > 0 && r.tokens[last-1].kind == '-' || r.tokens[last].kind == '+' && last > 0 && r.tokens[last-1].kind == '+'
	}
	return true
}
