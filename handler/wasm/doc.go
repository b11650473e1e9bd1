// Package wasm runs hooks that are WebAssembly modules, inside this process, by
// wazero. Any language that compiles to WebAssembly will do.
//
//	module, err := wasm.Read("guard.wasm")
//	...
//	guard := wasm.New(module, wasm.Config{})
//	err = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))
//
// # The two functions
//
// A module exports its memory as "memory", and
//
//	hookway_alloc(size i32) i32            // where the host may write size bytes
//	hookway_handle(ptr i32, len i32) i64   // the event's JSON; the answer's ptr<<32 | len
//
// The event is the JSON of package wire, and so is the answer, in any of its
// dialects; an empty one is no opinion. A module that exports _initialize is
// initialised by it. Modules may import WASI (wasi_snapshot_preview1), and log,
// fetch and read of the module "hookway".
//
// # Where it runs
//
// Each call has an instance of the module for itself. Instances are used again,
// one call after the other, and at most 8 of them are there at a time; one that
// trapped, was stopped or grew large is thrown away. An instance has at most
// 64 MiB of memory, and 16 MiB of stack. A call whose time is over is stopped
// wherever it is: for that, the module's code is changed before it is compiled.
// Compiling cannot be stopped, so a module that would take long to compile is refused.
//
// # What it may do
//
// A module may compute, look at the clock and log. It sees no file, no network,
// no environment and no other program, but what its Config gives it.
package wasm
