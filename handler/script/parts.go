package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/bundle"
)

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

// bundlePart gives the text of a part.
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

// partCode gives the bytecode of a part.
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
