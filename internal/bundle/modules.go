package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Builtin are the modules of hookway that every script finds: by the names under which
// it may import them, the files.
var Builtin = map[string]string{
	"hookway:runtime": "runtime.js", "hookway:net": "net.js", "hookway:hooks": "hooks.js", "hookway:openclaw": "openclaw.js", "hookway:openclaw-events": "openclaw-events.js", "hookway:openclaw-sdk": "openclaw-sdk.js", "hookway:compilr": "compilr.js",
	"hookway": "hookway.js", "agent-relay": "relay.js", "@a3s-lab/box": "a3s.js",
}

// Nodes are the modules of Node that are here, by the names under which they are
// imported, with and without node: in front. The value is the name of its file.
var Nodes = map[string]string{
	"assert": "assert", "assert/strict": "assert-strict", "buffer": "buffer", "child_process": "child_process", "crypto": "crypto",
	"constants": "constants", "events": "events", "fs": "fs", "fs/promises": "fs-promises", "http": "http", "https": "https",
	"module": "module", "net": "net", "os": "os", "path": "path", "path/posix": "path", "path/win32": "path-win32",
	"perf_hooks": "perf_hooks", "process": "process", "punycode": "punycode", "querystring": "querystring",
	"readline": "readline", "readline/promises": "readline-promises", "stream": "stream", "stream/promises": "stream-promises",
	"stream/web": "web", "stream/consumers": "stream-consumers", "string_decoder": "string_decoder", "sys": "util",
	"timers": "timers", "timers/promises": "timers-promises", "tty": "tty", "url": "url", "util": "util", "util/types": "util-types",
	"vm": "vm", "worker_threads": "worker_threads", "zlib": "zlib",
}

// Exports says what the built-in modules export.
type Exports struct {
	Builtin map[string][]string                // by file
	Node    func(file string) (names []string) // of a module of Node
}

// modules serves what is built in: a script's import becomes a look into what its machine
// has already. What is required is what Node gives then: the module itself.
func modules(exports func() (*Exports, error)) api.Plugin {
	return api.Plugin{Name: "hookway", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^(hookway|agent-relay|@a3s-lab/|node:|[a-z_0-9]+(/[a-z]+)?$)`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if name, ok := Builtin[a.Path]; ok {
				return api.OnResolveResult{Path: name, Namespace: "hookway"}, nil
			}
			name, ok := Nodes[strings.TrimPrefix(a.Path, "node:")]
			switch {
			case !ok:
				return api.OnResolveResult{}, nil
			case a.Kind == api.ResolveJSRequireCall:
				return api.OnResolveResult{Path: name, Namespace: "required"}, nil
			}
			return api.OnResolveResult{Path: name, Namespace: "part"}, nil
		})
		for space, text := range map[string]func(*Exports, string) string{
			"hookway": func(e *Exports, file string) string {
				return fmt.Sprintf("const m = __hookway.modules[%q];\n", file) + exported(e.Builtin[file])
			},
			"part": func(e *Exports, file string) string {
				return fmt.Sprintf("const m = __hookway.part(%q);\nexport default m;\n", file) + exported(e.Node(file))
			},
			"required": func(_ *Exports, file string) string {
				return fmt.Sprintf("module.exports = __hookway.part(%q);\n", file)
			},
		} {
			b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: space}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
				e, err := exports()
				if err != nil {
					return api.OnLoadResult{}, err
				}
				contents := text(e, a.Path)
				return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
			})
		}
	}}
}

// exported is the text that exports names of the module m.
func exported(names []string) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "const e%d = m.%s;\nexport { e%d as %s };\n", i, name, i, name)
	}
	return b.String()
}

// nodeModules are those of Node. What is not built in fails when a plugin uses it, so
// that one whose hooks do without it runs.
var nodeModules = []string{
	"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "domain",
	"events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl",
	"sea", "sqlite", "stream", "string_decoder", "sys", "test", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
}

// sdk serves openclaw/plugin-sdk and all that is below it; and to a plugin the modules
// of Node that are not built in.
func sdk(isPlugin bool) api.Plugin {
	return api.Plugin{Name: "openclaw", Setup: func(b api.PluginBuild) {
		const space = "hookway:sdk"
		b.OnResolve(api.OnResolveOptions{Filter: `^(openclaw|clawdbot|moltbot)(/|$)`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: a.Path, Namespace: space}, nil
		})
		if isPlugin {
			b.OnResolve(api.OnResolveOptions{Filter: `^(node:)?[a-z_0-9]+(/[a-z/]+)?$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
				name := strings.TrimPrefix(a.Path, "node:")
				top, _, _ := strings.Cut(name, "/")
				if _, built := Nodes[name]; built || !slices.Contains(nodeModules, top) {
					return api.OnResolveResult{}, nil
				}
				return api.OnResolveResult{Path: "node:" + name, Namespace: space}, nil
			})
		}
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: space}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			text := fmt.Sprintf("const m = __hookway.modules[\"openclaw.js\"];\nmodule.exports = m.sdk(%s, m);\n", quote(a.Path))
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}
