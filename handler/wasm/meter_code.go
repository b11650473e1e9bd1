package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Bounds of what is compiled. Nothing stops a compilation, and what it takes grows
// with the ways through a function times the variables that are known on them:
// some 0.6 µs and 100 bytes for each of both. The largest functions of programs in
// Go have 70,000, a module of 12 MB has 10 million.
const (
	maxCode      = 256 << 10 // bytes of a function
	maxLocals    = 10_000    // of a function
	maxAllLocals = 1 << 20
	maxNested    = 1000 // blocks in blocks
	maxWays      = 2 << 20
	maxAllWays   = 24 << 20
)

var errForeign = errors.New("it names a global, a function or a type that it does not have")

// code changes all functions.
func (m *metering) code(section []byte) ([]byte, error) {
	s := &source{rest: section}
	count := s.number()
	imported := uint32(len(m.o.funcs)) - m.o.own
	if count != m.o.own {
		return nil, fmt.Errorf("it declares %d functions and has %d", m.o.own, count)
	}
	out := append(make([]byte, 0, 2*len(section)), unsigned(count+1)...)
	for n := range count {
		body, err := m.function(imported+n, s.bytes())
		if s.err != nil {
			return nil, s.err
		}
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", imported+n, err)
		}
		out = append(append(out, unsigned(uint32(len(body)))...), body...)
	}
	last := m.looking()
	return append(append(out, unsigned(uint32(len(last)))...), last...), s.err
}

func (m *metering) get(added uint32) []byte {
	return append([]byte{opGlobalGet}, unsigned(m.o.globals+added)...)
}

func (m *metering) set(added uint32) []byte {
	return append([]byte{opGlobalSet}, unsigned(m.o.globals+added)...)
}

// change adds to one of the globals that were added, or takes off it.
func (m *metering) change(added uint32, how byte, by int32) []byte {
	return slices.Concat(m.get(added), []byte{opI32Const}, signed(by), []byte{how}, m.set(added))
}

// look calls the function that traps when the time is over or the stack full.
func (m *metering) look() []byte { return append([]byte{opCall}, unsigned(uint32(len(m.o.funcs)))...) }

// looking is the body of that function.
func (m *metering) looking() []byte {
	trap := []byte{opIf, noResult, opUnreachable, opEnd}
	return slices.Concat(
		[]byte{0, opI32Const, 0, opMemoryGrow, 0, opDrop},
		m.get(stopAdded), trap,
		m.get(roomAdded), []byte{opI32Const, 0, opI32LtS}, trap,
		[]byte{opI32Const}, signed(lookAfter), m.set(leftAdded), []byte{opEnd},
	)
}

// enter begins a function.
func (m *metering) enter(work, frame int32) []byte {
	return slices.Concat(
		m.change(leftAdded, opI32Sub, work), m.change(roomAdded, opI32Sub, frame),
		m.get(leftAdded), m.get(roomAdded), []byte{opI32Or, opI32Const, 0, opI32LtS, opIf, noResult}, m.look(), []byte{opEnd},
	)
}

// turn begins a loop, and where in it its work is written.
func (m *metering) turn() (code []byte, at int) {
	return slices.Concat(
		m.change(leftAdded, opI32Sub, 0),
		m.get(leftAdded), []byte{opI32Const, 0, opI32LtS, opIf, noResult}, m.look(), []byte{opEnd},
	), len(m.get(leftAdded)) + 1
}

// indirect looks whether it is to stop before a call of whatever function.
func (m *metering) indirect() []byte {
	return slices.Concat(m.get(stopAdded), []byte{opIf, noResult}, m.look(), []byte{opEnd})
}

// declared passes the locals of a function, and counts them.
func (m *metering) declared(s *source) (uint32, error) {
	var all uint64
	s.each(func() { all += uint64(s.number()); s.byte() })
	if all > maxLocals {
		return 0, tooMuch("it has %d locals; a function has at most %d", all, maxLocals)
	}
	if m.locals += uint32(all); m.locals > maxAllLocals {
		return 0, tooMuch("the functions before it have %d locals, which are all that a module may have", maxAllLocals)
	}
	return uint32(all), nil
}

// frameOf estimates what a call takes of the stack at most: all its variables and
// whatever its instructions compute may be there at once.
func frameOf(variables uint32, code int) int32 {
	return int32(64 + 16*int(variables) + 4*code)
}

