package wasm_test

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/hook"
)

// A module in WebAssembly is a hook. It sees nothing that its Config does not give.
func ExampleNew() {
	module, err := wasm.Read("testdata/guests/rust/guard.wasm")
	if err != nil {
		fmt.Println(err)
		return
	}
	guard := wasm.New(module, wasm.Config{})
	defer guard.Close()
	var engine hook.Engine
	_ = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))

	out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, nil,
		hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm -rf /"}})
	fmt.Println(out.Action, out.Reason, err)
	// Output: block rm -rf is not run here <nil>
}
