package wasm

import "errors"

// instruction is what metering needs to know of one.
type instruction struct {
	op    byte
	index uint32 // of the function, global or type that it names; how many blocks it leaves at most
	typed bool   // it is a block whose type has the index
	ways  int    // that lead from here to a block
	bulk  bool   // it takes longer the more memory it works on
}

// Codes of instructions.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI32LtS       = 0x48
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI32Or        = 0x72
	opRefFunc      = 0xd2
	noResult       = 0x40 // of a block
)

var errInstruction = errors.New("it has an instruction that is not of WebAssembly 2")

// instruction reads one with all that belongs to it.
func (s *source) instruction() (in instruction) {
	in.op = s.byte()
	switch op := in.op; {
	case op == opCall, op == opRefFunc, op == opGlobalGet, op == opGlobalSet:
		in.index = s.number()
	case op >= opBlock && op <= opIf:
		in.ways = 1
		if in.typed = len(s.rest) > 0 && s.rest[0] != noResult && valueTypes[s.rest[0]] == ""; in.typed {
			in.index = s.number()
		} else {
			s.byte()
		}
	case op == opBr, op == opBrIf:
		in.ways, in.index = 1, s.number()
	case op >= 0x20 && op <= 0x26, op >= 0x3f && op <= 0x42, op == 0xd0:
		s.skip(1)
	case op <= 0x01, op == 0x05, op == opEnd, op == opReturn, op == opDrop, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op == opBrTable:
		s.each(func() { in.index = max(in.index, s.number()); in.ways++ })
		in.index = max(in.index, s.number())
	case op == 0x1c: // select with types
		s.bytes()
	case op == opCallIndirect, op >= 0x28 && op <= 0x3e: // the latter are loads and stores
		s.skip(2)
	case op == 0x43:
		s.take(4)
	case op == 0x44:
		s.take(8)
	case op == 0xfc:
		in.bulk = s.prefixed()
	case op == 0xfd:
		s.vector()
	default:
		s.fail(errInstruction)
	}
	return in
}

// prefixed reads the rest of conversions that saturate, and of bulk instructions.
func (s *source) prefixed() (bulk bool) {
	switch op := s.number(); {
	case op <= 7:
		return false
	case op == 9, op == 11, op == 13, op >= 15 && op <= 17:
		s.skip(1)
	case op == 8, op == 10, op == 12, op == 14:
		s.skip(2)
	default:
		s.fail(errInstruction)
	}
	return true
}

// vector reads the rest of an instruction on vectors.
func (s *source) vector() {
	switch op := s.number(); {
	case op <= 11, op == 92, op == 93: // loads and stores
		s.skip(2)
	case op == 12, op == 13: // constants, shuffles
		s.take(16)
	case op >= 21 && op <= 34: // lanes
		s.take(1)
	case op >= 84 && op <= 91: // lanes in memory
		s.skip(2)
		s.take(1)
	case op > 255:
		s.fail(errInstruction)
	}
}

// skip passes numbers of any size.
func (s *source) skip(numbers int) {
	for range numbers {
		for n := 0; s.byte()&0x80 != 0; n++ {
			if n == 10 {
				s.fail(errInstruction)
				return
			}
		}
	}
}

func (s *source) take(n int) {
	if n > len(s.rest) {
		s.fail(errShort)
		return
	}
	s.rest = s.rest[n:]
}
