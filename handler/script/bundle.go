package script

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

//go:embed js
var ours embed.FS

// builtin are the modules that every script finds, by the names under which it
// may import them.
var builtin = map[string]string{
	"hookway:runtime": "runtime.js", "hookway:net": "net.js", "hookway:hooks": "hooks.js", "hookway:openclaw": "openclaw.js", "hookway:openclaw-events": "openclaw-events.js", "hookway:openclaw-sdk": "openclaw-sdk.js", "hookway:compilr": "compilr.js",
	"hookway": "hookway.js", "agent-relay": "relay.js", "@a3s-lab/box": "a3s.js",
}

// Bundle is a script with all that it imports, as one text.
type Bundle struct {
	Files []string // that it was made of, sorted; absolute
	Hash  string   // of what will run
	Asks  []Grant  // that the file itself asks for: export const allow = ["exec"]; nil: it does not say

	Plugin *Plugin  // what the package says of itself; nil: the file is of none
	Notes  []string // what of it is left out, and why

	file    string
	root    string
	code    string
	builtin []string        // the modules of ours and of Node that it imports
	later   bool            // its top level awaits something
	names   map[string]bool // of variables that its own text names
	program bool            // it is run once for each event, as a program is
	intl    bool            // it names Intl, or what builds on that
	mapped  func() *sourceMap
}

// Build bundles a file. It does not run any of it. The error names each mistake
// with file, line and column, the paths from root. What it takes in from outside
// of root must be code, unless it may read; allow is what it may do, and nil is
// what it asks for.
//
// A file that is written as a program, and exports no hook, becomes one.
func Build(file, root string, allow ...Grant) (*Bundle, error) {
	return build(file, root, writtenAsProgram(file), allow)
}

func build(file, root string, program bool, allow []Grant) (*Bundle, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("the script %s cannot be found: %w", file, err)
	}
	if root == "" {
		root = filepath.Dir(file)
	}
	what, err := planOf(file)
	if err != nil {
		return nil, err
	}
	program = program && what.plugin == nil
	b := &Bundle{file: file, root: root, program: program, Plugin: what.plugin, Notes: what.notes}
	var asking error
	if len(what.units) == 1 && what.units[0].file == file {
		b.Asks, asking = b.asked()
	}
	if allow == nil {
		allow = b.Asks
	}
	options := buildOptions(file, root)
	options.Stdin.Contents = what.entryOf(file)
	files, err := newFinder(filepath.Dir(file), root, slices.Contains(allow, Read))
	if err != nil && what.plugin == nil {
		return nil, err
	}
	files.entry = file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		files.entry = real
	}
	options.TsconfigRaw, options.Plugins = files.config.raw(), append(append([]api.Plugin{sdk(what.plugin != nil)}, options.Plugins...), files.plugin())
	if program {
		options.Stdin.Contents = programEntry(file)
		asProgram(&options, false)
	}
	result := api.Build(options)
	if b.later = awaits(result.Errors); b.later { // as a function that can wait; what else is wrong, the second look finds too
		options.Format, options.Banner, options.Footer = api.FormatESModule, map[string]string{"js": "__hookway.later(async () => {\"use strict\";"}, map[string]string{"js": "});"}
		if program {
			asProgram(&options, true)
		}
		files.bytes, files.files = 0, 0
		result = api.Build(options)
	}
	if len(result.Errors) > 0 {
		return nil, mistakes(result.Errors)
	}
	if asking != nil {
		return nil, asking
	}
	b.names = files.names
	var mapping []byte
	for _, out := range result.OutputFiles {
		if strings.HasSuffix(out.Path, ".map") {
			mapping = out.Contents
		} else {
			b.code = string(out.Contents)
		}
	}
	if program && b.later {
		if b.code, mapping, err = writtenOut(b.code, mapping); err != nil {
			return nil, err
		}
	}
	if !program && strings.Contains(b.code, shim) {
		b.code = `var require=__hookway.requires("");` + b.code
	}
	b.intl = strings.Contains(b.code, "Intl") || strings.Contains(b.code, "toLocale")
	b.mapped = sync.OnceValue(func() *sourceMap { return readMap(mapping) })
	if b.Files, b.builtin, err = inputs(result.Metafile, root); err != nil {
		return nil, err
	}
	b.Files = append(b.Files, what.files...)
	slices.Sort(b.Files)
	sum := sha256.Sum256([]byte(b.code))
	b.Hash = hex.EncodeToString(sum[:])
	return b, nil
}

// shim is what bundlers say in the place of a module that they left out. They look
// for a function require first, which OpenClaw's loader and Node's own give.
const shim = `Dynamic require of "`

func buildOptions(file, root string) api.BuildOptions {
	return api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents: entry(file), ResolveDir: filepath.Dir(file), Sourcefile: entryName, Loader: api.LoaderJS,
		},
		AbsWorkingDir: root, Bundle: true, Outfile: filepath.Join(root, "script.js"), Write: false, Metafile: true,
		Format: api.FormatIIFE, Platform: api.PlatformNeutral, Target: api.ES2023, Charset: api.CharsetUTF8,
		MainFields: []string{"module", "main"}, Conditions: []string{"module", "default"},
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, LogLevel: api.LogLevelSilent,
		Define:       map[string]string{"import.meta": "__hookway_meta", "require.main": "__hookway_main"},
		MinifySyntax: false, KeepNames: false, LegalComments: api.LegalCommentsNone,
		Loader:  map[string]api.Loader{".txt": api.LoaderText, ".md": api.LoaderText, ".sql": api.LoaderText},
		Plugins: []api.Plugin{modules()},
	}
}

