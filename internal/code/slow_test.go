package code

import (
	"strings"
	"testing"
	"time"
)

// TestReadIsBounded: texts that would make a reader of expressions work without end.
func TestReadIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"calls in calls":       strings.Repeat("f(", 8000),
		"lists in lists":       strings.Repeat("[x, ", 8000),
		"values of each other": strings.Repeat("a = b + b\nb = a + a\n", 800) + "exec(a)\n",
		"many names":           strings.Repeat("exec(x)\nx = open(y)\n", 1600),
		"a chain":              "x" + strings.Repeat(".y(z)", 8000),
		"texts in texts":       strings.Repeat("f'{", 8000),
		"open texts":           strings.Repeat("${`", 8000),
		"functions":            strings.Repeat("def f(a, b):\n  g(a)\ndef g(a, b):\n  f(b)\n", 1000),
		"commas":               "x = [" + strings.Repeat(",", 30000),
		"words":                strings.Repeat("system x ", 6000),
	} {
		for language := range languages() {
			begin := time.Now()
			Read(Program{Language: language, Text: text[:min(len(text), 64<<10)], Path: "/w/h"})
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("%s of %s took %s, want at most 3s", name, language, took)
			} else if took > 500*time.Millisecond {
				t.Logf("%s of %s: %s", name, language, took)
			}
		}
	}
}
