package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
)

// A function in TypeScript is a hook; no Node is needed.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "guard.ts")
	code := `export default (event: {tool_input: {command?: string}}) =>
		event.tool_input.command?.includes("--force") ? {action: "block", reason: "not by force"} : undefined`
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	guard, err := script.New(file, script.Config{}, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	var engine hook.Engine
	_ = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))
	for _, line := range []string{"git push", "git push --force"} {
		out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, nil,
			hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
		fmt.Println(line+":", out.Action, out.Reason, err)
	}
	// Output:
	// git push: continue  <nil>
	// git push --force: block not by force <nil>
}

// What a script may do is said by name.
func ExampleParseGrant() {
	grant, err := script.ParseGrant("net")
	fmt.Println(grant, err)
	_, err = script.ParseGrant("everything")
	fmt.Println(err)
	// Output:
	// net <nil>
	// there is no grant "everything"; use exec, read, write or net
}
