package config

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// wasmKey is the key of a hook that names a module.
func wasmKey() key[hookSpec] {
	return key[hookSpec]{name: "wasm", doc: "A WebAssembly module, from the folder of this file, which exports hookway_alloc and hookway_handle.", shape: textShape(),
		read: func(r *reader, n *yaml.Node, h *hookSpec) {
			if s, ok := r.Text(n, "wasm"); ok {
				h.handler.wasm = &strict.Entry{Text: s, Node: n}
			}
		}}
}

// granted checks what a list under allow gives, and to whom.
func (r *reader) granted(h *hookSpec) {
	switch {
	case h.grants == nil || h.keys["script"] != nil:
	case h.keys["wasm"] == nil:
		r.Fail(h.keys["allow"], "write allow: true, or allow: with the reason", "allow is a list only beside script and wasm, as what those may do")
	case slices.Contains(h.grants, script.Exec):
		r.Fail(h.keys["allow"], "take exec out, or make it a command", "a WebAssembly module cannot run programs")
	}
}

// modules reads the modules that a layer names. In a workspace they are part of
// what is trusted.
func (l *files) modules(la *layer) {
	for _, f := range la.found {
		named := f.spec.handler.wasm
		if named == nil || f.spec.disabled {
			continue
		}
		check := trust.CheckOwner
		if f.source.layer == LayerWorkspace {
			check = nil
		}
		path := shell.Under(f.source.dir, named.Text)
		l.set.Watched = append(l.set.Watched, path) // the user's is watched too
		m, err := l.module(*f.source, path, check)
		if err == nil {
			f.module = m
			continue
		}
		p := Problem{File: f.file, Line: named.Node.Line, Column: named.Node.Column, Hook: f.spec.id, Message: strict.Line("wasm: " + path + ": " + err.Error())}
		if !disk.Exists(path) {
			p.Message, p.Hint = "there is no module "+path, "create it or correct the name; it starts from the folder of this file"
		}
		l.set.Problems = append(l.set.Problems, p)
		l.leaveOut(la)
	}
}

// module reads one; what may run is what is hashed.
func (l *files) module(src source, path string, check func(string, fs.FileInfo) error) (*wasm.Module, error) {
	data, err := trust.Read(path, wasm.MaxFile, check, l.pins(src))
	if err != nil {
		return nil, err
	}
	return wasm.Parse(path, data)
}

// wasmConfig is what a hook's module is given.
func (l *builder) wasmConfig(f *found, c command.Config) wasm.Config {
	may := func(g script.Grant) bool { return slices.Contains(f.spec.grants, g) }
	return wasm.Config{
		Root: cmp.Or(l.workspace, f.source.root, f.source.dir),
		Read: may(script.Read), Write: may(script.Write), Net: may(script.Net), Transport: l.opts.Transport,
		Env: f.spec.env, Cache: filepath.Join(l.stateDir, "wasm"), Profile: c.Profile, EventNames: c.EventNames, Log: l.opts.Log,
	}
}

// leaseWASM holds the handler of a module.
func leaseWASM(m *wasm.Module, c wasm.Config) (*lease, error) {
	return newLease(func() (closing, error) { return wasm.New(m, c), nil })
}
