package script

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/bundle"
	"modernc.org/quickjs"
)

// The prelude is all that a script finds in its machine: the global scope and the
// built-in modules. It is the same for every script, so it is compiled when
// hookway is built; a script itself is bundled and compiled without it, and its
// imports of built-in modules become looks into the prelude.

//go:embed prelude.bin
var madePrelude []byte

//go:embed js
var ours embed.FS

// prelude is the bytecode of what is ours.
type prelude struct {
	Version string              `json:"quickjs"`
	Probe   []byte              `json:"probe"`   // the bytecode of probeText
	Exports map[string][]string `json:"exports"` // of each module that may be imported, by its file
	Main    int                 `json:"main"`    // bytes of what every machine reads
	Parts   map[string]part     `json:"parts"`   // what it reads when it is first asked for

	code []byte
}

// probeText is compiled to see whether an engine writes the bytecode that we
// have: names that are not its own count from the last of its own.
const probeText = "hookway_probe = (x) => x.hookway_probed ?? Promise"

// ready is the prelude that was made when hookway was built.
var ready = sync.OnceValues(func() (*prelude, error) {
	head, code, ok := bytes.Cut(madePrelude, []byte("\n"))
	p := &prelude{code: code}
	if !ok {
		return nil, errors.New("the script engine's prelude is damaged; install hookway anew")
	}
	if err := json.Unmarshal(head, p); err != nil {
		return nil, fmt.Errorf("the script engine's prelude is damaged; install hookway anew: %w", err)
	}
	return p, nil
})

// preludeCode gives bytecode that the engine of this machine can run: of all that
// is read first. It is compiled here if that is not what hookway was built with.
var preludeCode = sync.OnceValues(func() ([]byte, error) {
	p, err := ready()
	if err != nil {
		return nil, err
	}
	if fits() {
		return p.code[:p.Main], nil
	}
	text, _, err := bundlePrelude()
	if err != nil {
		return nil, err
	}
	return compiled(text)
})

// fits reports whether the engine of this machine runs the bytecode that we have.
var fits = sync.OnceValue(func() bool {
	p, err := ready()
	if err != nil || p.Version != quickjs.Version() {
		return false
	}
	probe, err := compiled(probeText)
	return err == nil && bytes.Equal(probe, p.Probe)
})

// compiled is the bytecode of a text.
func compiled(text string) ([]byte, error) {
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("the script engine cannot start: %w", err)
	}
	defer js.Close()
	return js.Compile(text, quickjs.EvalGlobal)
}

// makePrelude makes what is embedded.
func makePrelude() ([]byte, error) {
	text, exports, err := bundlePrelude()
	if err != nil {
		return nil, err
	}
	p := prelude{Version: quickjs.Version(), Exports: exports, Parts: map[string]part{}}
	if p.Probe, err = compiled(probeText); err != nil {
		return nil, err
	}
	if p.code, err = compiled(text); err != nil {
		return nil, err
	}
	p.Main = len(p.code)
	if err := p.addParts(); err != nil {
		return nil, err
	}
	head, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, []byte("\n"), p.code), nil
}

// beyond are more lines than any script has. The prelude begins behind them, so
// that its places in a stack are distinguished from those of the script.
const beyond = 1 << 20

// bundlePrelude returns the prelude's text, and what its modules export.
func bundlePrelude() (text string, exports map[string][]string, err error) {
	first := []string{"runtime.js", "net.js", "hookway.js", "relay.js", "a3s.js", "openclaw.js", "compilr.js"} // in this order
	files := map[string]bool{}
	for _, file := range bundle.Builtin {
		files[file] = !slices.Contains(first, file)
	}
	var entry, table strings.Builder
	all := append(first, slices.Sorted(maps.Keys(files))...)
	exports = map[string][]string{}
	for i, file := range all {
		if i >= len(first) && !files[file] {
			continue
		}
		fmt.Fprintf(&entry, "import * as m%d from %q;\n", i, "hookway:js/"+file)
		fmt.Fprintf(&table, "%q: m%d, ", file, i)
		if exports[file], err = exportsOf(file); err != nil {
			return "", nil, err
		}
	}
	fmt.Fprintf(&entry, "__hookway.modules = {%s};\n", table.String())
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry.String(), Sourcefile: bundle.EntryName, Loader: api.LoaderJS},
		Bundle: true, Write: false, Format: api.FormatIIFE, Platform: api.PlatformNeutral, Target: api.ES2023, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifySyntax: true, LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsNone,
		Plugins: []api.Plugin{sources()},
	})
	if len(result.Errors) > 0 {
		return "", nil, bundle.Mistakes(result.Errors)
	}
	return strings.Repeat("\n", beyond) + string(result.OutputFiles[0].Contents), exports, nil
}

