package command

import (
	"strings"
	"testing"
)

func TestTheLineThatSaysWhatWentWrong(t *testing.T) {
	for name, c := range map[string]struct{ printed, want string }{
		"node":               {"/src/hook.mjs:3\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at load (node:internal)\n\nNode.js v20.20.2", "SyntaxError: Unexpected token ';'"},
		"import":             {"node:internal/run:1\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'\n    at f (node:internal) {\n  code: 'ERR_MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'"},
		"python":             {"Traceback (most recent call last):\n  File \"hook.py\", line 1\nKeyError: 'x'", "KeyError: 'x'"},
		"words":              {"one\ntwo", "two"},
		"nothing that tells": {"  indented", "indented"},
	} {
		p := &peer{w: &worker{c: &Config{}}}
		for line := range strings.Lines(c.printed) {
			line = strings.TrimSuffix(line, "\n")
			p.said(strings.TrimSpace(line), informative([]byte(line)))
		}
		if p.last != c.want {
			t.Errorf("%s: %q, want %q", name, p.last, c.want)
		}
	}
}
