package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	assembler "github.com/hookway/hookway/handler/wasm/testdata/wat"
)

// assemble writes a module of WebAssembly's text format: assemble IN.wat OUT.wasm.
func assemble(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: assemble IN.wat OUT.wasm")
	}
	module, err := assembler.Assemble(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), module, 0o644))
}