// awaits reports whether a script was refused because its top level awaits.
func awaits(list []api.Message) bool {
	return slices.ContainsFunc(list, func(m api.Message) bool {
		return strings.HasPrefix(m.Text, "Top-level await is currently not supported") || strings.HasPrefix(m.Text, "Top-level await is not available")
	})
}

// entryName stands for the text with which a bundle begins.
const entryName = "hookway:entry"

// entry is the text that makes a program of a file.
func entry(file string) string {
	return fmt.Sprintf("import * as script from %s;\n__hookway.load(script, %s);\n", quote(file), quote(baseOf(file)))
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string always can be written
	return string(text)
}

// modules serves what is built in: a script finds it in the prelude. What is
// required is what Node gives then: the module itself.
func modules() api.Plugin {
	return api.Plugin{Name: "hookway", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^(hookway|agent-relay|@a3s-lab/|node:|[a-z_0-9]+(/[a-z]+)?$)`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if name, ok := builtin[a.Path]; ok {
				return api.OnResolveResult{Path: name, Namespace: "hookway"}, nil
			}
			name, ok := nodes[strings.TrimPrefix(a.Path, "node:")]
			switch {
			case !ok:
				return api.OnResolveResult{}, nil
			case a.Kind == api.ResolveJSRequireCall:
				return api.OnResolveResult{Path: name, Namespace: "required"}, nil
			}
			return api.OnResolveResult{Path: name, Namespace: "part"}, nil
		})
		for space, look := range map[string]func(*prelude, string) string{"hookway": (*prelude).look, "part": (*prelude).imported, "required": (*prelude).required} {
			b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: space}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
				p, err := ready()
				if err != nil {
					return api.OnLoadResult{}, err
				}
				text := look(p, a.Path)
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
			})
		}
	}}
}

// Mistake is one thing that is wrong with a script.
type Mistake struct {
	File         string // from the root of the bundle
	Line, Column int    // from 1
	Text         string
}

// Error gives the place and what is wrong.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}

// maxMistakes bounds how many are told.
const maxMistakes = 20

func mistakes(list []api.Message) error {
	var errs []error
	for _, m := range list[:min(len(list), maxMistakes)] {
		one := &Mistake{Text: m.Text}
		if m.Location != nil && !strings.HasSuffix(m.Location.File, entryName) {
			one.File, one.Line, one.Column = m.Location.File, m.Location.Line, m.Location.Column+1
		}
		if strings.HasPrefix(m.Text, "Could not resolve") {
			one.Text += "; " + missing(m.Text)
		}
		errs = append(errs, one)
	}
	return errors.Join(errs...)
}

// missing says what to do about an import that is not there.
func missing(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, `Could not resolve "`), `"`)
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "file:"):
		return "there is no such file"
	case strings.HasPrefix(name, "node:"), slices.Contains(nodeOnly, name):
		return "this module of Node is not built in; write runtime: node beside script:, which has Node run the file"
	}
	return "it is not built in, and no node_modules folder from the file upwards has it; install it there"
}

// nodeOnly are modules of Node that people import without node: in front.
var nodeOnly = []string{"http2", "tls", "dns", "dgram", "cluster", "inspector", "v8", "sqlite", "async_hooks", "repl", "domain"}

// inputs lists the files of a bundle, and what of the prelude it takes.
func inputs(metafile, root string) (files, builtin []string, err error) {
	var meta struct {
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, nil, fmt.Errorf("esbuild's list of files cannot be read: %w", err)
	}
	for name := range meta.Inputs {
		space, of, _ := strings.Cut(name, ":")
		switch {
		case strings.HasSuffix(name, entryName), space == "(disabled)":
		case space == "hookway", space == "part", space == "required":
			builtin = append(builtin, of)
		default:
			path := filepath.FromSlash(name)
			if !filepath.IsAbs(path) {
				path = filepath.Join(root, path)
			}
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files, builtin, nil
}

// asking is how a file asks for grants: a list of plain texts, so that it can be
// read, and shown to the user, before any of the file has run.
var asking = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:export )?(?:const|let|var) allow = (\[[^\]]*\]);`)
})

// asked reads what the file itself asks for, from the text without its types.
func (b *Bundle) asked() ([]Grant, error) {
	text, err := disk.Read(b.file, maxSource)
	if err != nil {
		return nil, fmt.Errorf("the script cannot be read: %w", err)
	}
	if !bytes.Contains(text, []byte("allow")) {
		return nil, nil
	}
	plain := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS, Target: api.ES2023, LogLevel: api.LogLevelSilent})
	found := asking().FindSubmatch(plain.Code)
	if found == nil {
		return nil, nil
	}
	var names []string
	if err := json.Unmarshal(found[1], &names); err != nil {
		return nil, fmt.Errorf("%s: allow must be a list of plain texts, as in export const allow = [\"exec\", \"net\"]", b.file)
	}
	out := []Grant{} // none is an answer, too
	for _, name := range names {
		g, err := ParseGrant(name)
		if err != nil {
			return nil, fmt.Errorf("%s: allow: %w", b.file, err)
		}
		out = append(out, g)
	}
	return out, nil
}
