package bundle

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	relativeRequire = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(require|import)\(\s*(?:'(\.\.?/[^'\\]*)'|"(\.\.?/[^"\\]*)")\s*\)`)
	})
	evalNames = []string{"fs", "path", "os", "crypto", "child_process", "util", "url", "events", "http", "https", "net", "stream", "zlib", "assert", "readline", "querystring"}
)

// Evaluated is the text of a file that does what Node does with code on its command
// line, in a folder: the modules of Node have names already, and no file is among the
// arguments. With print, what the code comes to is printed.
func Evaluated(code, dir string, print bool) string {
	code = relativeRequire().ReplaceAllStringFunc(code, func(call string) string {
		m := relativeRequire().FindStringSubmatch(call)
		return m[1] + "(" + quote(filepath.ToSlash(filepath.Join(dir, m[2]+m[3]))) + ")"
	})
	head := "process.argv.splice(1,1);"
	for _, name := range evalNames {
		if slices.Contains(strings.FieldsFunc(code, func(r rune) bool {
			return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}), name) {
			head += fmt.Sprintf("globalThis.%[1]s??=require(%[1]q);", name)
		}
	}
	if print {
		return head + "console.log((" + strings.TrimRight(strings.TrimSpace(code), ";") + "\n));\n"
	}
	return head + code + "\n"
}
