// Command assemble turns a hook in WebAssembly's text format into a module:
//
//	go run ./handler/wasm/testdata/assemble guard.wat guard.wasm
package main

import (
	"fmt"
	"os"

	"github.com/hookway/hookway/handler/wasm/testdata/wat"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "assemble:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want the text's file and the module's")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	module, err := wat.Assemble(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[1], module, 0o644)
}
