package wasm

import (
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// given are the functions of the module "hookway" that a guest may import.
var given = map[string]string{"log": "func(i32, i32)", "fetch": "func(i32, i32) i32", "read": "func(i32)"}

// wasi are those of WASI, as the engine has them.
var wasi = sync.OnceValues(func() (map[string]string, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter()) // nothing is run
	defer r.Close(ctx)
	m, err := wasi_snapshot_preview1.NewBuilder(r).Compile(ctx)
	if err != nil {
		return nil, fmt.Errorf("the engine's WASI cannot be read: %w", err)
	}
	all := map[string]string{}
	for name, f := range m.ExportedFunctions() {
		all[name] = signature{f.ParamTypes(), f.ResultTypes()}.String()
	}
	return all, nil
})

// importable finds what of an import's module a guest may have.
func (i imported) importable() (map[string]string, error) {
	switch i.module {
	case wasiModule:
		return wasi()
	case hostModule:
		return given, nil
	}
	return nil, fmt.Errorf("it imports %s.%s, which nothing here gives; a hook may import %s and %s", i.module, i.name, wasiModule, hostModule)
}

// check finds what is wrong with an import.
func (o *outline) check(i imported) error {
	there, err := i.importable()
	if err != nil {
		return err
	}
	want, ok := there[i.name]
	switch {
	case !ok && i.module == hostModule:
		return fmt.Errorf("it imports %s.%s, which there is not; there are log, fetch and read", i.module, i.name)
	case !ok:
		return fmt.Errorf("it imports %s.%s, which there is not here", i.module, i.name)
	case i.what != 0:
		return fmt.Errorf("it imports %s.%s as something else than a function; it is %s", i.module, i.name, want)
	}
	got := "a function without type"
	if int64(i.index) < int64(len(o.types)) {
		got = o.types[i.index].String()
	}
	if got != want {
		return fmt.Errorf("it imports %s.%s as %s; it is %s", i.module, i.name, got, want)
	}
	return nil
}
