package script

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// What Node gives each file for itself: __dirname, __filename, import.meta,
// require.main and createRequire. They are put in front of a file that names them.

var fileNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:__dirname|__filename)\b|\bimport\.meta\b|\brequire\.main\b|\bcreateRequire\b`)
})

var (
	moduleLines = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*(?:import\s*["'{*\w]|export\s+(?:default|const|let|var|function|async|class|\{|\*))`)
	})
	ownRequire = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:[A-Za-z_$][\w$]*\.)?createRequire\s*\(\s*(?:import\.meta\.url|__filename)\s*\)`)
	})
	strictFirst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*["']use strict["']`)
	})
)

// declares reports whether a file declares a name at its top itself.
func declares(text, name string) bool {
	return regexp.MustCompile(`(?m)^\s*(?:export\s+)?(?:const|let|var)\s+(?:\{[^}]*\b` + name + `\b|` + name + `\b)|\bimport\b[^;\n]*\b` + name + `\b`).MatchString(text)
}

// asNode puts in front of a file what it names of these. rel is its path from the
// script's own file, which has "".
func asNode(path, rel, text string) string {
	if !fileNames().MatchString(text) {
		return text
	}
	esm := moduleLines().MatchString(text) || filepath.Ext(path) == ".mjs" || filepath.Ext(path) == ".mts"
	at := quote(filepath.ToSlash(rel))
	var own []string
	for i, name := range []string{"__filename", "__dirname"} {
		if strings.Contains(text, name) && !declares(text, name) {
			own = append(own, fmt.Sprintf("%s=__hookway.place(%s)[%d]", name, at, i))
		}
	}
	if m := ownRequire().FindStringSubmatch(text); m != nil && esm {
		text = strings.Replace(text, m[0], "void 0", 1)
		if m[1] != "require" {
			text = regexp.MustCompile(`\b`+regexp.QuoteMeta(m[1])+`\s*\(`).ReplaceAllString(text, "require(")
			own = append(own, fmt.Sprintf("%s=__hookway.requires(%s)", m[1], at))
		}
	}
	if strings.Contains(text, "import.meta") {
		own = append(own, "__hookway_meta=__hookway.meta("+at+")")
	}
	if strings.Contains(text, "require.main") {
		module := ""
		switch {
		case esm:
			own = append(own, "__hookway_main={}")
		case rel == "":
			module = `module,""`
			fallthrough
		default:
			own = append(own, "__hookway_main=__hookway.main("+module+")")
		}
	}
	if len(own) == 0 {
		return text
	}
	head := "var " + strings.Join(own, ",") + ";"
	bare, first := text, ""
	if strings.HasPrefix(text, "#!") {
		line, rest, _ := strings.Cut(text, "\n")
		first, bare = line+"\n", rest
	}
	if strictFirst().MatchString(bare) {
		head = `"use strict";` + head
	}
	return first + head + bare
}

// relative gives the path of a file from the script's own, which has "".
func (s *finder) relative(path string) string {
	if path == s.entry {
		return ""
	}
	rel, err := filepath.Rel(filepath.Dir(s.entry), path)
	if err != nil {
		return path
	}
	return rel
}
