package bundle

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// A script may be written as a program: it reads an event on stdin, prints an
// answer and ends with a code. Such a file exports no hook.

// watched are the forms of the language that are written out for a program, so
// that a promise that is rejected without a handler is noticed.
var watched = map[string]bool{"async-await": false, "async-generator": false, "for-await": false}

var (
	readsStdin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bprocess\.(?:stdin|exit|exitCode|stdout|argv)\b|\b(?:readFileSync|readFile|openSync|readSync|createReadStream)\(\s*(?:0\b|["']/dev/stdin["']|process\.stdin\.fd)|\bfrom\s*["'](?:node:)?(?:process|readline(?:/promises)?)["']|\brequire\.main\s*===?\s*module|\bimport\.meta\.main\b`)
	})
	hookSystems = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`["'](?:hookway|agent-relay|openclaw(?:/[\w./-]+)?|@a3s-lab/box|@compilr-dev/agents)["']`)
	})
	exportsHook = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*export\s+(?:default\b|\{[^}]*\bas\s+default\b|(?:const|let|var)\s+on\b)|\bas default\b`)
	})
	exportsOwn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*module\.exports\s*=\s*(?:async\b|function\b|\([^)]*\)\s*=>|\w+\s*=>|\{[^}]*\b(?:register|activate|handler|hooks|on)\b)`)
	})
	mainGuard = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brequire\.main\s*===?\s*module`) })
)

// writtenAsProgram reports whether a file is a program by its text: it uses what a
// process has, exports no hook and imports no hook system.
func writtenAsProgram(file string) bool {
	text, err := disk.Read(file, MaxSource)
	if err != nil || !readsStdin().Match(text) {
		return false
	}
	loader, ok := codeLoaders[strings.ToLower(filepath.Ext(file))]
	if !ok {
		return false
	}
	bare := api.Transform(string(text), api.TransformOptions{Loader: loader, Target: api.ES2023, LogLevel: api.LogLevelSilent})
	code := string(bare.Code)
	switch {
	case len(bare.Errors) > 0, !readsStdin().MatchString(code), hookSystems().MatchString(code), exportsHook().MatchString(code):
		return false
	}
	return !exportsOwn().MatchString(code) || mainGuard().MatchString(code)
}

// programEntry is the text that runs a file as a program.
func programEntry(file string) string { return fmt.Sprintf("import %s;\n", quote(file)) }

// asProgram has a bundle run as a program: what its top level throws ends it.
func asProgram(o *api.BuildOptions, later bool) {
	o.Supported = watched
	o.Banner, o.Footer = map[string]string{"js": "__hookway.program.run(() => {"}, map[string]string{"js": "});"}
	if later {
		o.Supported, o.Format = nil, api.FormatESModule
		o.Banner, o.Footer = map[string]string{"js": "__hookway.program.later(async () => {\"use strict\";"}, map[string]string{"js": "});"}
	}
}

// writtenOut does for a program whose top level awaits what esbuild does for
// others while it bundles them: that top level stands in a function only now.
func writtenOut(code string, mapping []byte) (string, []byte, error) {
	code += "\n//# sourceMappingURL=data:application/json;base64," + base64.StdEncoding.EncodeToString(mapping)
	result := api.Transform(code, api.TransformOptions{
		Loader: api.LoaderJS, Target: api.ES2023, Supported: watched, Charset: api.CharsetUTF8, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) > 0 {
		return "", nil, Mistakes(result.Errors)
	}
	return string(result.Code), result.Map, nil
}
