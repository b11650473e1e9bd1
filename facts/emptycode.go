package facts

import (
	"path"
	"slices"
	"strings"
)

// oftenEmpty are names of files that have nothing in them where all is well.
var oftenEmpty = []string{"__init__.py", ".gitkeep", ".keep", "py.typed", ".nojekyll", ".placeholder", ".touch", ".stamp"}

// writes tells that a call puts something into a file, or that it leaves nothing there.
func (c *codeCall) writes(vs values) {
	if !c.nothing() {
		c.file("write", vs, effect{})
		return
	}
	c.leaves(vs)
}

// leaves tells of files that are left with nothing in them.
func (c *codeCall) leaves(vs values) {
	for _, v := range vs {
		if slices.Contains(oftenEmpty, path.Base(v.text)) {
			c.file("write", values{v}, effect{})
			continue
		}
		c.file("delete", values{v}, effect{empties: true, many: strings.Contains(v.text, "*")})
	}
}

// nothing reports whether what a call writes is known to be empty.
func (c *codeCall) nothing() bool {
	if strings.HasPrefix(c.last, "append") {
		return false
	}
	if strings.Contains(c.last, "truncate") {
		return len(c.items) < 2 || len(c.arg(1)) == 1 && c.arg(1)[0].text == "0"
	}
	return len(c.items) == 2 && len(c.items[1]) == 1 && c.items[1][0].text == "" && len(c.items[1][0].from) == 0
}

// opensForNothing reports whether a file is opened so that what was there goes, and nothing is
// written into it then.
func (c *codeCall) opensForNothing() bool {
	mode := c.arg(1)
	switch {
	case c.last == "createwritestream":
	case len(c.items) < 2 || len(mode) != 1 || !strings.HasPrefix(strings.TrimSpace(mode[0].text), "w"):
		return false
	}
	return c.unused(c.handle())
}

// handle is the name that the opened file has, and whether something else is done with it at
// once that puts something there.
func (c *codeCall) handle() (name string, used bool) {
	if next := c.peek(0); next.kind == '.' {
		return "", !c.harmlessOn(c.pos)
	} else if next.text == "as" && c.peek(1).kind == 'i' { // with open(…) as f
		return c.peek(1).text, false
	} else if next.kind == '{' && c.peek(1).kind == '|' || next.text == "do" && c.peek(1).kind == '|' { // ruby
		return c.peek(2).text, false
	} else if next.kind == '{' && c.language == "ruby" {
		return "", c.peek(1).kind != '}'
	}
	level, i := 0, c.pos-1
	for ; i >= 0; i-- {
		if k := c.tokens[i].kind; k == ')' {
			level++
		} else if k == '(' {
			if level--; level == 0 {
				break
			}
		}
	}
	for i--; i > 0 && (c.tokens[i].kind == 'i' && c.tokens[i-1].kind == '.' || c.tokens[i].kind == '.' || c.tokens[i].kind == ')'); i-- { // require('fs').openSync
		if c.tokens[i].kind == ')' {
			for i > 0 && c.tokens[i].kind != '(' {
				i--
			}
		}
	}
	if i <= 0 {
		return "", false
	}
	switch before := c.tokens[i-1]; {
	case before.kind == '=' && i > 1:
		return c.tokens[i-2].text, false
	case before.kind == '(', before.kind == ',':
		return "", true // a word for another call
	}
	return "", false
}

// unused reports whether an opened file is only closed, wherever its name stands.
func (c *codeCall) unused(name string, used bool) bool {
	if used || name == "" {
		return !used
	}
	for i := c.pos; i < len(c.tokens); i++ {
		if c.tokens[i].kind != 'i' || c.tokens[i].text != name || i+1 < len(c.tokens) && c.tokens[i+1].kind == '|' || c.tokens[i-1].text == "as" {
			continue
		}
		at := i - 1
		if at > 0 && c.tokens[at].kind == '$' {
			at--
		}
		closes := at > 0 && c.tokens[at].kind == '(' && strings.Contains(strings.ToLower(c.tokens[at-1].text), "close") || strings.EqualFold(c.tokens[at].text, "close")
		if !closes && !(i+1 < len(c.tokens) && c.tokens[i+1].kind == '.' && c.harmlessOn(i+1)) {
			return false
		}
	}
	return true
}

// harmlessOn reports whether the method behind a dot puts nothing into a file.
func (c *codeCall) harmlessOn(dot int) bool {
	word := func(n int) token {
		if dot+n < len(c.tokens) {
			return c.tokens[dot+n]
		}
		return token{kind: ';'}
	}
	switch strings.ToLower(word(1).text) {
	case "close", "flush", "seek", "truncate", "fileno":
		return true
	case "end":
		return word(2).kind != '(' || word(3).kind == ')'
	case "write", "puts", "print":
		return word(2).kind == '(' && word(3).kind == 's' && word(3).text == "" && len(word(3).expr) == 0 && word(4).kind == ')'
	}
	return false
}
