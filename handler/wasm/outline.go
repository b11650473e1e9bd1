package wasm

import (
	"errors"
	"fmt"
	"strings"
)

// outline is what a module says of itself outside its code.
type outline struct {
	types   []signature
	funcs   []uint32 // type of each, the imported ones first
	own     uint32   // how many of them are not imported
	imports []imported
	exports map[string]export
	globals uint32
	begins  bool   // it has a function that is called at the start
	start   uint32 // which
	memory  uint64 // pages that it begins with
	table   uint64 // entries that its tables begin with
}

type imported struct {
	module, name string
	what         byte   // as of an export
	index        uint32 // of its type, if it is a function
}

type export struct {
	what  byte // 0 function, 1 table, 2 memory, 3 global
	index uint32
}

// typeOf is the type of a function.
func (o *outline) typeOf(f uint32) (signature, bool) {
	if int64(f) >= int64(len(o.funcs)) || int64(o.funcs[f]) >= int64(len(o.types)) {
		return signature{}, false
	}
	return o.types[o.funcs[f]], true
}

// signature is the same in words.
func (o *outline) signature(f uint32) string {
	if t, ok := o.typeOf(f); ok {
		return t.String()
	}
	return "a function without type"
}

var errShort = errors.New("it ends too early")

// source reads a module's bytes; after an error it gives zeros.
type source struct {
	rest []byte
	err  error
}

func (s *source) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.rest = nil
}

func (s *source) byte() byte {
	if len(s.rest) == 0 {
		s.fail(errShort)
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

// number reads an unsigned LEB128 of up to 32 bits; limits of memories that are
// larger than that are not for us.
func (s *source) number() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := s.byte()
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if n > 1<<32-1 {
				s.fail(errors.New("it has a number that is too large"))
				return 0
			}
			return uint32(n)
		}
	}
	s.fail(errors.New("it has a number that is too long"))
	return 0
}

func (s *source) bytes() []byte {
	n := s.number()
	if int64(n) > int64(len(s.rest)) {
		s.fail(errShort)
		return nil
	}
	b := s.rest[:n:n]
	s.rest = s.rest[n:]
	return b
}

// each does something for every entry of a list.
func (s *source) each(do func()) {
	for n := s.number(); n > 0 && s.err == nil; n-- {
		do()
	}
}

func readOutline(code []byte) (*outline, error) {
	o := &outline{exports: map[string]export{}}
	s := &source{rest: code}
	for len(s.rest) > 0 && s.err == nil {
		id := s.byte()
		section := &source{rest: s.bytes()}
		if s.err != nil {
			break
		}
		o.section(id, section)
		if section.err != nil {
			return nil, fmt.Errorf("section %d: %w", id, section.err)
		}
	}
	return o, s.err
}

// Bounds of what is not code. All of it is there once more for each instance.
const (
	maxEntries  = 100_000 // of a section
	maxElements = 1 << 20 // bytes of what tables begin with
)

func (o *outline) section(id byte, s *source) {
	if n := (&source{rest: s.rest}).number(); n > maxEntries && id != 0 && id != 8 && id != 12 {
		s.fail(tooMuch("it has %d entries; a hook has at most %d", n, maxEntries))
		return
	}
	switch id {
	case 9:
		if len(s.rest) > maxElements {
			s.fail(tooMuch("it has %d KiB of what is in tables; a hook has at most %d", len(s.rest)>>10, maxElements>>10))
			return
		}
		s.each(func() { o.elements(s) })
	case 1:
		s.each(func() { o.types = append(o.types, s.signature()) })
	case 2:
		s.each(func() { o.imported(s) })
	case 3:
		s.each(func() { o.funcs = append(o.funcs, s.number()); o.own++ })
	case 4:
		s.each(func() { s.byte(); o.table += uint64(s.limits()) })
	case 5:
		s.each(func() { o.memory += uint64(s.limits()) })
	case 6:
		o.globals += s.number() // they are not read
	case 8:
		o.begins, o.start = true, s.number()
	case 7:
		s.each(func() {
			name := string(s.bytes())
			o.exports[name] = export{s.byte(), s.number()}
		})
	}
}

func (o *outline) imported(s *source) {
	i := imported{module: string(s.bytes()), name: string(s.bytes()), what: s.byte()}
	defer func() { o.imports = append(o.imports, i) }()
	switch i.what {
	case 0:
		i.index = s.number()
		o.funcs = append(o.funcs, i.index)
	case 1:
		s.byte()
		s.limits()
	case 2:
		s.limits()
	case 3:
		s.byte()
		s.byte()
		o.globals++
	default:
		s.fail(fmt.Errorf("it imports something of the unknown kind %d", i.what))
	}
}

// elements reads what is in a table at the beginning.
func (o *outline) elements(s *source) {
	kind := s.number()
	if kind > 7 {
		s.fail(fmt.Errorf("it has elements of the unknown kind %d", kind))
		return
	}
	if kind&1 == 0 {
		if kind&2 != 0 {
			s.number()
		}
		o.constant(s)
	}
	if kind&3 != 0 {
		s.byte()
	}
	s.each(func() {
		if kind&4 != 0 {
			o.constant(s)
		} else {
			o.has(s, s.number())
		}
	})
}

// constant reads an expression.
func (o *outline) constant(s *source) {
	for s.err == nil {
		switch in := s.instruction(); in.op {
		case opRefFunc:
			o.has(s, in.index)
		case opEnd:
			return
		}
	}
}

func (o *outline) has(s *source, f uint32) {
	if int64(f) >= int64(len(o.funcs)) {
		s.fail(errForeign)
	}
}

// limits returns the smaller one.
func (s *source) limits() uint32 {
	flags := s.byte()
	least := s.number()
	if flags&1 != 0 {
		s.number()
	}
	return least
}

var valueTypes = map[byte]string{0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref", 0x6f: "externref"}

// signature is a function's type, as codes of types.
type signature struct{ params, results []byte }

// String writes it as Go would.
func (t signature) String() string {
	list := func(codes []byte) string {
		var names []string
		for _, c := range codes {
			names = append(names, valueTypes[c])
		}
		return strings.Join(names, ", ")
	}
	text := "func(" + list(t.params) + ")"
	switch len(t.results) {
	case 0:
		return text
	case 1:
		return text + " " + list(t.results)
	}
	return text + " (" + list(t.results) + ")"
}

// maxValues bounds what a function takes, and what it gives.
const maxValues = 100

// signature reads a function's type.
func (s *source) signature() signature {
	if form := s.byte(); s.err == nil && form != 0x60 {
		s.fail(fmt.Errorf("it has a type of the unknown form %#x", form))
		return signature{}
	}
	return signature{s.values(), s.values()}
}

func (s *source) values() []byte {
	codes := s.bytes()
	for _, c := range codes {
		if valueTypes[c] == "" {
			s.fail(fmt.Errorf("it has the unknown type %#x", c))
		}
	}
	if len(codes) > maxValues {
		s.fail(tooMuch("a function takes or gives %d values; %d are the most", len(codes), maxValues))
	}
	return codes
}