// exportsOf lists what one of our files exports.
func exportsOf(file string) ([]string, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"hookway:js/" + file}, Bundle: true, Write: false, Metafile: true, Outfile: "out.js",
		Format: api.FormatESModule, Platform: api.PlatformNeutral, LogLevel: api.LogLevelSilent, Plugins: []api.Plugin{sources()},
	})
	if len(result.Errors) > 0 {
		return nil, bundle.Mistakes(result.Errors)
	}
	var meta struct {
		Outputs map[string]struct{ Exports []string }
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("esbuild's list of exports cannot be read: %w", err)
	}
	for _, out := range meta.Outputs {
		slices.Sort(out.Exports)
		return out.Exports, nil
	}
	return nil, fmt.Errorf("%s is in no output", file)
}

// sources serves our files as they are, for the prelude.
func sources() api.Plugin {
	return api.Plugin{Name: "hookway", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			name, direct := strings.CutPrefix(a.Path, "hookway:js/")
			if !direct {
				name = bundle.Builtin[a.Path]
			}
			if name == "" {
				return api.OnResolveResult{}, fmt.Errorf("no module %s is ours", a.Path)
			}
			return api.OnResolveResult{Path: name, Namespace: "hookway"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "hookway"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := ours.ReadFile("js/" + a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			contents := strings.ReplaceAll(string(text), "\r\n", "\n") // as git may have written it
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
		})
	}}
}

// exports says what scripts may import from the prelude.
func exports() (*bundle.Exports, error) {
	p, err := ready()
	if err != nil {
		return nil, err
	}
	return &bundle.Exports{Builtin: p.Exports, Node: func(file string) []string { return p.Parts[file].Names }}, nil
}

// Most of what Node has is read by a machine when its script first asks for it:
// a part each, compiled with the rest of the prelude.

// part is where a part's bytecode lies, and what may be imported from it.
type part struct {
	At    int      `json:"at"`
	Size  int      `json:"size"`
	Names []string `json:"names"`
}

// inner are parts that scripts do not import: the prelude reads them itself.
var inner = []string{"inspect", "program", "web"}

// partNames lists all parts.
func partNames() []string {
	names := slices.Concat(slices.Collect(maps.Values(bundle.Nodes)), inner)
	slices.Sort(names)
	return slices.Compact(names)
}

// bundlePart returns the text of a part.
func bundlePart(name string) (string, error) {
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents:   fmt.Sprintf("import part from %q;\n__hookway.have(%q, part);\n", "hookway:js/node/"+name+".js", name),
			Sourcefile: bundle.EntryName, Loader: api.LoaderJS,
		},
		Bundle: true, Write: false, Format: api.FormatIIFE, Platform: api.PlatformNeutral, Target: api.ES2023, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifySyntax: true, LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsNone,
		Plugins: []api.Plugin{partSources()},
	})
	if len(result.Errors) > 0 {
		return "", bundle.Mistakes(result.Errors)
	}
	return strings.Repeat("\n", beyond) + string(result.OutputFiles[0].Contents), nil
}