// function changes one: its locals stay, and its instructions become a block, so
// that all its ends are one.
func (m *metering) function(index uint32, body []byte) ([]byte, error) {
	if len(body) > maxCode {
		return nil, tooMuch("it has %d KiB of code; a function has at most %d, because nothing can stop its compilation", len(body)>>10, maxCode>>10)
	}
	t, ok := m.o.typeOf(index)
	if !ok {
		return nil, errors.New("it has no type")
	}
	s := &source{rest: body}
	locals, err := m.declared(s)
	if err != nil {
		return nil, err
	}
	variables := uint32(len(t.params)+len(t.results)) + locals
	frame := frameOf(variables, len(s.rest))
	r := &rewriting{m: m, s: s, out: slices.Grow(bytes.Clone(body[:len(body)-len(s.rest)]), 2*len(body)+64)}
	r.emit(m.enter(int32(len(body))+8, frame), []byte{opBlock}, m.blockOf(t))
	if err := r.run(); err != nil {
		return nil, err
	}
	if err := m.passable(r.ways, int(variables+m.o.globals)+r.values); err != nil {
		return nil, err
	}
	r.emit(m.change(roomAdded, opI32Add, frame), []byte{opEnd})
	return r.out, nil
}

// passable refuses what takes too long to compile.
func (m *metering) passable(ways, variables int) error {
	n := ways * variables // both are less than a million
	if n > maxWays {
		return tooMuch("it has %d branches with %d variables, which takes too long to compile; divide it into smaller functions", ways, variables)
	}
	if m.ways += n; m.ways > maxAllWays {
		return tooMuch("this and those before it have so many branches and variables that they take too long to compile")
	}
	return nil
}

// blockOf is the type of a block that gives what a function does.
func (m *metering) blockOf(t signature) []byte {
	switch len(t.results) {
	case 0:
		return []byte{noResult}
	case 1:
		return t.results
	}
	return signed(int32(m.results[string(t.results)]))
}

// rewriting is one function on its way.
type rewriting struct {
	m    *metering
	s    *source
	out  []byte
	open []opened

	ways, values int // to other blocks, and what the largest of them takes and gives
}

// opened is a block, loop or if without its end yet.
type opened struct {
	work int // place in out of a loop's work, or 0
	left int // of the source, where it began
}

func (r *rewriting) emit(parts ...[]byte) {
	for _, p := range parts {
		r.out = append(r.out, p...)
	}
}

// run copies the instructions with what is added, up to the function's end.
func (r *rewriting) run() error {
	s, m := r.s, r.m
	for {
		from := s.rest
		in := s.instruction()
		if s.err != nil {
			return s.err
		}
		switch {
		case in.op == opCall && in.index < uint32(len(m.o.funcs))-m.o.own, in.bulk:
			r.emit(m.look())
		case in.op == opCallIndirect:
			r.emit(m.indirect())
		case (in.op == opGlobalGet || in.op == opGlobalSet) && in.index >= m.o.globals, (in.op == opCall || in.op == opRefFunc) && in.index >= uint32(len(m.o.funcs)):
			return errForeign
		case in.op >= opBr && in.op <= opBrTable && int64(in.index) > int64(len(r.open)):
			return errors.New("it branches to a block that there is not")
		}
		r.ways += in.ways
		if in.typed {
			if int64(in.index) >= int64(len(m.o.types)) {
				return errForeign
			}
			t := m.o.types[in.index]
			r.values = max(r.values, len(t.params)+len(t.results))
		}
		if in.op == opReturn { // out of the block that the function has become
			r.emit([]byte{opBr}, unsigned(uint32(len(r.open))))
			continue
		}
		r.emit(from[:len(from)-len(s.rest)])
		switch in.op {
		case opBlock, opIf, opLoop:
			if len(r.open) == maxNested {
				return tooMuch("it has more than %d blocks in blocks", maxNested)
			}
			o := opened{left: len(from)}
			if in.op == opLoop {
				code, at := m.turn()
				o.work = len(r.out) + at
				r.emit(code)
			}
			r.open = append(r.open, o)
		case opEnd:
			if len(r.open) == 0 {
				if len(s.rest) > 0 {
					return errors.New("something follows its end")
				}
				return nil
			}
			o := r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			if o.work > 0 {
				copy(r.out[o.work:], signed(int32(o.left-len(s.rest))))
			}
		}
	}
}
