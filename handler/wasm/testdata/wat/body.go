package wat

import (
	"slices"
	"strconv"
	"strings"
)

// plain are instructions without anything behind them.
var plain = map[string][]byte{
	"unreachable": {0x00}, "nop": {0x01}, "return": {0x0f}, "drop": {0x1a}, "select": {0x1b}, "else": {0x05},
	"memory.size": {0x3f, 0}, "memory.grow": {0x40, 0},
	"memory.copy": {0xfc, 10, 0, 0}, "memory.fill": {0xfc, 11, 0},
	"i32.eqz": {0x45}, "i32.eq": {0x46}, "i32.ne": {0x47}, "i32.lt_s": {0x48}, "i32.lt_u": {0x49}, "i32.gt_s": {0x4a}, "i32.gt_u": {0x4b},
	"i32.le_s": {0x4c}, "i32.le_u": {0x4d}, "i32.ge_s": {0x4e}, "i32.ge_u": {0x4f},
	"i32.add": {0x6a}, "i32.sub": {0x6b}, "i32.mul": {0x6c}, "i32.div_u": {0x6e}, "i32.and": {0x71}, "i32.or": {0x72}, "i32.xor": {0x73}, "i32.shl": {0x74}, "i32.shr_u": {0x76},
	"i64.or": {0x84}, "i64.shl": {0x86}, "i32.wrap_i64": {0xa7}, "i64.extend_i32_u": {0xad},
}

// memory are instructions with an alignment and an offset.
var memory = map[string][2]byte{
	"i32.load": {0x28, 2}, "i64.load": {0x29, 3}, "i32.load8_u": {0x2d, 0}, "i32.store": {0x36, 2}, "i32.store8": {0x3a, 0},
}

// body assembles a function.
func (a *assembler) body(f *node) {
	locals := map[string]uint64{}
	var declared []byte
	var count uint64
	note := func(kind string) {
		for _, p := range f.all(kind) {
			for _, w := range p.list[1:] {
				if strings.HasPrefix(w.atom, "$") {
					locals[w.atom] = uint64(len(locals))
				} else if kind == "local" {
					declared, count = append(declared, 1, valueType(w.atom)), count+1
				}
			}
		}
	}
	note("param")
	note("local")
	b := &body{a: a, locals: locals, out: append(uleb(count), declared...)}
	rest := f.list[1:]
	for len(rest) > 0 && (rest[0].list != nil || strings.HasPrefix(rest[0].atom, "$")) {
		rest = rest[1:]
	}
	for len(rest) > 0 {
		rest = b.instruction(rest)
	}
	if len(b.labels) > 0 {
		fail("line %d: a block has no end", f.line)
	}
	a.code = append(a.code, bytes(append(b.out, 0x0b)))
}

type body struct {
	a      *assembler
	locals map[string]uint64
	labels []string
	out    []byte
}

func (b *body) emit(parts ...[]byte) { b.out = append(b.out, slices.Concat(parts...)...) }

// instruction assembles the first one, and gives those after it.
func (b *body) instruction(in []*node) []*node {
	op, rest := in[0].atom, in[1:]
	next := func() string {
		if len(rest) == 0 {
			fail("line %d: %s lacks something", in[0].line, op)
		}
		w := rest[0].atom
		rest = rest[1:]
		return w
	}
	if code, ok := plain[op]; ok {
		b.emit(code)
		return rest
	}
	if m, ok := memory[op]; ok {
		offset := uint64(0)
		if len(rest) > 0 && strings.HasPrefix(rest[0].atom, "offset=") {
			offset = uint64(number(strings.TrimPrefix(next(), "offset=")))
		}
		b.emit(m[:], uleb(offset))
		return rest
	}
	switch op {
	case "block", "loop", "if":
		label := ""
		if len(rest) > 0 && strings.HasPrefix(rest[0].atom, "$") {
			label = next()
		}
		result := byte(0x40)
		if len(rest) > 0 && rest[0].word(0) == "result" {
			result, rest = valueType(rest[0].word(1)), rest[1:]
		}
		b.labels = append(b.labels, label)
		b.emit([]byte{map[string]byte{"block": 2, "loop": 3, "if": 4}[op], result})
	case "end":
		if len(b.labels) == 0 {
			fail("line %d: this end ends nothing", in[0].line)
		}
		b.labels = b.labels[:len(b.labels)-1]
		b.emit([]byte{0x0b})
	case "br", "br_if":
		b.emit([]byte{map[string]byte{"br": 0x0c, "br_if": 0x0d}[op]}, uleb(b.depth(next())))
	case "call":
		b.emit([]byte{0x10}, uleb(find(b.a.funcs, next())))
	case "local.get", "local.set", "local.tee":
		b.emit([]byte{map[string]byte{"local.get": 0x20, "local.set": 0x21, "local.tee": 0x22}[op]}, uleb(find(b.locals, next())))
	case "global.get", "global.set":
		b.emit([]byte{map[string]byte{"global.get": 0x23, "global.set": 0x24}[op]}, uleb(find(b.a.globals, next())))
	case "i32.const":
		b.emit([]byte{0x41}, sleb(int64(int32(number(next())))))
	case "i64.const":
		b.emit([]byte{0x42}, sleb(number(next())))
	default:
		fail("line %d: there is no instruction %q here", in[0].line, op)
	}
	return rest
}

func (b *body) depth(label string) uint64 {
	for i := len(b.labels) - 1; i >= 0; i-- {
		if b.labels[i] == label {
			return uint64(len(b.labels) - 1 - i)
		}
	}
	fail("there is no label %s", label)
	return 0
}

func find(in map[string]uint64, name string) uint64 {
	if n, err := strconv.ParseUint(name, 10, 32); err == nil {
		return n
	}
	n, ok := in[name]
	if !ok {
		fail("there is no %s", name)
	}
	return n
}
