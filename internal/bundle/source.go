package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// codeLoaders are how files of code are parsed.
var codeLoaders = map[string]api.Loader{
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJSX,
}

// tame takes out of a file what would have esbuild look around on the disk by
// itself: the name of a source map, and imports whose names are computed, for
// which it would list folders. Such an import fails when it runs.
func tame(path, rel, text string) string {
	ext := strings.ToLower(filepath.Ext(path))
	loader, code := codeLoaders[ext]
	if strings.Contains(text, "sourceMappingURL") {
		if code {
			text += "\n//# sourceMappingURL=data:application/json,{}\n" // the last one counts
		} else if ext == ".css" {
			text = strings.ReplaceAll(text, "sourceMappingURL", "sourceMapping")
		}
	}
	if !code {
		return text
	}
	if text = asNode(path, rel, text); !mayCompute().MatchString(text) {
		return text
	}
	return settle(text, rel, loader)
}

// mayCompute matches each file that could import by a computed name.
var mayCompute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`require|\\u|import\s*[^\s\w"'{*$]`)
})

// computed are esbuild's words for imports whose names are not plain text, with
// what is put in the place of import and require. Each begins with a name and
// takes what follows in brackets.
var computed = map[string]struct{ word, instead string }{
	"unsupported-dynamic-import": {"import", "__hookway.find"},
	"unsupported-require-call":   {"require", "__hookway.requires"},
}

// settle replaces computed imports. Where they stand, esbuild itself says.
func settle(text, rel string, loader api.Loader) string {
	looked := api.Transform(text, api.TransformOptions{
		Loader: loader, Target: api.ES2023, Format: api.FormatCommonJS, LogLevel: api.LogLevelSilent,
		LogOverride: map[string]api.LogLevel{"unsupported-dynamic-import": api.LogLevelWarning, "unsupported-require-call": api.LogLevelWarning},
	})
	type edit struct {
		at            int
		word, instead string
	}
	var edits []edit
	starts := lineStarts(text)
	for _, m := range looked.Warnings {
		c, ok := computed[m.ID]
		if !ok || m.Location == nil || m.Location.Line < 1 || m.Location.Line > len(starts) {
			continue
		}
		at := starts[m.Location.Line-1] + m.Location.Column
		if at <= len(text) && strings.HasPrefix(text[at:], c.word) {
			edits = append(edits, edit{at, c.word, c.instead + "(" + quote(filepath.ToSlash(rel)) + ")"})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.at - a.at })
	last := -1
	for _, e := range edits {
		if e.at != last {
			text = text[:e.at] + e.instead + text[e.at+len(e.word):]
		}
		last = e.at
	}
	return text
}

// lineStarts are the indexes at which lines begin, as esbuild counts lines.
func lineStarts(text string) []int {
	starts := []int{0}
	for i, r := range text {
		switch {
		case r == '\n', r == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			starts = append(starts, i+1)
		case r == '\u2028', r == '\u2029':
			starts = append(starts, i+3)
		}
	}
	return starts
}

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

// relative returns the path of a file from the script's own, which has "".
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

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always can be written
	return string(text)
}

func baseOf(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// Bounds of what a script is made of.
const (
	MaxSource  = 16 << 20 // bytes of one file
	maxSources = 64 << 20 // of all of them
	maxInputs  = 4096
	maxSetting = 1 << 20 // of a package.json, a tsconfig.json
)
