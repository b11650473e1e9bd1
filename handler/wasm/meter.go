package wasm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// A module is changed before it is compiled, so that it can be stopped wherever
// it is. Each function and each loop begins by counting down what it will work at
// most before the next one does; below 0 it looks whether the call's time is over,
// and traps if so. Each function also takes its frame off the room that is left on
// the stack, and gives it back at its end; without room it traps.
//
// The look asks for 0 pages of memory. That does nothing, but goes by way of Go's
// own code, without which a garbage collection would wait for the guest.
//
// wazero's own way (WithCloseOnContextDone) looks in each turn of a loop, which
// costs ten times as much, not in a recursion, and leaves 100 MiB to the stack.

const (
	// lookAfter is how many bytes of instructions are run between two looks,
	// some 100 µs.
	lookAfter = 64 << 10

	// stackRoom is what frames may take, as frameOf estimates them. In use they
	// are smaller.
	stackRoom = 16 << 20
)

// Names of what is added. No language makes such names by itself.
const (
	stopGlobal    = "hookway:stop"
	roomGlobal    = "hookway:room"
	startFunction = "hookway:start"
)

// Indexes of what is added, behind that which the module has.
const (
	leftAdded = iota // instructions until the next look
	stopAdded        // 1 when the time is over
	roomAdded        // on the stack
	globalsAdded
)

// order is the place of each section; custom ones may be anywhere.
var order = map[byte]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 12: 10, 10: 11, 11: 12}

var errOrder = errors.New("its sections are not in their order")

// metering is a module that is changed.
type metering struct {
	o       *outline
	locals  uint32 // of all functions
	ways    int    // through them, times their variables
	results map[string]uint32
	types   []byte // that are added, for functions with several results
	out     []byte
}

// meter returns a module that was examined as it can be stopped.
func meter(code []byte, o *outline) ([]byte, error) {
	for _, name := range []string{stopGlobal, roomGlobal, startFunction} {
		if _, taken := o.exports[name]; taken {
			return nil, fmt.Errorf("it exports %s, which is hookway's own name", name)
		}
	}
	for _, e := range o.exports {
		if e.what == 0 && int64(e.index) >= int64(len(o.funcs)) || e.what == 3 && e.index >= o.globals {
			return nil, errForeign
		}
	}
	if o.begins && int64(o.start) >= int64(len(o.funcs)) {
		return nil, errForeign
	}
	m := &metering{o: o, results: map[string]uint32{}, out: bytes.Clone(code[:8])}
	m.addTypes()
	s := &source{rest: code[8:]}
	for last := 0; len(s.rest) > 0 && s.err == nil; {
		id, body := s.byte(), s.bytes()
		if s.err != nil {
			break
		}
		if id != 0 {
			place := order[id]
			if place <= last {
				return nil, errOrder
			}
			if last < order[6] && place > order[6] { // it has no globals of its own
				if err := m.section(6, []byte{0}); err != nil {
					return nil, err
				}
			}
			last = place
		}
		if err := m.section(id, body); err != nil {
			return nil, err
		}
	}
	return m.out, s.err
}

// addTypes adds the type of the look, and those of blocks in place of functions
// with several results.
func (m *metering) addTypes() {
	m.types = []byte{0x60, 0, 0}
	next := uint32(len(m.o.types)) + 1
	for _, t := range m.o.types {
		if key := string(t.results); len(key) > 1 {
			if _, have := m.results[key]; !have {
				m.results[key] = next
				m.types = append(append(append(m.types, 0x60, 0), unsigned(uint32(len(key)))...), key...)
				next++
			}
		}
	}
}

func (m *metering) section(id byte, body []byte) (err error) {
	switch id {
	case 0:
		if name := (&source{rest: body}).bytes(); string(name) != "name" {
			return nil // what debug information says of places would be wrong
		}
	case 1:
		body = grown(body, 1+uint32(len(m.results)), m.types)
	case 3:
		body = grown(body, 1, unsigned(uint32(len(m.o.types))))
	case 6:
		var added []byte
		for _, value := range []int32{lookAfter, 0, stackRoom} {
			added = append(append(append(added, 0x7f, 1, opI32Const), signed(value)...), opEnd)
		}
		body = grown(body, globalsAdded, added)
	case 7:
		body = grown(body, 2, bytes.Join([][]byte{named(stopGlobal, 3, m.o.globals+stopAdded), named(roomGlobal, 3, m.o.globals+roomAdded)}, nil))
		if m.o.begins {
			body = grown(body, 1, named(startFunction, 0, m.o.start))
		}
	case 8: // it is exported in place of this: it runs when it can be stopped
		return nil
	case 10:
		if body, err = m.code(body); err != nil {
			return err
		}
	}
	m.out = append(append(append(m.out, id), unsigned(uint32(len(body)))...), body...)
	return nil
}

// named is an export.
func named(name string, what byte, index uint32) []byte {
	return append(append(append(unsigned(uint32(len(name))), name...), what), unsigned(index)...)
}

// grown is a section with entries added at its end.
func grown(section []byte, n uint32, entries []byte) []byte {
	s := &source{rest: section}
	count := s.number()
	return append(append(unsigned(count+n), s.rest...), entries...)
}

func unsigned(n uint32) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// signed writes a number in always five bytes, so that it can be written over.
func signed(n int32) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n>>28) & 0x7f}
}
