package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/hookway/hookway/internal/disk"
)

// MaxFile bounds a module's file.
const MaxFile = 16 << 20

// Module is a file that was read and looked through: it is WebAssembly, and has
// the functions that a hook needs. Nothing of it was run.
type Module struct {
	File string
	Hash string // of the content, in hexadecimal
	code []byte // changed so that it can be stopped
}

// Read reads a module. The error says what is wrong with it.
func Read(file string) (*Module, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the .wasm file in it", file)
	}
	code, err := disk.Read(file, MaxFile)
	switch {
	case errors.Is(err, disk.ErrTooBig):
		return nil, fmt.Errorf("%s: %w", file, errTooLarge)
	case errors.Is(err, disk.ErrNotRegular):
		return nil, fmt.Errorf("%s is not a regular file", file)
	case err != nil:
		return nil, err
	}
	m, err := Parse(file, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// Parse looks through a module that was read from a file. The error does not name
// the file.
func Parse(file string, code []byte) (*Module, error) {
	if len(code) > MaxFile {
		return nil, errTooLarge
	}
	o, err := examine(code)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(code)
	m := &Module{File: file, Hash: hex.EncodeToString(sum[:])}
	if m.code, err = meter(code, o); err != nil {
		return nil, broken(err)
	}
	return m, nil
}

// excess is the error of a module that is right, but too much for a hook.
type excess string

func (e excess) Error() string { return string(e) }

func tooMuch(format string, args ...any) error { return excess(fmt.Sprintf(format, args...)) }

// broken is the error of a module that is not right, unless it is too much.
func broken(err error) error {
	if _, ok := errors.AsType[excess](err); ok {
		return err
	}
	return fmt.Errorf("it is broken WebAssembly: %w", err)
}

var errTooLarge = fmt.Errorf("it has more than %d MiB; leave debug information out, as with -ldflags=-s or wasm-strip", MaxFile>>20)

// examine finds what keeps a module from being a hook, before it is compiled,
// which takes long. What else is wrong with it is found then.
func examine(code []byte) (*outline, error) {
	switch {
	case !bytes.HasPrefix(code, []byte("\x00asm")):
		return nil, errors.New("not WebAssembly; wasm: takes a compiled module, whose file begins with \\0asm")
	case !bytes.HasPrefix(code, []byte("\x00asm\x01\x00\x00\x00")):
		return nil, errors.New("not a core module of WebAssembly 1; components and other versions cannot be run")
	}
	o, err := readOutline(code[8:])
	if err != nil {
		return nil, broken(err)
	}
	for _, i := range o.imports {
		if err := o.check(i); err != nil {
			return nil, err
		}
	}
	if o.memory > memoryPages {
		return nil, fmt.Errorf("it wants %d MiB of memory to begin with; a hook has at most %d", o.memory>>4, memoryPages>>4)
	}
	if o.table > maxTable {
		return nil, fmt.Errorf("it wants a table of %d entries; a hook has at most %d", o.table, maxTable)
	}
	if kind, ok := o.exports["memory"]; !ok || kind.what != 2 {
		return nil, errors.New(`it does not export its memory; export it as "memory"`)
	}
	for _, f := range exported {
		e, ok := o.exports[f.name]
		if !ok || e.what != 0 {
			return nil, fmt.Errorf("it does not export %s; a hook exports %s and %s", f.name, exported[0], exported[1])
		}
		if got := o.signature(e.index); got != f.signature {
			return nil, fmt.Errorf("%s is %s; it must be %s", f.name, got, f.signature)
		}
	}
	if e, ok := o.exports["_initialize"]; ok && (e.what != 0 || o.signature(e.index) != "func()") {
		return nil, errors.New("_initialize must be func()")
	}
	return o, nil
}

// function is one that a module exports, as Go would write its type.
type function struct{ name, signature string }

func (f function) String() string { return f.name + f.signature[len("func"):] }

// exported are what a hook has to export.
var exported = []function{{"hookway_alloc", "func(i32) i32"}, {"hookway_handle", "func(i32, i32) i64"}}

// maxTable bounds the entries of a module's tables.
const maxTable = 1 << 20