// partSources serves a part's own file; what it imports of ours is there already,
// or is another part.
func partSources() api.Plugin {
	return api.Plugin{Name: "parts", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if name, own := strings.CutPrefix(a.Path, "hookway:js/"); own {
				return api.OnResolveResult{Path: name, Namespace: "own"}, nil
			}
			if file, ok := bundle.Builtin[a.Path]; ok {
				return api.OnResolveResult{Path: file, Namespace: "first"}, nil
			}
			name := bundle.Nodes[strings.TrimPrefix(a.Path, "node:")]
			if inside := strings.TrimPrefix(a.Path, "hookway:"); slices.Contains(inner, inside) {
				name = inside
			}
			if name == "" {
				return api.OnResolveResult{}, fmt.Errorf("no module %s is ours", a.Path)
			}
			return api.OnResolveResult{Path: name, Namespace: "part"}, nil
		})
		for space, text := range map[string]func(name string) (string, error){
			"own": func(name string) (string, error) {
				text, err := ours.ReadFile("js/" + name)
				return strings.ReplaceAll(string(text), "\r\n", "\n"), err // as git may have written it
			},
			"first": func(name string) (string, error) {
				return fmt.Sprintf("module.exports = __hookway.modules[%q];\n", name), nil
			},
			"part": func(name string) (string, error) {
				return fmt.Sprintf("module.exports = __hookway.part(%q);\n", name), nil
			},
		} {
			b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: space}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
				contents, err := text(a.Path)
				return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
			})
		}
	}}
}

// importable matches the names that an import may have.
var importable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][\w$]*$`) })

// addParts compiles the parts, and asks each what it has.
func (p *prelude) addParts() error {
	for _, name := range partNames() {
		text, err := bundlePart(name)
		if err != nil {
			return fmt.Errorf("the part %s: %w", name, err)
		}
		code, err := compiled(text)
		if err != nil {
			return fmt.Errorf("the part %s: %w", name, err)
		}
		p.Parts[name] = part{At: len(p.code), Size: len(code)}
		p.code = slices.Concat(p.code, code)
	}
	m := &machine{p: Open(&Bundle{File: "prelude"}, Config{}), pre: p, calls: map[int]*call{}, ops: map[int]*op{}}
	if err := m.engine(p.code[:p.Main]); err != nil {
		return err
	}
	defer m.js.Close()
	for _, name := range append([]string{"program"}, partNames()...) { // its process has all that one may import of process
		part := p.Parts[name]
		said, err := m.js.Eval(fmt.Sprintf("JSON.stringify(Object.keys(__hookway.part(%q)))", name), 0)
		if err != nil {
			return fmt.Errorf("the part %s: %w", name, err)
		}
		text, _ := said.(string)
		if err := json.Unmarshal([]byte(text), &part.Names); err != nil {
			return fmt.Errorf("the part %s: %w", name, err)
		}
		part.Names = slices.DeleteFunc(part.Names, func(n string) bool { return n == "default" || !importable().MatchString(n) })
		slices.Sort(part.Names)
		p.Parts[name] = part
	}
	for i := range m.fns {
		m.fns[i].Free()
	}
	return nil
}

// made are parts that were compiled here, because the engine is another one.
var made sync.Map

// partCode returns the bytecode of a part.
func (p *prelude) partCode(name string) ([]byte, error) {
	at, ok := p.Parts[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("no part %s is ours", name)
	case at.Names == nil || fits(): // or it is being made
		return p.code[at.At : at.At+at.Size], nil
	}
	if code, ok := made.Load(name); ok {
		return code.([]byte), nil
	}
	text, err := bundlePart(name)
	if err != nil {
		return nil, err
	}
	code, err := compiled(text)
	if err == nil {
		made.Store(name, code)
	}
	return code, err
}

// hostPart reads a part into the machine.
func (m *machine) hostPart(args []any) (any, error) {
	p := m.pre
	if p == nil {
		var err error
		if p, err = ready(); err != nil {
			return nil, err
		}
	}
	code, err := p.partCode(text(args, 0))
	if err != nil {
		return nil, err
	}
	v, err := m.js.EvalBytecodeValue(code)
	if err != nil {
		return nil, err
	}
	v.Free()
	return nil, nil
}
