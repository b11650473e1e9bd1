// Package wat turns WebAssembly's text format into a module: as much of it as
// hooks that are written by hand need, and instructions one after the other,
// not folded.
package wat

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Assemble returns the module of a text.
func Assemble(text string) (module []byte, err error) {
	defer func() {
		if p, ok := recover().(mistake); ok {
			err = p.error
		}
	}()
	a := &assembler{globals: map[string]uint64{}, funcs: map[string]uint64{}}
	fields := parse(text)
	if len(fields) != 1 || fields[0].word(0) != "module" {
		fail("want one (module …)")
	}
	for _, f := range fields[0].list[1:] {
		a.declare(f)
	}
	for _, f := range a.bodies {
		a.body(f)
	}
	return a.module(), nil
}

type mistake struct{ error }

func fail(format string, args ...any) { panic(mistake{fmt.Errorf(format, args...)}) }

type assembler struct {
	types, imports, functions, tables, memories, globalSec, exports, start, code, data [][]byte

	funcs, globals map[string]uint64
	bodies         []*node
}

var valueTypes = map[string]byte{"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c, "funcref": 0x70, "externref": 0x6f}

func valueType(name string) byte {
	t, ok := valueTypes[name]
	if !ok {
		fail("%q is not a type", name)
	}
	return t
}

// declare notes a field, so that bodies may name what comes after them.
func (a *assembler) declare(f *node) {
	switch f.word(0) {
	case "import":
		fn := f.list[3]
		a.name(a.funcs, fn, uint64(len(a.funcs)))
		a.imports = append(a.imports, slices.Concat(str(f.text(1)), str(f.text(2)), []byte{0}, uleb(a.signature(fn))))
	case "func":
		index := uint64(len(a.funcs))
		a.name(a.funcs, f, index)
		for _, n := range f.all("export") {
			a.exports = append(a.exports, slices.Concat(str(n.text(1)), []byte{0}, uleb(index)))
		}
		a.functions = append(a.functions, uleb(a.signature(f)))
		a.bodies = append(a.bodies, f)
	case "memory":
		for _, n := range f.all("export") {
			a.exports = append(a.exports, slices.Concat(str(n.text(1)), []byte{2, 0}))
		}
		a.memories = append(a.memories, limits(f))
	case "table":
		a.tables = append(a.tables, append([]byte{0x70}, limits(f)...))
	case "global":
		a.name(a.globals, f, uint64(len(a.globals)))
		a.globalSec = append(a.globalSec, slices.Concat([]byte{0x7f, 1, 0x41}, sleb(number(f.list[3].word(1))), []byte{0x0b}))
	case "data":
		a.data = append(a.data, slices.Concat([]byte{0, 0x41}, sleb(number(f.list[1].word(1))), []byte{0x0b}, str(f.text(2))))
	case "start":
		a.start = append(a.start, uleb(a.funcs[f.word(1)]))
	default:
		fail("line %d: there is no field %q here", f.line, f.word(0))
	}
}

// name returns an entry its $name, or a generated one.
func (a *assembler) name(in map[string]uint64, f *node, index uint64) {
	name := f.word(1)
	if !strings.HasPrefix(name, "$") {
		name = fmt.Sprintf("(%d)", index)
	}
	in[name] = index
}

func limits(f *node) []byte {
	var n []uint64
	for _, e := range f.list[1:] {
		if v, err := strconv.ParseUint(e.atom, 0, 32); err == nil && e.list == nil {
			n = append(n, v)
		}
	}
	switch len(n) {
	case 1:
		return append([]byte{0}, uleb(n[0])...)
	case 2:
		return slices.Concat([]byte{1}, uleb(n[0]), uleb(n[1]))
	}
	fail("line %d: want one or two limits", f.line)
	return nil
}

// signature returns the index of a function's type.
func (a *assembler) signature(f *node) uint64 {
	var takes, gives []byte
	for _, p := range f.all("param") {
		for _, w := range p.list[1:] {
			if !strings.HasPrefix(w.atom, "$") {
				takes = append(takes, valueType(w.atom))
			}
		}
	}
	for _, r := range f.all("result") {
		for _, w := range r.list[1:] {
			gives = append(gives, valueType(w.atom))
		}
	}
	t := slices.Concat([]byte{0x60}, bytes(takes), bytes(gives))
	for i, have := range a.types {
		if string(have) == string(t) {
			return uint64(i)
		}
	}
	a.types = append(a.types, t)
	return uint64(len(a.types) - 1)
}

// module writes the sections in their order.
func (a *assembler) module() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id      byte
		entries [][]byte
	}{{1, a.types}, {2, a.imports}, {3, a.functions}, {4, a.tables}, {5, a.memories}, {6, a.globalSec}, {7, a.exports}, {8, a.start}, {10, a.code}, {11, a.data}} {
		if len(s.entries) == 0 {
			continue
		}
		body := uleb(uint64(len(s.entries)))
		if s.id == 8 {
			body = nil
		}
		for _, e := range s.entries {
			body = append(body, e...)
		}
		out = append(append(out, s.id), bytes(body)...)
	}
	return out
}

func uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

func sleb(n int64) (out []byte) {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func bytes(b []byte) []byte { return append(uleb(uint64(len(b))), b...) }
func str(s string) []byte   { return bytes([]byte(s)) }
func number(w string) int64 {
	n, err := strconv.ParseInt(w, 0, 64)
	if err != nil {
		fail("%q is not a number", w)
	}
	return n
}
